"""Sums of exponentials, shifted by their largest exponent so that nothing overflows."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import NamedTuple

from weft_graph import Constant, Form, Rule, rule, stop_gradient
from weft_rewrites.dsl.equation import equation, others
from weft_rewrites.ops.elementwise.cancellation import factors_of, product_of
from weft_rewrites.ops.elementwise.log_product import is_sum_of_powers
from weft_rewrites.ops.reduction.same_extreme import is_extreme, uncovered
from weft_rewrites.ops.shape.axes import expanded
from weft_tensor import (
    Elemwise,
    ExpandDims,
    Max,
    Min,
    Sum,
    TensorVariable,
    exp,
    isfinite,
    log,
    where,
)

__all__ = ["rules", "unshifted"]

_EXP, _SUB, _WHERE, _MUL = map(Elemwise, ("exp", "sub", "where", "mul"))
_ADD, _NEG, _ISFINITE = map(Elemwise, ("add", "neg", "isfinite"))


class _Powers(NamedTuple):
    """A sum of exponentials: the exponent, weights (None for 1), and over which axes."""

    exponent: TensorVariable
    weights: TensorVariable | None
    axes: tuple[int, ...]

    def shift(self) -> TensorVariable:
        """The largest exponent; 0 where it is not finite, or there is none.

        Nothing depends on it but rounding: derivatives take it for a constant.
        """
        top = Max(self.axes, True)(self.exponent)
        shift: TensorVariable = stop_gradient(where(isfinite(top), top, 0))
        return shift

    def total(self, shift: TensorVariable) -> TensorVariable:
        """The sum, of exponents less `shift`."""
        powers = exp(self.exponent - expanded(shift, list(self.axes)))
        return Sum(self.axes)(powers if self.weights is None else self.weights * powers)


def unshifted(total: TensorVariable) -> _Powers | None:
    """What is summed up in `total`; None if it is no sum of exponentials, or they are shifted.

    >>> from weft_tensor import vector
    >>> x = vector("x")
    >>> unshifted(exp(x).sum()).exponent is x, unshifted(exp(x - x.max()).sum())
    (True, None)
    """
    op = total.op
    if type(op) is not Sum or not is_sum_of_powers(total):
        return None
    (x,) = total.inputs
    if not x.type.dtype.startswith("float") or 0 in x.type.shape:
        return None
    exponent, weights = (x.inputs[0], None) if x.op is _EXP else _weighted(x)
    if exponent is None or exponent.ndim != x.ndim or type(exponent.op) is Constant:
        return None
    if exponent.dtype != x.dtype or _is_shifted(exponent, op.axis):
        return None
    return _Powers(exponent, weights, op.axis)


def _weighted(x: TensorVariable) -> tuple[TensorVariable | None, TensorVariable | None]:
    """The exponent and the weights of a product with exponentials."""
    parts = factors_of(x)
    if parts is None:
        return None, None
    factors, sign = parts
    exponents = [v.inputs[0] * e if e != 1 else v.inputs[0] for v, e in factors if v.op is _EXP]
    rest = [(v, e) for v, e in factors if v.op is not _EXP]
    if not exponents:
        return None, None
    return reduce(add, exponents), product_of(rest, sign) if rest else None


def _is_shifted(x: TensorVariable, axes: tuple[int, ...]) -> bool:
    """Whether the largest element over `axes` is subtracted: by a rule here, or by the user."""
    return any(_is_shift(whole, shift, axes) for whole, shift in _differences(x))


def _differences(x: TensorVariable) -> list[tuple[TensorVariable, TensorVariable]]:
    """What `x` is the difference of, or is a number times; of -a - b, others make -(a + b)."""
    if x.op is _SUB:
        return [(x.inputs[0], x.inputs[1])]
    if x.op is _MUL and type(x.inputs[0].op) is Constant and not x.inputs[0].ndim:
        pairs = _differences(x.inputs[1])
        return pairs if x.inputs[0].op.value.real > 0 else [(b, a) for a, b in pairs]
    if x.op is _NEG and x.inputs[0].op is _ADD:
        a, b = x.inputs[0].inputs
        return [(-a, b), (-b, a)]
    return []


def _is_shift(whole: TensorVariable, shift: TensorVariable, axes: tuple[int, ...]) -> bool:
    """Whether the difference is at most 0: of min(x) - x, another rule made this of -x."""
    if is_extreme(shift, whole, Max, axes) or is_extreme(whole, shift, Min, axes):
        return True
    shift = uncovered(shift)
    return shift.op is _WHERE and shift.inputs[0].op is _ISFINITE


@rule(
    Elemwise("true_div"),
    over=(_EXP, _MUL, Sum),
    name="exp(x) / sum(exp(x)), shifted",
    may_change=("rounding", "overflow", "domain"),
)
def _softmax(node: TensorVariable) -> TensorVariable | None:
    """Any exponential over the sum, or sum of them: both are divided by the sum's largest term."""
    part, whole = node.inputs
    is_expanded = type(whole.op) is ExpandDims
    powers = unshifted(whole.inputs[0] if is_expanded else whole)
    parts = unshifted(part)
    if powers is not None and parts is not None and part.dtype == whole.dtype:
        is_alike = parts.axes == powers.axes and parts.exponent.ndim == powers.exponent.ndim
        return _quotient(parts, powers) if is_alike and not is_expanded else None
    product = None if powers is None else factors_of(part)
    if powers is None or product is None:
        return None
    factors, sign = product
    at = [k for k, (v, e) in enumerate(factors) if v.op is _EXP and e == 1]
    if not at or part.dtype != whole.dtype:
        return None
    shift = powers.shift()
    total = powers.total(shift)
    aligned, total = (whole.op(shift), whole.op(total)) if is_expanded else (shift, total)
    factors[at[0]] = (exp(factors[at[0]][0].inputs[0] - aligned), 1)
    return product_of(factors, sign) / total


def _quotient(parts: _Powers, powers: _Powers) -> TensorVariable:
    shift = powers.shift()
    return parts.total(shift) / powers.total(shift)


def _form(total: TensorVariable) -> tuple[_Powers] | None:
    powers = unshifted(total)
    return None if powers is None else (powers,)


def _logarithm(powers: _Powers) -> TensorVariable:
    shift = powers.shift()
    return log(powers.total(shift)) + shift


powers = others("powers")
rules: tuple[Rule, ...] = (
    equation(
        log(Form("sum(exp(x))", _form)(powers)),
        _logarithm,
        over=Sum,
        name="log(sum(exp(x))), shifted",
        may_change="rounding, overflow",
    ),
    _softmax,
)
"""Both."""
