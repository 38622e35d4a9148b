"""How far, to one side, the shares of observations lie from their distribution function."""

from __future__ import annotations

from collections.abc import Callable
from math import factorial, inf
from typing import Final

import numpy as np

from weft_graph import stop_gradient
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.distributions.constraints import POSITIVE_COUNT
from weft_tensor.ops.distributions.continuous import Continuous
from weft_tensor.ops.distributions.ratios import HALF_LOG_2PI, log_of
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, log1p
from weft_tensor.ops.elementwise.rational import polynomial
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import max as largest
from weft_tensor.ops.special.gamma import gammaln
from weft_tensor.ops.special.gamma_forms import stirling_rest
from weft_tensor.ops.special.incomplete import gammaincc
from weft_tensor.ops.special.quadrature import along

__all__ = ["ksone"]

_TERMS: Final = 64
_NEAR: Final = 4
"""So many steps of the shares from 0 on, what is below has few terms of both signs."""
_MANY: Final = 1e6
"""Of more observations than that, the logarithm of being above x is a short polynomial."""
_NEAR_OF_MANY: Final = 10
_PANELS: Final = 256
"""Between places at which the density jumps, for the entropy."""
_RATES: Final = (2.0, 4 / 9, 32 / 135, 0.166302175186)
"""Of n x², n x⁴, n x⁶, ...: the least relative entropy of chances q + x from q."""
_FACTORS: Final = (0.0, 2 / 3, -4 / 9, 88 / 405, -128 / 405)
"""Of 1, x, x², ...: by Laplace's method there."""
_STEEPER: Final = tuple(2 * (k + 1) * v for k, v in enumerate(_RATES))
_FACTORS_STEEPER: Final = tuple(k * v for k, v in enumerate(_FACTORS))[1:]
_SIGNS: Final = np.array([(-1) ** i / factorial(i) for i in range(_NEAR_OF_MANY)])
Part = Callable[..., TensorVariable]


def _rest(n: TensorVariable) -> TensorVariable:
    """What Stirling's formula lacks of log n!, from 1 on."""
    far = n > 4
    low = where(far, 1.0, n)
    near = gammaln(low + 1) - (low + 0.5) * log(low) + low - HALF_LOG_2PI
    return where(far, stirling_rest(where(far, n, 5.0)), near)


def _binomial(j: TensorVariable, n: TensorVariable, x: TensorVariable) -> TensorVariable:
    """The probability of j successes in n trials of the chance j / n + x, of 0 < j < n.

    By C. Loader, Fast and accurate computation of binomial probabilities, 2000.
    """
    left, more = n - j, n * x
    ways = _rest(n) - _rest(j) - _rest(left) - HALF_LOG_2PI - 0.5 * log(j * (left / n))
    return exp(ways + j * log1p(more / j) + left * log1p(-more / left))


def _far(part: Part) -> Part:
    """The sum of positive terms for being above x: those of `part`, and of no observation below.

    By Z. W. Birnbaum and F. H. Tingey, One-sided confidence contours, 1951.
    """

    def formula(x: TensorVariable, n: TensorVariable) -> TensorVariable:
        wide, size = along(x), along(n)
        reach = stop_gradient(n * (1 - x))
        # Others, NaN too, are of no n; above 750, exp(-2 n x²) and all terms are 0.
        ends = (reach > 0) & (reach < inf) & (n * x * x < 750) & (n <= _MANY)
        last = largest(where(ends, reach, 0), initial=0)

        def is_within(state: tuple[TensorVariable, TensorVariable]) -> TensorVariable:
            return state[0] <= last

        def add(
            state: tuple[TensorVariable, TensorVariable],
        ) -> tuple[TensorVariable, TensorVariable]:
            start, total = state
            j = start + np.arange(_TERMS).astype(x.dtype)
            counts = (j < size) & (wide + j / size < 1)
            j, trials = where(counts, j, 0.5), where(counts, size, 1.0)
            at = where(counts, wide, 0.25)
            terms = part(at, trials, j / trials + at) * _binomial(j, trials, at)
            return start + _TERMS, total + where(counts, terms, 0.0).sum(axis=-1)

        zero = 0 * (x + n)
        first = (1 + 0 * last, part(x, n, x) * exp(n * log1p(-x)) + zero)
        _, total = while_loop(is_within, add, first)
        return total

    return formula


def _near(slope: bool) -> Part:
    """The probability of being below a small x, or the density: few terms of both signs."""

    def formula(x: TensorVariable, n: TensorVariable) -> TensorVariable:
        i = np.arange(_NEAR_OF_MANY).astype(x.dtype)
        size, reach = along(n), along(n * x)
        counts = reach > i
        steps = where(counts, reach - i, 0.5)
        trials = where(counts, size, i + 1.0)
        lack, at = steps / trials, where(counts, along(x), 0.5)
        logs = log1p(-where(size > i, i / size, 0.0))
        rest = cumsum(logs, -1) - logs + (trials - i - 1) * log1p(lack)
        part = _SIGNS.astype(x.dtype) * steps**i * exp(rest)
        if slope:
            more = i / lack + (trials - i - 1) / (1 + lack)
            part = part * (1 + at * more)
        else:
            part = part * at
        return where(counts, part, 0.0).sum(axis=-1)

    return formula


def _of_many(x: TensorVariable, n: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    """Minus the logarithm of the probability of being above x, of many observations; its slope.

    The sum that `_far` computes, by Laplace's method. The term with 1/n is that of Chang Li-Chien,
    On the exact distribution of the statistics of A. N. Kolmogorov, 1956.
    """
    y = x * x
    rate, steep = polynomial((0.0, *_RATES), y), polynomial(_STEEPER, y)
    rest, more = polynomial(_FACTORS, x), polynomial(_FACTORS_STEEPER, x)
    by_n = 4 / 45 / n
    return n * rate + rest - by_n * x * (1 - x), n * x * steep + more - by_n * (1 - 2 * x)


def _on_all(near: Part, far: Part, of_many: Part) -> Part:
    """Each where it is right; the others get a place of their own there."""

    def formula(x: TensorVariable, n: TensorVariable) -> TensorVariable:
        is_near = (n * x <= where(n > _MANY, _NEAR_OF_MANY, _NEAR)) & (n * x * x <= 0.25)
        values = where(n > _MANY, of_many(x, n), far(where(is_near, 0.9, x), n))
        return where(is_near, near(where(is_near, x, 0.0), n), values)

    return formula


_below, _above = _near(False), _far(lambda x, n, p: x / p)
_steep: Final = _on_all(
    _near(True),
    # Where 1 - p is 0, though x + j / n was below 1 when it was rounded otherwise, so is the term.
    _far(lambda x, n, p: n * x * (x / p) * (1 / p + 1 / maximum(1 - p, 1e-300)) + (x / p - 1) / p),
    lambda x, n: _of_many(x, n)[1] * exp(-_of_many(x, n)[0]),
)


def _sum_of_means(n: TensorVariable) -> TensorVariable:
    """n! / n^n times the sum of n^i / i! for i below n."""
    return exp(_rest(n) + HALF_LOG_2PI) * sqrt(n) * gammaincc(n, n)


def _mean(n: TensorVariable) -> TensorVariable:
    return _sum_of_means(n) / (2 * n)


def _entropy(n: TensorVariable) -> TensorVariable:
    """In panels between the places j / n, at which the density jumps, as long as n is small.

    Places in each are closer at its end, where the last density is a power of what is left.
    """
    width = along(along(maximum(1 / n, 1 / (42 * sqrt(n)))))
    u, weights = np.polynomial.legendre.leggauss(16)
    left = 0.5 - 0.5 * u
    panels = np.arange(float(_PANELS))[:, None]
    start, stop = minimum(width * panels, 1.0), minimum(width * (panels + 1), 1.0)
    places = where(stop > start, stop - (stop - start) * left**2, 0.5)
    density = _steep(places, along(along(n)))
    some = where((stop > start) & (density > 0), density, 1.0)  # whose logarithm is 0
    return -(weights * left * (stop - start) * some * log_of(some)).sum(axis=(-2, -1))


ksone: Final = Continuous(
    "ksone", "the slope of 1 - Σ x (n over j) (x + j/n)^(j-1) (1 - x - j/n)^(n-j), j <= n (1 - x)",
    {"n": POSITIVE_COUNT}, (0.0, 1.0), open_ends=True,
    logpdf=lambda x, n: log_of(_steep(x, n)), pdf=_steep,
    cdf=_on_all(_below, lambda x, n: 1 - _above(x, n), lambda x, n: -expm1(-_of_many(x, n)[0])),
    sf=_on_all(lambda x, n: 1 - _below(x, n), _above, lambda x, n: exp(-_of_many(x, n)[0])),
    mean=_mean, var=lambda n: (0.5 - _sum_of_means(n) / (6 * n)) / n - _mean(n) ** 2,
    entropy=_entropy,
)  # fmt: skip
