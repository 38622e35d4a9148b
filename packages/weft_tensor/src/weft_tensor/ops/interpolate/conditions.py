"""What knots, values and places must be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weft_graph import Constant
from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor, as_tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.linalg.square import real_dtype
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.axes import as_axis
from weft_tensor.types.dtypes import promote

__all__ = [
    "demand",
    "demand_length",
    "increasing",
    "of_one_dtype",
    "real_vector",
    "with_values",
]


def real_vector(value: TensorLike, name: str) -> TensorVariable:
    """A vector of floating numbers; TypeError for complex ones, ValueError for another rank."""
    x = as_floating(value)
    if x.is_complex:
        raise TypeError(f"{name} must be real, not {x!r}{called()}")
    if x.ndim != 1:
        raise ValueError(f"{name} must be a vector, not {x!r}{called()}")
    return x


def of_one_dtype(*values: TensorLike) -> tuple[TensorVariable, ...]:
    """The same in the dtype that they combine to; Python numbers take it from the others."""
    tensors = as_tensors(values)
    dtype = promote([v.dtype for v in tensors])
    return tuple([v.astype(dtype) for v in tensors])


def demand(x: TensorVariable, holds: Callable[[Any], Any], message: str) -> TensorVariable:
    """`x`, if `holds(x)`; else ValueError, at once for a constant, for others at the call."""
    if not isinstance(x.op, Constant):
        return check_and_raise(x, holds(x), ValueError, message)
    if not np.all(holds(x.op.value)):
        raise ValueError(f"{message}{called()}")
    return x


def demand_length(x: TensorVariable, least: TensorLike, message: str) -> TensorVariable:
    """`x`, if its first axis is of length `least` or more; else ValueError, as early as known."""
    spare = lengths_of(x)[0] - as_tensor(least)
    difference = static_length(spare)
    if not isinstance(difference, int):
        return check_and_raise(x, spare >= 0, ValueError, message)
    if difference < 0:
        raise ValueError(f"{message}{called()}")
    return x


def increasing(x: TensorVariable, name: str) -> TensorVariable:
    """The vector `x`, if each element is larger than the one before."""
    return demand(x, lambda v: v[1:] > v[:-1], f"{name} must be strictly increasing")


def with_values(
    x: TensorVariable, y: TensorLike, axis: int
) -> tuple[TensorVariable, TensorVariable, int]:
    """The vector `x`, `y` with `axis` first, of one length and precision, and which axis it was."""
    values = as_floating(y)
    along = as_axis(axis, values.ndim)
    values = moveaxis(values, along, 0)
    if isinstance(values.type.shape[0], int):
        x = specify_shape(x, lengths_of(values)[:1])
    values = specify_shape(values, (lengths_of(x)[0], *[None] * (values.ndim - 1)))
    dtype = promote([x.dtype, values.dtype])
    return x.astype(real_dtype(dtype)), values.astype(dtype), along
