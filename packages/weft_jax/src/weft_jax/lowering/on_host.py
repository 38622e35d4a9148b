"""Values as Python and NumPy have them."""

from __future__ import annotations

import jax
import numpy as np

from weft_graph import Variable
from weft_tensor import TensorType

__all__ = ["are_tensors", "on_host"]


def on_host(value: object) -> object:
    """`value`, as NumPy has it if it is an array of JAX.

    >>> on_host(jax.numpy.arange(2)), on_host("ab")
    (array([0, 1], dtype=int32), 'ab')
    """
    return np.asarray(value) if isinstance(value, jax.Array) else value


def are_tensors(*variables: Variable) -> bool:
    """Whether JAX takes and returns the values of all `variables` as arrays."""
    return False not in [isinstance(v.type, TensorType) for v in variables]
