"""PyMC's families whose densities have Ops of their own, or of PyMC: with no host, equal values."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytensor
import pytest

from weft_pytensor import NoConverterWarning

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pm = pytest.importorskip("pymc", reason="PyMC supports other versions of PyTensor")

pytestmark = pytest.mark.filterwarnings("default")  # PyMC's own
RNG = np.random.default_rng(0)
Y, U, COUNTS = RNG.normal(size=8), RNG.uniform(0.1, 0.9, 8), RNG.poisson(3, 8)
SQUARE = np.eye(3) + 0.2


def interpolated() -> None:
    x = np.linspace(-3, 3, 15)
    z = pm.Interpolated("z", x, np.exp(-(x**2) / 2))
    pm.Normal("y", z, 1, observed=Y)


def circular(scale: Any) -> None:
    pm.VonMises("y", 0.3, scale, observed=Y)
    pm.Rice("r", nu=scale, sigma=scale, observed=U)


def correlations() -> None:
    pm.LKJCorr("c", n=3, eta=2.0)
    pm.Wishart("w", nu=5, V=SQUARE, observed=SQUARE + 1)


def cholesky_and_marginal(scale: Any) -> None:
    factor, *_ = pm.LKJCholeskyCov("c", n=2, eta=2.0, sd_dist=pm.Exponential.dist(1.0, shape=2))
    pm.MvNormal("y", np.zeros(2), chol=factor, observed=Y.reshape(4, 2))
    process = pm.gp.Marginal(cov_func=scale**2 * pm.gp.cov.Matern52(1, 0.3))
    process.marginal_likelihood("g", X=U[:, None], y=Y, sigma=scale)


def kronecker(scale: Any) -> None:
    rows = scale * (SQUARE + np.diag([0.0, 1.0, 2.0]))
    pm.KroneckerNormal("y", mu=np.zeros(6), covs=[rows, np.diag([1.0, 2.0])], observed=Y[:6])


def cut(scale: Any) -> None:
    level = pm.Normal("level")
    pm.Censored("a", pm.Normal.dist(level, scale), -1, 1, observed=np.clip(Y, -1, 1))
    pm.Censored("b", pm.Gamma.dist(scale + 0.1, scale), None, 0.5, observed=np.minimum(U, 0.5))
    pm.Truncated("c", pm.StudentT.dist(scale + 1, mu=level, sigma=scale), -3, 3, observed=Y)
    pm.Truncated("d", pm.Beta.dist(scale, 2), 0.05, 0.95, observed=U)


def mixed(scale: Any) -> None:
    share = pm.Dirichlet("share", np.ones(2))
    parts = [pm.Normal.dist(scale, 1), pm.StudentT.dist(3, mu=-1, sigma=scale)]
    pm.Mixture("y", share, parts, observed=Y)
    pm.ZeroInflatedPoisson("z", share[0], scale, observed=COUNTS)
    pm.DirichletMultinomial("m", n=8, a=scale * np.ones(3), observed=np.array([3, 4, 1]))


def in_order(scale: Any) -> None:
    ordered = pm.distributions.transforms.ordered
    start = [-1.0, 0.0, 1.0]
    points = pm.Normal("points", 0, 2, shape=3, transform=ordered, initval=start)
    pm.OrderedLogistic("y", eta=scale * Y, cutpoints=points, observed=COUNTS % 4)


def in_time(scale: Any) -> None:
    first = pm.Normal.dist(0, 10)
    pm.AR("a", [0.1, 0.5 * scale], sigma=scale, constant=True, init_dist=first, observed=Y)
    z = pm.GaussianRandomWalk("z", sigma=scale, init_dist=first, shape=8)
    pm.Poisson("y", pm.math.exp(z), observed=COUNTS)


def by_hidden_states(scale: Any) -> None:
    """The forward algorithm of two states, by a scan."""
    moves = pm.Dirichlet("moves", np.full((2, 2), 2.0))
    seen = pm.logp(pm.Normal.dist([-1.0, 1.0], scale), Y[:, None])
    added = pm.math.logsumexp
    last = pytensor.scan(
        lambda of_now, before, moves: of_now + added(before[:, None] + moves, axis=0)[0],
        sequences=[seen[1:]],
        outputs_info=[seen[0] - np.log(2)],
        non_sequences=[pm.math.log(moves)],
        strict=True,
        return_updates=False,
    )[-1]
    pm.Potential("seen", added(last))


def by_broken_sticks(scale: Any) -> None:
    weights = pm.StickBreakingWeights("weights", alpha=scale, K=4)
    pm.NormalMixture("y", weights, np.arange(-2.0, 3.0), tau=scale, observed=Y)
    pm.Multinomial("m", 8, weights, observed=np.array([3, 2, 1, 1, 1]))


def by_copula(scale: Any) -> None:
    margin = pm.Gamma.dist(2.0, scale)
    below = pytensor.tensor.exp(pm.logcdf(margin, U.reshape(4, 2)))
    z = np.sqrt(2) * pytensor.tensor.erfinv(2 * below - 1)
    rho = pm.Uniform("rho", -1, 1)
    joint = (z**2).sum(1) - 2 * rho * z.prod(axis=1)
    pm.Potential("joint", -(joint / (1 - rho**2) + pm.math.log(1 - rho**2)).sum() / 2)


def with_hurdles(scale: Any) -> None:
    share = pm.Beta("share", 1, 1)
    pm.HurdleGamma("y", share, alpha=scale, beta=1.0, observed=U * (U > 0.3))
    pm.HurdleNegativeBinomial("z", share, mu=scale, alpha=2.0, observed=COUNTS)


def with_offsets(scale: Any) -> None:
    effects = pm.ZeroSumNormal("effects", scale, shape=4)
    rate = pm.math.exp(np.log(U) + effects[np.arange(8) % 4])
    pm.NegativeBinomial("y", mu=rate, alpha=scale, observed=COUNTS)


def by_thresholds(scale: Any) -> None:
    cuts = pm.math.cumsum(pm.Dirichlet("gaps", np.ones(3)))[:-1] * 4 - 2
    pm.OrderedProbit("y", eta=scale * Y, cutpoints=cuts, observed=COUNTS % 3)


def by_small_steps(scale: Any) -> None:
    first = pm.Normal.dist(0, 1)

    def drift(x: Any, rate: Any) -> tuple[Any, float]:
        return -rate * x, 0.3

    pm.EulerMaruyama("x", dt=0.1, sde_fn=drift, sde_pars=[scale], init_dist=first, steps=7)


def by_basis_functions(scale: Any) -> None:
    kernel = scale**2 * pm.gp.cov.Matern52(1, pm.Gamma("length", 3, 7))
    process = pm.gp.HSGP(m=[5], c=1.6, cov_func=kernel)
    pm.StudentT("y", 4, mu=process.prior("f", X=U[:, None]), sigma=scale, observed=Y)


def on_a_grid(scale: Any) -> None:
    first, second = np.linspace(0, 1, 4)[:, None], np.linspace(0, 1, 2)[:, None]
    kernels = [pm.gp.cov.RatQuad(1, alpha=1.5, ls=scale + 0.1), pm.gp.cov.Exponential(1, 0.7)]
    process = pm.gp.MarginalKron(cov_funcs=kernels)
    process.marginal_likelihood("y", Xs=[first, second], y=Y, sigma=scale + 0.1)


def by_durations(scale: Any) -> None:
    start = pm.Uniform("start", 0, 0.1)
    pm.Wald("y", mu=1 / scale, lam=scale**2, alpha=start, observed=U + 0.1)
    pm.Censored("z", pm.Weibull.dist(scale + 1, 3.0), None, 0.7, observed=np.minimum(U, 0.7))
    pm.Potential("known", pm.logcdf(pm.Gamma.dist(scale + 1, 49), 0.5))


def by_own_density(scale: Any) -> None:
    def density(value: Any, rate: Any) -> Any:
        return pm.math.switch(value < 0, -np.inf, pm.math.log(rate) - rate * value)

    pm.CustomDist("y", scale / 49, logp=density, observed=U)
    pm.CustomDist(
        "z",
        scale,
        dist=lambda scale, size: pm.math.exp(pm.Normal.dist(0, scale, size=size)),
        observed=U,
    )


FAMILIES: list[Callable[..., None]] = [
    *(interpolated, circular, correlations, cholesky_and_marginal, kronecker),
    *(cut, mixed, in_order, in_time, by_hidden_states, by_broken_sticks, by_copula),
    *(with_hurdles, with_offsets, by_thresholds, by_small_steps),
    *(by_basis_functions, on_a_grid, by_durations, by_own_density),
]


@pytest.mark.cases(3)
@pytest.mark.parametrize("mode", ["WEFT", "WEFT_JAX"])
@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
def test_density_and_its_slopes(family: Callable[..., None], mode: str) -> None:
    with pm.Model() as model:
        family(*[pm.HalfNormal("scale")] * family.__code__.co_argcount)
    values = model.value_vars
    density = model.logp()
    outputs = [density, *pytensor.grad(density, values)]
    theirs = pytensor.function(values, outputs, mode="FAST_COMPILE")
    with warnings.catch_warnings():
        warnings.simplefilter("error", NoConverterWarning)
        ours = pytensor.function(values, outputs, mode=mode)
    rng = np.random.default_rng(1)
    first = model.initial_point(0)
    for size in (0.0, 0.2):
        point = [first[v.name] + size * rng.normal(size=np.shape(first[v.name])) for v in values]
        for one, other in zip(theirs(*point), ours(*point), strict=True):
            np.testing.assert_allclose(other, one, rtol=1e-7, atol=1e-9 * (1 + abs(one).max()))


@pytest.mark.parametrize("mode", ["FAST_COMPILE", "WEFT", "WEFT_JAX"])
def test_no_covariance_has_density_zero(mode: str) -> None:
    with pm.Model() as model:
        r = pm.Flat("r")
        covariance = pytensor.tensor.stack([[1.0, r], [r, 1.0]])
        pm.MvNormal("y", np.zeros(2), covariance, observed=np.ones((3, 2)))
    density = model.compile_logp(mode=mode)
    assert density({"r": 2.0}) == -np.inf
    assert np.isfinite(density({"r": 0.5}))
