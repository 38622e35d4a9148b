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
_WHOLE: Final = Slice(None, None, None)


class _Windows(NamedTuple):
    """Windows of `x`, so many and so long, along an axis and the one behind it."""

    x: TensorVariable
    axis: int
    size: int
    number: TensorVariable


@rule(
    AxisReduction,
    over=(Index, Transpose, Elemwise),
    name="reduction of windows",
    may_change=("rounding", "overflow"),
)
def _doubled(node: TensorVariable) -> TensorVariable | None:
    f: Any = node.op
    if type(f) not in _BY or (type(f) in (Max, Min) and node.is_complex):
        return None
    (parts,) = node.inputs
    order, steps = list(range(parts.ndim)), list[TensorVariable]()
    while isinstance(parts.op, Transpose | Elemwise) and len(steps) < _DEEPEST:
        wide = {i for i in parts.inputs if i.ndim}
        if len(wide) != 1:
            return None
        if isinstance(parts.op, Transpose):
            order = [parts.op.axes[a] for a in order]
        else:
            steps.append(parts)
        (parts,) = wide
    reduced, windows = [order[a] for a in f.axis], _windows(parts)
    if windows is None or windows.axis + 1 not in reduced:
        return None
    x, axis, size, count = windows
    fits = count <= maximum(lengths_of(x)[axis] - size + 1, 0)
    x = check_and_raise(x, fits, IndexError, "windows end beyond the end of the tensor")
    for step in reversed(steps):
        x = step.op(*[x if i.ndim else i for i in step.inputs])
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
