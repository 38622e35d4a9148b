"""Moments, entropies and means of functions that a row has no formula of are SciPy's."""

from __future__ import annotations

from typing import Any, Final

import mpmath as mp
import numpy as np
import pytest
from against_scipy import quietly
from scipy import special as scipy_special
from scipy import stats as scipy_stats
from scipy.integrate import quad
from test_stats import SETS
from test_stats_counts import SETS as COUNTED

import weft.tensor as wt
from weft_tensor.stats import Continuous

BACKENDS: Final = ("py", "numba", "jax")
MOMENTS: Final = ("mean", "var", "entropy")
EVERY: Final = SETS | {name: [p] for name, p in COUNTED.items()}
LACKING: Final = [
    (name, kind)
    for name in EVERY
    for kind in MOMENTS
    if kind not in getattr(wt.stats, name).rows and getattr(wt.stats, name).scipy
]


def entropy_by_density(*p: float, loc: float, scale: float) -> float:
    """SciPy's raises TypeError where its density is an array of one number (NumPy 2.4)."""
    density = scipy_stats.levy_stable(*p).pdf

    def term(x: float) -> float:
        return float(scipy_special.entr(np.squeeze(density(x))))

    pieces = [(-np.inf, -20.0), (-20.0, 0.0), (0.0, 20.0), (20.0, np.inf)]
    terms = [quad(term, *ends, limit=200)[0] for ends in pieces]
    return float(np.log(scale) + sum(terms))


SCIPYS: Final = {("levy_stable", "entropy"): entropy_by_density}
WITHOUT: Final = ("levy_l", "skewcauchy")
"""Those that have no moments."""


@pytest.mark.parametrize(("name", "kind"), LACKING)
@pytest.mark.cases(6)
def test_without_formula(name: str, kind: str) -> None:
    p, of = EVERY[name][0], getattr(wt.stats, name)
    place = {"loc": 0.5, "scale": 2.0} if isinstance(of, Continuous) else {"loc": 2.0}
    value = quietly(getattr(of, kind)(*p, **place).eval)
    reference = SCIPYS.get((name, kind), getattr(getattr(scipy_stats, of.scipy), kind))
    expected = quietly(lambda: reference(*p, **place))
    expected = np.nan if name in WITHOUT else expected
    np.testing.assert_allclose(value, expected, rtol=1e-6)


@pytest.mark.parametrize("mode", BACKENDS)
def test_summaries_of_whole_batches(mode: str) -> None:
    a, loc = wt.dvector("a"), wt.dscalar("loc")
    of: Any = wt.stats.gamma
    log_mean = of.expect(wt.log, a)
    outputs = [*of.stats(a, loc, moments="sk"), log_mean, wt.grad(log_mean.sum(), a)]
    values = np.array([1.5, 2.5, 40.0])
    got = wt.function([a, loc], outputs, mode=mode)(values, 0.5)
    digammas = [scipy_special.polygamma(n, values) for n in (0, 1)]
    expected = [*scipy_stats.gamma(values).stats("sk"), *digammas]
    for ours, reference in zip(got, expected, strict=True):
        np.testing.assert_allclose(ours, reference, rtol=1e-9)


def test_what_does_not_converge_is_nan() -> None:
    for value in (
        wt.stats.cauchy.moment(3),
        wt.stats.alpha.moment(3, 2.0),
        wt.stats.t.stats(3.0, moments="k")[0],
        wt.stats.zipf.entropy(1.1),
    ):
        assert np.isnan(quietly(value.eval))


def test_of_distributions_with_their_parameters() -> None:
    frozen = wt.stats.johnsonsu(0.3, 0.8)
    assert frozen.median().eval() == frozen.ppf(0.5).eval()
    low, high = (v.eval() for v in frozen.interval(0.5))
    np.testing.assert_allclose(frozen.cdf([low, high]).eval(), [0.25, 0.75])
    mean, variance = frozen.stats()
    np.testing.assert_allclose(frozen.moment(2).eval(), (variance + mean**2).eval())
    np.testing.assert_allclose(frozen.expect(lambda x: x).eval(), mean.eval(), rtol=1e-8)


@pytest.mark.parametrize("p", [(2.0, 1.0, 1.001), (3.0, 5.0, 5.0001), (0.8, 4.0, 5.0)])
def test_of_weibull_between_close_ends(p: tuple[float, float, float]) -> None:
    """By mpmath: powers of the ends differ in a few digits."""
    with mp.workdps(40):
        c, a, b = (mp.mpf(v) for v in p)
        whole = mp.exp(-(a**c)) - mp.exp(-(b**c))

        def mean(of: Any) -> Any:
            return mp.quad(lambda x: of(x) * c * x ** (c - 1) * mp.exp(-(x**c)), [a, b]) / whole

        middle = mean(lambda x: x)
        expected = [float(middle), float(mean(lambda x: (x - middle) ** 2))]
    law = wt.stats.truncweibull_min(*p)
    found = [law.mean().eval(), law.var().eval()]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_of_weibull_between_far_ends() -> None:
    far, plain = wt.stats.truncweibull_min(3.0, 5.0, 50.0), wt.stats.weibull_min(3.0)
    share = np.array([1e-20, 0.3, 0.9])
    expected = (125 - np.log(share)) ** (1 / 3)
    np.testing.assert_allclose(far.isf(share).eval(), expected, rtol=1e-13)
    np.testing.assert_allclose((far.logsf(6.0) - plain.logsf(6.0)).eval(), 125.0, rtol=1e-12)


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="order must be an integer from 1 on, got 0"):
        wt.stats.norm.moment(0)
    with pytest.raises(ValueError, match="moments are letters of \"mvsk\", got 'mx'"):
        wt.stats.norm.stats(moments="mx")
