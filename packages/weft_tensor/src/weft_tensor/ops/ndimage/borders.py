"""What lies beyond the borders of an image, and the neighbours of each element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index as whole
from typing import Any, Final

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.comparison import neq, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.windows import windows
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.padding import pad
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.types.axes import as_axis

__all__ = [
    "Axes",
    "along_axes",
    "as_image",
    "bordered",
    "chosen_axes",
    "footprint_neighbours",
    "for_each_axis",
    "neighbours",
    "reflected",
    "window",
]

Axes = int | Sequence[int] | None
"""One axis, several, or all."""

_PADS: Final = {
    "reflect": "symmetric",
    "grid-mirror": "symmetric",
    "mirror": "reflect",
    "nearest": "edge",
    "wrap": "wrap",
    "grid-wrap": "wrap",
    "constant": "constant",
    "grid-constant": "constant",
}


def bordered(
    x: TensorVariable,
    sizes: Sequence[Any],
    origins: Sequence[int],
    mode: str | Sequence[str],
    cval: TensorLike,
) -> TensorVariable:
    """`x` with as much around it as windows of `sizes` reach, whose middles `origins` move.

    ValueError for another mode and an origin outside its window, of a variable size at the call.
    """
    if not isinstance(mode, str) or mode not in _PADS:
        raise ValueError(f"mode must be one of {', '.join(_PADS)}, not {mode!r}{called()}")
    widths = []
    for size, origin in zip(sizes, origins, strict=True):
        before = size // 2 + origin
        if isinstance(size, int) and not 0 <= before < size:
            raise ValueError(f"origin {origin} lies outside a window of {size}{called()}")
        widths.append((before, size - 1 - before))
    kind = _PADS[mode]
    options = {"constant_values": cval} if kind == "constant" else {}
    wide = {axis: pair for axis, pair in enumerate(widths) if pair != (0, 0)}
    return pad(x, wide, kind, **options) if wide else x


def as_image(values: TensorVariable, dtype: str) -> TensorVariable:
    """Floating `values` in the dtype of an image.

    Integers are truncated, and what lies outside their range is counted round it, as in SciPy's
    machine code, while XLA alone would take the nearest that there is. Bools are integers that
    are not 0.
    """
    if dtype == "bool":
        return neq(values.astype("int64"), 0)
    if dtype[0] not in "iu" or dtype == "int64":
        return values.astype(dtype)
    turned = values.astype("int64").astype(dtype)
    return where(values < 0, turned, values.astype(dtype)) if dtype == "uint64" else turned


def neighbours(
    x: TensorVariable, sizes: Sequence[int], origins: Sequence[int], mode: str, cval: TensorLike
) -> TensorVariable:
    """The elements in each element's window: along as many new last axes as `x` has."""
    return windows(bordered(x, sizes, origins, mode, cval), range(x.ndim), sizes)


def chosen_axes(axes: Axes, ndim: int) -> list[int]:
    """Axes from 0 on; all for None. AxisError for one that is not, ValueError for one twice."""
    if axes is None:
        return [*range(ndim)]
    chosen = [as_axis(a, ndim) for a in np.atleast_1d(axes).tolist()]
    if len({*chosen}) < len(chosen):
        raise ValueError(f"axes must be unique, unlike {axes}{called()}")
    return chosen


def for_each_axis(value: Any, axes: Sequence[int], name: str) -> list[Any]:
    """One of `value` for each axis; ValueError for another number of them."""
    values = [*value] if isinstance(value, (tuple, list, np.ndarray)) else [value] * len(axes)
    if len(values) != len(axes):
        raise ValueError(f"{name} must have {len(axes)} elements, not {value!r}{called()}")
    return values


def along_axes(
    x: TensorVariable,
    axes: Sequence[int],
    apply: Callable[..., TensorVariable],
    **values: Any,
) -> TensorVariable:
    """`apply(x, axis, ...)` for one axis after the other, each with its own of `values`."""
    own = [for_each_axis(value, axes, name) for name, value in values.items()]
    for axis, *of_axis in zip(axes, *own, strict=True):
        x = apply(x, axis, *of_axis)
    return x


def window(value: Any, axes: Sequence[int], ndim: int, rest: int, name: str) -> list[int]:
    """One number for each of `ndim` axes: `rest` for those not among `axes`."""
    numbers = [rest] * ndim
    for axis, number in zip(axes, for_each_axis(value, axes, name), strict=True):
        numbers[axis] = whole(number)
    return numbers


def footprint_neighbours(
    x: TensorVariable,
    size: Any,
    footprint: Any,
    mode: str,
    cval: TensorLike,
    origin: Any,
    axes: Axes,
) -> TensorVariable:
    """The neighbours that count, along a new last axis: the last axis of the window varies first.

    The axes of a footprint are, as SciPy has it, the chosen ones from first to last, in whatever
    order they were chosen.

    ValueError for neither or both of `size` and `footprint`, and for one without True.
    """
    if (size is None) == (footprint is None):
        raise ValueError(f"either size or footprint says which neighbours count{called()}")
    chosen = chosen_axes(axes, x.ndim)
    mask = None if footprint is None else np.asarray(footprint, bool)
    if mask is None:
        sizes = window(size, chosen, x.ndim, 1, "size")
    else:
        sizes = window(mask.shape, sorted(chosen), x.ndim, 1, "footprint")
    origins = window(origin, chosen, x.ndim, 0, "origin")
    parts = neighbours(x, sizes, origins, mode, cval)
    parts = reshape(parts, (*lengths_of(x), int(np.prod(sizes))))
    if mask is None or mask.all():
        return parts
    if not mask.any():
        raise ValueError(f"All-zero footprint is not supported{called()}")
    return index(parts, (..., np.flatnonzero(mask)))


def reflected(footprint: Any, sizes: Any, origin: Any) -> tuple[Any, Any]:
    """A footprint, and its origins, as seen from the other side.

    >>> reflected(np.array([True, False]), (2,), 0)
    (array([False,  True]), [-1])
    """
    origins = for_each_axis(origin, [*range(len(sizes))], "origin")
    moved = [-whole(o) - (whole(n) + 1) % 2 for o, n in zip(origins, sizes, strict=True)]
    return None if footprint is None else np.flip(footprint), moved
