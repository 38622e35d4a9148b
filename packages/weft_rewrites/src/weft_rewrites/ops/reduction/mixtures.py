"""Logarithms of sums of densities, as mixtures have them, shifted by the largest exponent.

log(p exp(a) + q exp(b)) is m + log(p exp(a - m) + q exp(b - m)) for every m: with the larger of a
and b, no term overflows, and not all of them underflow. p and q may be of any sign.
"""

from __future__ import annotations

from functools import reduce
from math import inf
from operator import add
from typing import Any, NamedTuple

from weft_graph import Constant, Rule, rule, stop_gradient
from weft_graph.extend import StopGradient
from weft_rewrites.dsl.conditions import keeps_lengths
from weft_rewrites.ops.elementwise.cancellation import factors_of, product_of
from weft_tensor import (
    Elemwise,
    Max,
    TensorVariable,
    constant,
    eq,
    exp,
    isfinite,
    log,
    maximum,
    minimum,
    where,
)

__all__ = ["rules"]

_LOG, _EXP, _ADD, _SUB, _NEG = map(Elemwise, ("log", "exp", "add", "sub", "neg"))
_BOUNDS = {Elemwise("maximum"), Elemwise("minimum")}
_LARGEST = {"float32": 80.0, "float64": 700.0}
"""Of an exponent."""
_MOST = 8
"""Sums of more terms, and exponents of more, are left alone."""


class _Term(NamedTuple):
    """An exponential, and what it is multiplied by (None for 1)."""

    exponent: TensorVariable
    weight: TensorVariable | None

    @property
    def counts(self) -> bool:
        """Whether the weight is known not to be 0."""
        w = self.weight
        return w is None or (type(w.op) is Constant and bool(w.op.value.all()))

    def size(self) -> TensorVariable:
        """The exponent, where the weight lets it count."""
        w: Any = self.weight
        return self.exponent if self.counts else where(eq(w, 0), -inf, self.exponent)

    def less(self, shift: TensorVariable) -> TensorVariable:
        """The term over exp(shift), of which one with weight 0 is no infinity times 0."""
        rest = self.exponent - shift
        power = exp(rest if self.counts else minimum(rest, _LARGEST[rest.dtype]))
        return power if self.weight is None else self.weight * power


@rule(
    _LOG,
    over=(_ADD, _SUB),
    name="log of a sum of products with exponentials, shifted",
    may_change=("rounding", "overflow", "smaller domain"),
)
def _shifted(node: TensorVariable) -> TensorVariable | None:
    summands = _summands(node.inputs[0]) if node.type.dtype.startswith("float") else []
    terms = [term for v, sign in summands if (term := _term(v, sign)) is not None]
    if len(terms) < 2 or len(terms) < len(summands):
        return None
    top = reduce(maximum, [term.size() for term in terms])
    shift = stop_gradient(where(isfinite(top), top, 0))
    new = log(reduce(add, [term.less(shift) for term in terms])) + shift
    return new if keeps_lengths(node.type, new.type) else None


def _summands(total: TensorVariable) -> list[tuple[TensorVariable, int]]:
    """What is added up, and whether it is subtracted (-1); nothing if that is too much."""
    terms = [(total, 1)]
    for v, sign in terms:
        if len(terms) > 2 * _MOST or v.type.dtype != total.type.dtype:
            return []
        if v.op in (_ADD, _SUB):
            a, b = v.inputs
            terms += [(a, sign), (b, sign if v.op is _ADD else -sign)]
    return [(v, sign) for v, sign in terms if v.op not in (_ADD, _SUB)]


def _term(v: TensorVariable, sign: int) -> _Term | None:
    """None for what is no product with an exponential, or one that is shifted."""
    parts = factors_of(v)
    if parts is None:
        return None
    powers = [(w.inputs[0], e) for w, e in parts[0] if w.op is _EXP]
    if not powers or any(z.dtype != v.dtype or _is_shifted(z) for z, _ in powers):
        return None
    rest = [(w, e) for w, e in parts[0] if w.op is not _EXP]
    sign *= parts[1]
    one = None if sign > 0 else constant(-1.0, v.dtype)
    weight = product_of(rest, sign) if rest else one
    return _Term(reduce(add, [z if e == 1 else z * float(e) for z, e in powers]), weight)


def _is_shifted(z: TensorVariable) -> bool:
    """Whether a largest or smallest value is a summand of `z`: by a rule here, or by the user."""
    parts = [z]
    for v in parts:
        if type(v.op) in (StopGradient, Max) or v.op in _BOUNDS:
            return True
        if v.op in (_ADD, _SUB, _NEG) and len(parts) <= 2 * _MOST:
            parts += v.inputs
    return False


rules: tuple[Rule, ...] = (_shifted,)
"""The only one."""
