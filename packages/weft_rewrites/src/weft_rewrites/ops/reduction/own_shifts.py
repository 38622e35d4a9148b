"""Shifts by the largest exponent that users write: nothing depends on them but rounding.

Derivatives take such a maximum for a constant. What it adds to them, and takes away again, is as
much work as all the rest.
"""

from __future__ import annotations

from typing import Any, Final

from weft_graph import Constant, Rule, rule, stop_gradient
from weft_graph.extend import StopGradient
from weft_rewrites.ops.reduction.same_extreme import is_extreme, uncovered
from weft_tensor import (
    Elemwise,
    ExpandDims,
    Index,
    Max,
    Min,
    Squeeze,
    Sum,
    TensorVariable,
    exp,
    log,
)
from weft_tensor.extend import Slice

__all__ = ["rules"]

_EXP, _LOG, _SUB = map(Elemwise, ("exp", "log", "sub"))
_FULL: Final = Slice(None, None, None)


def _shifted(total: Any) -> tuple[TensorVariable, TensorVariable] | None:
    """What is summed up in exponentials, and its maximum, which they are less; None for others."""
    if type(total.op) is not Sum or total.inputs[0].op is not _EXP:
        return None
    exponent = total.inputs[0].inputs[0]
    if exponent.op is not _SUB:
        return None
    x, top = exponent.inputs
    axes = total.op.axis
    if type(top.op) is StopGradient or not is_extreme(top, x, Max, axes):
        return None
    return (x, top) if _lies_beside(top, x, axes) else None


@rule(
    Elemwise("true_div"),
    over=_EXP,
    name="exp(x - max(x)) / sum(exp(x - max(x))), of a constant maximum",
    may_change="rounding",
)
def _share(node: TensorVariable) -> TensorVariable | None:
    part, whole = node.inputs
    total = _without_new(whole)
    found = _shifted(total)
    if found is None or total.inputs[0] is not part:
        return None
    x, top = found
    if not _lies_beside(whole, x, total.op.axis):
        return None
    power = exp(x - stop_gradient(top))
    return power / _with_new(whole, total, total.op(power))


@rule(
    Elemwise("add"),
    over=_LOG,
    name="max(x) + log(sum(exp(x - max(x)))), of a constant maximum",
    may_change="rounding",
)
def _total(node: TensorVariable) -> TensorVariable | None:
    for shift, logarithm in (node.inputs, node.inputs[::-1]):
        if logarithm.op is not _LOG:
            continue
        (whole,) = logarithm.inputs
        total = _without_new(whole)
        found = _shifted(total)
        if found is None or not _is_alike(shift, whole, found[1]):
            continue
        x, top = found
        again = total.op(exp(x - stop_gradient(top)))
        return stop_gradient(shift) + log(_with_new(whole, total, again))
    return None


@rule(
    _SUB,
    over=_SUB,
    name="x - max(x) - log(sum(exp(x - max(x)))), of a constant maximum",
    may_change="rounding",
)
def _log_share(node: TensorVariable) -> TensorVariable | None:
    part, outer = node.inputs
    logarithm = _without_new(outer)
    if logarithm.op is not _LOG:
        return None
    (whole,) = logarithm.inputs
    total = _without_new(whole)
    found = _shifted(total)
    if found is None or total.inputs[0].inputs[0] is not part:
        return None
    x, top = found
    if not _lies_beside(outer, x, total.op.axis):
        return None
    exponent = x - stop_gradient(top)
    again = log(_with_new(whole, total, total.op(exp(exponent))))
    return exponent - _with_new(outer, logarithm, again)


def _without_new(v: Any) -> Any:
    return v.inputs[0] if type(v.op) is ExpandDims else v


def _with_new(above: Any, below: Any, new: TensorVariable) -> TensorVariable:
    """`new` with the axes that `above` has besides those of `below`."""
    again: TensorVariable = new if above is below else above.op(new)
    return again


def _lies_beside(v: Any, x: Any, axes: tuple[int, ...]) -> bool:
    """Whether a reduction over `axes` of `x` is repeated along these beside `x`."""
    left = [a for a in range(x.ndim) if a not in axes]
    return [p + x.ndim - v.ndim for p in _places(v)] == left


def _places(v: Any) -> list[int]:
    """Where in `v` the axes of the reduction are that it is made of."""
    if type(v.op) in (Max, Min, Sum):
        return list(range(v.ndim))
    if type(v.op) is ExpandDims:
        free = [a for a in range(v.ndim) if a not in v.op.axis]
        return [free[p] for p in _places(v.inputs[0])]
    return _places(next(i for i in v.inputs if i.ndim == v.ndim and type(i.op) is not Constant))


def _is_alike(shift: Any, whole: Any, top: Any) -> bool:
    """Whether `shift` is the maximum `top` with the axes of `whole`, a sum with or without new."""
    if type(shift.op) in (Squeeze, Index) and type(shift.inputs[0].op) is ExpandDims:
        dropped = shift.op.axis if type(shift.op) is Squeeze else _first_of(shift.op)
        inner = shift.inputs[0]
        shift = inner.inputs[0] if dropped == inner.op.axis else shift
    if shift.ndim != whole.ndim:
        return False
    if type(whole.op) is ExpandDims:
        return bool(shift.op == whole.op) and shift.inputs[0] is uncovered(top)
    return shift is uncovered(top)


def _first_of(op: Index) -> tuple[int, ...]:
    """The axes of which the first is taken, if all others are whole."""
    if set(op.entries) - {0, _FULL}:
        return ()
    return tuple([a for a, e in enumerate(op.entries) if e == 0])


rules: tuple[Rule, ...] = (_share, _total, _log_share)
"""All of them."""
