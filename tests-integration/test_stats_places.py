"""Exact tests of shares, plots of places, lifetimes, powers of tests, places in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
import scipy.stats
from against_scipy import Row, assert_as_on_python, assert_as_scipy, assert_slopes, of, quietly

import weft.tensor as wt

OURS: Any = wt.stats
THEIRS: Any = scipy.stats
RANDOM: Final = np.random.default_rng(17)
KEY: Final = wt.random.key(20261129)
X, Y = RANDOM.gamma(2.0, size=19), RANDOM.gamma(2.5, size=14)
TIED = np.round(X, 0) + 1
SIDES: Final = ("two-sided", "less", "greater")


def lives(m: Any, x: Any, y: Any, **kwargs: Any) -> Any:
    """The last five of the first sample, and the first two of the second, are only known above."""
    samples = [m.CensoredData(uncensored=v, right=w) for v, w in ((x[:-5], x[-5:]), (y[2:], y[:2]))]
    found = m.logrank(*samples, **kwargs)
    return found.statistic, found.pvalue


def ranked(m: Any, x: Any, y: Any, **kwargs: Any) -> Any:
    found = m.bws_test(x, y, **kwargs)
    return found.statistic, found.pvalue


PLOTS: Final = {
    "ppcc_plot": Row(of("ppcc_plot", -0.4, 0.8, N=7), [[X], [TIED]]),
    "ppcc_plot of weibull_min": Row(of("ppcc_plot", 0.5, 3.0, "weibull_min", N=5), [[X]]),
    "boxcox_normplot": Row(of("boxcox_normplot", -1.0, 2.0, N=7), [[X], [X[:3]]]),
    "yeojohnson_normplot": Row(of("yeojohnson_normplot", -1.0, 2.0, N=7), [[X - 2], [X[:3]]]),
    "ppcc_max": Row(of("ppcc_max", (0.1, 0.3)), [[X]], True, 2e-7),
}
ROWS: Final = PLOTS | {
    **{f"logrank, {side}": Row(lambda m, *v, s=side: lives(m, *v, alternative=s), [[X, Y]], False)
       for side in SIDES},
    "logrank of ties": Row(lambda m, *v: lives(m, *v), [[TIED, np.round(Y)]], False),
    "logrank of known ones": Row(
        lambda m, *v: [*vars(m.logrank(*v)).values()] if m is THEIRS else m.logrank(*v),
        [[X, Y]], False),
    **{f"bws_test, {side}": Row(
        lambda m, *v, s=side: ranked(m, *v, alternative=s), [[X[:6], Y[:5]], [TIED[:5], X[:4]]],
        False) for side in SIDES},
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_values(name: str) -> None:
    row = ROWS[name]
    for arrays in row.arrays:
        if not name.startswith("bws"):
            assert_as_scipy(OURS, THEIRS, row.call, arrays, row.tolerance)
            continue
        ours = [v.eval() for v in row.call(OURS, *arrays)]
        np.testing.assert_allclose(ours, row.call(THEIRS, *arrays), rtol=1e-10)


@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_backends(mode: str) -> None:
    def everything(m: Any, x: Any, y: Any) -> Any:
        return (
            m.ppcc_plot(x, -0.4, 0.8, N=3)[1], m.boxcox_normplot(x, -1.0, 2.0, N=3)[1],
            lives(m, x, y),
        )  # fmt: skip

    assert_as_on_python(OURS, Row(everything, [[X, Y]], False), mode)


@pytest.mark.parametrize("name", [name for name in PLOTS if name != "ppcc_max"])
def test_slopes(name: str) -> None:
    assert_slopes(OURS, PLOTS[name])


TABLES: Final = (
    [[7, 12], [8, 3]], [[74, 31], [43, 32]], [[3, 0], [1, 4]], [[5, 0], [0, 5]], [[3, 7], [4, 9]],
)  # fmt: skip


def largest(rare: np.ndarray) -> float:
    """Of the probabilities of a set of tables, at 401 shares of both columns, and near the best."""
    n, m = (k - 1 for k in rare.shape)

    def chances(share: np.ndarray) -> Any:
        one = THEIRS.binom.pmf(np.arange(n + 1), n, share[:, None])
        two = THEIRS.binom.pmf(np.arange(m + 1), m, share[:, None])
        return ((one @ rare) * two).sum(1)

    shares = np.linspace(0, 1, 401)
    best = shares[chances(shares).argmax()]
    return float(chances(np.linspace(max(0, best - 0.0025), min(1, best + 0.0025), 101)).max())


def wald(n: int, m: int, *, pooled: bool) -> np.ndarray:
    one, two = np.arange(n + 1)[:, None] / n, np.arange(m + 1) / m
    share = (one * n + two * m) / (n + m)
    apart = one * (1 - one) / n + two * (1 - two) / m
    square = share * (1 - share) * (1 / n + 1 / m) if pooled else apart
    with np.errstate(all="ignore"):
        return np.where(one == two, 0.0, (one - two) / np.sqrt(square))


@pytest.mark.cases(3)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("table", TABLES, ids=str)
def test_tables(table: Any, side: str) -> None:
    """The largest probability, which SciPy's search misses by up to 1e-3."""
    n, m = np.sum(table, 0)
    for pooled in (True, False):
        ours = [v.eval() for v in OURS.barnard_exact(table, side, pooled)]
        scores = wald(n, m, pooled=pooled)
        own = scores[tuple(table[0])]
        rare = {"less": scores <= own + 1e-12, "greater": scores >= own - 1e-12}
        rare["two-sided"] = abs(scores) >= abs(own) - 1e-12
        np.testing.assert_allclose(ours, [own, largest(rare[side])], rtol=2e-6)
    statistic, chance = (v.eval() for v in OURS.boschloo_exact(table, side))
    one, two = np.arange(n + 1)[:, None], np.arange(m + 1)
    both = {
        "less": THEIRS.hypergeom.cdf(one, n + m, one + two, n),
        "greater": THEIRS.hypergeom.cdf(two, n + m, one + two, m),
    }
    exact = {
        k: (v[tuple(table[0])], v <= v[tuple(table[0])] * (1 + 1e-12)) for k, v in both.items()
    }
    found = {k: (own, largest(rare)) for k, (own, rare) in exact.items()}
    rarer = min(found.values(), key=lambda pair: pair[1])
    expected = found.get(side, (rarer[0], min(1.0, 2 * rarer[1])))
    np.testing.assert_allclose([statistic, chance], expected, rtol=2e-6)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_tables_of_which_a_column_is_empty(mode: str) -> None:
    table = wt.lmatrix("table")
    both = [*OURS.barnard_exact(table), OURS.boschloo_exact(table, "less").pvalue]
    f = wt.function([table], both, mode=mode)
    np.testing.assert_array_equal(quietly(f, [[0, 3], [0, 4]]), [np.nan, 1.0, np.nan])
    expected = [*vars(THEIRS.barnard_exact([[2, 3], [1, 5]])).values()]
    np.testing.assert_allclose(f([[2, 3], [1, 5]])[:2], expected, rtol=3e-3)


def test_power() -> None:
    """That of Student's test is known."""
    found = OURS.power(
        OURS.ttest_ind, [OURS.norm.rvs, lambda key, size: OURS.norm.rvs(key, 1.0, size=size)],
        (12, 15), rng=KEY, significance=0.05, n_resamples=4_000,
    )  # fmt: skip
    away, df = np.sqrt(12 * 15 / 27), 25
    point = THEIRS.t.isf(0.025, df)
    exact = THEIRS.nct.sf(point, df, away) + THEIRS.nct.cdf(-point, df, away)
    assert abs(found.power.eval() - exact) < 4 * np.sqrt(exact * (1 - exact) / 4_000)


def statistics(x: np.ndarray) -> dict[str, float]:
    law = THEIRS.norm(x.mean(), x.std())
    ordered, k = np.sort(x), 2 * np.arange(len(x)) + 1
    logs = law.logcdf(ordered) + law.logsf(ordered[::-1])
    return {
        "ad": -len(x) - (k * logs).sum() / len(x),
        "ks": THEIRS.ks_1samp(x, law.cdf).statistic,
        "cvm": THEIRS.cramervonmises(x, law.cdf).statistic,
        "filliben": THEIRS.probplot(x)[1][2],
    }


@pytest.mark.parametrize("statistic", ["ad", "ks", "cvm", "filliben"])
def test_fit_of_a_family(statistic: str) -> None:
    """The probability is SciPy's but for chance, and that it divides by one observation less."""
    found = OURS.goodness_of_fit(OURS.norm, X, rng=KEY, statistic=statistic, n_mc_samples=2_000)
    theirs = THEIRS.goodness_of_fit(
        THEIRS.norm, X, statistic=statistic, n_mc_samples=500, rng=np.random.default_rng(1)
    )
    np.testing.assert_allclose(found.statistic.eval(), statistics(X)[statistic], rtol=1e-9)
    assert abs(found.pvalue.eval() - theirs.pvalue) < 0.05
    assert found.null_distribution.eval().shape == (2_000,)


def test_fit_of_known_parameters() -> None:
    known = {"loc": 0.0, "scale": 1.0}
    found = OURS.goodness_of_fit(
        OURS.norm, X - 2, rng=KEY, statistic="ks", known_params=known, n_mc_samples=4_000
    )
    exact = THEIRS.ks_1samp(X - 2, THEIRS.norm.cdf)
    np.testing.assert_allclose(found.statistic.eval(), exact.statistic, rtol=1e-9)
    assert abs(found.pvalue.eval() - exact.pvalue) < 0.03


@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_places_in_order_on_backends(mode: str) -> None:
    x = wt.dvector("x")
    law = OURS.order_statistic(OURS.norm(0.5, 2.0), r=3, n=5)
    values = [law.logpdf(x), law.logcdf(x)]
    call, other = (wt.function([x], values, mode=m) for m in (mode, "py"))
    for v, w in zip(call(np.array([-3.0, 0.5, 9.0])), other([-3.0, 0.5, 9.0]), strict=True):
        np.testing.assert_allclose(v, w, rtol=1e-12)


def test_places_in_order() -> None:
    """Shares of beta's law, in both tails, and places that lead back."""
    x, q = wt.dvectors("x", "q")
    law = OURS.order_statistic(OURS.norm(0.5, 2.0), r=[[1], [3], [5]], n=5)
    values = [law.pdf(x), law.cdf(x), law.sf(x), law.ppf(q), law.isf(q)]
    f = wt.function([x, q], values, mode="py")
    at, shares = np.array([-30.0, -1.0, 0.5, 3.0, 30.0]), np.array([1e-40, 0.3, 0.6])
    pdf, cdf, sf, ppf, isf = quietly(f, at, shares)
    below, above = (getattr(THEIRS.norm, n)(at, 0.5, 2.0) for n in ("cdf", "sf"))
    for k, r in enumerate((1, 3, 5)):
        np.testing.assert_allclose(cdf[k], THEIRS.beta.cdf(below, r, 6 - r), rtol=1e-9)
        np.testing.assert_allclose(sf[k], THEIRS.beta.cdf(above, 6 - r, r), rtol=1e-9)
        density = THEIRS.beta.pdf(below, r, 6 - r) * THEIRS.norm.pdf(at, 0.5, 2.0)
        np.testing.assert_allclose(pdf[k][:4], density[:4], rtol=1e-9)
        np.testing.assert_allclose(quietly(f, ppf[k], shares)[1][k], shares, rtol=1e-8)
        np.testing.assert_allclose(quietly(f, isf[k], shares)[2][k], shares, rtol=1e-8)


def test_draws_in_order() -> None:
    law = OURS.order_statistic(OURS.expon(), r=2, n=7)
    drawn = law.rvs(KEY, size=3_000).eval()
    assert THEIRS.kstest(law.cdf(drawn).eval(), "uniform").pvalue > 1e-3
    assert [float(v.eval()) for v in law.support()] == [0.0, np.inf]


ERRORS: dict[str, tuple[type[Exception], Callable[[Any], Any]]] = {
    "takes a table of two by two": (ValueError, lambda x: OURS.barnard_exact(x)),
    "n is a number of places": (ValueError, lambda x: OURS.boschloo_exact([[1, 2], [3, 4]], n=0)),
    "counts must not be negative": (
        ValueError, lambda x: OURS.barnard_exact([[1, -2], [3, 4]]).pvalue.eval()),
    "must be above": (ValueError, lambda x: OURS.ppcc_plot(x, 1.0, 0.0)),
    "logrank takes vectors": (ValueError, lambda x: OURS.logrank(x, x[:, None])),
    "bws_test takes vectors": (ValueError, lambda x: OURS.bws_test(x[:, None], x)),
    "give a key": (ValueError, lambda x: OURS.bws_test(x, x)),
    "1 functions of rvs, 2 numbers": (
        ValueError, lambda x: OURS.power(OURS.ttest_ind, OURS.norm.rvs, (3, 4), rng=KEY)),
    "statistic is one of": (
        ValueError, lambda x: OURS.goodness_of_fit(OURS.norm, x, rng=KEY, statistic="best")),
    "takes a continuous distribution": (
        TypeError, lambda x: OURS.order_statistic(OURS.poisson(1.0), r=1, n=2)),
    "r must be a positive integer": (
        ValueError, lambda x: OURS.order_statistic(OURS.norm(), r=0.5, n=2)),
    "n must be at least r": (ValueError, lambda x: OURS.order_statistic(OURS.norm(), r=3, n=2)),
}  # fmt: skip


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    error, call = ERRORS[message]
    with pytest.raises(error, match=message):
        call(wt.vector("x"))


@pytest.mark.parametrize("q", [2.0**-40, 1 - 2.0**-40])
def test_searches_that_meet_infinities_on_the_way_warn_of_nothing(q: float) -> None:
    expected = THEIRS.skewnorm.isf(q, 2.0)
    np.testing.assert_allclose(OURS.skewnorm.isf(q, 2.0).eval(), expected, rtol=1e-6)
