"""Normal probabilities of orthants, marginals, and the likeliest normal vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
import scipy.stats
from against_scipy import quietly

import weft.tensor as wt

OF: Any = wt.stats.multivariate_normal
THEIRS: Any = scipy.stats.multivariate_normal
RANDOM: Final = np.random.default_rng(5)
COV: Final = np.array([[2.0, 0.5, 0.3], [0.5, 1.0, 0.2], [0.3, 0.2, 1.5]])
MEAN: Final = np.array([0.5, -0.2, 0.1])


@pytest.mark.cases(1)
@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_probabilities(n: int) -> None:
    """SciPy's, by other places."""
    rng = np.random.default_rng(n)
    root = rng.normal(size=(n, n))
    cov, mean = root @ root.T + 0.3 * np.eye(n), rng.normal(size=n)
    x = mean + rng.normal(size=(3, n)) * np.sqrt(np.diag(cov))
    law = THEIRS(mean, cov, maxpts=10**6, abseps=1e-8, releps=1e-8)
    found = OF.cdf(x, mean, cov).eval()
    np.testing.assert_allclose(found, law.cdf(x), rtol=0, atol=1e-5)
    np.testing.assert_allclose(OF(mean, cov).logcdf(x).eval(), np.log(found), rtol=1e-12)


def test_known_probabilities() -> None:
    """Of equal correlations of one half, of ends, and far out, where elements are independent."""
    for n in (2, 3, 6):
        half = 0.5 * np.eye(n) + 0.5
        np.testing.assert_allclose(OF.cdf(np.zeros(n), np.zeros(n), half).eval(), 1 / (n + 1), 4e-5)
    ends = np.array([[np.inf] * 3, [-np.inf, 0.0, 0.0], [0.0, np.inf, np.inf], [np.nan, 0.0, 0.0]])
    found = OF.cdf(ends, np.zeros(3), COV).eval()
    np.testing.assert_allclose(found, [1.0, 0.0, 0.5, np.nan], rtol=1e-12)
    far = OF.logcdf(-30 * np.ones(3), np.zeros(3), np.eye(3)).eval()
    np.testing.assert_allclose(far, 3 * scipy.stats.norm.logcdf(-30), rtol=1e-12)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_slopes(mode: str, few: Any) -> None:
    """By limits, and by a covariance that stays symmetric."""
    x, mean, cov = wt.dvector("x"), wt.dvector("mean"), wt.dmatrix("cov")
    chance = OF.cdf(x, mean, cov, check=False)
    f = wt.function([x, mean, cov], [chance, *wt.grad(chance, [x, mean, cov])], mode=mode)
    at = np.array([0.3, 0.1, 0.9])
    _, by_x, by_mean, by_cov = quietly(f, at, MEAN, COV)
    np.testing.assert_allclose(by_mean, -by_x, rtol=1e-10)
    step = 1e-5
    for k in few(range(3), 1):
        move = step * np.eye(3)[k]
        up, down = (quietly(f, at + s * move, MEAN, COV)[0] for s in (1, -1))
        np.testing.assert_allclose(by_x[k], (up - down) / (2 * step), rtol=1e-5)
    for i, j in few(((0, 0), (0, 1), (1, 2)), 1):
        move = np.zeros((3, 3))
        move[i, j] = move[j, i] = step
        up, down = (quietly(f, at, MEAN, COV + s * move)[0] for s in (1, -1))
        slope = (by_cov * move).sum() / step
        np.testing.assert_allclose(slope, (up - down) / (2 * step), rtol=1e-5)


@pytest.mark.cases(0)
def test_batches() -> None:
    covs = np.stack([COV, np.eye(3)])
    found = OF.cdf(np.zeros((4, 1, 3)), MEAN, covs).eval()
    assert found.shape == (4, 2)
    alone = [OF.cdf(np.zeros(3), MEAN, c).eval() for c in covs]
    np.testing.assert_allclose(found, np.tile(alone, (4, 1)), rtol=1e-12)
    assert OF.cdf(np.zeros(3, "float32"), MEAN.astype("float32"), COV.astype("float32")).dtype == (
        "float32"
    )


def test_marginals() -> None:
    part = OF.marginal([2, 0], MEAN, COV)
    theirs = THEIRS.marginal([2, 0], MEAN, COV)
    x = RANDOM.normal(size=(4, 2))
    np.testing.assert_allclose(part.logpdf(x).eval(), theirs.logpdf(x), rtol=1e-12)
    last = OF.marginal(-1, MEAN, COV)
    np.testing.assert_allclose(last.mean().eval(), MEAN[2:])


def test_likeliest() -> None:
    rows = RANDOM.normal(size=(9, 3))
    for kwargs in ({}, {"fix_mean": MEAN}, {"fix_cov": COV}):
        for ours, theirs in zip(OF.fit(rows, **kwargs), THEIRS.fit(rows, **kwargs), strict=True):
            np.testing.assert_allclose(ours.eval(), theirs, rtol=1e-12)


ERRORS: dict[str, Callable[[], Any]] = {
    "there is none of 3": lambda: OF.marginal(3, MEAN, COV),
    "each dimension is given once": lambda: OF.marginal([0, -3], MEAN, COV),
    "takes observations as rows": lambda: OF.fit(MEAN),
    "vectors have up to 50 elements": lambda: OF.cdf(np.zeros(51), np.zeros(51), np.eye(51)).eval(),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message]()
