"""Order in JAX."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import jax.numpy as jnp
from jax import Array

from weft_jax.lowering.complex_order import complex_argextremum, complex_argsort
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import ArgMax, ArgMin, ArgSort, Sort

__all__ = ["jax_funcify_arg", "jax_funcify_sort"]

FUNCTIONS: Final[dict[type[Any], Any]] = {
    ArgMax: jnp.argmax,
    ArgMin: jnp.argmin,
    ArgSort: jnp.argsort,
}
_OF_COMPLEX: Final[dict[type[Any], Any]] = {
    ArgMax: partial(complex_argextremum, largest=True),
    ArgMin: partial(complex_argextremum, largest=False),
    ArgSort: complex_argsort,
}


@jax_funcify.register(Sort)
def jax_funcify_sort(op: Sort, **kwargs: object) -> Lowering:
    """`jax.numpy.sort`."""

    def sort(x: Array) -> Array:
        x = jnp.asarray(x)
        if jnp.iscomplexobj(x):
            return jnp.take_along_axis(x, complex_argsort(x, op.axis), op.axis)
        return jnp.sort(x, axis=op.axis)

    return sort


@jax_funcify.register(ArgMax)
@jax_funcify.register(ArgMin)
@jax_funcify.register(ArgSort)
def jax_funcify_arg(op: Any, **kwargs: object) -> Lowering:
    """`jax.numpy`'s function of the same name."""

    def arg(x: Array) -> object:
        x = jnp.asarray(x)
        function = (_OF_COMPLEX if jnp.iscomplexobj(x) else FUNCTIONS)[type(op)]
        return function(x, axis=op.axis).astype("int64")

    return arg
