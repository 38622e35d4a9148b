"""Sums of exponentials, shifted by their largest exponent so that nothing overflows."""

from __future__ import annotations

from weft_graph import Constant, Rule, rule, stop_gradient
from weft_graph.extend import StopGradient
from weft_rewrites.ops.shape.axes import expanded
from weft_tensor import Elemwise, ExpandDims, Max, Sum, TensorVariable, exp, isfinite, log, where

__all__ = ["rules"]

_EXP, _SUB, _WHERE = Elemwise("exp"), Elemwise("sub"), Elemwise("where")
_ISFINITE = Elemwise("isfinite")


def _exponent(total: TensorVariable) -> tuple[TensorVariable, tuple[int, ...]] | None:
    """What is exponentiated in `total`, and its axes; None if it is no sum of exponentials.

    None as well if these are shifted already.
    """
    if type(total.op) is not Sum or total.inputs[0].op is not _EXP:
        return None
    (x,) = total.inputs[0].inputs
    if not x.type.dtype.startswith("float") or 0 in x.type.shape:
        return None
    axes = total.op.axis
    return None if _is_shifted(x, axes) or type(x.op) is Constant else (x, axes)


def _is_shifted(x: TensorVariable, axes: tuple[int, ...]) -> bool:
    """Whether the largest element over `axes` is subtracted: by a rule here, or by the user."""
    if x.op is not _SUB:
        return False
    whole, shift = x.inputs
    while type(shift.op) in (ExpandDims, StopGradient):
        (shift,) = shift.inputs
    if type(shift.op) is Max:
        (source,) = shift.inputs
        if type(source.op) is StopGradient:
            (source,) = source.inputs
        return source is whole and shift.op.axis == axes
    return shift.op is _WHERE and shift.inputs[0].op is _ISFINITE


def _largest(x: TensorVariable, axes: tuple[int, ...]) -> TensorVariable:
    """The largest element over `axes`; 0 where it is not finite, or there is none.

    Nothing depends on it but rounding: derivatives take it for a constant.
    """
    top = Max(axes, True)(x)
    return stop_gradient(where(isfinite(top), top, 0))  # type: ignore[no-any-return]  # a tensor


@rule(
    Elemwise("log"),
    over=Sum,
    name="log(sum(exp(x))), shifted",
    may_change=("rounding", "overflow"),
)
def _logsumexp(node: TensorVariable) -> TensorVariable | None:
    (total,) = node.inputs
    exponent = _exponent(total)
    if exponent is None:
        return None
    x, axes = exponent
    shift = _largest(x, axes)
    return log(total.op(exp(x - expanded(shift, list(axes))))) + shift


@rule(
    Elemwise("true_div"),
    over=_EXP,
    name="exp(x) / sum(exp(x)), shifted",
    may_change=("rounding", "domain"),
)
def _softmax(node: TensorVariable) -> TensorVariable | None:
    part, whole = node.inputs
    if part.op is not _EXP:
        return None
    total, new = (whole.inputs[0], whole.op.axis) if type(whole.op) is ExpandDims else (whole, None)
    exponent = _exponent(total)
    if exponent is None or part.inputs[0] is not exponent[0]:
        return None
    x, axes = exponent
    if axes != (tuple(range(len(axes))) if new is None else new):
        return None
    powers = exp(x - expanded(_largest(x, axes), list(axes)))
    return powers / expanded(total.op(powers), list(axes))


rules: tuple[Rule, ...] = (_logsumexp, _softmax)
"""Both."""
