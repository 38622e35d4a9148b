"""Lengths of axes in JAX."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_jax.lowering.dispatch import jax_funcify
from weft_tensor import Length

__all__ = ["jax_funcify_length"]


@jax_funcify.register(Length)
def jax_funcify_length(op: Length, **kwargs: Any) -> Any:
    """A Python number while JAX traces, or JAX's symbol for one that is exported."""

    def length(x: Any) -> Any:
        return np.shape(x)[op.axis]

    return length
