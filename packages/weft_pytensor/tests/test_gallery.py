"""PyMC's usual ways of work, from prior to prediction, with nothing but another mode."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytensor
import pytest
from pytensor.compile.mode import get_mode

import weft_pytensor  # noqa: F401  # makes the modes known

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pm = pytest.importorskip("pymc", reason="PyMC supports other versions of PyTensor")

# PyMC's and ArviZ's own warnings.
pytestmark = pytest.mark.filterwarnings("default")
QUIET: dict[str, Any] = {"progressbar": False, "random_seed": 5}


def straight_line() -> Any:
    """The quick start: a line through points, whose slope and intercept are asked for."""
    x = np.linspace(-1, 1, 60)
    y = 1.0 + 2.5 * x + 0.3 * np.random.default_rng(1).normal(size=60)
    with pm.Model() as model:
        intercept, slope = pm.Normal("intercept", 0, 3), pm.Normal("slope", 0, 3)
        noise = pm.HalfNormal("noise", 1)
        pm.Normal("y", intercept + slope * x, noise, observed=y)
    return model


def counts_by_site() -> Any:
    """Counts of few visits at several sites, whose rates are alike."""
    rng = np.random.default_rng(2)
    sites = np.repeat(np.arange(6), 8)
    with pm.Model(coords={"site": list("abcdef")}) as model:
        level, spread = pm.Normal("level", 1, 1), pm.HalfNormal("spread", 0.5)
        offset = pm.Normal("offset", 0, 1, dims="site")
        rate = pm.Deterministic("rate", pm.math.exp(level + spread * offset), dims="site")
        pm.Poisson("seen", rate[sites], observed=rng.poisson(4.0, 48))
    return model


def two_kinds() -> Any:
    """Measurements of things of two kinds, nobody knows which is which."""
    rng = np.random.default_rng(3)
    values = np.concatenate([rng.normal(-2, 0.7, 40), rng.normal(2, 0.7, 60)])
    with pm.Model() as model:
        share = pm.Dirichlet("share", np.ones(2))
        ordered = pm.distributions.transforms.ordered
        centre = pm.Normal("centre", 0, 3, shape=2, transform=ordered, initval=[-1.0, 1.0])
        pm.NormalMixture("value", share, centre, sigma=0.7, observed=values)
    return model


CASES: dict[str, tuple[Callable[[], Any], dict[str, Any], tuple[str, float]]] = {
    "line": (straight_line, {"intercept": 1.0, "slope": 2.5}, ("y", 1.0)),
    "counts": (counts_by_site, {"level": 1.4}, ("seen", 4.0)),
    "mixture": (two_kinds, {"centre": [-2.0, 2.0], "share": [0.4, 0.6]}, ("value", 0.4)),
}


@pytest.mark.cases(2)
@pytest.mark.parametrize("mode", ["WEFT", "WEFT_JAX"])
@pytest.mark.parametrize("name", CASES)
def test_sampled_and_predicted(name: str, mode: str) -> None:
    make, means, (seen, mean) = CASES[name]
    options = {**QUIET, "compile_kwargs": {"mode": mode}}
    with make():
        prior = pm.sample_prior_predictive(50, random_seed=5, compile_kwargs={"mode": mode})
        trace = pm.sample(150, tune=250, chains=2, cores=1, **options)
        drawn = pm.sample_posterior_predictive(trace, **options)
    for key, expected in means.items():
        found = trace.posterior[key].mean(("chain", "draw"))
        np.testing.assert_allclose(found, expected, atol=0.4)
    assert np.isfinite(prior.prior_predictive[seen]).all()
    assert abs(drawn.posterior_predictive[seen].mean().item() - mean) < 0.5


def test_the_best_point() -> None:
    points = []
    for mode in ("WEFT", "FAST_COMPILE"):
        with straight_line(), pytensor.config.change_flags(mode=get_mode(mode)):
            points.append(pm.find_MAP(progressbar=False))
    for key in ("intercept", "slope", "noise"):
        np.testing.assert_allclose(points[0][key], points[1][key], rtol=1e-4)
