"""Methods of tensors that take their arguments otherwise than the functions of their names."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

from weft_tensor.build.variable import SizesLike, TensorLike, TensorVariable
from weft_tensor.ops.indexing import take
from weft_tensor.ops.indexing.index import updated
from weft_tensor.ops.shape import broadcast_to as broadcasting
from weft_tensor.ops.shape import reshape as shapes
from weft_tensor.ops.shape import transpose as transposition

__all__ = [
    "array_namespace",
    "broadcast_to",
    "compress",
    "inc",
    "maximum",
    "minimum",
    "mul",
    "reshape",
    "set",
    "transpose",
]


def _sizes(args: tuple[object, ...]) -> Any:
    """`x.reshape(2, 3)` and `x.reshape((2, 3))` alike."""
    return args[0] if len(args) == 1 else args


def reshape(self: TensorVariable, *lengths: SizesLike, order: str = "C") -> TensorVariable:
    """In another shape; one length may be -1."""
    return shapes.reshape(self, _sizes(lengths), order)


def broadcast_to(self: TensorVariable, *lengths: SizesLike) -> TensorVariable:
    """Repeated to another shape."""
    return broadcasting.broadcast_to(self, _sizes(lengths))


def transpose(self: TensorVariable, *axes: int | Sequence[int] | None) -> TensorVariable:
    """The axes in another order; reversed by default."""
    return transposition.transpose(self, _sizes(axes) if axes else None)


def compress(
    self: TensorVariable, condition: TensorLike, axis: int | None = None
) -> TensorVariable:
    """The slices along `axis` for which `condition` is true."""
    return take.compress(condition, self, axis)


def set(self: TensorVariable, value: TensorLike) -> TensorVariable:
    """`x[i].set(value)`: x with `value` in place of x[i]; x itself stays as it is."""
    return updated(self, "set", value)


def inc(self: TensorVariable, value: TensorLike) -> TensorVariable:
    """`x[i].inc(value)`: x with `value` added to x[i], for each time it is indexed."""
    return updated(self, "inc", value)


def mul(self: TensorVariable, value: TensorLike) -> TensorVariable:
    """`x[i].mul(value)`: x with x[i] multiplied by `value`, for each time it is indexed."""
    return updated(self, "mul", value)


def maximum(self: TensorVariable, value: TensorLike) -> TensorVariable:
    """`x[i].maximum(value)`: x with the larger of x[i] and of each `value` in its place."""
    return updated(self, "maximum", value)


def minimum(self: TensorVariable, value: TensorLike) -> TensorVariable:
    """`x[i].minimum(value)`: x with the smaller of x[i] and of each `value` in its place."""
    return updated(self, "minimum", value)


def array_namespace(self: TensorVariable, *, api_version: str | None = None) -> ModuleType:
    """The module `array_api`; raises ValueError for another version of the standard than its."""
    namespace = import_module("weft_tensor.front.array_api")
    if api_version not in (None, namespace.__array_api_version__):
        raise ValueError(
            f"the array API is that of {namespace.__array_api_version__}, not {api_version}"
        )
    return namespace
