"""Words of random bits for each element, and the shapes and parameters of what is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from weft_tensor.build.convert import as_tensor, as_tensors, constant
from weft_tensor.build.variable import SizesLike, TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import Arange
from weft_tensor.ops.elementwise.cast import cast
from weft_tensor.ops.elementwise.op import broadcast_dims
from weft_tensor.ops.random.threefry import threefry2x32
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.length import as_size, lengths_of, sizes_of
from weft_tensor.types.dtypes import as_dtype, promote

__all__ = [
    "DIGITS",
    "Size",
    "as_key",
    "as_sizes",
    "fitted",
    "fitting",
    "given_or_common",
    "no_shape",
    "parameters_of_draws",
    "random_words",
]

Size = SizesLike | None

DIGITS: Final = {"float32": 24, "float64": 53}
"""How many binary digits a number below 1 has."""


def random_words(key: TensorLike, sizes: Sequence[TensorVariable]) -> TensorVariable:
    """64 bits for each element of a tensor."""
    spread = broadcast_to(as_key(key), tuple(sizes))
    return threefry2x32(spread, _positions(sizes))


def as_key(value: TensorLike, owner: str = "") -> TensorVariable:
    """The key; TypeError for what is none, which says whose key it is."""
    says = f"{owner}{': ' if owner else ''}a key is a uint64 scalar, as `key(seed)` makes one, not"
    try:
        tensor = as_tensor(value)
    except TypeError as error:
        raise TypeError(f"{says} {value!r}") from error
    if tensor.type.dtype != "uint64" or tensor.ndim:
        raise TypeError(f"{says} {tensor!r}")
    return tensor


def _positions(sizes: Sequence[TensorVariable]) -> TensorVariable:
    """The place of each element in memory, rows after rows."""
    place, stride = constant(0), constant(1)
    for axis in range(len(sizes) - 1, -1, -1):
        along = Arange()(sizes[axis]).expand_dims(tuple(range(1, len(sizes) - axis)))
        place = along if axis == len(sizes) - 1 else along * stride + place
        stride = sizes[axis] if axis == len(sizes) - 1 else stride * sizes[axis]
    return place


def as_sizes(size: SizesLike) -> tuple[TensorVariable, ...]:
    """Lengths as tensors."""
    return tuple([as_size(n) for n in sizes_of(size)])


def given_or_common(size: Size, tensors: Sequence[TensorVariable]) -> tuple[TensorVariable, ...]:
    """The lengths asked for, or else those that `tensors` broadcast to."""
    if size is not None:
        return as_sizes(size)
    return tuple([as_size(n) for n in broadcast_dims(*map(lengths_of, tensors))])


def no_shape(owner: str, parameter: object) -> None:
    """Raise TypeError if a parameter by place is a tuple of integers: in JAX that is a shape.

    >>> no_shape("normal", (2, 3))
    Traceback (most recent call last):
    ...
    TypeError: normal: (2, 3) could be a shape or parameters: write size=(2, 3), or a list, [2, 3]
    """
    if isinstance(parameter, tuple) and parameter and all(type(n) is int for n in parameter):
        raise TypeError(
            f"{owner}: {parameter} could be a shape or parameters: write size={parameter}, or a "
            f"list, {list(parameter)}"
        )


def fitted(v: TensorVariable, sizes: Sequence[TensorVariable]) -> TensorVariable:
    """In the shape of what is drawn, unless it is a scalar."""
    return broadcast_to(v, tuple(sizes)) if v.ndim else v


def fitting(
    owner: str, name: str, v: TensorVariable, sizes: Sequence[TensorVariable], rank: int = 0
) -> TensorVariable:
    """`fitted`, but for the last `rank` axes; ValueError that names it where it does not fit."""
    if v.ndim <= rank:
        return v
    try:
        return broadcast_to(v, (*sizes, *lengths_of(v)[v.ndim - rank :]))
    except ValueError as error:
        raise ValueError(f"{owner}: {name}, {v.type}, does not fit size: {error}") from error


def parameters_of_draws(
    parameters: tuple[TensorLike, ...], size: Size, dtype: Any
) -> tuple[list[TensorVariable], tuple[TensorVariable, ...], str]:
    """Parameters in the dtype of the result and in its shape, that shape, and the dtype."""
    tensors = as_tensors(parameters)
    kind = promote([v.type.dtype for v in tensors]) if dtype is None else as_dtype(dtype)
    if dtype is None and kind[0] in "biu":
        kind = "float64"
    if kind not in DIGITS:
        raise TypeError(f"random numbers are float32 or float64, not {kind}")
    sizes = given_or_common(size, tensors)
    return [fitted(cast(v, kind), sizes) for v in tensors], sizes, kind
