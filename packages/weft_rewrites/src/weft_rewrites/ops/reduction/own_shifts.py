"""Shifts by the largest exponent that users write: nothing depends on them but rounding.

Derivatives take such a maximum for a constant. What it adds to them, and takes away again, is as
much work as all the rest.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

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

_EXP, _LOG, _SUB, _MUL = map(Elemwise, ("exp", "log", "sub", "mul"))
_FULL: Final = Slice(None, None, None)


class _Shifted(NamedTuple):
    """A sum of exponentials, perhaps weighed, of `x` less its largest, `top`."""

    total: Any
    power: Any
    x: Any
    top: Any

    def by_constant(self) -> TensorVariable:
        """What is summed up, with a maximum that nothing depends on."""
        (terms,) = self.total.inputs
        power = exp(self.x - stop_gradient(self.top))
        if terms is self.power:
            return power
        result: TensorVariable = _MUL(*[power if i is self.power else i for i in terms.inputs])
        return result


def _shifted(total: Any) -> _Shifted | None:
    """The sum in its parts; None for what is no such sum."""
    if type(total.op) is not Sum:
        return None
    (terms,) = total.inputs
    factors = terms.inputs if terms.op is _MUL else (terms,)
    for power in factors:
        if power.op is _EXP and power.inputs[0].op is _SUB:
            x, top = power.inputs[0].inputs
            is_new = type(top.op) is not StopGradient and x.ndim == terms.ndim
            if is_new and is_extreme(top, x, Max, total.op.axis):
                aligned = _lies_beside(top, x, total.op.axis)
                return _Shifted(total, power, x, top) if aligned else None
    return None


@rule(
    Elemwise("true_div"),
    over=(_EXP, _MUL),
    name="exp(x - max(x)) / sum(exp(x - max(x))), of a constant maximum",
)
def _share(node: TensorVariable) -> TensorVariable | None:
    part, whole = node.inputs
    total = _without_new(whole)
    found = _shifted(total)
    if found is None or total.inputs[0] is not part:
        return None
    if not _lies_beside(whole, found.x, total.op.axis):
        return None
    terms = found.by_constant()
    return terms / _with_new(whole, total, total.op(terms))


@rule(
    Elemwise("add"),
    over=_LOG,
    name="max(x) + log(sum(exp(x - max(x)))), of a constant maximum",
)
def _total(node: TensorVariable) -> TensorVariable | None:
    for shift, logarithm in (node.inputs, node.inputs[::-1]):
        if logarithm.op is not _LOG:
            continue
        (whole,) = logarithm.inputs
        total = _without_new(whole)
        found = _shifted(total)
        if found is None or not _is_alike(shift, whole, found.top):
            continue
        again = total.op(found.by_constant())
        return stop_gradient(shift) + log(_with_new(whole, total, again))
    return None


@rule(
    _SUB,
    over=_SUB,
    name="x - max(x) - log(sum(exp(x - max(x)))), of a constant maximum",
)
def _log_share(node: TensorVariable) -> TensorVariable | None:
    part, outer = node.inputs
    logarithm = _without_new(outer)
    if logarithm.op is not _LOG:
        return None
    (whole,) = logarithm.inputs
    total = _without_new(whole)
    found = _shifted(total)
    if found is None or found.power.inputs[0] is not part:
        return None
    if not _lies_beside(outer, found.x, total.op.axis):
        return None
    again = log(_with_new(whole, total, total.op(found.by_constant())))
    return found.x - stop_gradient(found.top) - _with_new(outer, logarithm, again)


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
