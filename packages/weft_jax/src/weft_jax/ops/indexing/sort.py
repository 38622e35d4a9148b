"""Order in JAX."""

from __future__ import annotations

from typing import Final

import jax.numpy as jnp
from jax import Array, lax

from weft_jax.analysis.contraction import ORDERING
from weft_jax.lowering.complex_order import axis_function, complex_argsort
from weft_jax.lowering.dispatch import jax_funcify
from weft_jax.lowering.sorting_network import in_order
from weft_tensor import ArgSort, Sort

__all__: list[str] = []

_SHORT: Final = 2**31
_FEW: Final = 8
"""So many numbers at most are sorted by a network, which takes longer to compile."""
ORDERING.add(Sort)


def _argsort(x: Array, axis: int) -> Array:
    """As `jax.numpy.argsort`, which carries positions of 64 bits along."""
    n: object = x.shape[axis]  # or a symbol, in exported graphs
    kind = "int32" if isinstance(n, int) and n < _SHORT else "int64"
    places = lax.broadcasted_iota(kind, x.shape, axis)
    return lax.sort((x, places), dimension=axis, num_keys=1)[1]


def _sort(x: Array, axis: int) -> Array:
    n: object = x.shape[axis]
    if not isinstance(n, int) or not 1 < n <= _FEW:
        return jnp.sort(x, axis)
    return jnp.stack(in_order(jnp.moveaxis(x, axis, -1)), axis)


def _complex_sort(x: Array, axis: int) -> Array:
    return jnp.take_along_axis(x, complex_argsort(x, axis), axis)


jax_funcify.register(ArgSort, axis_function(_argsort, complex_argsort))
jax_funcify.register(Sort, axis_function(_sort, _complex_sort))
