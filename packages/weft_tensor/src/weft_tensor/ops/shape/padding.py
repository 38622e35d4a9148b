"""Tensors made longer at both ends of their axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from weft_graph import Constant, Variable
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange, full
from weft_tensor.ops.elementwise.arithmetic import floor, maximum, minimum, rint
from weft_tensor.ops.elementwise.comparison import eq, ge, gt, where
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.indexing.order_statistics import median
from weft_tensor.ops.reduction.standard import max, mean, min
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import as_size, lengths_of, static_length
from weft_tensor.ops.shape.reshape import expand_dims

__all__ = ["pad"]

_OPTIONS: Final[dict[str, tuple[str, ...]]] = {
    "constant": ("constant_values",),
    "edge": (),
    "empty": (),
    "linear_ramp": ("end_values",),
    **dict.fromkeys(("maximum", "mean", "median", "minimum"), ("stat_length",)),
    **dict.fromkeys(("reflect", "symmetric"), ("reflect_type",)),
    "wrap": (),
}
"""Per mode, what it takes besides the widths."""


def pad(x: TensorLike, pad_width: Any, mode: str = "constant", **options: Any) -> TensorVariable:
    """`x` with `pad_width` elements added before and after, along each axis.

    Parameters
    ----------
    x
        A tensor.
    pad_width
        One number, a pair (before, after) for all axes, one pair for each, or a dict of
        axes to these. Numbers may be variables.
    mode
        Where the new elements come from: "constant" (they are `constant_values`), "empty"
        (zeros), "edge" (the last ones), "linear_ramp" (from these to `end_values`), "wrap" (the
        other end), "reflect" and "symmetric" (mirrored, without and with the last one);
        "maximum", "mean", "median" and "minimum" (of `stat_length` elements).
    options
        What `mode` takes: `constant_values`, `end_values` or `stat_length`, each one number, a
        pair or one pair for each axis, as `pad_width`; `reflect_type`, "even" or "odd"
        (mirrored, then subtracted from twice the last element).

    Raises
    ------
    ValueError
        for a negative width and for an axis without elements where they are needed, also at a
        call; for another mode and for what it does not take.

    Examples
    --------
    >>> pad([1, 2, 3], (1, 2)).eval()
    array([0, 1, 2, 3, 0, 0])
    >>> pad([1, 2, 3], 2, mode="reflect").eval()
    array([3, 2, 1, 2, 3, 2, 1])
    >>> pad([1, 2, 3], 2, mode="mean", stat_length=1).eval()
    array([1, 1, 1, 2, 3, 3, 3])
    """
    result: TensorVariable = as_tensor(x)
    extend = _extension(mode, options, result.ndim)
    widths = _widths(_pairs(_by_axis(pad_width, result.ndim), result.ndim, "pad_width"))
    if len(widths) > 1 and mode in ("constant", "empty"):
        values = _pairs(options.get("constant_values", 0), result.ndim, "constant_values")
        if _is_same([v for axis in widths for v in values[axis]]):
            return _framed(result, widths, values[next(iter(widths))][0])
    for axis, (before, after) in widths.items():
        if mode not in ("constant", "empty"):
            result = _with_elements(result, axis, before + after, mode)
        result = extend(result, axis, before, after)
    return result


_Extension = Callable[[Any, int, Any, Any], Any]


def _extension(mode: Any, options: Mapping[str, Any], ndim: int) -> _Extension:
    """What makes a tensor longer, along an axis, by two widths."""
    if mode not in _OPTIONS:
        raise ValueError(f"pad knows the modes {', '.join(map(repr, _OPTIONS))}, not {mode!r}")
    for name in options:
        if name not in _OPTIONS[mode]:
            names = ", ".join(_OPTIONS[mode]) or "nothing more"
            raise ValueError(f"pad with mode={mode!r} takes {names}, not {name}")
    if mode in _STATISTICS:
        lengths = _pairs(options.get("stat_length"), ndim, "stat_length")
        return partial(_with_statistics, mode=mode, lengths=lengths)
    if mode in ("constant", "empty", "linear_ramp"):
        name = "end_values" if mode == "linear_ramp" else "constant_values"
        values = _pairs(options.get(name, 0), ndim, name)
        return partial(_with_ramps if mode == "linear_ramp" else _with_constants, values=values)
    if mode == "edge":
        return _with_ends
    kind = options.get("reflect_type", "even")
    if kind not in ("even", "odd"):
        raise ValueError(f"pad: reflect_type is 'even' or 'odd', not {kind!r}")
    return partial(_with_others if kind == "even" else _with_odd, mode=mode)


def _with_elements(x: Any, axis: int, width: Any, mode: str) -> TensorVariable:
    """`x`, if it has elements along `axis`, or needs none."""
    n = lengths_of(x)[axis]
    length = static_length(n)
    if isinstance(length, int) and length:
        return x
    message = f"pad with mode={mode!r} can't make axis {axis} of {x!r} longer: it has no elements"
    if length == 0 and isinstance(width.op, Constant):
        raise ValueError(message)
    return check_and_raise(x, gt(n, 0) | eq(width, 0), ValueError, message)


def _block(x: Any, axis: int, width: Any) -> list[TensorVariable]:
    """The lengths of what is put before or behind `x`."""
    lengths: list[Any] = list(lengths_of(x))
    lengths[axis] = width
    return lengths


def _with_constants(x: Any, axis: int, *widths: Any, values: Sequence[Any]) -> TensorVariable:
    before, after = (
        full(_block(x, axis, width), value, x.dtype)
        for width, value in zip(widths, values[axis], strict=True)
    )
    return concatenate([before, x, after], axis)


def _is_same(values: Sequence[Any]) -> bool:
    """Whether these are one and the same number."""
    return all(
        value is values[0] or (isinstance(value, int | float) and value == values[0])
        for value in values
    )


def _framed(x: Any, widths: Mapping[int, Any], value: Any) -> TensorVariable:
    """`x` in the middle of what is all one number, written once, not once for each axis."""
    lengths: list[Any] = list(lengths_of(x))
    key = [slice(None)] * x.ndim
    for axis, (before, after) in widths.items():
        key[axis] = slice(before, before + lengths[axis])
        lengths[axis] = before + lengths[axis] + after
    return updated(index(full(lengths, value, x.dtype), tuple(key)), "set", x)


def _with_ramps(x: Any, axis: int, *widths: Any, values: Sequence[Any]) -> TensorVariable:
    """From the end values, which are the outermost elements, to the edges."""
    key = (slice(None),) * axis
    ramps = []
    for width, value, edge in zip(
        widths, values[axis], (slice(None, 1), slice(-1, None)), strict=True
    ):
        last = index(x, (*key, edge))
        kind = x.dtype if x.type.differentiable else "float64"
        end = as_tensor(value).astype(kind)
        steps = arange(width).astype(kind)
        steps = expand_dims(steps, tuple(a for a in range(x.ndim) if a != axis))
        ramp = end + steps * ((last.astype(kind) - end) / maximum(width, 1).astype(kind))
        ramps.append((ramp if x.type.differentiable else floor(ramp)).astype(x.dtype))
    return concatenate([ramps[0], x, index(ramps[1], (*key, slice(None, None, -1)))], axis)


_STATISTICS: Final[dict[str, Callable[..., Any]]] = {
    "maximum": max,
    "mean": mean,
    "median": median,
    "minimum": min,
}


def _with_statistics(
    x: Any, axis: int, *widths: Any, mode: str, lengths: Sequence[Any]
) -> TensorVariable:
    key = (slice(None),) * axis
    n = lengths_of(x)[axis]
    parts = []
    for k, (width, length) in enumerate(zip(widths, lengths[axis], strict=True)):
        part = x
        if length is not None:
            count = _width(length, "stat_length")
            if mode in ("maximum", "minimum"):
                message = f"pad: stat_length 0 has no {mode}"
                if static_length(count) == 0:
                    raise ValueError(message)
                count = check_and_raise(count, gt(count, 0), ValueError, message)
            count = minimum(count, n)
            part = index(x, (*key, slice(n - count, None) if k else slice(None, count)))
        statistic = _STATISTICS[mode](part, axis, keepdims=True)
        if x.dtype[0] in "iu" and mode in ("mean", "median"):
            statistic = rint(statistic)
        parts.append(broadcast_to(statistic.astype(x.dtype), _block(x, axis, width)))
    return concatenate([parts[0], x, parts[1]], axis)


def _with_ends(x: Any, axis: int, *widths: Any) -> TensorVariable:
    """The first and the last element repeated: by slices, as XLA is slow to look up places."""
    key = (slice(None),) * axis
    first, last = (
        broadcast_to(index(x, (*key, end)), _block(x, axis, width))
        for end, width in zip((slice(None, 1), slice(-1, None)), widths, strict=True)
    )
    return concatenate([first, x, last], axis)


def _with_others(x: Any, axis: int, before: Any, after: Any, mode: str) -> TensorVariable:
    """Each element is one of `x`: slices, and what is farther away than `x` is long, by places."""
    n, skipped = lengths_of(x)[axis], int(mode == "reflect")
    near = [minimum(width, maximum(n - skipped, 0)) for width in (before, after)]
    first, last = _at_ends(x, axis, n, skipped, near, mode)
    farther = [width - part for width, part in zip((before, after), near, strict=True)]
    places = arange(farther[0]) - before, arange(farther[1]) + (n + near[1])
    beyond = [_by_places(x, axis, _PLACES[mode](place, n)) for place in places]
    parts = (farther[0], beyond[0]), (1, first), (1, x), (1, last), (farther[1], beyond[1])
    return concatenate([part for length, part in parts if static_length(length) != 0], axis)


def _at_ends(
    x: Any, axis: int, n: Any, skipped: int, widths: Sequence[Any], mode: str
) -> tuple[TensorVariable, TensorVariable]:
    """What is put before and behind `x`, not farther than `x` is long."""
    key, (before, after) = (slice(None),) * axis, widths
    if mode == "wrap":
        return index(x, (*key, slice(n - before, n))), index(x, (*key, slice(0, after)))
    back = (*key, slice(None, None, -1))
    first = index(x, (*key, slice(skipped, skipped + before)))
    last = index(x, (*key, slice(n - skipped - after, n - skipped)))
    return index(first, back), index(last, back)


def _by_places(x: Any, axis: int, places: Any) -> TensorVariable:
    return index(x, (slice(None),) * axis + (places,))


def _with_odd(x: Any, axis: int, before: Any, after: Any, mode: str) -> TensorVariable:
    """Mirrored in both directions: what is beyond an end is its element's double less another.

    After two mirrors everything comes again, higher by twice what the axis rises.
    """
    n = lengths_of(x)[axis]
    period = maximum(2 * (n - (mode == "reflect")), 1)
    place = arange(before + n + after) - before
    key = (slice(None),) * axis

    def along(v: Any) -> TensorVariable:
        return expand_dims(v, tuple(range(1, x.ndim - axis))) if x.ndim - axis > 1 else v

    there = _by_places(x, axis, _PLACES[mode](place, n))
    first, last = index(x, (*key, slice(None, 1))), index(x, (*key, slice(-1, None)))
    base = where(along(ge(place % period, n)), 2 * last - there, there)
    turns = along(place // period)
    return where(eq(turns, 0), base, base + turns.astype(x.dtype) * (2 * (last - first))).astype(
        x.dtype
    )


def _widths(pairs: Sequence[tuple[Any, Any]]) -> dict[int, tuple[TensorVariable, TensorVariable]]:
    """By axis, the widths that are not both 0."""
    widths = {axis: (_width(before), _width(after)) for axis, (before, after) in enumerate(pairs)}
    return {
        axis: both
        for axis, both in widths.items()
        if not all(isinstance(w.op, Constant) and not w.op.value for w in both)
    }


def _width(value: Any, what: str = "pad_width") -> TensorVariable:
    width = as_size(value)
    message = f"{what} can't be negative, as {width!r}"
    if isinstance(width.op, Constant):
        if width.op.value < 0:
            raise ValueError(message)
        return width
    return check_and_raise(width, ge(width, 0), ValueError, message)


def _by_axis(widths: Any, ndim: int) -> Any:
    """A dict of axes to widths as one pair for each axis."""
    if not isinstance(widths, Mapping):
        return widths
    pairs = [(0, 0)] * ndim
    for axis, width in widths.items():
        if not -ndim <= axis < ndim:
            raise IndexError(f"pad: axis {axis} is out of range for a tensor of rank {ndim}")
        pairs[axis] = _pairs(width, 1, "pad_width")[0]
    return pairs


def _pairs(value: Any, ndim: int, what: str) -> list[tuple[Any, Any]]:
    """`value` as one pair for each axis."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, Variable) or not isinstance(value, (list, tuple)):
        return [(value, value)] * ndim
    if not any(isinstance(pair, (list, tuple)) for pair in value):
        return [_pair(value, what)] * ndim
    pairs = [_pair(pair, what) for pair in value]
    if len(pairs) == 1:
        return pairs * ndim
    if len(pairs) != ndim:
        raise ValueError(f"{what} has {len(pairs)} pairs for a tensor of rank {ndim}")
    return pairs


def _pair(value: Any, what: str) -> tuple[Any, Any]:
    if not isinstance(value, (list, tuple)) or len(value) not in (1, 2):
        raise ValueError(f"{what} is a number, a pair or one pair for each axis, not {value!r}")
    return value[0], value[-1]


def _reflected(k: Any, n: Any) -> TensorVariable:
    place = k % maximum(2 * (n - 1), 1)
    return minimum(place, 2 * (n - 1) - place)


def _mirrored(k: Any, n: Any) -> TensorVariable:
    place = k % (2 * n)
    return where(ge(place, n), 2 * n - 1 - place, place)


_PLACES: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "reflect": _reflected,
    "symmetric": _mirrored,
    "wrap": lambda k, n: k % n,
}
"""Per mode, which element of an axis of length n stands at k, counted from its first one."""
