"""Places of several coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_graph import Constant
from weft_tensor.build.convert import as_floating, constant
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.shape.broadcast_to import broadcast_arrays
from weft_tensor.ops.shape.concatenate import stack

__all__ = ["places_of"]


def places_of(xi: Any) -> TensorVariable:
    """Coordinates along the last axis; of a tuple each element has one of them for all places.

    >>> places_of(([1, 2], 5.0)).op.value
    array([[1., 5.],
           [2., 5.]])
    """
    if not isinstance(xi, tuple):
        return as_floating(xi)
    parts = [as_floating(v) for v in xi]
    numbers = [v.op.value for v in parts if isinstance(v.op, Constant)]
    if len(numbers) == len(parts):
        return constant(np.stack(np.broadcast_arrays(*numbers), -1))
    return stack(broadcast_arrays(*parts), -1)
