"""Tensors whose value outlives a call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from weft_graph import shared as graph_shared
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.types.as_array import as_array
from weft_tensor.types.dtypes import as_dtype
from weft_tensor.types.tensor_type import TensorType

__all__ = ["shared"]


def shared(
    value: TensorLike,
    name: str | None = None,
    *,
    dtype: Any = None,
    shape: Iterable[object] | None = None,
) -> TensorVariable:
    """A tensor that keeps its value between calls: functions use it without being given it.

    `function(..., updates={s: expression})` gives it a new value at every call;
    `s.get_value()` and `s.set_value(value)` copy its value out and in.

    Parameters
    ----------
    value
        A number, an array or nested sequences; it is copied.
    name
        For printing.
    dtype
        By default, that of the value as an array.
    shape
        One int, name or None per axis; by default, all lengths may change.

    >>> from weft_graph import function
    >>> total, x = shared(0.0, "total"), TensorType("float64", ())("x")
    >>> add = function([x], total, updates={total: total + x}, mode="py")
    >>> float(add(2.0)), float(add(3.0)), float(total.get_value())
    (0.0, 2.0, 5.0)
    """
    array = as_array(value, None if dtype is None else as_dtype(dtype))
    kind = TensorType(array.dtype, [None] * array.ndim if shape is None else shape)
    return graph_shared(kind, array, name)  # type: ignore[no-any-return]  # of any Type
