"""Sums and extremes of windows from those of windows half as long."""

from __future__ import annotations

from functools import partial
from typing import Any, Final, NamedTuple

from weft_graph import Rule, rule
from weft_rewrites.ops.reduction.reductions import over
from weft_tensor import (
    All,
    Any_,
    Elemwise,
    Index,
    Max,
    Min,
    Sum,
    TensorVariable,
    Transpose,
    check_and_raise,
    logical_and,
    logical_or,
    maximum,
    minimum,
)
from weft_tensor.extend import (
    ARRAY,
    AxisReduction,
    Slice,
    extremes_of_windows,
    lengths_of,
    static_length,
    sums_of_windows,
    windows_of,
)

__all__ = ["rules"]

_BY: Final[dict[type, Any]] = {
    Sum: sums_of_windows,
    Max: partial(extremes_of_windows, maximum),
    Min: partial(extremes_of_windows, minimum),
    Any_: partial(extremes_of_windows, logical_or),
    All: partial(extremes_of_windows, logical_and),
}
_LEAST: Final = 8
"""Shorter windows are read one after the other."""
_DEEPEST: Final = 8
"""So many functions of each element are computed before windows are."""
_BETWEEN: Final = (Index, Transpose, Elemwise)
_WHOLE: Final = Slice(None, None, None)


class _Windows(NamedTuple):
    """Windows of `x`, so many and so long, along an axis and the one behind it."""

    x: TensorVariable
    axis: int
    size: int
    number: TensorVariable


@rule(
    AxisReduction,
    over=_BETWEEN,
    name="reduction of windows",
    may_change=("rounding", "overflow"),
)
def _doubled(node: TensorVariable) -> TensorVariable | None:
    f: Any = node.op
    if type(f) not in _BY:
        return None
    path, parts = list[tuple[Any, Any]](), node.inputs[0]
    while type(parts.op) is not Index:
        below = {i for i in parts.inputs if type(i.op) in _BETWEEN}
        if len(below) != 1 or len(path) == _DEEPEST or type(parts.op) not in _BETWEEN:
            return None
        (inner,) = below
        path.append((parts, inner))
        parts = inner
    windows = _windows(parts)
    if windows is None or (type(f) in (Max, Min) and node.is_complex):
        return None
    x, axis, size, count = windows
    fits = count <= maximum(lengths_of(x)[axis] - size + 1, 0)
    x = check_and_raise(x, fits, IndexError, "windows end beyond the end of the tensor")
    order = list(range(parts.ndim))
    for v, inner in reversed(path):
        if isinstance(v.op, Transpose):
            order = [order[a] for a in v.op.axes]
        elif any(i.ndim for i in v.inputs if i is not inner):
            return None
        else:
            x = v.op(*[x if i is inner else i for i in v.inputs])
    reduced = [order[a] for a in f.axis]
    if axis + 1 not in reduced:
        return None
    result = _BY[type(f)](x.astype(node.dtype), axis, size)
    result = result[(*[slice(None)] * axis, slice(0, count))]
    rest = [a - (a > axis) for a in reduced if a != axis + 1]
    if rest:
        result = over(f, rest)(result)
    kept = [a - (a > axis) for a in order if a not in reduced]
    return result.transpose([sorted(kept).index(a) for a in kept])


def _windows(v: Any) -> _Windows | None:
    entries = v.op.entries if isinstance(v.op, Index) else ()
    if [e for e in entries if e != _WHOLE] != [ARRAY]:
        return None
    x, places = v.inputs
    lengths = windows_of(places)
    size = static_length(lengths[1]) if lengths else None
    if lengths is None or not isinstance(size, int) or size < _LEAST:
        return None
    return _Windows(x, entries.index(ARRAY), size, lengths[0])


rules: tuple[Rule, ...] = (_doubled,)
