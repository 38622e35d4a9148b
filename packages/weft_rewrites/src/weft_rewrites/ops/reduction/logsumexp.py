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
    BroadcastTo,
    Elemwise,
    ExpandDims,
    Index,
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
_QUOTIENTS = frozenset([_MUL, _NEG, *map(Elemwise, ("true_div", "reciprocal"))])


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

    def powers(self, shift: TensorVariable) -> TensorVariable:
        """The exponentials, of exponents less `shift`."""
        return exp(self.exponent - expanded(shift, list(self.axes)))

    def total(self, shift: TensorVariable) -> TensorVariable:
        """The sum, of exponents less `shift`."""
        powers = self.powers(shift)
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
    at = [k for k, (v, e) in enumerate(factors) if e == 1 and (v.op is _EXP or _reads(v, powers))]
    if not at or part.dtype != whole.dtype:
        return None
    shift = powers.shift()
    total = powers.total(shift)
    aligned, total = (whole.op(shift), whole.op(total)) if is_expanded else (shift, total)
    power = factors[at[0]][0]
    if power.op is _EXP:
        factors[at[0]] = (exp(power.inputs[0] - aligned), 1)
    else:
        factors[at[0]] = (power.op(powers.powers(shift), *power.inputs[1:]), 1)
    return product_of(factors, sign) / total


def _reads(v: TensorVariable, powers: _Powers) -> bool:
    """Whether `v` is an element, or a part, of these exponentials."""
    power = v.inputs[0] if type(v.op) is Index else v
    return v is not power and power.op is _EXP and power.inputs[0] is powers.exponent


@rule(
    _MUL,
    over=_EXP,
    name="exp(x) * (y / sum(exp(x))), shifted",
    may_change=("rounding", "overflow", "domain", "inf", "nan"),
)
def _weighted_softmax(node: TensorVariable) -> TensorVariable | None:
    """The slope of `log(sum(exp(x)))` as the chain rule has it: else 0 times infinity far out."""
    product = factors_of(node)
    if product is None or not node.dtype.startswith("float"):
        return None
    factors, sign = product
    at = next((k for k, (v, e) in enumerate(factors) if v.op is _EXP and e == 1), None)
    if at is None:
        return None
    for k, (factor, e) in enumerate(factors):
        divided = _divided(factor, e)
        if divided is None:
            continue
        shift, new = divided
        factors[k] = (new, e)
        factors[at] = (exp(factors[at][0].inputs[0] - shift), 1)
        result = product_of(factors, sign)
        return result if result.type == node.type else None
    return None


def _divided(factor: TensorVariable, exponent: int) -> tuple[TensorVariable, TensorVariable] | None:
    """The shift of a sum of exponentials that `factor` to this power divides by, and the rest."""
    if type(factor.op) in (ExpandDims, BroadcastTo):
        divided = _divided(factor.inputs[0], exponent)
        if divided is None:
            return None
        shift, new = (factor.op(v, *factor.inputs[1:]) for v in divided)
        return shift, new
    if exponent == -1:
        powers = unshifted(factor)
        if powers is None:
            return None
        shift = powers.shift()
        return shift, powers.total(shift)
    product = factors_of(factor) if exponent == 1 and factor.op in _QUOTIENTS else None
    for k, (v, e) in enumerate(product[0] if product else ()):
        divided = _divided(v, e) if e == -1 and v.ndim == factor.ndim else None
        if product is not None and divided is not None:
            shift, rest = divided
            factors = [*product[0][:k], (rest, -1), *product[0][k + 1 :]]
            return shift, product_of(factors, product[1])
    return None


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
    _weighted_softmax,
)
"""All."""
