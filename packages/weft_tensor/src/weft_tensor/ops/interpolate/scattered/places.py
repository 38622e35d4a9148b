"""Places of several coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_graph import Constant
from weft_tensor.build.convert import as_floating, constant
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.shape.broadcast_to import broadcast_arrays
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.shape.reshape import reshape

__all__ = ["places_of"]


def places_of(xi: Any, columns: Any = None) -> TensorVariable:
    """Coordinates along the last axis; of a tuple each element has one of them for all places.

    Of a vector, in rows of so many `columns`.

    >>> places_of(([1, 2], 5.0)).op.value
    array([[1., 5.],
           [2., 5.]])
    """
    if not isinstance(xi, tuple):
        places = as_floating(xi)
        is_vector = places.ndim == 1 and columns is not None
        return reshape(places, (-1, columns)) if is_vector else places
    parts = [as_floating(v) for v in xi]
    numbers = [v.op.value for v in parts if isinstance(v.op, Constant)]
    if len(numbers) == len(parts):
        return constant(np.stack(np.broadcast_arrays(*numbers), -1))
    return stack(broadcast_arrays(*parts), -1)
