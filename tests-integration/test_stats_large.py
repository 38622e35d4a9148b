"""Log-masses of large counts have the digits that their arguments have, and so have slopes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import mpmath as mp
import numpy as np
import pytest
import scipy.stats
from against_scipy import quietly

import weft.tensor as wt

Exact = Callable[..., Any]


def _gamma(x: Any, a: Any) -> Any:
    return (a - 1) * mp.log(x) - x - mp.loggamma(a)


def _ways(n: Any, k: Any) -> Any:
    return mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1)


def _binom(k: Any, n: Any, p: Any) -> Any:
    return _ways(n, k) + k * mp.log(p) + (n - k) * mp.log(1 - p)


EXACT: Final[dict[str, tuple[Exact, Sequence[tuple[float, ...]]]]] = {
    "poisson": (
        lambda k, mu: _gamma(mu, k + 1),
        [(1e8 + 12345, 1e8), (1e10, 1e10 + 1e5), (3.0, 1e9), (2e9, 1.5), (5000.0, 4950.0)],
    ),
    "binom": (
        _binom,
        [(3e7 + 5432, 1e8, 0.3), (2.0, 1e10, 3e-10), (0.0, 1e9, 1e-9), (1e9, 1e9, 0.999999999)],
    ),
    "nbinom": (
        lambda k, n, p: _binom(n, n + k, p) + mp.log(n / (n + k)),
        [(2e8 + 4321, 1e8, 1 / 3), (3.0, 1e10, 0.9999999998), (1e8, 0.7, 7e-9), (0.0, 1e-8, 0.3)],
    ),
    "hypergeom": (
        lambda k, M, n, N: _ways(n, k) + _ways(M - n, N - k) - _ways(M, N),
        [(3e7 + 999, 1e10, 3e8, 1e9), (1.0, 1e10, 5e5, 3e4), (0.0, 1e9, 7.0, 5.0)],
    ),
}
"""Functions of mpmath, and where they are taken."""


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_large_parameters(mode: str) -> None:
    inputs, outputs, points = [], [], []
    for name, (_, places) in EXACT.items():
        xs = [wt.dvector() for _ in places[0]]
        law = getattr(wt.stats, name)
        density = law.logpmf(*xs)
        slopes = wt.grad(density.sum(), xs[1:])
        inputs += xs
        outputs.append([density, *slopes])
        points += [np.array(v) for v in zip(*places, strict=True)]
    results = wt.function(inputs, outputs, mode=mode)(*points)
    with mp.workdps(60):
        for (name, (exact, places)), rows in zip(EXACT.items(), results, strict=True):
            for place, values in zip(places, zip(*rows, strict=True), strict=True):
                at = [mp.mpf(v) for v in place]
                # what one unit in the last place of an argument changes
                noise = 1e-16 * max(abs(_slope(exact, at, i) * at[i]) for i in range(len(at)))
                expected = [exact(*at), *(_slope(exact, at, i) for i in range(1, len(at)))]
                bends = [abs(_slope(exact, at, i, 2) * at[i]) for i in range(1, len(at))]
                tolerances = [3e-16 + noise, *[1e-16 * (1 + bend) for bend in bends]]
                for a, b, more in zip(values, expected, tolerances, strict=True):
                    assert abs(a - b) <= 1e-13 * abs(b) + 8 * more, (name, place, a, b)


def _slope(exact: Exact, at: list[Any], i: int, order: int = 1) -> Any:
    step = (at[i] or 1) * mp.mpf(10) ** -15
    if at[i] == 0:
        return mp.mpf(0)
    low, middle, high = (exact(*at[:i], at[i] + s * step, *at[i + 1 :]) for s in (-1, 0, 1))
    return (high - low) / (2 * step) if order == 1 else (high - 2 * middle + low) / step**2


@pytest.mark.cases(0)
@pytest.mark.optimized  # it sums a million terms
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_one_sided_distances_of_any_number_of_observations(mode: str) -> None:
    """One observation more than are summed over changes little, and how much is known."""
    n, d, p = wt.scalar("n"), wt.vector("d"), wt.vector("p")
    above = wt.special.smirnov(n, d)
    density = wt.stats.ksone.pdf(d, n, check=False)
    f = wt.function([n, d], [above, density, wt.grad(above.sum(), d)], mode=mode)
    at = np.array([1.1e-5, 1e-4, 1e-3, 4e-3])
    (few, low, _), (many, high, slope) = (f(1e6 + k, at) for k in (0, 1))
    np.testing.assert_allclose(many / few, np.exp(-2 * at**2 - 4 / 9 * at**4), rtol=3e-12)
    np.testing.assert_allclose(high, low, rtol=1e-4)
    np.testing.assert_allclose(slope, -high, rtol=1e-8)
    shares = np.array([0.9999, 0.5, 0.05, 1e-10, 1e-200])
    inverse = wt.function([n, p], wt.special.smirnovi(n, p), mode=mode)
    for count in (2e6, 1e10, 1e300):
        found = quietly(inverse, count, shares)
        # Searched for is the logit, whose last step goes along a line: -346 at 1e300 of them.
        rtol = 1e-12 if count < 1e300 else 1e-11
        np.testing.assert_allclose(f(count, found)[0], shares, rtol=rtol)
    np.testing.assert_allclose(found, np.sqrt(-np.log(shares) / 2e300))


def test_kendalls_tau_takes_no_square_of_the_number_of_pairs() -> None:
    """Of 100,000 pairs, comparisons of all would be 80 GB."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=100_000).round(2)
    y = x + rng.normal(size=x.shape).round(2)
    a, b = wt.vectors("a", "b")
    found = wt.function([a, b], wt.stats.kendalltau(a, b, method="asymptotic"), mode="py")(x, y)
    np.testing.assert_allclose(found[0], scipy.stats.kendalltau(x, y).statistic, rtol=1e-12)


BEYOND: Final[dict[str, tuple[tuple[float, ...], float, float]]] = {
    "ncx2.ppf": ((1e-3, 3.0), 1e-5, 0.0),
    "ncf.ppf": ((1e-3, 9.0, 3.0), 1e-5, 0.0),
    "nct.ppf": ((1e-3, 1.5), 1e-5, -np.inf),
    "nct.isf": ((0.05, 1.5), 1e-10, 7.01856951e198),
    "t.ppf": ((1e-3,), 1e-5, -np.inf),
    "beta.ppf": ((1e-3, 3.0), 1e-5, 0.0),
    "f.ppf": ((5.0, 7.0), 1e-300, 5.3915855883e-121),
}
"""Parameters, a share, and a place that is beyond where a search looks, or beyond all numbers."""


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("name", BEYOND)
def test_places_beyond(name: str, mode: str) -> None:
    (law, method), (p, share, place) = name.split("."), BEYOND[name]
    q = wt.dvector()
    places = getattr(getattr(wt.stats, law), method)(q, *p)
    with np.errstate(all="ignore"):
        computed = wt.function([q], places, mode=mode)([share])
    np.testing.assert_allclose(computed, [place], rtol=1e-7)


def test_moments_of_large_shapes() -> None:
    n, far = wt.dscalar(), 1e10
    stats = wt.stats
    entropies = [stats.gamma.entropy(n), stats.chi.entropy(n), stats.loggamma.entropy(n)]
    means = [stats.chi.mean(n), stats.gengamma.mean(n, 1.5), stats.chi.var(n)]
    middle = 0.5 * np.log(2 * np.pi * np.e)
    wanted = [middle + 0.5 * np.log(far), middle - 0.5 * np.log(2), middle - 0.5 * np.log(far)]
    wanted += [1e5, far ** (2 / 3), 0.5]
    np.testing.assert_allclose(wt.function([n], entropies + means)(far), wanted, rtol=1e-10)


def test_normal_numbers_above_an_end() -> None:
    """Places next to the end, and far from it, and higher moments."""
    law, q = wt.stats.truncnorm(0.0, np.inf), wt.dvector()
    shares = np.array([1e-300, 1e-20, 1e-7, 0.5])
    f = wt.function([q], [law.logcdf(law.ppf(q)), law.logsf(law.isf(q)), *law.stats("sk")])
    below, above, skewness, kurtosis = f(shares)
    np.testing.assert_allclose(below, np.log(shares), rtol=1e-11)
    np.testing.assert_allclose(above, np.log(shares), rtol=1e-11)
    np.testing.assert_allclose([skewness, kurtosis], [0.9952717464311565, 0.8691773036059725])


def test_what_underflows_in_between() -> None:
    """Values that x / (1 + x), x^c or exp(-b) stood between have the digits of others."""
    stats, x = wt.stats, wt.dscalar()
    beyond = [stats.betaprime.cdf(x, 100.0, 0.05), stats.betaprime.cdf(x, 0.05, 0.1)]
    f = wt.function([x], [*beyond, stats.f.cdf(x, 1.0, 0.1)])
    wanted = [0.8973027435427167, 0.9978811466052919, scipy.stats.f(1, 0.1).cdf(1e22)]
    np.testing.assert_allclose(f(1e22), wanted, rtol=1e-10)
    exponweib = stats.exponweib.logpdf([1e-4, 0.01], 1.0, 100.0).eval()
    weibull = scipy.stats.weibull_min(100).logpdf([1e-4, 0.01])
    np.testing.assert_allclose(exponweib, weibull, rtol=1e-12)
    truncated = stats.truncexpon.isf(3.7200778266671455e-50, 100.0).eval()
    np.testing.assert_allclose(truncated, 99.999999)
    np.testing.assert_allclose(stats.beta.entropy(1e50, 1e50).eval(), -57.18540956248637)
    np.testing.assert_allclose(stats.t.entropy(1e100).eval(), 1.4189385332046727)


@pytest.mark.cases(2)
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_quantiles_beyond_the_integers_that_are_numbers(mode: str) -> None:
    """They ended at 2**53, of 32 bits at 2**24, and so did draws."""
    q = np.array([0.1, 0.5, 0.9])
    normal = scipy.stats.norm.ppf(q)
    laws: Any = [
        (wt.stats.poisson.ppf(q, 1e17), 1e17 + normal * 1e17**0.5),
        (wt.stats.binom.ppf(q, 4e16, 0.5), 2e16 + normal * 1e8),
        (wt.stats.geom.ppf(q, 1e-17), -np.log1p(-q) * 1e17),
        (wt.stats.nbinom.ppf(q, 3.0, 1e-17), scipy.stats.gamma.ppf(q, 3) * 1e17),
    ]
    for found, (_, wanted) in zip(
        wt.function([], [v for v, _ in laws], mode=mode)(), laws, strict=True
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
    narrow = wt.stats.poisson.ppf(q.astype("float32"), np.float32(1e9))
    drawn = wt.random.poisson(wt.random.key(3), 1e18, size=9)
    found, draws = wt.function([], [narrow, drawn], mode=mode)()
    np.testing.assert_allclose(found, 1e9 + normal * 1e9**0.5, rtol=3e-7)
    assert (np.abs(draws - 10**18) < 4 * 10**9).all()
    assert len({*draws.tolist()}) == 9
