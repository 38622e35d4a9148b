"""Tests by ranks, rates, and what is known after a sample: as SciPy's, on all backends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats
from against_scipy import Row, assert_as_on_python, assert_as_scipy, compiled_mode, of, quietly

import weft.tensor as wt

OURS: Any = wt.stats
THEIRS: Any = scipy.stats
RANDOM = np.random.default_rng(23)
X, Y, Z = (RANDOM.normal(size=(n, 2)) for n in (12, 9, 12))
WIDE, LONG = X * 3 + 0.5, RANDOM.normal(size=(80, 2))
COUNTED, OTHER = RANDOM.integers(-2, 4, (14, 2)) * 1.0, RANDOM.integers(0, 4, (14, 2)) * 1.0
HOLES = np.where(X > 1.2, np.nan, X)
SINGLE = X.astype("float32")
TRIALS = RANDOM.normal(size=(7, 5)) + 0.4 * np.arange(5)
COUNTS = [(3, 100, 9, 90.5), (30, 50, 20, 55), (0, 9, 0, 9), (400, 30, 350, 29)]
SIDES = ("two-sided", "less", "greater")


def two(name: str, **kwargs: Any) -> Callable[..., Any]:
    """The first two results."""

    def call(m: Any, *arrays: Any) -> Any:
        found = getattr(m, name)(*arrays, **kwargs)
        return [found.statistic, found.pvalue]

    return call


def spread(m: Any, x: Any) -> list[Any]:
    """Moments of all three, and intervals."""
    laws = [v for law in m.mvsdist(x) for v in (law.mean(), law.std(), law.cdf(0.9))]
    return laws + [v for part in m.bayes_mvs(x, 0.8) for v in (part[0], *part[1])]


ROWS = {
    **{f"ansari, {k}": Row(
        of("ansari", alternative=k),
        [[X, WIDE], [COUNTED, OTHER], [LONG, Y], [LONG[:70], X], [SINGLE, SINGLE * 2 + 1],
         [X[:5], WIDE[:1]], [HOLES[:, 0], Y[:, 0]]], False) for k in SIDES},
    "cramervonmises_2samp": Row(
        two("cramervonmises_2samp", method="asymptotic"),
        [[X, WIDE], [COUNTED, OTHER], [LONG, Y], [LONG, LONG + 1], [SINGLE, SINGLE * 2]], False),
    "weightedtau": Row(
        of("weightedtau"), [[X[:, 0], Z[:, 0]], [COUNTED, OTHER]], False),
    "weightedtau of ranks": Row(
        lambda m, x, y: m.weightedtau(x, y, np.arange(len(X))[::-1]), [[X[:, 0], Z[:, 1]]], False),
    "weightedtau in order, multiplied": Row(
        of("weightedtau", rank=False, weigher=lambda r: 1 / (r + 2.0) ** 2, additive=False),
        [[COUNTED[:, 0], OTHER[:, 1]]], False),
    "chatterjeexi": Row(
        of("chatterjeexi"), [[X, Z], [X, X**2], [Z, COUNTED[:12]], [SINGLE, SINGLE**2]], False),
    "chatterjeexi, continuous": Row(
        of("chatterjeexi", y_continuous=True), [[X, Z], [HOLES, X]], False),
    "page_trend_test": Row(
        two("page_trend_test", method="asymptotic"), [[TRIALS], [np.round(TRIALS)]], False),
    "page_trend_test of ranks": Row(
        two("page_trend_test", ranked=True, predicted_ranks=[2, 1, 3, 5, 4], method="asymptotic"),
        [[np.argsort(TRIALS, 1) + 1.0]], False),
    **{f"poisson_means_test, {k}": Row(
        two("poisson_means_test", diff=0.01, alternative=k),
        [[np.array(v) for v in row] for row in COUNTS], False) for k in SIDES},
    "mvsdist and bayes_mvs": Row(spread, [[X[:, 0]], [LONG[:, 1] + 4]]),
}  # fmt: skip


def as_numbers(m: Any, row: Row, arrays: Any) -> Any:
    """SciPy takes Python's numbers of counts."""
    plain = [x.item() if x.ndim == 0 and m is THEIRS else x for x in arrays]
    return row.call(m, *plain)


@pytest.mark.cases(6)
@pytest.mark.parametrize("name", ROWS)
def test_values(name: str) -> None:
    row = ROWS[name]
    for arrays in row.arrays:
        assert_as_scipy(OURS, THEIRS, lambda m, *a: as_numbers(m, row, a), arrays, row.tolerance)


@pytest.mark.cases(5)
@pytest.mark.parametrize("name", [n for n in ROWS if "less" not in n and "greater" not in n])
def test_backends(name: str) -> None:
    assert_as_on_python(OURS, ROWS[name], compiled_mode(list(ROWS).index(name)))


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.cases("py")
def test_exact_distributions(mode: str) -> None:
    """Of known lengths: of squared distances, and of trends."""
    pairs = [(X[:5], Y[:4]), (X[:6], Y[:3]), (X[:2], Y[:2]), (X, Y + 0.5), (COUNTED[:6], OTHER[:4])]
    trials = [TRIALS, TRIALS[:, :3], -TRIALS[:, :4], np.tile(TRIALS[:, :4], 2)[:, ::-1] + X[:7, :1]]
    trials = [v + 1e-3 * np.arange(v.shape[1]) ** 2 for v in trials]
    found = [v for x, y in pairs for v in OURS.cramervonmises_2samp(wt.constant(x), y)]
    found += [v for x in trials for v in OURS.page_trend_test(wt.constant(x))]
    wanted = [two("cramervonmises_2samp")(THEIRS, x, y) for x, y in pairs]
    trends = [two("page_trend_test")(THEIRS, x) for x in trials]
    expected = [v for pair in [*wanted, *trends] for v in pair]
    for got, value in zip(wt.function([], found, mode=mode)(), expected, strict=True):
        np.testing.assert_allclose(got, value, 1e-9)


def test_nothing_agrees_with_nothing() -> None:
    """SciPy takes NaN for the least number."""
    assert np.isnan(OURS.weightedtau(HOLES, X).statistic.eval())


def test_what_is_known_of_many() -> None:
    """SciPy takes normal numbers there."""
    many = RANDOM.normal(size=5_000) * 2 + 3
    ours = [v.eval() for part in OURS.bayes_mvs(many) for v in (part[0], *part[1])]
    theirs = [v for part in THEIRS.bayes_mvs(many) for v in (part[0], *part[1])]
    np.testing.assert_allclose(ours, theirs, rtol=2e-3)


def test_errors_say_what_to_do() -> None:
    x, y, table = wt.dvector("x"), wt.dvector("y"), wt.dmatrix("t")
    wrong: list[tuple[Callable[[], Any], str]] = [
        (lambda: OURS.cramervonmises_2samp(x, y), "numbers of observations are not known"),
        (lambda: OURS.cramervonmises_2samp([1.0], [2.0, 3.0]), "two observations of each"),
        (lambda: OURS.page_trend_test(table), "give them by `specify_shape`"),
        (lambda: OURS.page_trend_test(x), "takes a matrix"),
        (lambda: OURS.page_trend_test([[1.0, 2.0]]), "two rows and three columns"),
        (lambda: OURS.ansari(x, y, "more"), "alternative is one of"),
        (lambda: OURS.chatterjeexi(x, y, method="exact"), "method is one of"),
        (lambda: OURS.weightedtau(x, y, table), "rank is a vector"),
        (lambda: OURS.poisson_means_test(x, 1, 2, 3), "takes numbers"),
        (lambda: OURS.mvsdist([1.0]), "two observations"),
        (lambda: OURS.poisson_means_test(-1, 1, 2, 3).pvalue.eval(), "counts and diff are 0"),
        (lambda: OURS.page_trend_test([[1.0, 2, 9], [2, 1, 3]], True).pvalue.eval(), "from 1 to"),
        (lambda: OURS.page_trend_test(TRIALS, False, [1, 1, 2, 3, 4]).pvalue.eval(), "each of"),
    ]
    for call, text in wrong:
        with pytest.raises(ValueError, match=text):
            quietly(call)
