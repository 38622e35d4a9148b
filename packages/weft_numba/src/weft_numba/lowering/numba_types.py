"""Numba's types for ours."""

from __future__ import annotations

from typing import Any, Literal

import numba

from weft_graph import Constant, TupleType, Type, Variable
from weft_tensor import TensorType

__all__ = ["numba_type"]


def numba_type(v: Variable, layout: Literal["C", "A"] = "C") -> Any:
    """The type of the values of `v` in machine code; TypeError if there is none.

    >>> from weft_tensor import matrix
    >>> numba_type(matrix("X"))
    Array(float64, 2, 'C', False, aligned=True)
    """
    if not isinstance(v.op, Constant) or not getattr(v.type, "ndim", True):
        return _converted(v.type, layout)
    if not isinstance(v.type, TensorType):
        return numba.typeof(v.op.value)
    scalar = numba.from_dtype(v.type.numpy_dtype)
    return numba.types.Array(scalar, v.type.ndim, "C", readonly=True)


def _converted(kind: Type, layout: Literal["C", "A"]) -> Any:
    if isinstance(kind, TupleType):
        return numba.types.Tuple([_converted(item, layout) for item in kind.items])
    if not isinstance(kind, TensorType):
        raise TypeError(f"Numba has no type for {kind}")
    scalar = numba.from_dtype(kind.numpy_dtype)
    return numba.types.Array(scalar, kind.ndim, layout) if kind.ndim else scalar
