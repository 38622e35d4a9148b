"""Logarithms of products: densities that are written as densities.

A product with exponentials, or other functions that can't be negative and whose logarithm is known,
overflows or underflows where the sum of logarithms does not. What is left of it, of whatever sign,
stays one product.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from math import log as number_log
from operator import add
from typing import Any, Final

import numpy as np

from weft_graph import Constant, Each, Rule, rule
from weft_rewrites.dsl.conditions import has, keeps_lengths
from weft_rewrites.dsl.equation import equation, letter, literal
from weft_rewrites.ops.elementwise.cancellation import factors_of, product_of
from weft_tensor import (
    Elemwise,
    Prod,
    Sum,
    TensorVariable,
    abs,
    constant,
    exp,
    facts,
    log,
    log1p,
    log_cosh,
    lt,
    neq,
    softplus,
    where,
    xlogy,
)

__all__ = ["is_sum_of_powers", "rules"]

_LOG, _POW, _EXP, _SQRT = map(Elemwise, ("log", "pow", "exp", "sqrt"))
_MUL, _DIV, _NEG, _SQUARE = map(Elemwise, ("mul", "true_div", "neg", "square"))
_ADD, _RECIPROCAL = map(Elemwise, ("add", "reciprocal"))
_PRODUCTS: Final = (_MUL, _DIV, _NEG, _SQUARE, _RECIPROCAL)
_KNOWN: Final[dict[Any, Callable[[Any], Any]]] = {
    _EXP: lambda x: x,
    Elemwise("exp2"): lambda x: x * number_log(2),
    Elemwise("sigmoid"): lambda x: -softplus(-x),
    Elemwise("cosh"): log_cosh,
    Elemwise("sech"): lambda x: -log_cosh(x),
}
"""Functions that can't be negative, and their logarithms."""
_SIGNED: Final = frozenset(map(Elemwise, ("sinh", "tanh", "slow_tanh", "gamma", "beta")))
"""Functions that may be negative, of whose logarithms there are rules."""


def is_sum_of_powers(v: TensorVariable) -> bool:
    """Whether `v` is a sum of exponentials, perhaps with weights.

    >>> from weft_tensor import exp, vector
    >>> is_sum_of_powers(exp(vector("v")).sum())
    True
    """
    if type(v.op) is not Sum:
        return False
    (x,) = v.inputs
    return x.op is _EXP or (x.op in _PRODUCTS and any(w.op is _EXP for w in x.inputs))


@rule(
    _LOG,
    over=_PRODUCTS,
    name="log of a product with exponentials",
    may_change=("rounding", "overflow", "smaller domain"),
)
def _of_product(node: TensorVariable) -> TensorVariable | None:
    parts = factors_of(node.inputs[0]) if node.type.dtype.startswith("float") else None
    if parts is None:
        return None
    terms, rest = [], []
    has_exponentials = any(v.op in _KNOWN or is_sum_of_powers(v) for v, _ in parts[0])
    for v, e in parts[0]:
        log_of = _KNOWN.get(v.op)
        is_power = v.op is _POW and has_exponentials
        if log_of is None and not is_power and not is_sum_of_powers(v):
            rest.append((v, e))
            continue
        term = log(v) if log_of is None else log_of(v.inputs[0])
        terms.append(term if e == 1 else term * constant(e, v.dtype))
    if len(rest) == 2 and parts[1] > 0:
        numbers = [f for f in rest if _is_positive(f[0])]
        signed = [f for f in rest if f[0].op in _SIGNED and f[1] == 1]
        if numbers and signed:
            terms.append(log(signed[0][0]))
            rest = numbers
    if not terms:
        return _of_power(node)
    if rest or parts[1] < 0:
        terms.append(log(product_of(rest, parts[1]) if rest else constant(-1.0, node.dtype)))
    return _fitting(node, reduce(add, terms))


def _is_positive(y: TensorVariable) -> bool:
    return type(y.op) is Constant and not y.ndim and bool(y.op.value > 0)


def _fitting(node: TensorVariable, new: TensorVariable) -> TensorVariable | None:
    return new if keeps_lengths(node.type, new.type) else None


def _of_power(node: TensorVariable) -> TensorVariable | None:
    """log(x ** n) of one x."""
    parts = factors_of(node.inputs[0])
    assert parts is not None  # asked before
    bases = {v for v, _ in parts[0]}
    n = sum(e for _, e in parts[0])
    if len(bases) > 1 or parts[1] < 0 or n in (0, 1):
        return None
    (x,) = bases
    return _fitting(node, log(abs(x) if n % 2 == 0 else x) * constant(n, node.dtype))


def _is_sum_of_exponentials(v: TensorVariable) -> bool:
    if v.op is _ADD:
        return all(map(_is_sum_of_exponentials, v.inputs))
    return v.op is _EXP or (v.op in _PRODUCTS and any(w.op is _EXP for w in v.inputs))


def _is_power(y: Any) -> bool:
    return not y.ndim and bool(np.isfinite(y.op.value) and y.op.value)


def _is_even(y: Any) -> bool:
    return _is_power(y) and bool(y.op.value % 2 == 0)


def _of_pow(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    is_nan = lt(x, 0) & neq(y % 2, 0)
    return where(is_nan, constant(np.nan, x.dtype), xlogy(y, abs(x)))


x, y, z, c = letter("x"), letter("y"), letter("z"), literal("y")
_CHANGES: Final = "rounding, digits, overflow, domain, zero sign, inf, nan"
rules: tuple[Rule, ...] = (
    equation(
        log(c * (1 + x)),
        log1p(x) + log(c),
        when=lambda x, y: _is_positive(y) and has(x, facts.nonnegative),
        name="log(c * (1 + x)) = log1p(x) + log(c) for a number c > 0, x not negative",
        may_change="rounding, overflow",
    ),
    equation(
        log1p(c * exp(x)),
        softplus(x + log(c)),
        when=_is_positive,
        name="log1p(c * exp(x)) = softplus(x + log(c)) for a number c > 0",
        may_change="rounding, overflow",
    ),
    equation(
        log(c + exp(x)),
        log(c) + softplus(x - log(c)),
        when=lambda y: _is_positive(y) and y.op.value >= 1,
        name="log(c + exp(x)) = log(c) + softplus(x - log(c)) for a number c >= 1",
        may_change="rounding, overflow",
    ),
    equation(
        log(c * (x + z)),
        lambda node, x, y, z: _fitting(node, log(x + z) + log(y)),
        when=lambda y, x, z: _is_positive(y) and all(map(_is_sum_of_exponentials, (x, z))),
        name="log(c * (exp(x) + exp(y))) = log(exp(x) + exp(y)) + log(c) for a number c > 0",
        may_change="rounding, overflow",
    ),
    _of_product,
    equation(
        log(x**c),
        c * log(abs(x)),
        when=_is_even,
        name="log(x ** n) = n * log(abs(x)) for even n",
        may_change="rounding, overflow, zero sign",
    ),
    equation(
        log(x**c),
        c * log(x),
        when=_is_power,
        name="log(x ** c) = c * log(x) for a number c that is known",
        may_change="rounding, overflow, domain, zero sign, inf",
    ),
    equation(
        log(x**y),
        xlogy(y, x),
        when=lambda x: has(x, facts.nonnegative),
        name="log(x ** y) = y * log(x) where x is not negative",
        may_change="rounding, digits, overflow, zero sign, inf, nan",
    ),
    equation(
        log(x**y),
        _of_pow,
        name="log(x ** y) = y * log(abs(x)), NaN where x ** y is",
        may_change=_CHANGES,
    ),
    equation(
        log(Each(Prod, "f")(x)),
        lambda f, x: Sum(f.axis)(log(x)),
        when=lambda x: has(x, facts.nonnegative, facts.no_negative_zero),
        name="log(prod(x)) = sum(log(x)) where x is not negative",
        may_change="rounding",
    ),
)
"""All of them."""
