"""PyMC's own Ops that are no densities: on the same backends, with the same values."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
from scipy.special import gammaln, ive

from weft_pytensor import NoConverterWarning

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pm = pytest.importorskip("pymc", reason="PyMC supports other versions of PyTensor")

pytestmark = [
    pytest.mark.filterwarnings("default"),  # PyMC's own
    pytest.mark.filterwarnings(f"error::weft_pytensor.{NoConverterWarning.__name__}"),
]
MODES = ["WEFT", "WEFT_JAX"]
v, m = pt.dvector("v"), pt.dmatrix("m")
V, M = np.array([1.5, 0.5]), np.array([[1.0, 0.2], [-0.3, 2.0]])


def diagonals() -> Any:
    matrices = pm.math.batched_diag(m)
    infinite = pm.math.batched_diag(m * np.inf)
    return [matrices, infinite, pytensor.grad((matrices**3).sum(), m)]


def narrowed() -> Any:
    """PyTensor puts numbers of 64 bits into arrays of 32."""
    places = np.array([1, 0])
    return [
        pt.set_subtensor(pt.zeros((2, 2), dtype="float32")[places, places], v),
        pt.inc_subtensor(pt.ones((2, 2), dtype="float32")[places], m),
    ]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", [diagonals, narrowed], ids=lambda f: f.__name__)
def test_same_as_pytensor(case: Any, mode: str) -> None:
    outputs = case()
    options: dict[str, Any] = {"on_unused_input": "ignore"}
    theirs = pytensor.function([v, m], outputs, mode="FAST_COMPILE", **options)
    ours = pytensor.function([v, m], outputs, mode=mode, **options)
    for one, other in zip(theirs(V, M), ours(V, M), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(other, one, rtol=1e-6)


@pytest.mark.parametrize("mode", MODES)
def test_draws_of_parts_of_the_data(mode: str) -> None:
    data = np.arange(50.0)
    with pm.Model():
        x, y = pm.Minibatch(data, 2 * data, batch_size=20)
        pm.Normal("y", 2 * x, 1e-3, observed=y, total_size=50)
        draws = pm.sample_prior_predictive(3, compile_kwargs={"mode": mode}).prior_predictive["y"]
    assert draws.shape == (1, 3, 20)
    assert 10 < float(draws.mean()) < 90


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("far", [800.0, -800.0, 1e5])
def test_mixtures_have_slopes_far_out(far: float, mode: str) -> None:
    """Where each density underflows: those of the nearest, of which PyTensor has not all."""
    where, weight = v[0], v[1]
    weights = pm.math.stack([weight, 1 - weight])
    fixed = pm.NormalMixture.dist(w=weights, mu=[0.0, 3.0], sigma=[1.0, 2.0])
    moved = pm.NormalMixture.dist(w=weights, mu=pm.math.stack([where, 3.0]), sigma=[1.0, 1e3])
    inflated = pm.ZeroInflatedPoisson.dist(psi=weight, mu=abs(where))
    densities = [pm.logp(fixed, where), pm.logp(moved, 2 * where), pm.logp(inflated, 3)]
    slopes = [pytensor.grad(density, v) for density in densities]
    found = pytensor.function([v], slopes, mode=mode)(np.array([far, 0.3]))
    np.testing.assert_allclose(found[0], [(3 - far) / 4, -1 / 0.7], rtol=1e-12)
    np.testing.assert_allclose(found[1], [-2 * (2 * far - 3) / 1e6, -1 / 0.7], rtol=1e-6)
    np.testing.assert_allclose(found[2], [(3 / abs(far) - 1) * np.sign(far), 1 / 0.3], rtol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_quantiles_of_what_is_transformed_keep_their_digits(mode: str) -> None:
    """PyMC writes 1 - switch(False, ., 1 - q)."""
    quantile = pm.icdf(pm.LogitNormal.dist(mu=v[1], sigma=1.0), v[0])
    f = pytensor.function([v], quantile, mode=mode)
    np.testing.assert_allclose(f(np.array([1e-300, 0.0])), 8.140489237e-17, rtol=1e-9)


@pytest.mark.parametrize("mode", MODES)
def test_counts_of_tiny_and_huge_means_and_shapes(mode: str) -> None:
    """PyMC makes p of the mean, and the mean of p again."""
    counts = np.array([0, 3, 1000])
    density = pm.logp(pm.NegativeBinomial.dist(mu=v[0], alpha=v[1]), counts)
    f = pytensor.function([v], [density, pytensor.grad(density.sum(), v)[0]], mode=mode)
    for mean, shape in ((2.0, 3.0), (1e-300, 1.0), (30.0, 1e-20), (1e-3, 1e9), (2.0, 1e20)):
        found, slope = f(np.array([mean, shape]))
        ratio = mean / (mean + shape)
        expected = counts * np.log(mean) - gammaln(counts + 1) - mean  # Poisson's
        if shape < 1e9:
            expected = gammaln(counts + shape) - gammaln(counts + 1) - gammaln(shape)
            expected += counts * np.log(ratio) + shape * np.log(shape / (mean + shape))
        rtol = 1e-3 if shape == 1e9 else 1e-9
        np.testing.assert_allclose(found, expected, rtol=rtol, atol=1e-290)
        of_mean = ((counts - mean) / mean * (1 - ratio)).sum()
        np.testing.assert_allclose(slope, of_mean, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("far", [3.0, 100.0, 800.0, 1e4])
def test_rice_has_slopes_where_its_density_underflows(far: float, mode: str) -> None:
    density = pm.logp(pm.Rice.dist(nu=v[0], sigma=v[1]), 2.0)
    slope = pytensor.function([v], pytensor.grad(density, v), mode=mode)(np.array([far, 1.0]))
    ratio = 2 * ive(1, 2 * far) / ive(0, 2 * far)
    expected = [ratio - far, -2 + 4 + far**2 - 2 * far * ratio]
    np.testing.assert_allclose(slope, expected, rtol=1e-9)


@pytest.mark.parametrize("mode", MODES)
def test_weights_that_underflow_have_slopes(mode: str) -> None:
    parts = [pm.Normal.dist(0.0, 1.0), pm.StudentT.dist(nu=3.0, mu=1.0, sigma=1.0)]
    density = pm.logp(pm.Mixture.dist(w=pm.math.softmax(v), comp_dists=parts), 1e3)
    f = pytensor.function([v], pytensor.grad(density, v), mode=mode)
    for weights, expected in (([800.0, 0.0], [-1, 1]), ([-800.0, 5.0], [0, 0])):
        np.testing.assert_allclose(f(np.array(weights)), expected, atol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_differential_equations(mode: str) -> None:
    times = np.array([0.5, 2.0])
    equation = pm.ode.DifferentialEquation(
        lambda y, t, theta: [-theta[0] * y[0]], times, n_states=1, n_theta=1
    )
    states = equation(y0=v[:1], theta=v[1:])
    slopes = [pytensor.grad((states**2).sum(), v)] * (mode == "WEFT")
    found = pytensor.function([v], [states, *slopes], mode=mode)(V)
    expected = V[0] * np.exp(-V[1] * times)
    np.testing.assert_allclose(found[0][:, 0], expected, rtol=1e-6)
    by = [(2 * expected * d).sum() for d in (expected / V[0], -times * expected)]
    for slope in found[1:]:
        np.testing.assert_allclose(slope, by, rtol=1e-6)
