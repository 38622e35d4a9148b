"""Distributions made of others: mixtures, truncated, censored and transformed ones."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from scipy import stats as scipy_stats

import weft.tensor as wt
from weft_tensor.stats import Law

BACKENDS: Final = ("py", "numba", "jax")
RANDOM: Final = np.random.default_rng(20261123)
X: Final = np.array([-2.0, 0.1, 1.3])
SHARES: Final = np.array([0.01, 0.5, 0.9])
stats: Final = wt.stats
transforms: Final = wt.stats.transforms
FACTOR: Final = np.linalg.cholesky(
    scipy_stats.random_correlation.rvs([0.5, 0.8, 1.2, 1.5], random_state=1)
)


def two(x: np.ndarray, method: str) -> Any:
    """A mixture of two normal distributions, by SciPy."""
    first, second = scipy_stats.norm(-1, 0.5), scipy_stats.norm(2, 1)
    return 0.25 * getattr(first, method)(x) + 0.75 * getattr(second, method)(x)


@pytest.mark.cases("py", "numba")
@pytest.mark.parametrize("mode", BACKENDS)
def test_values(mode: str) -> None:
    """All in one function, with a slope of each in what it was made of."""
    x, mu, low = wt.dvector("x"), wt.dscalar("mu"), wt.dscalar("low")
    laws = {
        "list": stats.mixture([0.25, 0.75], [stats.norm(mu, 0.5), stats.norm(2.0, 1.0)]),
        "batch": stats.mixture([0.25, 0.75], stats.norm(wt.stack([mu, 2.0]), [0.5, 1.0])),
        "truncated": stats.truncate(stats.norm(), low, 2.0),
        "censored": stats.censor(stats.norm(mu, 1.0), low, 1.3),
        "lognormal": stats.transformed(stats.norm(mu, 0.7), transforms.log.inverse),
    }
    values = [getattr(law, n)(x) for law in laws.values() for n in ("logpdf", "cdf", "sf")]
    total: Any = sum(wt.where(wt.isfinite(v), v, 0.0).sum() for v in values[::3])
    slope = wt.grad(total, [mu, low])
    found = wt.function([x, mu, low], [*values, *slope], mode=mode)(X, -1.0, -1.5)
    cut, log_normal = scipy_stats.truncnorm(-1.5, 2), scipy_stats.lognorm(0.7, scale=np.exp(-1))
    with np.errstate(divide="ignore"):
        mixed = [np.log(two(X, "pdf")), two(X, "cdf"), two(X, "sf")]
        base = scipy_stats.norm(-1, 1)
        expected = [
            *mixed, *mixed,
            *[getattr(cut, n)(X) for n in ("logpdf", "cdf", "sf")],
            [-np.inf, base.logpdf(0.1), base.logsf(1.3)], [0, base.cdf(0.1), 1],
            [1, base.sf(0.1), 0],
            *[getattr(log_normal, n)(X) for n in ("logpdf", "cdf", "sf")],
        ]  # fmt: skip
    for k, (got, want) in enumerate(zip(found, expected, strict=False)):
        np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-14, err_msg=str(k))
    assert np.isfinite(found[-2:]).all()


LAWS: Final[dict[str, Law]] = {
    "falling": stats.transformed(stats.expon(), transforms.affine(3.0, -2.0)),
    "mixture": stats.mixture([0.25, 0.75], [stats.norm(-1.0, 0.5), stats.norm(2.0, 1.0)]),
    "batch": stats.mixture([0.25, 0.75], stats.norm([-1.0, 2.0], [0.5, 1.0])),
    "far": stats.truncate(stats.norm(), 4.0, 9.0),
    "low": stats.truncate(stats.norm(), -12.0, -3.0),
    "half": stats.truncate(stats.gamma(2.0), upper=1.0),
    "log": stats.transformed(stats.gamma(2.0), transforms.log),
}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.cases(1)
def test_draws_and_places(name: str, few: Any) -> None:
    law = LAWS[name]
    drawn = law.rvs(wt.random.key(5), size=3_000)
    outputs = [drawn, law.cdf(drawn), law.cdf(law.ppf(SHARES)), law.sf(law.isf(SHARES))]
    found = [wt.function([], outputs, mode=mode)() for mode in few(BACKENDS, 2)]
    for got in found:
        np.testing.assert_allclose(got[0], found[0][0], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(got[2], SHARES, rtol=1e-9)
        np.testing.assert_allclose(got[3], SHARES, rtol=1e-9)
    assert scipy_stats.kstest(found[0][1], "uniform").pvalue > 1e-4


def test_integers() -> None:
    k = np.arange(8)
    p = scipy_stats.poisson(3).pmf(k)
    cut = np.where((k >= 2) & (k <= 5), p, 0) / p[2:6].sum()
    law = stats.truncate(stats.poisson(3.0), 2, 5)
    np.testing.assert_allclose(law.pmf(k).eval(), cut, rtol=1e-10)
    np.testing.assert_allclose(law.cdf(k).eval(), np.cumsum(cut), rtol=1e-10)
    drawn = law.rvs(wt.random.key(5), size=1000).eval()
    assert drawn.dtype == np.int64
    assert set(drawn) == {2, 3, 4, 5}
    seen = stats.censor(stats.poisson(3.0), 1, 4)
    np.testing.assert_allclose(seen.pmf(k).eval().sum(), 1)
    np.testing.assert_allclose(seen.cdf(k).eval(), np.cumsum(seen.pmf(k).eval()))
    both = stats.mixture([0.3, 0.7], [stats.poisson(2.0), stats.binom(5.0, 0.3)])
    expected = 0.3 * scipy_stats.poisson.pmf(k, 2) + 0.7 * scipy_stats.binom.pmf(k, 5, 0.3)
    np.testing.assert_allclose(both.pmf(k).eval(), expected, rtol=1e-10)
    assert both.rvs(wt.random.key(5), size=3).eval().dtype == np.int64


def test_vectors() -> None:
    means, x = np.array([[0.0, 0.0], [1.0, 2.0]]), np.array([[0.5, 0.0], [3.0, 3.0]])
    parts = [scipy_stats.multivariate_normal(m) for m in means]
    expected = np.log(0.3 * parts[0].pdf(x) + 0.7 * parts[1].pdf(x))
    normal = stats.multivariate_normal
    for components in (normal(means, np.eye(2)), [normal(m, np.eye(2)) for m in means]):
        law = stats.mixture([0.3, 0.7], components)
        np.testing.assert_allclose(law.logpdf(x).eval(), expected)
        np.testing.assert_allclose(law.mean().eval(), [0.7, 1.4])
        assert law.rvs(wt.random.key(1), size=4).eval().shape == (4, 2)


CHANGES: Final[dict[str, tuple[Any, np.ndarray, Any]]] = {
    "affine": (transforms.affine(1.0, -3.0), np.array(0.3), ...),
    "log": (transforms.log, np.array(0.3), ...),
    "logit": (transforms.logit, np.array(0.3), ...),
    "interval": (transforms.interval(-1.0, 2.0), np.array(0.3), ...),
    "lower": (transforms.interval(-1.0), np.array(0.3), ...),
    "upper": (transforms.interval(upper=2.0), np.array(0.3), ...),
    "simplex": (transforms.simplex, np.array([0.2, 0.5, 0.3]), slice(-1)),
    "ordered": (transforms.ordered, np.array([-1.0, 0.2, 3.0]), ...),
    "cholesky": (transforms.cholesky(4), 1.3 * FACTOR, np.tril_indices(4)),
    "corr_cholesky": (transforms.corr_cholesky(4), FACTOR, np.tril_indices(4, -1)),
}
"""A transform, a value, and which of its elements are free."""


@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.cases(1)
def test_transforms_lead_back_and_know_their_slopes(mode: str) -> None:
    inputs, values, outputs = [], [], []
    for change, value, free in CHANGES.values():
        x = wt.TensorType("float64", value.shape)("x")
        end = change.forward(value).eval()
        y = wt.TensorType("float64", end.shape)("y")
        inputs += [x, y]
        values += [value, end]
        back = change.backward(y)
        outputs += [
            change.backward(change.forward(x)), change.log_abs_det_jacobian(x),
            change.inverse.log_abs_det_jacobian(y), wt.jacobian(back[free], y),
        ]  # fmt: skip
    found = wt.function(inputs, outputs, mode=mode)(*values)
    for k, (name, (_, value, _)) in enumerate(CHANGES.items()):
        again, slope, back, jacobian = found[4 * k : 4 * k + 4]
        np.testing.assert_allclose(again, value, rtol=1e-12, atol=1e-14, err_msg=name)
        matrix = np.reshape(jacobian, (-1, max(1, np.shape(jacobian)[-1] if jacobian.ndim else 1)))
        expected = np.linalg.slogdet(matrix)[1]
        np.testing.assert_allclose([slope, back], [-expected, expected], atol=1e-12, err_msg=name)


def test_transformed_vectors() -> None:
    """The density of what is free, and -inf for what the transform does not give."""
    law = stats.transformed(stats.norm(), transforms.simplex.inverse)
    point = np.array([0.2, 0.3, 0.5])
    y = transforms.simplex.forward(point).eval()
    slope = transforms.simplex.log_abs_det_jacobian(point).eval()
    found = law.logpdf([point, [0.2, 0.3, 0.6]]).eval()
    np.testing.assert_allclose(found[0], scipy_stats.norm.logpdf(y).sum() + slope)
    assert np.isneginf(found[1])
    free = stats.transformed(stats.dirichlet([1.0, 2.0, 3.0]), transforms.simplex)
    expected = scipy_stats.dirichlet([1, 2, 3]).logpdf(point) - slope
    np.testing.assert_allclose(free.logpdf(y).eval(), expected)
    assert free.rvs(wt.random.key(1), size=4).eval().shape == (4, 2)


def test_errors_say_what_is_wrong() -> None:
    norm = stats.norm()
    no_transform: Any = 3
    wrong: list[tuple[Any, type[Exception], str]] = [
        (lambda: stats.mixture([0.5, 0.6], [norm, norm]), ValueError, "mixture: weights.*0.6"),
        (lambda: stats.mixture([0.5, 0.5], [norm]), ValueError, "2 weights for 1 components"),
        (lambda: stats.mixture([1.0], [3.0]), TypeError, "a distribution is needed"),
        (
            lambda: stats.mixture([0.5, 0.5], [norm, stats.poisson(1.0)]),
            TypeError, "norm and poisson have other kinds",
        ),
        (lambda: stats.truncate(norm, 2.0, 1.0), ValueError, "truncated norm: upper.*1."),
        (lambda: stats.truncate(stats.gamma, 1.0), TypeError, "gamma needs a"),
        (lambda: stats.truncate(stats.dirichlet([1.0])), TypeError, "no distribution of numbers"),
        (lambda: stats.truncate(norm, 0.0).mean(), NotImplementedError, "no formula of its mean"),
        (lambda: stats.transformed(norm, no_transform), TypeError, "a transform is needed"),
        (lambda: stats.transformed(stats.poisson(1.0), transforms.log), TypeError, "integers"),
        (lambda: transforms.affine(0.0, 0.0), ValueError, "affine: scale"),
        (transforms.interval, TypeError, "a bound at least"),
        (lambda: norm.pmf(1), TypeError, "norm is continuous"),
        (lambda: norm.cov(), NotImplementedError, "no formula of its cov"),
    ]  # fmt: skip
    for call, error, text in wrong:
        with pytest.raises(error, match=text):
            call()


@pytest.mark.cases("py", "numba")
@pytest.mark.parametrize("mode", BACKENDS)
def test_histograms_are_scipys(mode: str) -> None:
    counts, edges = np.array([2.0, 0.0, 5.0, 1.0]), np.array([-1.0, 0.0, 0.5, 2.0, 2.25])
    x = np.array([-2.0, -1.0, -0.3, 0.0, 0.2, 0.5, 1.9, 2.1, 2.25, 3.0])
    q = np.array([0.0, 0.1, 0.3, 0.6, 0.97, 1.0])
    heights, places = wt.dvector("heights"), wt.dvector("places")
    for density in (True, False):
        law = stats.rv_histogram((heights, places), density=density)
        names = ["pdf", "cdf", "sf", "logcdf", "logsf"]
        outputs = [getattr(law, n)(x) for n in names] + [law.ppf(q), law.isf(q)]
        outputs += [law.mean(), law.var(), law.std(), law.median(), law.entropy()]
        cost = wt.log(law.pdf(x[2:3])).sum() + law.mean()
        slopes = wt.grad(cost, [heights, places])
        found = wt.function([heights, places], [*outputs, *slopes], mode=mode)(counts, edges)
        theirs = scipy_stats.rv_histogram((counts, edges), density=density)
        with np.errstate(divide="ignore"):
            expected = [getattr(theirs, n)(x) for n in names] + [theirs.ppf(q), theirs.isf(q)]
        expected += [theirs.mean(), theirs.var(), theirs.std(), theirs.median(), theirs.entropy()]
        for k, (got, want) in enumerate(zip(found, expected, strict=False)):
            np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12, err_msg=str(k))

        def moved(parts: Any, density: bool = density) -> Any:
            rv = scipy_stats.rv_histogram(tuple(parts), density=density)
            return np.log(rv.pdf(x[2])) + rv.mean()

        for k, step in ((0, 1e-6 * np.eye(4)), (1, 1e-6 * np.eye(5))):
            for way, slope in zip(step, found[-2 + k], strict=True):
                up, down = [counts, edges], [counts, edges]
                up[k], down[k] = up[k] + way, down[k] - np.where(down[k] > 0, way, 0)
                if (down[k] != [counts, edges][k]).any():
                    change = (moved(up) - moved(down)) / 2e-6
                    np.testing.assert_allclose(slope, change, rtol=1e-6, atol=1e-7)


def test_draws_of_histograms_and_what_is_none() -> None:
    law = stats.rv_histogram(np.histogram(np.arange(10.0), 4))
    drawn = law.rvs(wt.random.key(3), size=2_000)
    assert scipy_stats.kstest(law.cdf(drawn).eval(), "uniform").pvalue > 1e-4
    assert np.isnan(law.pdf([np.nan]).eval()).all()
    assert np.isnan(law.ppf([-0.1, 1.1]).eval()).all()
    assert (
        stats.rv_histogram((np.ones(1, "float32"), np.arange(2, dtype="float32"))).mean().dtype
        == "float32"
    )
    for ends in (stats, scipy_stats):  # empty bins belong to what it spans
        spread = ends.rv_histogram(([0.0, 1.0, 2.0, 0.0], [-1.0, 0.0, 1.0, 2.0, 3.0]))
        places = [np.asarray(wt.as_tensor(f([0.0, 1.0])).eval()) for f in (spread.ppf, spread.isf)]
        np.testing.assert_array_equal(places, [[-1.0, 3.0], [3.0, -1.0]])
    for wrong in (([1.0, -1.0], [0, 1, 2]), ([1.0, 1.0], [0, 2, 1]), ([0.0], [0, 1])):
        with pytest.raises(ValueError, match="rv_histogram"):
            stats.rv_histogram(wrong).mean().eval()
    with pytest.raises(ValueError, match="takes heights and edges, two vectors"):
        stats.rv_histogram((1.0, [0.0, 1.0]))
