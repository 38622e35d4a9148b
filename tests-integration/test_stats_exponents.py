"""Stable distributions where others are known, and where exponents or skewness are at an end."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
import scipy.stats

import weft.tensor as wt

PLACES: Final = np.array([1e-9, 0.03, 0.7, 4.0, 30.0])
ENDS: Final = [(1.5, -1.0), (1.5, 1.0), (1.01, 0.5), (0.95, -0.3), (0.3, 0.4), (1.2, 0.0)]


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.cases("py")
def test_ends_of_exponents_and_skewness(mode: str, few: Any) -> None:
    """Normal and Levy's numbers, light tails too; else SciPy's, far from 0.

    Near it and for exponents near 1, SciPy loses a part of the integral.
    """
    x, a, b = wt.dvectors("x", "alpha", "beta")
    of = wt.stats.levy_stable
    outputs = [getattr(of, n)(x, a, b) for n in ("logpdf", "logcdf", "logsf")]
    call = wt.function([x, a, b], outputs, mode=mode)

    def check(at: np.ndarray, alpha: float, beta: float, law: Any, rtol: float) -> None:
        found = call(at, np.full(len(at), alpha), np.full(len(at), beta))
        for got, name in zip(found, ("logpdf", "logcdf", "logsf"), strict=True):
            with np.errstate(all="ignore"):
                expected = getattr(law, name)(at)
            sound = expected > (-600 if law.dist.name != "levy_stable" else -25)
            np.testing.assert_allclose(got[sound], expected[sound], rtol=rtol, atol=1e-13)

    both = np.concatenate([-PLACES, PLACES])
    check(both, 2.0, 0.5, scipy.stats.norm(0, 2**0.5), 1e-11)
    check(PLACES, 0.5, 1.0, scipy.stats.levy(), 1e-11)
    check(-PLACES, 0.5, -1.0, scipy.stats.levy_l(), 1e-11)
    for alpha, beta in few(ENDS, 2):
        check(both[np.abs(both) > 1], alpha, beta, scipy.stats.levy_stable(alpha, beta), 1e-8)


@pytest.mark.cases(0)
def test_supports_and_exponents_that_have_no_limit() -> None:
    of = wt.stats.levy_stable
    assert [v.eval().item() for v in of.support(0.7, 1.0)] == [0.0, np.inf]
    assert [v.eval().item() for v in of.support(0.7, -1.0)] == [-np.inf, 0.0]
    assert [v.eval().item() for v in of.support(1.7, 1.0)] == [-np.inf, np.inf]
    assert np.isneginf(of.logpdf(-0.1, 0.7, 1.0).eval())
    assert of.cdf(-0.1, 0.7, 1.0).eval() == 0
    with pytest.raises(ValueError, match="alpha must be above 0 and at most 2, and not 1"):
        of.logpdf(0.5, 1.0, 0.0)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.cases("py")
def test_draws_have_slopes(mode: str) -> None:
    """Those of the same key with other parameters."""
    given = wt.dscalars("alpha", "beta", "loc", "scale")
    drawn = wt.stats.levy_stable.rvs(wt.random.key(5), *given, size=6)
    call = wt.function([*given], [drawn, *wt.jacobian(drawn, given)], mode=mode)
    for place in ((1.7, 0.3, 1.0, 2.0), (0.6, -0.5, 0.5, 1.5)):
        found = call(*place)[1:]
        for k, slope in enumerate(found):
            ends = [call(*place[:k], place[k] + s, *place[k + 1 :])[0] for s in (1e-6, -1e-6)]
            np.testing.assert_allclose(slope, (ends[0] - ends[1]) / 2e-6, rtol=1e-5, atol=1e-6)
