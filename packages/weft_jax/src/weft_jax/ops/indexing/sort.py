"""Order in JAX."""

from __future__ import annotations

from typing import Final

import jax.numpy as jnp
from jax import Array

from weft_jax.analysis.contraction import ORDERING
from weft_jax.lowering.complex_order import axis_function, complex_argsort
from weft_jax.lowering.dispatch import jax_funcify
from weft_jax.lowering.sort_keys import places_in_order, sorted_along
from weft_jax.lowering.sorting_network import in_order
from weft_tensor import ArgSort, Sort

__all__: list[str] = []

_FEW: Final = 8
"""So many numbers at most are sorted by a network, which takes longer to compile."""
ORDERING.add(Sort)


def _sort(x: Array, axis: int) -> Array:
    n: object = x.shape[axis]
    if not isinstance(n, int) or not 1 < n <= _FEW:
        return sorted_along(x, axis)
    return jnp.stack(in_order(jnp.moveaxis(x, axis, -1)), axis)


def _complex_sort(x: Array, axis: int) -> Array:
    return jnp.take_along_axis(x, complex_argsort(x, axis), axis)


jax_funcify.register(ArgSort, axis_function(places_in_order, complex_argsort))
jax_funcify.register(Sort, axis_function(_sort, _complex_sort))
