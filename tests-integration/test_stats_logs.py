"""Logarithms of probabilities next to 1 have the digits that what they lack of 1 has."""

from __future__ import annotations

from math import inf
from typing import Any, Final

import numpy as np
import pytest
import scipy.stats
from test_stats import CASES, family

import weft.tensor as wt

BACKENDS: Final = ("py", "numba", "jax")
SHARES: Final = np.array([1e-8, 1e-16, 1e-30, 1e-100, 1e-200])


@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.parametrize(("name", "p"), CASES)
@pytest.mark.cases(2)
def test_next_to_one(name: str, p: tuple[float, ...], mode: str) -> None:
    law, x, q = family(name), wt.dvector("x"), wt.dvector("q")
    both = [law.logcdf(x, *p), law.logsf(x, *p)]
    slopes = [wt.grad(v.sum(), x) for v in both]
    f = wt.function([x], [*both, *slopes, law.logpdf(x, *p)], mode=mode)
    ends = [float(v.eval()) for v in law.support(*p)]
    with np.errstate(all="ignore"):
        places = wt.function([q], [law.isf(q, *p), law.ppf(q, *p)], mode=mode)(SHARES)
        for k, at in enumerate(places):
            found = f(at)
            inside = np.isfinite(at) & (at != ends[0]) & (at != ends[1])
            small, value, slope = found[1 - k], found[k], found[2 + k]
            rest = np.where(small < -36, np.exp(small), -np.log1p(-np.exp(small)))
            seen = inside & (abs(rest - SHARES) < 0.5 * SHARES)
            np.testing.assert_allclose(-value[seen], rest[seen], rtol=1e-9, atol=1e-300)
            density = np.exp(found[4] - value) * (1 - 2 * k)
            seen &= (abs(density) > 1e-280) & (name != "kappa4")
            seen &= (abs(at) > 1e-300) & (abs(at) < 1e140)  # squares and quotients are no numbers
            np.testing.assert_allclose(slope[seen], density[seen], rtol=1e-5)


LARGE: Final = [(1.0, 0.5), (3.0, -1.0), (-2.0, 2.0), (30.0, 28.0), (2.0, 2.0), (0.0, 1.0)]


@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.parametrize("df", [1e16, 1e100, inf])
def test_noncentral_student_of_many_degrees_of_freedom(df: float, mode: str) -> None:
    """A normal distribution around the noncentrality."""
    t, n, nc = wt.dvectors("t", "n", "nc")
    law = wt.stats.nct(n, nc)
    values = [law.logpdf(t), law.logcdf(t), law.logsf(t)]
    f = wt.function([t, n, nc], [*values, *wt.grad(values[1].sum(), [t, n, nc])], mode=mode)
    at, apart = np.array(LARGE).T
    normal: Any = scipy.stats.norm
    wanted = [getattr(normal, m)(at - apart) for m in ("logpdf", "logcdf", "logsf")]
    slope = np.exp(wanted[0] - wanted[1])
    found = f(at, np.full(6, df), apart)
    np.testing.assert_allclose(found[:3], wanted, rtol=1e-12)
    np.testing.assert_allclose(found[3], slope, rtol=1e-12)
    np.testing.assert_allclose(found[4], 0, atol=1e-15)
    np.testing.assert_allclose(found[5], -slope, rtol=1e-12)


@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.parametrize(("name", "normal"), [("t", "norm"), ("halft", "halfnorm")])
def test_student_of_infinitely_many_degrees_of_freedom(name: str, normal: str, mode: str) -> None:
    x, q, n = wt.dvector("x"), wt.dvector("q"), wt.dscalar("n")
    names = ("logpdf", "cdf", "logcdf", "sf", "logsf")
    law, like = family(name), getattr(scipy.stats, normal)
    values = [getattr(law, name)(x, n) for name in names]
    places = [law.ppf(q, n), law.isf(q, n)]
    f = wt.function([x, q, n], [*values, *places, law.var(n), law.entropy(n)], mode=mode)
    at, shares = np.array([0.3, 2.0, 35.0]), np.array([0.01, 0.3, 0.6])
    *found, variance, entropy = f(at, shares, inf)
    wanted = [getattr(like, name)(at) for name in names]
    places_of = [like.ppf(shares), like.isf(shares)]
    for got, right in zip(found, [*wanted, *places_of], strict=True):
        np.testing.assert_allclose(got, right, rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose([variance, entropy], [like.var(), like.entropy()], rtol=1e-12)


@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.parametrize(("name", "like"), [("t", "norm"), ("halft", "halfnorm")])
def test_slopes_of_infinitely_many_degrees_of_freedom(name: str, like: str, mode: str) -> None:
    x, n = wt.dvector("x"), wt.dscalar("n")
    slopes = wt.grad(family(name).logsf(x, n).sum(), [x, n])
    at, normal = np.array([0.3, 2.0, 35.0]), getattr(scipy.stats, like)
    by_x, by_n = wt.function([x, n], slopes, mode=mode)(at, inf)
    np.testing.assert_allclose(by_x, -np.exp(normal.logpdf(at) - normal.logsf(at)), rtol=1e-11)
    assert by_n == 0


@pytest.mark.parametrize("mode", BACKENDS)
def test_large_places_of_rice_and_folded_normal_numbers(mode: str) -> None:
    """By the first terms in 1 / b, around a normal distribution."""
    off, b = np.array([-6.0, -2.0, 0.0, 0.5, 3.0]), 1e9
    x, c = wt.dvector("x"), wt.dscalar("c")
    rice, folded = wt.stats.rice, wt.stats.foldnorm
    tails = [v for law in (rice, folded) for v in (law.logcdf(x, c), law.logsf(x, c))]
    moments = [v for law in (rice, folded) for v in (law.mean(c) - c, law.var(c), law.entropy(c))]
    f = wt.function([x, c], [*tails, *moments], mode=mode)
    *tails_of, mean, variance, entropy, _, one, normal = f(b + off, b)
    below, above = scipy.stats.norm.logcdf(off), scipy.stats.norm.logsf(off)
    np.testing.assert_allclose(tails_of[0], below, rtol=1e-7)
    np.testing.assert_allclose(tails_of[2], below, rtol=1e-12)
    np.testing.assert_allclose(tails_of[1], above, rtol=1e-7)
    np.testing.assert_allclose(tails_of[3], above, rtol=1e-12)
    np.testing.assert_allclose([variance, one], 1, rtol=1e-15)
    np.testing.assert_allclose([entropy, normal], 1.4189385332046727, rtol=1e-9)
    assert abs(mean) < 1e-6


def test_moments_of_rice_numbers_meet() -> None:
    """Where the series begins."""
    c = wt.dvector("c")
    law = wt.stats.rice
    f = wt.function([c], [law.mean(c), law.var(c), *wt.grad(law.var(c).sum(), [c])], mode="py")
    below, above = np.array(f([30 * (1 - 1e-15), 30 * (1 + 1e-15)])).T
    np.testing.assert_allclose(below, above, rtol=1e-7)


def test_probabilities_that_sum_to_one_as_they_were_given() -> None:
    p = np.array([0.1] * 7 + [0.3], "float32")
    counts = [1, 1, 1, 1, 1, 1, 1, 3]
    wanted = scipy.stats.multinomial.logpmf(counts, 10, p / p.astype("float64").sum())
    np.testing.assert_allclose(wt.stats.multinomial.logpmf(counts, 10, p).eval(), wanted, rtol=1e-6)
    v = wt.fvector("v")
    f = wt.function([v], wt.stats.multinomial.logpmf(counts, 10, v))
    np.testing.assert_allclose(f(p), wanted, rtol=1e-6)
    with pytest.raises(ValueError, match="sum to one"):
        wt.stats.multinomial.logpmf(counts, 10, p.astype("float64"))


@pytest.mark.parametrize("mode", BACKENDS)
def test_far_tails_of_noncentral_student(mode: str) -> None:
    """They are powers, and so are their slopes."""
    t, n, nc = wt.dvectors("t", "n", "nc")
    law = wt.stats.nct(n, nc)
    values = [law.logpdf(t), law.logcdf(t), law.logsf(t)]
    slopes = [wt.grad(v.sum(), t) for v in values]
    f = wt.function([t, n, nc], [*values, *slopes], mode=mode)
    for df in (0.3, 5.0):
        at = np.array([1e110, 1e130, 1e200, 1e300])
        given = np.full(4, df), np.full(4, 1.5)
        for sign, tail in ((1, 2), (-1, 1)):
            found = f(sign * at, *given)
            fall = np.log(at / at[0])
            np.testing.assert_allclose(found[tail] - found[tail][0], -df * fall, rtol=1e-12)
            np.testing.assert_allclose(found[0] - found[0][0], -(df + 1) * fall, rtol=1e-12)
            np.testing.assert_allclose(found[3 + tail], -sign * df / at, rtol=1e-9)
            np.testing.assert_allclose(found[3], -sign * (df + 1) / at, rtol=1e-9)
            assert np.isfinite(found).all()
