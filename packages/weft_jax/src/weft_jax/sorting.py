"""Order in JAX."""

from __future__ import annotations

from typing import Any, Final

import jax.numpy as jnp

from weft_jax.dispatch import jax_funcify
from weft_tensor import ArgMax, ArgMin, ArgSort, Sort

__all__ = ["jax_funcify_arg", "jax_funcify_sort"]

FUNCTIONS: Final[dict[type[Any], Any]] = {
    ArgMax: jnp.argmax,
    ArgMin: jnp.argmin,
    ArgSort: jnp.argsort,
}


@jax_funcify.register(Sort)
def jax_funcify_sort(op: Sort, **kwargs: Any) -> Any:
    """`jax.numpy.sort`."""
    return lambda x: jnp.sort(jnp.asarray(x), axis=op.axis)


@jax_funcify.register(ArgMax)
@jax_funcify.register(ArgMin)
@jax_funcify.register(ArgSort)
def jax_funcify_arg(op: Any, **kwargs: Any) -> Any:
    """`jax.numpy`'s function of the same name."""
    function = FUNCTIONS[type(op)]
    return lambda x: function(jnp.asarray(x), axis=op.axis).astype("int64")
