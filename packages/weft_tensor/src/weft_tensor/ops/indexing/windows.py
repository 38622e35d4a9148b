"""Windows that slide along axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from weft_graph.extend import Identity, called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.kinds import Pointwise, View
from weft_tensor.build.op import kind_of
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import Arange, arange
from weft_tensor.ops.indexing.index import Index, index
from weft_tensor.ops.indexing.slices import Slice
from weft_tensor.ops.indexing.subscript import NEW
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.axes import as_axis

__all__ = ["sliding_window_view", "windows", "windows_of"]


_WHOLE: Final = Slice(None, None, None)


def sliding_window_view(
    x: TensorLike,
    window_shape: SizeLike | Sequence[SizeLike],
    axis: int | Sequence[int] | None = None,
) -> TensorVariable:
    """All parts of so many neighbours, along new last axes.

    See `numpy.lib.stride_tricks.sliding_window_view`. What reduces them reads `x` itself: nothing
    of their size is made.

    Parameters
    ----------
    x
        A tensor.
    window_shape
        How many neighbours: a number, or one for each of `axis`.
    axis
        Along which axis or axes, all by default.

    Raises
    ------
    ValueError
        for another number of lengths than axes, and for windows longer than `x`, of lengths that
        are not known before at the call.

    Examples
    --------
    >>> from weft_graph import function
    >>> from weft_tensor import vector
    >>> x = vector("x")
    >>> function([x], sliding_window_view(x, 3).mean(-1))([1.0, 2.0, 6.0, 7.0])
    array([3., 5.])
    """
    t = as_tensor(x)
    sizes = [*window_shape] if isinstance(window_shape, (tuple, list)) else [window_shape]
    axes = range(t.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
    if len(sizes) != len(axes):
        raise ValueError(f"{len(axes)} axes need as many lengths, not {window_shape!r}{called()}")
    problem = "windows must not be longer than the tensor"
    for a, size in zip(axes, sizes, strict=True):
        n = lengths_of(t)[as_axis(a, t.ndim)]
        length, least = static_length(n), static_length(as_tensor(size))
        if not (isinstance(length, int) and isinstance(least, int)):
            t = check_and_raise(t, n >= size, ValueError, problem)
        elif length < least:
            raise ValueError(f"{problem}, {t!r}: {window_shape!r}{called()}")
    return windows(t, [as_axis(a, t.ndim) for a in axes], sizes)


def windows(x: TensorVariable, axes: Sequence[int], sizes: Sequence[Any]) -> TensorVariable:
    """As `sliding_window_view`, of what is long enough.

    >>> windows(as_tensor([1, 2, 3]), [0], [2]).eval()
    array([[1, 2],
           [2, 3]])
    """
    for axis, size in zip(axes, sizes, strict=True):
        places = expand_dims(arange(lengths_of(x)[axis] - size + 1), 1) + arange(size)
        x = moveaxis(index(x, (*[slice(None)] * axis, places)), axis + 1, -1)
    return x


def windows_of(places: Any) -> tuple[TensorVariable, TensorVariable] | None:
    """How many windows there are, and how long each is, if `places` are those of windows.

    That is, if their rows are 0, 1, ..., then 1, 2, ..., and so on.

    >>> n = expand_dims(arange(5), 1)
    >>> [v.eval().item() for v in windows_of(n + arange(3))], windows_of(n + 2 * arange(3))
    ([5, 3], None)
    """
    while isinstance(places.op, Identity):
        places = places.inputs[0]
    kind = kind_of(places)
    if not isinstance(kind, Pointwise) or kind.of != "add" or places.ndim != 2:
        return None
    counts = dict(map(_counted, places.inputs))
    return (counts[0], counts[1]) if counts.keys() == {0, 1} else None


def _counted(v: Any) -> tuple[int, Any]:
    """The axis of a matrix along which `v` counts, and up to where; -1 if it does not."""
    kind = kind_of(v)
    axes: list[int | None] = list(range(v.ndim))
    if isinstance(kind, View):
        v, axes = v.inputs[0], list(kind.axes)
    elif isinstance(v.op, Index) and {*v.op.entries} == {NEW, _WHOLE}:
        v, axes = v.inputs[0], [None if e == NEW else 0 for e in v.op.entries]
    return (2 - len(axes) + axes.index(0), v.inputs[0]) if isinstance(v.op, Arange) else (-1, None)
