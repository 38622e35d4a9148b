"""Where the largest and the smallest element are, in JAX."""

from __future__ import annotations

from functools import partial

import jax.numpy as jnp

from weft_jax.lowering.complex_order import axis_function, complex_argextremum
from weft_jax.lowering.dispatch import jax_funcify
from weft_tensor import ArgMax, ArgMin

__all__: list[str] = []

_LARGEST, _SMALLEST = (partial(complex_argextremum, largest=largest) for largest in (True, False))

jax_funcify.register(ArgMax, axis_function(jnp.argmax, _LARGEST))
jax_funcify.register(ArgMin, axis_function(jnp.argmin, _SMALLEST))
