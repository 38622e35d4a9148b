"""Places in a tensor as one number each, and as one for each axis."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce as fold
from operator import and_
from typing import Any

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import ge
from weft_tensor.ops.shape.broadcast_to import broadcast_arrays
from weft_tensor.ops.shape.length import as_size, sizes_of

__all__ = ["ravel_multi_index", "unravel_index"]


def unravel_index(
    indices: TensorLike, shape: SizeLike | Sequence[SizeLike], order: str = "C"
) -> tuple[TensorVariable, ...]:
    """The places along each axis of `shape` of elements that are counted through.

    ValueError at the call for a place that is out of bounds. See `numpy.unravel_index`.

    >>> [v.eval() for v in unravel_index([3, 5], (2, 3))]
    [array([1, 1]), array([0, 2])]
    """
    sizes = _sizes(shape, "unravel_index")
    rest = _integers(indices, "unravel_index")
    total: Any = as_size(1)
    for size in sizes:
        total = total * size
    message = f"unravel_index: a place of {rest!r} is out of bounds for the shape"
    rest = check_and_raise(rest, ge(rest, 0) & (rest < total), ValueError, message)
    places = []
    for size in sizes if _is_fortran(order) else sizes[::-1]:
        places.append(rest % maximum(size, 1))
        rest = rest // maximum(size, 1)
    return tuple(places if _is_fortran(order) else places[::-1])


def ravel_multi_index(
    multi_index: Sequence[TensorLike],
    dims: SizeLike | Sequence[SizeLike],
    mode: str | Sequence[str] = "raise",
    order: str = "C",
) -> TensorVariable:
    """The numbers by which elements are counted through, from their places along each axis.

    `mode`, for all axes or each of them, says what is done with places out of bounds: "raise"
    a ValueError at the call, "wrap" around or "clip". See `numpy.ravel_multi_index`.

    >>> ravel_multi_index(([1, 1], [0, 2]), (2, 3)).eval()
    array([3, 5])
    """
    sizes = _sizes(dims, "ravel_multi_index")
    indices = (
        multi_index if isinstance(multi_index, (list, tuple)) else list(as_tensor(multi_index))
    )
    places = [_integers(v, "ravel_multi_index") for v in indices]
    modes = [mode] * len(sizes) if isinstance(mode, str) else list(mode)
    if not len(places) == len(sizes) == len(modes):
        raise ValueError(
            f"ravel_multi_index: {len(places)} places and {len(modes)} modes for {len(sizes)} axes"
        )
    for each in modes:
        if each not in ("raise", "wrap", "clip"):
            raise ValueError(f"ravel_multi_index: mode is 'raise', 'wrap' or 'clip', not {each!r}")
    triples = list(zip(broadcast_arrays(*places), sizes, modes, strict=True))
    result: Any = as_size(0)
    fits = []
    for place, size, each in triples if not _is_fortran(order) else triples[::-1]:
        if each == "raise":
            fits.append(ge(place, 0) & (place < size))
        elif each == "wrap":
            place = place % maximum(size, 1)
        else:
            place = maximum(minimum(place, size - 1), 0)
        result = result * size + place
    message = "ravel_multi_index: a place is out of bounds for the shape"
    return check_and_raise(result, fold(and_, fits), ValueError, message) if fits else result


def _is_fortran(order: str) -> bool:
    if order not in ("C", "F"):
        raise ValueError(f"order is 'C' or 'F', not {order!r}")
    return order == "F"


def _sizes(shape: Any, name: str) -> list[Any]:
    sizes = [as_size(n) for n in sizes_of(shape)]
    if not sizes:
        raise ValueError(f"{name} needs a shape with an axis")
    return sizes


def _integers(x: TensorLike, name: str) -> TensorVariable:
    x = as_tensor(x)
    if x.dtype[0] not in "iu":
        raise TypeError(f"{name} takes integers, not {x!r}")
    return x.astype("int64")
