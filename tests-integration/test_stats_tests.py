"""Tests of hypotheses: as SciPy's, on all backends, with derivatives."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy.stats
from against_scipy import (
    Row,
    assert_as_on_python,
    assert_as_scipy,
    assert_slopes,
    compiled_mode,
    of,
    quietly,
)
from scipy.integrate import quad

import weft.tensor as wt

OURS: Any = wt.stats
THEIRS: Any = scipy.stats
RANDOM = np.random.default_rng(3)
X, Y, Z = (RANDOM.normal(size=(n, 3)) for n in (12, 9, 12))
SINGLE, HOLES = X.astype("float32"), np.where(X > 1, np.nan, X)
ONE, TWO, NONE = X[:1], X[:2], np.zeros((0, 3))
ANY = [[X], [SINGLE], [HOLES], [ONE], [TWO]]
TWO_SAMPLES = [[X, Y], [SINGLE, Y.astype("float32")], [HOLES, Y], [TWO, ONE], [ONE, ONE + 1],
               [X, 0 * Y], [X[:, :1], Y]]  # fmt: skip
PAIRS = [[X, Z], [SINGLE, Z.astype("float32")], [HOLES, Z], [TWO, Z[:2]]]
COUNTS = RANDOM.integers(3, 20, (5, 3))
EXPECTED = COUNTS[::-1] * 1.0


def with_df(name: str, **kwargs: Any) -> Callable[..., Any]:
    """A test's results and its degrees of freedom."""

    def call(m: Any, *arrays: Any) -> Any:
        result = getattr(m, name)(*arrays, **kwargs)
        return [*result, result.df]

    return call


def distance(**kwargs: Any) -> Callable[..., Any]:
    """The distance from a normal distribution, where it is, and its sign."""

    def call(m: Any, x: Any) -> Any:
        result = m.ks_1samp(x, m.norm.cdf, **kwargs)
        return [*result, result.statistic_location, result.statistic_sign]

    return call


ROWS = {
    "ttest_1samp": Row(with_df("ttest_1samp", popmean=0.3), ANY),
    "ttest_1samp, less": Row(of("ttest_1samp", 0.5, None, alternative="less"), ANY),
    "ttest_1samp, greater": Row(of("ttest_1samp", 0.5, 1, alternative="greater"), ANY[:3]),
    "ttest_rel": Row(with_df("ttest_rel"), PAIRS),
    "ttest_ind": Row(with_df("ttest_ind"), TWO_SAMPLES),
    "Welch's": Row(with_df("ttest_ind", equal_var=False, alternative="less"), TWO_SAMPLES[:-2]),
    **{f"ttest_ind, {share} cut": Row(with_df("ttest_ind", equal_var=share < 0.2, trim=share),
                                      TWO_SAMPLES[:-2]) for share in (0.1, 0.2, 0.3)},
    "ttest_ind_from_stats": Row(of("ttest_ind_from_stats"), [
        [np.array(v) for v in (1.0, 0.5, 10.0, 1.3, 0.7, 12.0)]]),
    "f_oneway": Row(of("f_oneway"), [[X, Y, Z], [X, Y], [SINGLE, SINGLE + 1], [HOLES, Y],
                                     [0 * X, 0 * Y + 0.1], [0 * X, 0 * Y]]),
    "f_oneway of unequal": Row(of("f_oneway", equal_var=False), [[X, Y, Z], [SINGLE, SINGLE + 1]]),
    "kruskal": Row(of("kruskal"), [[X, Y, Z], [COUNTS, COUNTS + 1], [SINGLE, SINGLE + 1]], False),
    "chisquare": Row(of("chisquare"), [[COUNTS], [COUNTS, EXPECTED], [COUNTS[:1]]]),
    "chisquare, unchecked": Row(of("chisquare", None, 1, 1), [[COUNTS]]),
    **{
        f"power_divergence, {k}": Row(of("power_divergence", lambda_=k),
                                      [[COUNTS], [COUNTS, EXPECTED]])
        for k in ("log-likelihood", "freeman-tukey", "mod-log-likelihood", "neyman", 0.7, None)
    },
    "jarque_bera": Row(of("jarque_bera"), ANY[:3]),
    "jarque_bera of columns": Row(of("jarque_bera", axis=0), ANY),
    "skewtest": Row(of("skewtest"), ANY),
    "skewtest, less": Row(of("skewtest", alternative="less"), ANY),
    "kurtosistest": Row(of("kurtosistest"), ANY),
    "normaltest": Row(of("normaltest", axis=None), ANY[:3]),
    **{f"ks_1samp, {k}": Row(distance(alternative=k), [[X[:, 0]], [X[:1, 0]]]) for k in (
        "less", "greater", "two-sided")},
    "ks_1samp, asymp": Row(distance(method="asymp"), [[X[:, 0]]]),
    "ks_1samp, approx": Row(distance(method="approx"), [[X[:, 0]]]),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_values(name: str) -> None:
    for arrays in ROWS[name].arrays:
        assert_as_scipy(OURS, THEIRS, ROWS[name].call, arrays)


@pytest.mark.cases(2)
@pytest.mark.parametrize("k", range(len(ROWS)))
def test_backends(k: int) -> None:
    assert_as_on_python(OURS, list(ROWS.values())[k], compiled_mode(k))


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.has_slopes])
def test_derivatives(name: str) -> None:
    row = ROWS[name]
    assert_slopes(OURS, row._replace(arrays=[[x.astype("float64") for x in row.arrays[0]]]))


def test_sums_of_counts_that_differ_are_an_error() -> None:
    x = wt.vector("x")
    f = wt.function([x], OURS.chisquare(x, [1.0, 2.0]).statistic, mode="py")
    with pytest.raises(ValueError, match="sums"):
        f([3.0, 4.0])
    assert OURS.chisquare([3.0, 4.0], [1.0, 2.0], sum_check=False).statistic.eval() == 6


@pytest.mark.parametrize("n", [1, 2, 3, 20, 140, 141, 3000])
def test_distances_of_both_sides(n: int) -> None:
    x = np.array([0.3, 0.5, 0.9, 1.2, 1.47, 1.6, 2.1, 4.0]) / n**0.5
    x = np.array([*x[x < 1], 0.3 / n, 1.0])
    chance = OURS.kstwo.sf(x, n).eval()
    np.testing.assert_allclose(chance, THEIRS.kstwo.sf(x, n), 1e-9 if n < 141 else 3e-6, 1e-13)
    shares = np.array([0.01, 0.5, 0.99])
    found = quietly(OURS.kstwo.ppf(shares, n).eval)
    np.testing.assert_allclose(found, THEIRS.kstwo.ppf(shares, n), 1e-9 if n < 141 else 2e-5)


@pytest.mark.cases(0)
@pytest.mark.parametrize("n", [1, 2, 5])
def test_means_of_distances_of_both_sides(n: int) -> None:
    """Densities bend at multiples of 1 / (2 n): their mean is the integral of what is above."""
    places = np.arange(2 * n + 1) / (2 * n)
    pieces = [quad(THEIRS.kstwo.sf, a, b, (n,), epsabs=1e-13)[0] for a, b in pairwise(places)]
    np.testing.assert_allclose(OURS.kstwo.mean(n).eval(), sum(pieces), rtol=1e-12)


TINY, HUGE = [2.5e-188, 7.4e-181, 4.1e-208, 2.1e-223], [2.3e200, 4.5e200, 6.7e200, 8e200]
NEAR = [1e9 + np.array([0.1, 0.4, 0.3]), 1e9 + np.array([0.2, 0.9, 0.5])]
HARD: dict[str, Callable[[Any], Any]] = {
    "numbers whose squares vanish": lambda m: m.pearsonr(TINY, [1.0, 3.0, 2.0, 4.0]),
    "numbers whose squares overflow": lambda m: m.pearsonr(HUGE, TINY),
    "one number": lambda m: m.pearsonr([0.667] * 3, [0.1, 0.4, 0.7]),
    "means that differ by little": lambda m: m.f_oneway(*NEAR),
    "an expected count for all": lambda m: m.chisquare([4.0, 8.0, 12.0, 8.0], 8.0),
    "a mean with the axis": lambda m: m.ttest_1samp(np.arange(6.0).reshape(3, 2), [[1.0, 4.0]]),
    "no pairs": lambda m: m.spearmanr([], []),
    "one point, twice": lambda m: m.theilslopes([1.0, 1.0], [1.0, 1.0]),
    "a line straight up": lambda m: m.theilslopes([1.0, 2.0, 4.0], [1.0] * 3),
    "shares of which one is for all": lambda m: [m.entropy([0.1, 0.5, 0.3], [2.0])],
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", HARD)
def test_hard_numbers_and_shapes(case: str) -> None:
    for actual, expected in zip(HARD[case](OURS), HARD[case](scipy.stats), strict=True):
        np.testing.assert_allclose(actual.eval(), expected, rtol=1e-9)


ERRORS: dict[str, Callable[[Any], Any]] = {
    "alternative is": lambda x: OURS.ttest_1samp(x, 0, alternative="more"),
    "proportiontocut is": lambda x: OURS.ttest_ind(x, x, trim=0.5),
    "ttest_ind: method may be": lambda x: OURS.ttest_ind(x, x, method="exact"),
    "f_oneway compares": lambda x: OURS.f_oneway(x),
    "kruskal compares": lambda x: OURS.kruskal(x),
    "lambda_ is one of": lambda x: OURS.power_divergence(x, lambda_="most"),
    "method is": lambda x: OURS.ks_1samp(x, OURS.norm.cdf, method="best"),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message](wt.vector("x"))
