"""Order in JAX."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

from weft_jax.lowering.complex_order import axis_function, complex_argsort
from weft_jax.lowering.dispatch import jax_funcify
from weft_tensor import ArgSort, Sort

__all__: list[str] = []


def _complex_sort(x: Array, axis: int) -> Array:
    return jnp.take_along_axis(x, complex_argsort(x, axis), axis)


jax_funcify.register(ArgSort, axis_function(jnp.argsort, complex_argsort))
jax_funcify.register(Sort, axis_function(jnp.sort, _complex_sort))
