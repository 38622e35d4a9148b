"""Ranks, correlations, transformations, distances, densities: as SciPy's, on all backends."""

from __future__ import annotations

from collections.abc import Callable
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

import weft.tensor as wt

OURS: Any = wt.stats
THEIRS: Any = scipy.stats
RANDOM = np.random.default_rng(8)
X, Y = RANDOM.normal(size=(9, 3)), RANDOM.normal(size=(9, 3))
SINGLE, HOLES = X.astype("float32"), np.where(X > 1, np.nan, X)
TIES = RANDOM.integers(0, 4, (8, 2))
ONE, TWO, NONE = X[:1], X[:2], np.zeros((0, 3))
U, V, W = X[:, 0], Y[:7, 1], abs(Y[:, 2])
ALIKE, RISING = np.array([[1.0, 3.0], [1.0, 4.0], [1.0, 3.0]]), np.array([[1.0], [2.0], [4.0]])
ANY = [[X], [TIES], [SINGLE], [HOLES], [ONE], [TWO]]
BOTH = [[X, Y], [X, TIES[[0, 1, 2, 3, 4, 5, 6, 7, 7]][:, :1] + 0 * X], [HOLES, Y],
        [SINGLE, Y.astype("float32")], [ALIKE, RISING + 0 * ALIKE], [TWO, Y[:2]]]  # fmt: skip
SHARES = np.array([[0.1, 0.5, 1.0], [0.0, 0.33, 0.9]])
INNER = np.array([[0.13, 0.52, 0.91], [0.23, 0.34, 0.81]])


def kde(*methods: str, **kwargs: Any) -> Callable[..., Any]:
    """Densities by kernels, evaluated in some ways."""
    return lambda m, x, at: [getattr(m.gaussian_kde(x, **kwargs), method)(at) for method in methods]


def known(call: Callable[..., Any]) -> Callable[..., Any]:
    """Of vectors whose lengths are known before."""

    def of_known(m: Any, *arrays: Any) -> Any:
        return call(m, *(wt.specify_shape(x, 9) if m is OURS else x for x in arrays))

    return of_known


def ranks(method: str, axis: int | None = None) -> Callable[..., Any]:
    """In float64, which is not what SciPy 1.18 has of float32."""
    return lambda m, x: m.rankdata(x, method, axis=axis).astype("float64")


WEIGHTS = np.random.default_rng(5).integers(0, 4, X.shape) * 0.75
ROWS = {
    **{f"rankdata, {k}": Row(ranks(k, axis=j), ANY, False) for j, k in enumerate(
        ["average", "min"])},
    **{f"rankdata, {k}": Row(ranks(k), ANY, False) for k in ("max", "dense", "ordinal")},
    "mode": Row(of("mode"), ANY),
    "mode of rows": Row(of("mode", 1, keepdims=True), ANY),
    "quantile": Row(of("quantile", 0.3), [*ANY, [NONE]]),
    **{
        f"quantile, {k}": Row(
            lambda m, x, p, k=k: m.quantile(x, p, method=k),
            [[X, INNER], [X, SHARES], [HOLES, SHARES], [X, SHARES[:, :1]],
             [TIES * 1.0, np.array([[0.0, 0.3], [2.0, -1.0]])]])
        for k in ("linear", "inverted_cdf", "averaged_inverted_cdf", "hazen", "closest_observation",
                  "weibull", "median_unbiased")
    },
    **{
        f"quantile by weights, {k}": Row(
            lambda m, x, p, w, k=k: m.quantile(x, p, method=k, weights=w),
            [[X, SHARES, WEIGHTS], [X, SHARES[:, :1], WEIGHTS[:, :1]], [HOLES, SHARES, WEIGHTS],
             [np.ones(2), np.array(0.5), np.array([[1.0, 2.0], [0.0, 3.0]])]], False)
        for k in ("linear", "inverted_cdf", "averaged_inverted_cdf", "hazen", "closest_observation",
                  "weibull", "median_unbiased", "normal_unbiased", "interpolated_inverted_cdf")
    },
    "quantile by weights of all": Row(lambda m, x: m.quantile(
        x, 0.3, axis=None, weights=WEIGHTS.ravel(), keepdims=True), [[X]]),
    "quantile by weights without NaN": Row(lambda m, x: m.quantile(
        x, [0.3, 0.8], weights=WEIGHTS[:, 0], nan_policy="omit"), [[HOLES[:, 0]]], False),
    "quantile of Harrell and Davis": Row(lambda m, x, p: m.quantile(
        x, p, method="harrell-davis"), [[X, INNER], [HOLES, SHARES], [X[:1], INNER]]),
    "quantile of rows": Row(of("quantile", 0.4, axis=-1, keepdims=True), ANY),
    "quantile of all": Row(lambda m, x: m.quantile(x, [0.2, 0.8], axis=None), [[X], [HOLES]]),
    "pearsonr": Row(of("pearsonr"), BOTH),
    "pearsonr, less": Row(of("pearsonr", alternative="less", axis=None), BOTH),
    "pearsonr, greater": Row(of("pearsonr", alternative="greater"), [[X, Y]]),
    "spearmanr": Row(lambda m, x, y: tuple(m.spearmanr(x[:, 0], y[:, 0])), BOTH, False),
    "spearmanr of columns": Row(lambda m, x: tuple(m.spearmanr(x)), [[X[:, :3]], [SINGLE]], False),
    "spearmanr of rows": Row(
        lambda m, x, y: tuple(m.spearmanr(x.T, y.T, axis=1, alternative="less")), BOTH[:2], False),
    **{
        f"kendalltau, {a}": Row(of("kendalltau", method="asymptotic", variant=v, alternative=a),
                               BOTH[:5], False)
        for a, v in (("two-sided", "b"), ("less", "c"), ("greater", "b"))
    },
    **{
        f"kendalltau of few, {a}": Row(known(of("kendalltau", alternative=a)),
                                      [[U, Y[:, 0]], [U, U**3], [U, -U], [U, np.arange(9) // 2]],
                                      False)
        for a in ("two-sided", "less", "greater")
    },
    "linregress": Row(lambda m, x, y: [*(r := m.linregress(x, y)), r.intercept_stderr],
                      [[U, W], [U.astype("float32"), W.astype("float32")], [HOLES[:, 0], W],
                       [U, 0 * U], [U, 2 * U]]),
    "linregress, less": Row(of("linregress", alternative="less"), [[U, W]]),
    "boxcox_llf": Row(lambda m, x: [m.boxcox_llf(k, x) for k in (-1.0, 0.0, 1e-3, 2.5)],
                      [[abs(X) + 0.1], [abs(SINGLE)], [HOLES]]),
    "boxcox": Row(lambda m, x: m.boxcox(x, 1.5), [[abs(U) + 0.1]]),
    "boxcox, the best": Row(lambda m, x: m.boxcox(x), [[W + 0.1]], False, 1e-6),
    "boxcox, as large as numbers go": Row(
        lambda m, x: m.boxcox(x), [[2000 + 5 * U], [(2000 + 5 * U) * 1e200]], False, 1e-6),
    "boxcox_normmax below ymax": Row(
        lambda m, x: m.boxcox_normmax(x, ymax=50.0, method="all"), [[90 + U], [1 / (90 + U)]],
        False, 1e-6),
    "yeojohnson_llf": Row(lambda m, x: [m.yeojohnson_llf(k, x) for k in (-1.0, 0.0, 2.0, 2.5)],
                          [[X], [SINGLE], [HOLES]]),
    "yeojohnson": Row(lambda m, x: [m.yeojohnson(x, k) for k in (0.0, 0.5, 2.0)], [[U]]),
    "yeojohnson, the best": Row(
        lambda m, x: m.yeojohnson(x),
        [[U], [2e7 + 1e7 * U], [(2000 + 5 * U) * 1e-12], [np.zeros(3)]], False, 1e-4),
    "wasserstein_distance": Row(of("wasserstein_distance"), [
        [U, V], [U, V[:1]], [U, U], [U, U[::-1]]]),
    "wasserstein_distance with weights": Row(
        lambda m, u, v, w: m.wasserstein_distance(u, v, w, v**2), [[U, V, W]]),
    "wasserstein_distance_nd": Row(of("wasserstein_distance_nd"), [
        [X[:6], Y[:5]], [X[:1], Y[:4]], [X[:4], X[3::-1]], [U, V]]),
    "wasserstein_distance_nd with weights": Row(
        lambda m, u, v, w: m.wasserstein_distance_nd(u, v, w[:6], w[:5] ** 2), [[X[:6], Y[:5], W]]),
    "energy_distance": Row(of("energy_distance"), [[U, V], [U, V[:1]]]),
    "energy_distance with weights": Row(
        lambda m, u, v, w: m.energy_distance(u, v, u_weights=w), [[U, V, W]]),
    "gaussian_kde": Row(kde("evaluate", "logpdf"), [
        [U, V], [U.astype("float32"), V.astype("float32")]]),
    "gaussian_kde, silverman": Row(kde("__call__", bw_method="silverman"), [[X.T[:2], Y.T[:2]]]),
    "gaussian_kde with weights": Row(
        lambda m, x, at, w: m.gaussian_kde(x, 0.4, w).pdf(at), [[U, V, W]]),
    **{
        f"binned_statistic, {k}": Row(
            lambda m, x, y, k=k: m.binned_statistic(x, y, k, [-1.5, -0.5, 0.0, 1.0]), [[U, W]])
        for k in ("mean", "std", "count", "sum", "min", "max")
    },
    "binned_statistic of several": Row(
        lambda m, x, y: m.binned_statistic(x, [x, y], "mean", 4), [[U, W]]),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_values(name: str) -> None:
    for arrays in ROWS[name].arrays:
        assert_as_scipy(OURS, THEIRS, ROWS[name].call, arrays, ROWS[name].tolerance)


@pytest.mark.cases(2)
@pytest.mark.parametrize("k", range(len(ROWS)))
def test_backends(k: int) -> None:
    assert_as_on_python(OURS, list(ROWS.values())[k], compiled_mode(k))


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.has_slopes])
def test_derivatives(name: str) -> None:
    assert_slopes(OURS, ROWS[name])


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_tau_of_many_that_nearly_agree(alternative: str) -> None:
    x = np.arange(40.0)
    y = x.copy()
    y[[3, 4]] = y[[4, 3]]
    for b in (x, y, -y, RANDOM.normal(size=40)):
        ours = OURS.kendalltau(x, b, alternative=alternative)
        theirs = quietly(lambda b=b: THEIRS.kendalltau(x, b, alternative=alternative))
        values = [v.eval() for v in ours]
        np.testing.assert_allclose(values, [theirs.statistic, theirs.pvalue], 1e-9, 1e-300)


def test_exact_tau_refuses_ties() -> None:
    x = wt.vector("x", shape=(4,))
    f = wt.function([x], OURS.kendalltau(x, [1, 2, 3, 4], method="exact").pvalue, mode="py")
    with pytest.raises(ValueError, match="ties"):
        f([1.0, 1.0, 2.0, 3.0])


def test_powers_of_numbers_that_are_nearly_equal() -> None:
    """By SciPy 1.18, which 60 digits confirm: what is the same in all took every digit away."""
    x = wt.vector("x")
    powers = (-14.0, -20.0)
    f = wt.function([x], [OURS.yeojohnson_llf(k, x) for k in powers], mode="py")
    g = wt.function([x], [OURS.yeojohnson_llf(2 - k, x) for k in powers], mode="py")
    values, expected = np.array([10.0, 10.0, 10.0, 9.9]), [12.41859578338125, 12.360966379200505]
    np.testing.assert_allclose(f(values), expected, 1e-9)
    np.testing.assert_allclose(g(-values)[0], expected[0], 1e-9)


@pytest.mark.parametrize("name", ["boxcox", "yeojohnson", "wilcoxon", "kendalltau"])
def test_nan_makes_results_nan(name: str) -> None:
    x = wt.vector("x")
    ours: Any = getattr(OURS, name)
    results = ours(x, [1.0, 3.0, 2.0, 4.0]) if name == "kendalltau" else ours(x)
    for value in wt.function([x], [*results], mode="py")([1.0, np.nan, 3.0, 4.0]):
        assert np.isnan(value).all()


def test_nothing_says_how_sure_a_line_through_two_points_is() -> None:
    """SciPy before 1.18 said that it is."""
    line = OURS.linregress([1.0, 2.0], [3.0, 5.0])
    found = [float(v.eval()) for v in (*line, line.intercept_stderr)]
    np.testing.assert_array_equal(found, [2.0, 1.0, 1.0, np.nan, np.nan, np.nan])


def test_ranks_of_whole_numbers_beyond_those_of_floats() -> None:
    large = np.array([2**60, 2**60 + 1, 5, 5])
    np.testing.assert_array_equal(OURS.rankdata(large).eval(), [3.0, 4.0, 1.5, 1.5])


def test_intervals_of_a_list_of_one_range() -> None:
    x = np.arange(6.0)
    for range_ in ((0, 4), [(0, 4)]):
        found = OURS.binned_statistic(x, x, range=range_, bins=2).statistic
        np.testing.assert_array_equal(found.eval(), [0.5, 3.0])


def test_mean_quantiles_of_float32_have_that_dtype() -> None:
    x = wt.vector("x", "float32")
    assert OURS.quantile(x, wt.vector("p", "float32"), method="harrell-davis").dtype == "float32"


ERRORS: dict[str, Callable[[Any], Any]] = {
    "nan_policy": lambda x: OURS.rankdata(x, nan_policy="drop"),
    "rankdata: method is": lambda x: OURS.rankdata(x, "best"),
    "quantile: method is": lambda x: OURS.quantile(x, 0.5, method="best"),
    "keep their axis": lambda x: OURS.quantile(x, [0.5, 0.6], keepdims=False),
    "at least 2 pairs": lambda x: OURS.pearsonr([1.0], [2.0]),
    "method may be a Perm": lambda x: OURS.pearsonr(x, x, method="exact"),
    "alternative is": lambda x: OURS.pearsonr(x, x, alternative="more"),
    "give b": lambda x: OURS.spearmanr(x),
    "vectors or matrices": lambda x: OURS.spearmanr(wt.tensor3()),
    "number of observations": lambda x: OURS.kendalltau(x, x, method="exact"),
    "variant": lambda x: OURS.kendalltau(x, x, variant="a"),
    "alpha is None": lambda x: OURS.boxcox(x, alpha=0.05),
    "ymax is positive": lambda x: OURS.boxcox_normmax(x, ymax=0.0),
    "bw_method": lambda x: OURS.gaussian_kde(x, "best"),
    "weights of gaussian_kde": lambda x: OURS.gaussian_kde(x, weights=wt.matrix()),
    "samples of numbers are vectors": lambda x: OURS.energy_distance(x, wt.matrix("y")),
    "statistic is": lambda x: OURS.binned_statistic(x, x, "median"),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message](wt.vector("x"))
