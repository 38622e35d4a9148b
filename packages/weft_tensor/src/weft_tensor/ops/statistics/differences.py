"""Differences of neighbours, slopes, and areas under what is sampled."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index as whole
from typing import Any

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.comparison import neq
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.known_shape import specify_shape, with_named_length
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims, ravel, reshape
from weft_tensor.types.axes import Axes, as_axes, as_axis, listed
from weft_tensor.types.dtypes import promote

__all__ = ["diff", "ediff1d", "gradient", "trapezoid"]


def diff(
    x: TensorLike,
    n: int = 1,
    axis: int = -1,
    prepend: TensorLike | None = None,
    append: TensorLike | None = None,
) -> TensorVariable:
    """The `n`-th differences of neighbours along `axis`; of bools, whether they differ.

    `prepend` and `append` are put before and behind `x` first. See `numpy.diff`. Raises ValueError
    for a scalar, or a negative `n`.

    >>> diff([1, 4, 9, 16], n=2).eval()
    array([2, 2])
    """
    x = as_tensor(x)
    count = whole(n)
    if count < 0:
        raise ValueError(f"diff takes an order n of 0 or more, not {n}")
    if not x.ndim:
        raise ValueError(f"diff takes a tensor with an axis, not the scalar {x!r}")
    along = as_axis(axis, x.ndim)
    if not count:
        return x
    ends = [None if e is None else _edge(e, x, along) for e in (prepend, append)]
    parts = [p for p in (ends[0], x, ends[1]) if p is not None]
    x = concatenate(parts, along) if len(parts) > 1 else x
    for _ in range(count):
        later, sooner = (_part(x, along, s) for s in (slice(1, None), slice(None, -1)))
        x = neq(later, sooner) if x.dtype == "bool" else later - sooner
    return x


def ediff1d(
    x: TensorLike, to_end: TensorLike | None = None, to_begin: TensorLike | None = None
) -> TensorVariable:
    """The differences of neighbours of the flattened `x`, between `to_begin` and `to_end`.

    See `numpy.ediff1d`. Raises TypeError for bools, and for ends that would lose something in the
    dtype of `x`.

    >>> ediff1d([1, 4, 9], to_begin=0).eval()
    array([0, 3, 5])
    """
    x = ravel(as_tensor(x))
    if x.dtype == "bool":
        raise TypeError("ediff1d subtracts, which bools are not: use diff")
    parts = [index(x, slice(1, None)) - index(x, slice(None, -1))]
    for end, at, name in ((to_begin, 0, "to_begin"), (to_end, len(parts) + 1, "to_end")):
        if end is None:
            continue
        extra = ravel(as_tensor(end))
        if promote((x.dtype, extra.dtype))[0] not in x.dtype[0] + "iu":
            raise TypeError(f"{name} of ediff1d is {extra.dtype}, and would be cut to {x.dtype}")
        parts.insert(at, extra.astype(x.dtype))
    return concatenate(parts) if len(parts) > 1 else parts[0]


def gradient(f: TensorLike, *varargs: Any, axis: Axes = None, edge_order: int = 1) -> Any:
    """Slopes of what is sampled along each axis: central differences, one-sided at the ends.

    Distances are 1, or one scalar or vector of coordinates for each axis. Several axes give a
    tuple. At least `edge_order + 1` samples are needed, IndexError at the call; coordinates are as
    many as samples, ValueError at the call. See `numpy.gradient`. Raises ValueError for another
    `edge_order` than 1 and 2, or if either is known before, TypeError for distances that are not
    one for each axis.

    >>> gradient([1.0, 4.0, 9.0, 16.0]).eval()
    array([3., 4., 6., 7.])
    """
    f = as_tensor(f)
    axes = as_axes(None, f.ndim) if axis is None else [a % f.ndim for a in _checked(axis, f)]
    if edge_order not in (1, 2):
        raise ValueError(f"edge_order of gradient is 1 or 2, not {edge_order}")
    if len(varargs) not in (0, 1, len(axes)):
        raise TypeError(
            f"gradient along {len(axes)} axes takes as many distances, not {len(varargs)}"
        )
    if not axes:
        return ()
    steps = list(varargs) or [1.0]
    if len(steps) < len(axes):
        if as_tensor(steps[0]).ndim:
            raise TypeError(f"gradient along {len(axes)} axes takes one vector for each")
        steps = steps * len(axes)
    f = f if f.type.differentiable else f.astype("float64")
    slopes = []
    for a, step in zip(axes, steps, strict=True):
        n = f.type.shape[a]
        if isinstance(n, int) and n < edge_order + 1:
            raise ValueError(f"gradient needs {edge_order + 1} samples along axis {a}, not {n}")
        slopes.append(_slopes(f, a, as_tensor(step), edge_order))
    return slopes[0] if len(slopes) == 1 else tuple(slopes)


def _checked(axis: Any, f: Any) -> Sequence[int]:
    as_axes(axis, f.ndim)
    return listed(axis)


def _slopes(f: TensorVariable, axis: int, step: TensorVariable, order: int) -> TensorVariable:
    if step.ndim > 1:
        raise ValueError(f"distances of gradient are a scalar or a vector, not {step!r}")
    step = step.astype(f.real.dtype)
    if step.ndim:
        step = specify_shape(step, lengths_of(f)[axis])
        gaps = reshape(diff(step), [-1 if a == axis else 1 for a in range(f.ndim)])
        before, after = (_part(gaps, axis, s) for s in (slice(None, -1), slice(1, None)))
    else:
        gaps = before = after = step
    low, middle, high = (_part(f, axis, s) for s in (slice(None, -2), slice(1, -1), slice(2, None)))
    if step.ndim:
        inner = (
            -after / (before * (before + after)) * low
            + (after - before) / (before * after) * middle
            + before / (after * (before + after)) * high
        )
    else:
        inner = (high - low) / (2 * step)
    ends = [_end(f, axis, gaps, order, side) for side in (1, -1)]
    return with_named_length(
        concatenate([ends[0], inner, ends[1]], axis), axis, lengths_of(f)[axis]
    )


def _end(
    f: TensorVariable, axis: int, gaps: TensorVariable, order: int, side: int
) -> TensorVariable:
    """The slope at the first element (`side` 1), or at the last (-1)."""
    places = range(3) if side == 1 else range(-1, -4, -1)
    at = [_element(f, axis, k) for k in places[: order + 1]]
    if gaps.ndim:
        one, *other = (_element(gaps, axis, k) for k in places[:order])
    else:
        one, other = gaps, [gaps]
    if order == 1:
        return side * (at[1] - at[0]) / one
    two = other[0]
    parts = (
        -(2 * one + two) / (one * (one + two)) * at[0],
        (one + two) / (one * two) * at[1],
        -one / (two * (one + two)) * at[2],
    )
    return side * (parts[0] + parts[1] + parts[2])


def trapezoid(
    y: TensorLike, x: TensorLike | None = None, dx: TensorLike = 1.0, axis: int = -1
) -> TensorVariable:
    """The area under `y`, sampled at `x` or at distances `dx`. See `numpy.trapezoid`.

    >>> trapezoid([1.0, 2.0, 3.0], x=[0.0, 1.0, 3.0]).eval()
    array(6.5)
    """
    y = as_tensor(y)
    along = as_axis(axis, y.ndim)
    if x is None:
        width: Any = as_tensor(dx) if not isinstance(dx, (int, float)) else dx
    elif (places := as_tensor(x)).ndim == 1:
        width = reshape(diff(places), [-1 if a == along else 1 for a in range(y.ndim)])
    else:
        width = diff(places, axis=along)
    later, sooner = (_part(y, along, s) for s in (slice(1, None), slice(None, -1)))
    return sum(width * (later + sooner) / 2.0, along)


def _edge(end: TensorLike, x: TensorVariable, axis: int) -> TensorVariable:
    """What `diff` puts at an end of `x`: a scalar along all other axes."""
    end = as_tensor(end)
    if end.ndim:
        return end
    return broadcast_to(end, [1 if a == axis else n for a, n in enumerate(lengths_of(x))])


def _part(x: TensorVariable, axis: int, part: slice) -> TensorVariable:
    return index(x, (slice(None),) * axis + (part,))


def _element(x: TensorVariable, axis: int, k: int) -> TensorVariable:
    return expand_dims(index(x, (slice(None),) * axis + (k,)), axis)
