"""Order in JAX."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import jax.numpy as jnp
from jax import Array, lax

from weft_jax.lowering.complex_order import complex_argextremum, complex_argsort
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import ArgMax, ArgMin, ArgSort, Sort, TensorVariable

__all__ = ["jax_funcify_ordering"]

_SHORT: Final = 2**31


def _argsort(x: Array, axis: int) -> Array:
    """As `jax.numpy.argsort`, which carries positions of 64 bits along."""
    n: Any = x.shape[axis]  # or a symbol, in exported graphs
    kind = "int32" if isinstance(n, int) and n < _SHORT else "int64"
    places = lax.broadcasted_iota(kind, x.shape, axis)
    return lax.sort((x, places), dimension=axis, num_keys=1)[1]


_FUNCTIONS: Final[dict[type[Any], Any]] = {
    ArgMax: (jnp.argmax, partial(complex_argextremum, largest=True)),
    ArgMin: (jnp.argmin, partial(complex_argextremum, largest=False)),
    ArgSort: (_argsort, complex_argsort),
    Sort: (jnp.sort, lambda x, axis: jnp.take_along_axis(x, complex_argsort(x, axis), axis)),
}
"""Of real numbers, and of complex ones."""


@jax_funcify.register(ArgMax)
@jax_funcify.register(ArgMin)
@jax_funcify.register(ArgSort)
@jax_funcify.register(Sort)
def jax_funcify_ordering(op: Any, *, node: TensorVariable, **kwargs: object) -> Lowering:
    """`jax.numpy`'s function of the same name."""
    functions, dtype = _FUNCTIONS[type(op)], node.type.dtype

    def ordering(x: Array) -> object:
        x = jnp.asarray(x)
        return functions[jnp.iscomplexobj(x)](x, axis=op.axis).astype(dtype)

    return ordering
