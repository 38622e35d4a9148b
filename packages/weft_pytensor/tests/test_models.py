"""PyMC's models: densities and slopes, and what samplers make of them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytensor
import pytest

import weft.tensor as wt
from weft_pytensor import compile_pymc, to_pytensor

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pm = pytest.importorskip("pymc", reason="PyMC supports other versions of PyTensor")

from tools.bench.pymc_models import MODELS, eight_schools  # which import PyMC

# PyMC's and ArviZ's own warnings.
pytestmark = pytest.mark.filterwarnings("default")


@pytest.mark.cases(6)
@pytest.mark.parametrize("name", MODELS)
def test_densities_and_slopes(name: str) -> None:
    """As PyTensor computes them, in Python, where its C has less exact special functions."""
    model = MODELS[name]()
    compiled = compile_pymc(model, host="error")
    values = model.value_vars
    logp = model.logp()
    theirs = pytensor.function(
        values, [logp, *pytensor.grad(logp, values)], mode="FAST_COMPILE", on_unused_input="ignore"
    )
    rng = np.random.default_rng(0)
    first = model.initial_point(0)
    for scale in (0.0, 0.1, 0.3):
        point = {k: np.asarray(v) + scale * rng.normal(size=np.shape(v)) for k, v in first.items()}
        expected, *slopes = theirs(*[point[v.name] for v in values])
        density, slope = compiled.logp_and_gradient(compiled.flat(point))
        np.testing.assert_allclose(density, expected, rtol=1e-9)
        parts = np.concatenate([np.ravel(s) for s in slopes])
        np.testing.assert_allclose(slope, parts, rtol=1e-7, atol=1e-8 * abs(parts).max())


@pytest.mark.optimized
def test_slopes_of_distances_on_jax() -> None:
    """Squared distances are cut at 0 in the same places everywhere, however XLA rounds them."""
    model = MODELS["gaussian_process"]()
    ours, expected = [compile_pymc(model, mode).logp_and_gradient for mode in ("jax", "numba")]
    for point in np.random.default_rng(0).normal(0, 0.3, (5, 3)):
        np.testing.assert_allclose(ours(point)[1], expected(point)[1], rtol=1e-9)


def test_what_a_model_shows() -> None:
    model = eight_schools()
    compiled = compile_pymc(model, mode="py")
    point = model.initial_point(0)
    assert compiled.names == ("mu", "tau_log__", "theta")
    assert compiled.n_dim == 10
    shown = compiled.expand(compiled.initial_point(0))
    assert set(shown) == {"mu", "tau", "theta"}
    np.testing.assert_allclose(shown["tau"], np.exp(point["tau_log__"]))
    with pytest.raises(ValueError, match=r"theta has shape \(3,\), the model wants \(8,\)"):
        compiled.flat({**point, "theta": np.zeros(3)})
    with pytest.raises(KeyError, match="mu"):
        compiled.flat({})
    with pytest.raises(TypeError, match="no PyMC model"):
        compile_pymc(3)


def test_data_may_change() -> None:
    with pm.Model() as model:
        y = pm.Data("y", np.array([1.0, 2.0]))
        mu = pm.Normal("mu")
        pm.Normal("seen", mu, 1, observed=y)
    compiled = compile_pymc(model, mode="py")
    before, _ = compiled.logp_and_gradient([0.0])
    with model:
        pm.set_data({"y": np.array([0.0, 0.0, 0.0])})
    after, _ = compiled.logp_and_gradient([0.0])
    one = -0.5 * np.log(2 * np.pi)
    np.testing.assert_allclose([before, after], [3 * one - 2.5, 4 * one])


def test_named_axes_keep_their_lengths() -> None:
    """Those of the vector; nothing else of a model with neighbours depends on them, either."""
    neighbours = np.eye(4, k=1) + np.eye(4, k=-1)
    with pm.Model(coords={"area": list("abcd")}) as model:
        phi = pm.ICAR("phi", W=neighbours, dims="area")
        theta = pm.Normal("theta", dims="area")
        pm.Poisson("y", mu=pm.math.exp(phi + theta), observed=[1, 0, 2, 3], dims="area")
    call = compile_pymc(model, mode="py", host="error").logp_and_gradient
    assert [v.type.shape for v in call.graph.inputs] == [(8,)]
    assert "onzero" not in call.source
    whole = model.logp_dlogp_function(ravel_inputs=True, mode="FAST_COMPILE")
    whole.set_extra_values({})
    point = np.linspace(-1, 1, 8)
    for one, other in zip(call(point), whole._pytensor_function(point), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("name", ["garch", "gaussian_process"])
def test_densities_for_jax_have_slopes_of_weft(name: str) -> None:
    """Those of a Gaussian process are wrong where XLA repeats what JAX differentiated."""
    import jax

    compiled = compile_pymc(MODELS[name](), "jax")
    point = compiled.initial_point(0)
    density = compiled.to_jax()
    value, slope = compiled.logp_and_gradient(point)
    with jax.enable_x64(True):
        found = jax.value_and_grad(density)(point)
        batch = jax.jit(jax.vmap(jax.grad(density)))(np.stack([point, point + 0.1]))
    np.testing.assert_allclose(found[0], value, rtol=1e-12)
    np.testing.assert_allclose(found[1], slope, rtol=1e-12)
    np.testing.assert_allclose(batch[0], slope, rtol=1e-9)


def test_own_density_in_a_model() -> None:
    """Weft's graphs in `pm.Potential` and `pm.CustomDist` are the same model as PyMC's words."""
    value, means, mu = wt.vector("value"), wt.vector("means"), wt.dscalar("mu")
    density = to_pytensor(-0.5 * (value - means) ** 2 - 0.5 * np.log(2 * np.pi), [value, means])
    penalty = to_pytensor(-wt.softplus(mu), [mu])
    y = np.array([0.5, 2.0])
    with pm.Model() as ours:
        m = pm.Normal("m")
        pm.CustomDist("y", m, logp=density, observed=y)
        pm.Potential("penalty", penalty(m))
    with pm.Model() as theirs:
        m = pm.Normal("m")
        pm.Normal("y", m, 1, observed=y)
        pm.Potential("penalty", -pm.math.log1pexp(m))
    for mode in ("FAST_COMPILE", "NUMBA", "WEFT"):
        densities, slopes = [], []
        for model in (ours, theirs):
            f = model.logp_dlogp_function(mode=mode, ravel_inputs=True)
            f.set_extra_values({})
            density, slope = f(np.array([0.3]))
            densities.append(density)
            slopes.append(slope)
        np.testing.assert_allclose(densities[0], densities[1], rtol=1e-12)
        np.testing.assert_allclose(slopes[0], slopes[1], rtol=1e-12)


@pytest.fixture(scope="module")
def reference() -> dict[str, float]:
    """Means of the eight schools, by a long run."""
    return {"mu": 4.4, "tau": 3.6}


def close(posterior: Any, reference: dict[str, float]) -> None:
    for name, mean in reference.items():
        assert abs(float(posterior[name].mean()) - mean) < 0.8


@pytest.mark.cases(1)
@pytest.mark.parametrize("mode", ["WEFT", "WEFT_JAX"])
def test_pymc_samples(mode: str, reference: dict[str, float]) -> None:
    with eight_schools():
        options: dict[str, Any] = {"compile_kwargs": {"mode": mode}, "progressbar": False}
        trace = pm.sample(500, tune=500, chains=2, cores=1, random_seed=1, **options)
        close(trace.posterior, reference)
        draws = pm.sample_posterior_predictive(trace, random_seed=2, **options)
    assert abs(draws.posterior_predictive["y"].mean().item() - 4.4) < 1.5


def test_nutpie_samples(reference: dict[str, float]) -> None:
    import nutpie

    model = compile_pymc(eight_schools()).to_nutpie()
    trace = nutpie.sample(model, draws=1000, chains=2, seed=1, progress_bar=False)
    close(trace.posterior, reference)
    assert trace.posterior["theta"].shape == (2, 1000, 8)


def test_nutpie_begins_where_slopes_are_not_zero() -> None:
    import nutpie

    with pm.Model() as model:
        spread, z = pm.HalfNormal("spread", 1), pm.Normal("z", 0, 1, shape=3)
        pm.Normal("y", spread * z, 1, observed=[1.0, 2.0, 3.0])
    compiled = compile_pymc(model)
    _, slope = compiled.logp_and_gradient(compiled.initial_point(0))
    assert slope[0] == 0
    trace = nutpie.sample(
        compiled.to_nutpie(), draws=50, tune=50, chains=2, seed=1, progress_bar=False
    )
    assert np.isfinite(trace.posterior["spread"]).all()


def test_numbers_of_a_model_are_rounded_as_pytensor_does() -> None:
    """It takes 0.5 as a number of 32 bits, and gammaln(0.5) as one, too."""
    with pm.Model() as model:
        pm.Beta("share", 0.5, 0.5)
    value, _ = compile_pymc(model, "py").logp_and_gradient(np.zeros(1))
    theirs = model.compile_logp()({"share_logodds__": np.array(0.0)})
    np.testing.assert_allclose(value, theirs, rtol=1e-15)
    assert abs(theirs - np.log(0.5 / np.pi)) > 1e-8
