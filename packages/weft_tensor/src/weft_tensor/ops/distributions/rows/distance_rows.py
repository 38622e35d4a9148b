"""How far, to one side or any, the shares of observations lie from their distribution function.

For numbers of observations, which are whole, there are no slopes.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial, pi
from typing import Final

import numpy as np

from weft_graph import grad, stop_gradient
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.distributions.constraints import POSITIVE_COUNT
from weft_tensor.ops.distributions.continuous import Continuous
from weft_tensor.ops.distributions.groups.farthest_share import farthest_share
from weft_tensor.ops.distributions.groups.one_sided_share import (
    factorial_rest,
    ksone_cdf,
    ksone_pdf,
    ksone_sf,
)
from weft_tensor.ops.distributions.ratios import HALF_LOG_2PI, log_of
from weft_tensor.ops.distributions.tails import completed
from weft_tensor.ops.elementwise.arithmetic import abs, floor, maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, log1p
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.reduction.standard import max as largest
from weft_tensor.ops.special.entropies import xlogy
from weft_tensor.ops.special.incomplete import gammaincc
from weft_tensor.ops.special.quadrature import along

__all__ = ["ksone", "kstwo"]

_PANELS: Final = 256
"""Between places at which the density jumps, for the entropy."""
Part = Callable[..., TensorVariable]


def _sum_of_means(n: TensorVariable) -> TensorVariable:
    """n! / n^n times the sum of n^i / i! for i below n."""
    n = stop_gradient(n)
    return exp(factorial_rest(n) + HALF_LOG_2PI) * sqrt(n) * gammaincc(n, n)


def _mean(n: TensorVariable) -> TensorVariable:
    return _sum_of_means(n) / (2 * stop_gradient(n))


def _var(n: TensorVariable) -> TensorVariable:
    count = stop_gradient(n)
    return (0.5 - _sum_of_means(n) / (6 * count)) / count - _mean(n) ** 2


def _entropy(n: TensorVariable) -> TensorVariable:
    """In panels between the places j / n, at which the density jumps, as long as n is small.

    Places in each are closer at its end, where the last density is a power of what is left.
    """
    n = stop_gradient(n)
    width = along(along(maximum(1 / n, 1 / (42 * sqrt(n)))))
    u, weights = np.polynomial.legendre.leggauss(16)
    left = 0.5 - 0.5 * u
    panels = np.arange(float(_PANELS))[:, None]
    start, stop = minimum(width * panels, 1.0), minimum(width * (panels + 1), 1.0)
    places = where(stop > start, stop - (stop - start) * left**2, 0.5)
    density = ksone_pdf(places, along(along(n)))
    some = where((stop > start) & (density > 0), density, 1.0)  # whose logarithm is 0
    return -(weights * left * (stop - start) * some * log_of(some)).sum(axis=(-2, -1))


ksone: Final = Continuous(
    "ksone", "the slope of 1 - Σ x (n over j) (x + j/n)^(j-1) (1 - x - j/n)^(n-j), j <= n (1 - x)",
    {"n": POSITIVE_COUNT}, (0.0, 1.0), open_ends=True,
    logpdf=lambda x, n: log_of(ksone_pdf(x, n)), pdf=ksone_pdf, cdf=ksone_cdf, sf=ksone_sf,
    mean=_mean, var=_var, entropy=_entropy,
)  # fmt: skip

_FEW: Final = 140
"""Up to how many observations the probability of both sides is exact."""
_FAR: Final = (4.4, 2.2)
"""Of n x², of few and many: above it, being that far to both sides at once has hardly a chance."""
_BENDS: Final = 64
"""So many panels hold all bends of the density that count, at multiples of 1 / (2 n)."""
_OFFSETS: Final = np.arange(-25, 27)
"""Of counts from those expected, which are within n x."""
_APART: Final = _OFFSETS - _OFFSETS[:, None]
_LATER: Final = np.maximum(_APART, 0)
_INVERSE_FACTORIALS: Final = np.array([1 / factorial(k) for k in range(len(_OFFSETS))])


def _moves(length: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    """Chances of each count after each other, where one comes a time; by the length of time."""
    more = np.arange(len(_OFFSETS))
    chances = along(length) ** more * _INVERSE_FACTORIALS.astype(length.dtype)
    chances = chances * exp(-along(length))
    before = where(more > 0, chances[..., np.maximum(more - 1, 0)], 0.0)
    of_all = where(_APART >= 0, chances[..., _LATER], 0.0)
    return of_all, where(_APART >= 0, (before - chances)[..., _LATER], 0.0)


def _turn(reach: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    """Chances of each offset after each other while one number is expected, and their slopes.

    Offsets beyond `reach` are lost. In that time the count that is too small, and that which is
    too large, change once each.
    """
    whole = floor(reach)
    part = reach - whole
    is_early = part < 0.5
    way, least = where(is_early, 1.0, -1.0), along(where(is_early, 1 - whole, -whole))
    low, high = along(1 - whole), along(whole + 1)
    most = along(where(is_early, whole, whole + 1))
    bands = ((least, high - 1), (low, most), (low, high))
    side, middle = minimum(part, 1 - part), abs(1 - 2 * part)
    total: TensorVariable | None = None
    slope: TensorVariable | None = None
    for length, rate, band in zip((side, middle, side), (way, -2 * way, way), bands, strict=True):
        lost = ((band[0] > _OFFSETS) | (band[1] < _OFFSETS)).expand_dims(-2)
        chances, change = (where(lost, 0.0, v) for v in _moves(length))
        change = change * along(along(rate))
        if total is None or slope is None:
            total, slope = chances, change
        else:
            total, slope = matmul(total, chances), matmul(slope, chances) + matmul(total, change)
    assert total is not None
    assert slope is not None
    return total, slope


def _both_of_few(x: TensorVariable, n: TensorVariable, sloped: bool) -> TensorVariable:
    """The probability that n numbers are everywhere nearer than x, or its slope.

    Numbers come as a Poisson process of the rate n: E. Khmaladze and E. Shinjikashvili,
    Calculation of noncrossing probabilities for Poisson processes and its corollaries, 2001. From
    one expected number to the next, chances change by the same matrix, as in G. Marsaglia, W. W.
    Tsang and J. Wang, Evaluating Kolmogorov's distribution, 2003.
    """
    total, slope = _turn(n * x)
    # Offsets are from what is expected then, which is one more.
    total, slope = (v[..., np.append(np.arange(1, len(_OFFSETS)), 0)] for v in (total, slope))
    first = where(_OFFSETS == 0, 1.0, 0.0).astype(x.dtype) + 0 * along(n * x)

    def moved(shares: TensorVariable, by: TensorVariable) -> TensorVariable:
        return matmul(shares.expand_dims(-2), by).squeeze(-2)

    def is_within(state: tuple[TensorVariable, ...]) -> TensorVariable:
        return state[0] < largest(n, initial=0)

    def step(state: tuple[TensorVariable, ...]) -> tuple[TensorVariable, ...]:
        at, shares, *rest = state
        now = along(at < n + 0 * x)
        changes = [moved(v, total) + moved(shares, slope) for v in rest]
        after = [moved(shares, total), *changes]
        return at + 1, *(where(now, v, u) for v, u in zip(after, state[1:], strict=True))

    start = (0 * largest(n, initial=0), first, *([0 * first] if sloped else []))
    found = while_loop(is_within, step, start, max_steps=_FEW)[-1][..., 25]
    every = exp(factorial_rest(n) + HALF_LOG_2PI) * sqrt(n)
    return found * every * n if sloped else found * every


def _both_of_many(x: TensorVariable, n: TensorVariable) -> TensorVariable:
    """The same for many: W. Pelz and I. J. Good, Approximating the lower tail-areas, 1976."""
    root = sqrt(n)
    z = maximum(x * root, 0.04)
    s = z**2
    total = 0 * z
    for k in range(4):
        odd, even = pi**2 * (k + 0.5) ** 2, pi**2 * k**2
        second = 6 * s**3 + 2 * s**2 + odd * (2 * s**2 - 5 * s) + odd**2 * (1 - 2 * s)
        third = odd**3 * (5 - 30 * s) + odd**2 * (212 * s**2 - 60 * s)
        third = third + odd * (135 * s**2 - 96 * s**3) - 30 * s**3 - 90 * s**4
        terms = 1 / z + (odd - s) / (6 * z**4 * root) + second / (72 * z**7 * n)
        terms = (terms + third / (6480 * z**10 * n * root)) * exp(-odd / (2 * s))
        between = (3 * even * s - even**2) / (216 * z**6 * n * root) - even / (36 * z**3 * n)
        total = total + terms + between * exp(-even / (2 * s))
    return clip((2 * pi) ** 0.5 * total, 0.0, 1.0)


def _slope_of_many(x: TensorVariable, n: TensorVariable) -> TensorVariable:
    """As SciPy, of what has four terms only."""
    slope: TensorVariable = grad(_both_of_many(x, n).sum(), x)
    return maximum(slope, 0.0)


def _on_both(near: Part, many: Part, far: Part) -> Part:
    """Each where it is right; the others get a place of their own there."""

    def formula(x: TensorVariable, n: TensorVariable) -> TensorVariable:
        n = stop_gradient(n)
        few = n <= _FEW
        is_far = n * x * x > where(few, *_FAR)
        exactly = few & ~is_far
        size = where(exactly, n, 1.0)
        inner = where(exactly, x, 0.75).astype("float64")
        exact = near(inner, size.astype("float64")).astype(x.dtype)
        size = where(few, 1000.0, n)
        rough = many(where(few | is_far, 0.03, x), size)
        return where(is_far, far(where(is_far, x, 0.9), n), where(few, exact, rough))

    return formula


_slope_of_both: Final = _on_both(
    lambda x, n: _both_of_few(x, n, True), _slope_of_many, lambda x, n: 2 * ksone_pdf(x, n)
)


def _of_both(s: TensorVariable, n: TensorVariable) -> TensorVariable:
    """From the least distance, 0.5 / n, on: shares of what is above it."""
    least = 0.5 / stop_gradient(n)
    return least + (1 - least) * s


def _over_both(of: Callable[..., TensorVariable], n: TensorVariable) -> TensorVariable:
    """The integral of a function of places and densities, in panels between bends of these."""
    n = stop_gradient(n)
    least, (u, weights) = 0.5 / n, np.polynomial.legendre.leggauss(8)
    width = along(along(maximum(least, (minimum(4 / sqrt(n), 1.0) - least) / _BENDS)))
    panels = np.arange(float(_BENDS))[:, None]
    start = minimum(along(along(least)) + width * panels, 1.0)
    half = 0.5 * (minimum(start + width, 1.0) - start)
    places = start + half * (u + 1)
    density = _slope_of_both(where(half > 0, places, 0.5), along(along(n)))
    return (weights * half * of(places, density)).sum(axis=(-2, -1))


def _both_mean(n: TensorVariable) -> TensorVariable:
    return _over_both(lambda x, density: x * density, n)


_both_below: Final = _on_both(
    lambda x, n: _both_of_few(x, n, False), _both_of_many, lambda x, n: 1 - 2 * ksone_sf(x, n)
)
_both_above: Final = _on_both(
    lambda x, n: 1 - _both_of_few(x, n, False),
    lambda x, n: 1 - _both_of_many(x, n),
    lambda x, n: 2 * ksone_sf(x, n),
)
_by_shares: Final = completed(
    {
        "logpdf": lambda s, n: log_of(_slope_of_both(_of_both(s, n), n)) + log1p(-0.5 / n),
        "cdf": lambda s, n: _both_below(_of_both(s, n), n),
        "sf": lambda s, n: _both_above(_of_both(s, n), n),
    },
    (0.0, 1.0),
    False,
)
kstwo: Final = Continuous(
    "kstwo", "the slope of the chance that n numbers' shares are nowhere x from their own",
    {"n": POSITIVE_COUNT}, lambda n: (0.5 / n, 1 + 0 * n), open_ends=True,
    middle=lambda n: 0.75 + 0 * n,
    logpdf=lambda x, n: log_of(_slope_of_both(x, n)), pdf=_slope_of_both,
    cdf=_both_below, sf=_both_above, sample=farthest_share,
    mean=_both_mean,
    var=lambda n: _over_both(lambda x, density: x * x * density, n) - _both_mean(n) ** 2,
    entropy=lambda n: -_over_both(lambda x, density: xlogy(density, density), n),
    ppf=lambda q, n: _of_both(as_tensor(_by_shares["ppf"](q, n)), n),
    isf=lambda q, n: _of_both(as_tensor(_by_shares["isf"](q, n)), n),
)  # fmt: skip
