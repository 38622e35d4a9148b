"""PyMC's usual ways of work, from prior to prediction, with nothing but another mode."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
import pytensor
import pytest
from pytensor.compile.mode import get_mode

from weft_pytensor import compile_pymc

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pm = pytest.importorskip("pymc", reason="PyMC supports other versions of PyTensor")
    az = pytest.importorskip("arviz")
    xarray = pytest.importorskip("xarray")

# PyMC's and ArviZ's own warnings.
pytestmark = pytest.mark.filterwarnings("default")
QUIET: Final[dict[str, Any]] = {"progressbar": False, "random_seed": 5}
CHAINS: Final[dict[str, int]] = {"draws": 300, "tune": 300, "chains": 2}
ERRORS: Final = 5.0
"""How many standard errors of Monte Carlo two means may be apart."""


def straight_line() -> Any:
    """The quick start: a plane through points, whose slopes and height are asked for."""
    rng = np.random.default_rng(1)
    x, z = np.linspace(-1, 1, 60), 0.2 * rng.normal(size=60)
    y = 1.0 + 2.5 * x + z + 0.3 * rng.normal(size=60)
    with pm.Model() as model:
        intercept, slopes = pm.Normal("intercept", 0, 3), pm.Normal("slopes", 0, 3, shape=2)
        noise = pm.HalfNormal("noise", 1)
        pm.Normal("y", intercept + slopes[0] * x + slopes[1] * z, noise, observed=y)
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


def calm_and_storm() -> Any:
    """Returns whose spread walks at random: now they are calm, now they are not."""
    rng = np.random.default_rng(4)
    spread = np.exp(np.cumsum(0.3 * rng.normal(size=40)))
    with pm.Model(coords={"day": range(40)}) as model:
        step = pm.Exponential("step", 5)
        degrees = pm.Exponential("degrees", 0.1)
        first = pm.Normal.dist(0, 1)
        walk = pm.GaussianRandomWalk("walk", sigma=step, init_dist=first, dims="day")
        pm.Deterministic("last", walk[-1])
        pm.StudentT("return", degrees + 2, sigma=pm.math.exp(walk), observed=spread * rng.normal())
    return model


MODELS: Final[dict[str, Callable[[], Any]]] = {
    "line": straight_line,
    "counts": counts_by_site,
    "mixture": two_kinds,
    "volatility": calm_and_storm,
}


REFERENCE: Final[dict[str, tuple[dict[str, Any], dict[str, Any], float]]] = {
    "line": (
        {"intercept": 0.9824, "slopes": [2.5239, 0.8845], "noise": 0.2583},
        {"intercept": 0.0331, "slopes": [0.0568, 0.1942], "noise": 0.0249},
        8800,
    ),
    "counts": (
        {
            "level": 1.3262,
            "spread": 0.1534,
            "offset": [0.5111, -0.2239, -0.5801, 0.2360, 0.2601, -0.1585],
            "rate": [4.1429, 3.6518, 3.4334, 3.9570, 3.9623, 3.6943],
        },
        {
            "level": 0.1130,
            "spread": 0.1222,
            "offset": [0.8346, 0.8507, 0.8914, 0.8333, 0.8323, 0.8633],
            "rate": [0.5638, 0.4661, 0.5073, 0.4989, 0.4988, 0.4679],
        },
        2500,
    ),
    "mixture": (
        {"share": [0.3917, 0.6083], "centre": [-2.0853, 1.9186]},
        {"share": [0.0483, 0.0483], "centre": [0.1125, 0.0887]},
        5200,
    ),
}
"""What PyTensor's own modes find in long runs: means, spreads, and of how many draws at least."""


def by_pymc(model: Any, mode: str) -> tuple[Any, Any]:
    options: dict[str, Any] = {**QUIET, "compile_kwargs": {"mode": mode}}
    with model:
        trace = pm.sample(cores=1, target_accept=0.9, **CHAINS, **options)
        return trace, pm.sample_posterior_predictive(trace, **options)


def by_nutpie(model: Any) -> Any:
    import nutpie

    compiled = compile_pymc(model, host="error").to_nutpie()
    return nutpie.sample(compiled, seed=5, progress_bar=False, **CHAINS)


def by_blackjax(model: Any) -> Any:
    import blackjax
    import jax

    compiled = compile_pymc(model, "jax", host="error")
    density = compiled.to_jax()

    def chain(key: Any) -> Any:
        first, *keys = jax.random.split(key, 1 + CHAINS["draws"])
        adapt = blackjax.window_adaptation(blackjax.nuts, density, target_acceptance_rate=0.9)
        (state, parameters), _ = adapt.run(first, compiled.initial_point(0), CHAINS["tune"])
        step = jax.jit(blackjax.nuts(density, **parameters).step)
        for each in keys:
            state, _ = step(each, state)
            yield compiled.expand(state.position)

    with jax.enable_x64(True):
        chains = [list(chain(key)) for key in jax.random.split(jax.random.key(5), 2)]
    names = [*chains[0][0]]
    posterior = {}
    for name in names:
        values = np.array([[point[name] for point in draws] for draws in chains])
        axes = ["chain", "draw", *map(str, range(values.ndim - 2))]
        posterior[name] = xarray.DataArray(values, dims=axes, name=name)
    return SimpleNamespace(posterior=posterior)


def check_alike(name: str, trace: Any) -> None:
    """The means and the spreads are the reference's, but for Monte Carlo's error."""
    means, spreads, effective = REFERENCE[name]
    posterior = trace.posterior
    for key, mean in means.items():
        found, spread = posterior[key], np.asarray(spreads[key])
        variance = (found - np.asarray(mean)) ** 2
        for values, expected, error in (
            (found, mean, spread / np.sqrt(effective)),
            (variance, spread**2, spread**2 * np.sqrt(2 / effective)),
        ):
            whole = np.hypot(az.mcse(values.to_dataset(name=key))[key].to_numpy(), error)
            distance = abs(values.mean(("chain", "draw")).to_numpy() - expected) / whole
            assert (distance < ERRORS).all(), (key, distance)


@pytest.mark.cases(2)
@pytest.mark.parametrize("mode", ["WEFT", "WEFT_JAX"])
@pytest.mark.parametrize("name", REFERENCE)
def test_sampled_and_predicted(name: str, mode: str) -> None:
    trace, of_posterior = by_pymc(MODELS[name](), mode)
    check_alike(name, trace)
    (predicted,) = of_posterior.posterior_predictive.values()
    observed = trace.observed_data[predicted.name]
    error = predicted.mean(predicted.dims[2:]).std() + observed.std() / np.sqrt(observed.size)
    assert abs(predicted.mean() - observed.mean()) < ERRORS * error
    assert predicted.dtype == observed.dtype


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", REFERENCE)
def test_nutpie_finds_the_same(name: str) -> None:
    check_alike(name, by_nutpie(MODELS[name]()))


def test_blackjax_finds_the_same() -> None:
    check_alike("counts", by_blackjax(counts_by_site()))


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", MODELS)
def test_predicted_before_there_are_data(name: str) -> None:
    draw = partial(pm.sample_prior_predictive, 200, random_seed=5)
    with MODELS[name]() as model:
        ours, theirs = [
            draw(compile_kwargs={"mode": mode}).prior for mode in ("WEFT", "FAST_COMPILE")
        ]
    free = [v.name for v in model.free_RVs]
    assert ours.sizes == theirs.sizes
    for key in free:
        assert ours[key].dtype == theirs[key].dtype
    # Medians, since some have no mean, by the spread of 200 draws' medians.
    for key in free:
        middle = [v[key].median(("chain", "draw")) for v in (ours, theirs)]
        low, high = [theirs[key].quantile(q, ("chain", "draw")) for q in (0.25, 0.75)]
        assert (abs(middle[0] - middle[1]) < 0.5 * (high - low)).all(), key


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", ["line", "counts", "mixture"])
def test_the_best_point(name: str) -> None:
    points = []
    for mode in ("WEFT", "FAST_COMPILE"):
        with MODELS[name](), pytensor.config.change_flags(mode=get_mode(mode)):
            points.append(pm.find_MAP(progressbar=False))
    for key, value in points[1].items():
        np.testing.assert_allclose(points[0][key], value, rtol=2e-3, atol=2e-3, err_msg=key)
