"""Inputs that are known as lengths are, in JAX."""

from __future__ import annotations

import numpy as np

from weft_graph import Variable
from weft_graph.extend import Static
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import TensorType

__all__ = ["jax_funcify_static"]


@jax_funcify.register(Static)
def jax_funcify_static(op: Static, *, node: Variable, **kwargs: object) -> Lowering:
    """The value as NumPy has it, as constants come; of a type of the user's as it is."""
    kind = node.type
    if not isinstance(kind, TensorType):
        return lambda value: value
    return lambda value: np.asarray(value, kind.dtype)
