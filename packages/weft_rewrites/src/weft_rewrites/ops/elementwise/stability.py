"""Numerical stability: the same functions without overflow, cancellation or lost digits.

Where the expression as written overflows or cancels, the result is the exact one instead;
elsewhere it may differ by rounding.
"""

from __future__ import annotations

from math import inf, nan, pi

import numpy as np

from weft_graph import Rule, constant
from weft_rewrites.dsl.conditions import is_one_for_many, nonnegative
from weft_rewrites.dsl.equation import FLOATS, equation, letter, literal
from weft_tensor import (
    TensorVariable,
    arctan,
    arctan2,
    beta,
    betainc,
    betaincc,
    betaln,
    erf,
    erfc,
    exp,
    expm1,
    exprel,
    gamma,
    gammainc,
    gammaincc,
    gammaln,
    i0,
    i0e,
    iv,
    ive,
    kv,
    kve,
    log,
    log1mexp,
    log1mexpexp,
    log1p,
    log_ndtr,
    log_sinhc,
    logaddexp,
    ndtr,
    reciprocal,
    sigmoid,
    softplus,
    sqrt,
    square,
    where,
)

__all__ = ["log_exprel", "rules"]

x, y, z = letter("x"), letter("y"), letter("z")
c = literal("c")
chosen = letter("chosen")


def log_exprel(x: TensorVariable) -> TensorVariable:
    """log((exp(x) - 1) / x), which is that at -x and x more.

    >>> from weft_tensor import vector
    >>> log_exprel(vector("v"))
    <where : float64[?]>
    """
    is_near, is_large = abs(x) < 1, x > 1
    near = 0.5 * x + log_sinhc(where(is_near, 0.5 * x, 0))
    far = where(is_large, x, 0) + log(exprel(where(is_large, -x, x)))
    return where(is_near, near, far)


logarithms = (
    equation(log(1 + x), log1p(x), may_change="rounding, digits, zero sign"),
    equation(log(1 - x), log1p(-x), may_change="rounding, digits, zero sign"),
    equation(log(exp(x)), x, may_change="rounding, digits, overflow, zero sign"),
    equation(
        log(expm1(x) / x),
        log_exprel,
        name="log(expm1(x) / x) = log(exprel(-x)) + x where x > 1",
        may_change="rounding, digits, overflow, domain",
    ),
    equation(log1p(expm1(x)), x, may_change="rounding, digits, overflow"),
    equation(log(sqrt(x)), 0.5 * log(x), may_change="rounding"),
    equation(
        log(exp(x) / y),
        x - log(y),
        when=lambda x, y: nonnegative(y),
        name="log(exp(x) / y) = x - log(y) where y is not negative",
        may_change="rounding, digits, overflow, domain, zero sign, inf",
    ),
    equation(log(exp(x) + exp(y)), logaddexp(x, y), may_change="rounding, digits, overflow, inf"),
    equation(log1p(exp(x)), softplus(x), may_change="rounding, overflow"),
    equation(log1p(-exp(x)), log1mexp(x), may_change="rounding, digits, overflow, domain"),
    equation(log1mexp(-exp(x)), log1mexpexp(x), may_change="rounding, overflow"),
    equation(log(-expm1(x)), log1mexp(x), may_change="rounding, digits, zero sign"),
    equation(
        log1mexp(log1mexp(x)),
        where(x <= 0, x, nan),
        name="log1mexp(log1mexp(x)) = x, NaN above 0",
        may_change="rounding, digits, overflow, zero sign",
    ),
    equation(log1mexp(log1mexpexp(x)), -exp(x), may_change="rounding, digits, overflow"),
    equation(
        log1mexp(where(chosen, x, -inf)),
        where(chosen, log1mexp(x), 0.0),
        of=None,
        when=lambda x: x.dtype in FLOATS,
        may_change="zero sign",
    ),
    equation(
        log1mexp(where(chosen, -inf, x)),
        where(chosen, 0.0, log1mexp(x)),
        of=None,
        when=lambda x: x.dtype in FLOATS,
        may_change="zero sign",
    ),
    equation(log(sigmoid(x)), -softplus(-x), may_change="rounding, digits, overflow, zero sign"),
    equation(log1p(-sigmoid(x)), -softplus(x), may_change="rounding, digits, overflow"),
)

exponentials = (
    equation(exp(x) - 1, expm1(x), may_change="rounding, digits, zero sign"),
    equation(1 - exp(x), -expm1(x), may_change="rounding, digits, zero sign"),
    equation(expm1(x) + 1, exp(x), may_change="rounding, digits"),
    equation(
        exp(log(x)),
        x,
        when=nonnegative,
        name="exp(log(x)) = x where x is not negative",
        may_change="rounding",
    ),
    equation(
        exp(log(x)),
        where(x >= 0, x, nan),
        name="exp(log(x)) = x, NaN below 0",
        may_change="rounding, zero sign",
    ),
    equation(
        y * exp(x) - y,
        y * expm1(x),
        may_change="rounding, digits, overflow, zero sign, inf",
    ),
    equation(
        y - y * exp(x),
        -(y * expm1(x)),
        may_change="rounding, digits, overflow, zero sign, inf",
    ),
    equation(reciprocal(exp(x)), exp(-x), may_change="rounding"),
    equation(
        x / exp(y),
        x * exp(-y),
        when=is_one_for_many,
        name="x / exp(y) = x * exp(-y) where y is one number for many",
        may_change="rounding, smaller domain, inf",
    ),
    equation(exp(x) ** y, exp(x * y), may_change="rounding, digits, overflow, domain, inf, nan"),
)

sigmoids = (
    equation(1 - sigmoid(x), sigmoid(-x), may_change="rounding, digits"),
    equation(reciprocal(1 + exp(x)), sigmoid(-x), may_change="rounding"),
    equation(exp(x) / (1 + exp(x)), sigmoid(x), may_change="rounding, domain, inf"),
    equation(
        exp(x) / (exp(x) + exp(y)), sigmoid(x - y), may_change="rounding, digits, domain, inf"
    ),
    equation(y / (1 + exp(x)), y * sigmoid(-x), may_change="rounding"),
    equation(exp(x) * sigmoid(-x), sigmoid(x), may_change="rounding, domain, inf"),
    equation(exp(-x) * sigmoid(x), sigmoid(-x), may_change="rounding, domain, inf"),
    equation(exp(-softplus(x)), sigmoid(-x), may_change="rounding"),
)

special = (
    equation(log(ndtr(x)), log_ndtr(x), may_change="rounding, digits, overflow, zero sign"),
    equation(log1p(-ndtr(x)), log_ndtr(-x), may_change="rounding, overflow"),
    equation(log(gamma(x)), gammaln(x), may_change="rounding, overflow, domain, inf"),
    equation(log(beta(x, y)), betaln(x, y), may_change="rounding, digits, overflow, domain, inf"),
    equation(log(i0(x)), log(i0e(x)) + abs(x), may_change="rounding, digits, overflow"),
    equation(log(iv(x, y)), log(ive(x, y)) + abs(y), may_change="rounding, digits, overflow, nan"),
    equation(log(kv(x, y)), log(kve(x, y)) - y, may_change="rounding, digits, overflow, nan"),
    equation(
        gammaln(x) + gammaln(y) - gammaln(x + y),
        betaln(x, y),
        may_change="rounding, digits, overflow, domain",
    ),
    equation(1 - ndtr(x), ndtr(-x), may_change="rounding, digits"),
    equation(1 - gammainc(x, y), gammaincc(x, y), may_change="rounding, digits"),
    equation(1 - gammaincc(x, y), gammainc(x, y), may_change="rounding, digits"),
    equation(1 - betainc(x, y, z), betaincc(x, y, z), may_change="rounding, digits"),
    equation(1 - betaincc(x, y, z), betainc(x, y, z), may_change="rounding, digits"),
)

others = (
    equation(1 - erf(x), erfc(x), may_change="rounding, digits"),
    equation(x - x * (1 + y), -(x * y), may_change="rounding, digits, overflow, zero sign, inf"),
    equation(x * (1 + y) - x, x * y, may_change="rounding, digits, overflow, zero sign, inf"),
    equation(
        reciprocal(y + x) - (x / (y + x)) / (y + x),
        (y / (y + x)) / (y + x),
        may_change="rounding, digits, domain, zero sign, inf",
    ),
    equation(
        reciprocal(x + y) - ((x - y) / (x + y)) / (x + y),
        2 * ((y / (x + y)) / (x + y)),
        may_change="rounding, digits, domain, zero sign, inf",
    ),
    equation(
        reciprocal(x + y) + ((x - y) / (x + y)) / (x + y),
        2 * ((x / (x + y)) / (x + y)),
        may_change="rounding, digits, domain, zero sign, inf",
    ),
    equation(1 + erf(x), erfc(-x), may_change="rounding, digits"),
    equation(1 - erfc(x), erf(x), may_change="rounding, digits, zero sign"),
    # Cauchy's distribution function: the shares of an angle, of which one is nothing far out.
    equation(0.5 + arctan(x) / pi, arctan2(1, -x) / pi, of=FLOATS, may_change="rounding, digits"),
    equation(0.5 - arctan(x) / pi, arctan2(1, x) / pi, of=FLOATS, may_change="rounding, digits"),
    equation(
        square(sqrt(x)),
        where(x >= 0, x, nan),
        name="square(sqrt(x)) = x, NaN below 0",
        may_change="rounding, zero sign",
    ),
    equation(sqrt(square(x)), abs(x), may_change="rounding, digits, overflow"),
    equation(
        sqrt(c * square(x)),
        lambda c, x: constant(c.type, np.sqrt(c.op.value)) * abs(x),
        when=lambda c: not c.ndim and bool(c.op.value > 0),
        name="sqrt(c * square(x)) = sqrt(c) * abs(x) for a number c > 0",
        may_change="rounding, overflow",
    ),
)

rules: tuple[Rule, ...] = (*logarithms, *exponentials, *sigmoids, *special, *others)
"""All of them, the more special of two before the more general."""
