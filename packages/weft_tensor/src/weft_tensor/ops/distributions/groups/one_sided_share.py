"""How far shares of drawn numbers lie above those expected: probabilities and the density.

How many are drawn is rounded down, and has no slopes.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial, inf, lgamma
from math import log as log_of
from typing import Any, Final, NamedTuple

import numpy as np

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.distributions.ratios import HALF_LOG_2PI
from weft_tensor.ops.elementwise.arithmetic import floor, maximum
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, log1p
from weft_tensor.ops.elementwise.op import Binary, binary
from weft_tensor.ops.elementwise.rational import polynomial
from weft_tensor.ops.elementwise.table import LOOP, Interval, floating
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import max as largest
from weft_tensor.ops.special.gamma_forms import stirling_rest
from weft_tensor.ops.special.quadrature import along
from weft_tensor.ops.special.slope_rows import doubled, slopes_by_steps

__all__ = ["factorial_rest", "ksone_cdf", "ksone_pdf", "ksone_sf"]

_T = TensorVariable
_TERMS: Final = 64
_NEAR: Final = 4
"""So many steps of the shares from 0 on, what is below has few terms of both signs."""
_MANY: Final = 1e6
"""Of more observations than that, the logarithm of being above x is a short polynomial."""
_NEAR_OF_MANY: Final = 10
_RATES: Final = (2.0, 4 / 9, 32 / 135, 0.166302175186)
"""Of n x², n x⁴, n x⁶, ...: the least relative entropy of chances q + x from q."""
_FACTORS: Final = (0.0, 2 / 3, -4 / 9, 88 / 405, -128 / 405)
"""Of 1, x, x², ...: by Laplace's method there."""
_STEEPER: Final = tuple(2 * (k + 1) * v for k, v in enumerate(_RATES))
_FACTORS_STEEPER: Final = tuple(k * v for k, v in enumerate(_FACTORS))[1:]
_FEW: Final = tuple(
    [lgamma(n + 1) - (n + 0.5) * log_of(n) + n - HALF_LOG_2PI for n in (1.0, 2.0, 3.0, 4.0)]
)
"""What Stirling's formula lacks of the logarithms of 1!, 2!, ..."""
_SIGNS: Final = np.array([(-1) ** i / factorial(i) for i in range(_NEAR_OF_MANY)])


def factorial_rest(n: _T) -> _T:
    """What Stirling's formula lacks of log n!, for whole n above 0."""
    rest = stirling_rest(where(n > len(_FEW), n, 5.0))
    for k, few in reversed(list(enumerate(_FEW))):
        rest = where(n > k + 1, rest, few)
    return rest


def _binomial(j: _T, n: _T, x: _T) -> _T:
    """The probability of j successes in n trials of the chance j / n + x, of 0 < j < n.

    By C. Loader, Fast and accurate computation of binomial probabilities, 2000.
    """
    left, more = n - j, n * x
    ways = factorial_rest(n) - factorial_rest(j) - factorial_rest(left)
    ways = ways - HALF_LOG_2PI - 0.5 * log(j * (left / n))
    return exp(ways + j * log1p(more / j) + left * log1p(-more / left))


def _terms(x: _T, n: _T, p: _T) -> tuple[_T, _T]:
    """What chances of `_binomial` are multiplied by for being above x, and for the density."""
    # Where 1 - p is 0, though x + j / n was below 1 when it was rounded otherwise, so is the term.
    steep = n * x * (x / p) * (1 / p + 1 / maximum(1 - p, 1e-300)) + (x / p - 1) / p
    return x / p, steep


def _far(x: _T, n: _T) -> tuple[_T, _T]:
    """The chance of being above x, and the density: sums of positive terms, in one loop.

    By Z. W. Birnbaum and F. H. Tingey, One-sided confidence contours, 1951. The first term is that
    of no observation below.
    """
    wide, size = along(x), along(n)
    reach = n * (1 - x)
    # Others, NaN too, are of no n; above 750, exp(-2 n x²) and all terms are 0.
    ends = (reach > 0) & (reach < inf) & (n * x * x < 750) & (n <= _MANY)
    last = largest(where(ends, reach, 0), initial=0)

    def is_within(state: tuple[_T, ...]) -> _T:
        return state[0] <= last

    def add(state: tuple[_T, ...]) -> tuple[_T, ...]:
        start, *totals = state
        j = start + np.arange(_TERMS).astype(x.dtype)
        counts = (j < size) & (wide + j / size < 1)
        j, trials = where(counts, j, 0.5), where(counts, size, 1.0)
        at = where(counts, wide, 0.25)
        chance = _binomial(j, trials, at)
        each = [where(counts, v * chance, 0.0) for v in _terms(at, trials, j / trials + at)]
        more = [v + terms.sum(axis=-1) for v, terms in zip(totals, each, strict=True)]
        return start + _TERMS, *more

    of_none, zero = exp(n * log1p(-x)), 0 * (x + n)
    first = [v * of_none + zero for v in _terms(x, n, x)]
    _, above, steep = while_loop(is_within, add, (1 + 0 * last, *first))
    return above, steep


def _near(x: _T, n: _T) -> tuple[_T, _T]:
    """The probability of being below a small x, and the density: few terms of both signs."""
    i = np.arange(_NEAR_OF_MANY).astype(x.dtype)
    size, reach = along(n), along(n * x)
    counts = reach > i
    steps = where(counts, reach - i, 0.5)
    trials = where(counts, size, i + 1.0)
    lack, at = steps / trials, where(counts, along(x), 0.5)
    logs = log1p(-where(size > i, i / size, 0.0))
    rest = cumsum(logs, -1) - logs + (trials - i - 1) * log1p(lack)
    part = _SIGNS.astype(x.dtype) * steps**i * exp(rest)
    more = i / lack + (trials - i - 1) / (1 + lack)
    each = part * at, part * (1 + at * more)
    below, steep = [where(counts, v, 0.0).sum(axis=-1) for v in each]
    return below, steep


def _of_many(x: _T, n: _T) -> tuple[_T, _T]:
    """Minus the logarithm of the probability of being above x, of many observations; its slope.

    The sum that `_far` computes, by Laplace's method. The term with 1/n is that of Chang Li-Chien,
    On the exact distribution of the statistics of A. N. Kolmogorov, 1956.
    """
    y = x * x
    rate, steep = polynomial(_RATES, y), polynomial(_STEEPER, y)
    rest, more = polynomial(_FACTORS, x), polynomial(_FACTORS_STEEPER, x)
    by_n = 4 / 45 / n
    # Of 1e300 observations x * x may be too small for a number, and n * x * x is not.
    return n * x * x * rate + rest - by_n * x * (1 - x), n * x * steep + more - by_n * (1 - 2 * x)


class _Parts(NamedTuple):
    """What is right near 0, far out and of many; where it is not, it is that of other places."""

    is_near: _T
    is_many: _T
    near: tuple[_T, _T]
    far: tuple[_T, _T]
    many: tuple[_T, _T]

    def chosen(self, near: _T, far: _T, many: _T) -> _T:
        """Each where it is right."""
        return where(self.is_near, near, where(self.is_many, many, far))


def _of_parts(form: Callable[[_Parts], _T]) -> Callable[..., Any]:
    def compute(x: _T, n: _T) -> _T:
        is_many = n > _MANY
        is_near = (n * x <= where(is_many, _NEAR_OF_MANY, _NEAR)) & (n * x * x <= 0.25)
        near = _near(where(is_near, x, 0.0), n)
        return form(_Parts(is_near, is_many, near, _far(where(is_near, 0.9, x), n), _of_many(x, n)))

    return compute


def _below(p: _Parts) -> _T:
    return p.chosen(p.near[0], 1 - p.far[0], -expm1(-p.many[0]))


def _above(p: _Parts) -> _T:
    return p.chosen(1 - p.near[0], p.far[0], exp(-p.many[0]))


def _steep(p: _Parts) -> _T:
    return p.chosen(p.near[1], p.far[1], p.many[1] * exp(-p.many[0]))


_DOMAIN: Final[tuple[Interval, Interval]] = ((0.0, 1.0), (1.0, 30.0))


def _row(name: str, summary: str, form: Any, result: float, slope: Any) -> Binary:
    row: Binary = binary(
        name, None, summary, _DOMAIN, (0.3, 8.0, result), lambda x, n, r: (slope(x, n, r), None),
        summation=doubled(lambda x, n: _of_parts(form)(x, floor(n))), dtypes=floating, cost=LOOP,
    )  # fmt: skip
    return row


ksone_pdf: Binary = _row(
    "ksone_pdf",
    "The density of the largest distance x of shares above those expected, of n numbers.",
    _steep,
    2.0559091,
    lambda x, n, r: slopes_by_steps(_of_parts(_steep), x, floor(n), r)[0],
)
ksone_cdf: Binary = _row(
    "ksone_cdf",
    "The probability that no share is x above that expected, of n numbers.",
    _below,
    0.803967,
    lambda x, n, r: ksone_pdf(x, n),
)
ksone_sf: Binary = _row(
    "ksone_sf",
    "The probability that a share is x above that expected, of n numbers.",
    _above,
    0.196033,
    lambda x, n, r: -ksone_pdf(x, n),
)
