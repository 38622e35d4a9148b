"""Distribution functions with Cephes' names, by the incomplete gamma and beta functions.

A tail that ends in c is the complement, one that ends in i the inverse. Counts k are rounded down.
NIST Digital Library of Mathematical Functions, 8.17 and 8.2.
"""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import Any

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import floor, maximum
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.special.composed.formula import formula
from weft_tensor.ops.special.incomplete import (
    betainc,
    betaincc,
    betainccinv,
    betaincinv,
    gammainc,
    gammaincc,
    gammainccinv,
    gammaincinv,
)

__all__ = [
    "bdtr",
    "bdtrc",
    "bdtri",
    "chdtr",
    "chdtrc",
    "chdtri",
    "fdtr",
    "fdtrc",
    "fdtri",
    "gdtr",
    "gdtrc",
    "gdtrix",
    "nbdtr",
    "nbdtrc",
    "nbdtri",
    "pdtr",
    "pdtrc",
    "pdtri",
]


def _binomial(k: Any, n: Any, p: Any, tail: Any, at_end: float) -> TensorVariable:
    """A tail of successes up to floor(k) of n: `at_end` where that is all."""
    count = floor(k)
    inside = (count >= 0) & (count < n)
    share = tail(where(inside, count, 0) + 1, where(inside, n - count, 1), p)
    share = where(eq(count, n) & (count >= 0) & (p >= 0) & (p <= 1), at_end, share)
    return where(inside | (eq(count, n) & (count >= 0)), share, nan)


def _of_count(k: Any, tail: Callable[[Any], Any]) -> TensorVariable:
    """A tail at floor(k) + 1, and NaN for negative k."""
    return where(k < 0, nan, tail(maximum(floor(k), 0) + 1))


def _bdtrc(k: Any, n: Any, p: Any) -> TensorVariable:
    share = _binomial(k, n, p, betainc, 0.0)
    return where((k < 0) & (p >= 0) & (p <= 1), 1.0, share)


def _f(a: Any, b: Any, x: Any, lower: bool) -> TensorVariable:
    """A tail of the F distribution, by the share of x or of the rest that is small."""
    product = a * x
    low = product <= b
    share = where(low, where(low, product, 0), b) / (b + product)
    near, far = (betainc, betaincc) if lower else (betaincc, betainc)
    m, n = 0.5 * a, 0.5 * b
    tail = where(low, near(m, n, where(low, share, 0.5)), far(n, m, where(low, 0.5, share)))
    return where((a > 0) & (b > 0) & (x >= 0), tail, nan)


def _of_rate(a: Any, b: Any, x: Any, tail: Any) -> TensorVariable:
    return where((a < 0) | (x < 0), nan, tail(b, a * x))


def _fdtri(a: Any, b: Any, p: Any) -> TensorVariable:
    m, n = 0.5 * a, 0.5 * b
    return b / a * betaincinv(m, n, p) / betainccinv(n, m, p)


# fmt: off
pdtr = formula(
    "pdtr", "The probability of at most k events, where m are usual: Poisson's.",
    (2.0, 1.0, 0.919699), lambda k, m: _of_count(k, lambda j: gammaincc(j, m)),
)
pdtrc = formula(
    "pdtrc", "The probability of more than k events, where m are usual: Poisson's.",
    (2.0, 1.0, 0.080301), lambda k, m: _of_count(k, lambda j: gammainc(j, m)),
)
pdtri = formula(
    "pdtri", "The mean m for which `pdtr` of k is y.", (2.0, 0.919699, 0.999998),
    lambda k, y: _of_count(k, lambda j: gammainccinv(j, y)),
)
bdtr = formula(
    "bdtr", "The probability of at most k successes in n trials.", (1.0, 3.0, 0.5, 0.5),
    lambda k, n, p: _binomial(k, n, p, betaincc, 1.0),
)
bdtrc = formula(
    "bdtrc", "The probability of more than k successes in n trials.", (1.0, 3.0, 0.5, 0.5),
    _bdtrc,
)
bdtri = formula(
    "bdtri", "The probability of a success for which `bdtr` of k and n is y.",
    (1.0, 3.0, 0.5, 0.5), lambda k, n, y: _binomial(k, n, y, betainccinv, nan),
)
nbdtr = formula(
    "nbdtr", "The probability of at most k failures before the n-th success.",
    (1.0, 2.0, 0.5, 0.5), lambda k, n, p: _of_count(k, lambda j: betainc(n, j, p)),
)
nbdtrc = formula(
    "nbdtrc", "The probability of more than k failures before the n-th success.",
    (1.0, 2.0, 0.5, 0.5), lambda k, n, p: _of_count(k, lambda j: betaincc(n, j, p)),
)
nbdtri = formula(
    "nbdtri", "The probability of a success for which `nbdtr` of k and n is y.",
    (1.0, 2.0, 0.5, 0.5), lambda k, n, y: _of_count(k, lambda j: betaincinv(n, j, y)),
)
chdtr = formula(
    "chdtr", "The probability of less than x, by the chi-square distribution.",
    (2.0, 2.0, 0.632121), lambda v, x: gammainc(0.5 * v, 0.5 * x),
)
chdtrc = formula(
    "chdtrc", "The probability of more than x, by the chi-square distribution.",
    (2.0, 2.0, 0.367879), lambda v, x: gammaincc(0.5 * v, 0.5 * x),
)
chdtri = formula(
    "chdtri", "The x for which `chdtrc` is p.", (2.0, 0.5, 1.386294),
    lambda v, p: 2 * gammainccinv(0.5 * v, p),
)
gdtr = formula(
    "gdtr", "The probability of less than x, by the gamma distribution of rate a and shape b.",
    (1.0, 2.0, 2.0, 0.593994), lambda a, b, x: _of_rate(a, b, x, gammainc),
)
gdtrc = formula(
    "gdtrc", "The probability of more than x, by the gamma distribution of rate a and shape b.",
    (1.0, 2.0, 2.0, 0.406006), lambda a, b, x: _of_rate(a, b, x, gammaincc),
)
gdtrix = formula(
    "gdtrix", "The x for which `gdtr` is p.", (2.0, 1.0, 0.5, 0.346574),
    lambda a, b, p: gammaincinv(b, p) / a,
)
fdtr = formula(
    "fdtr", "The probability of less than x, by the F distribution.", (2.0, 2.0, 1.0, 0.5),
    lambda dfn, dfd, x: _f(dfn, dfd, x, True),
)
fdtrc = formula(
    "fdtrc", "The probability of more than x, by the F distribution.", (2.0, 2.0, 1.0, 0.5),
    lambda dfn, dfd, x: _f(dfn, dfd, x, False),
)
fdtri = formula(
    "fdtri", "The x for which `fdtr` is p.", (2.0, 2.0, 0.5, 1.0), _fdtri,
)
# fmt: on
