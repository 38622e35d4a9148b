"""Lengths of axes in JAX."""

from __future__ import annotations

import numpy as np
from jax import Array

from weft_jax.analysis.static_values import no_positions, static_positions
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import Length

__all__ = ["jax_funcify_length"]


static_positions.register(Length, no_positions)


@jax_funcify.register(Length)
def jax_funcify_length(op: Length, **kwargs: object) -> Lowering:
    """A Python number while JAX traces, or JAX's symbol for one that is exported."""

    def length(x: Array) -> object:
        return np.shape(x)[op.axis]

    return length
