"""PyMC models of the usual families, small, with drawn data.

They need PyMC, which the environments for PyTensor have.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pymc as pm
import pytensor
import pytensor.tensor as pt

__all__ = ["GROUPS", "MODELS"]


def _rng() -> np.random.Generator:
    return np.random.default_rng(0)


def eight_schools() -> Any:
    y = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
    sigma = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
    with pm.Model() as model:
        mu = pm.Normal("mu", 0, 5)
        tau = pm.HalfCauchy("tau", 5)
        theta = pm.Normal("theta", 0, 1, shape=8)
        pm.Normal("y", mu + tau * theta, sigma, observed=y)
    return model


def hierarchical_regression() -> Any:
    rng = _rng()
    group, x = rng.integers(0, 30, 300), rng.normal(size=300)
    with pm.Model() as model:
        mu = pm.Normal("mu", 0, 1, shape=2)
        sd = pm.HalfNormal("sd", 1, shape=2)
        effects = pm.Normal("effects", mu, sd, shape=(30, 2))
        noise = pm.Exponential("noise", 1)
        mean = effects[group, 0] + effects[group, 1] * x
        pm.Normal("y", mean, noise, observed=rng.normal(size=300))
    return model


def logistic_regression() -> Any:
    rng = _rng()
    x = rng.normal(size=(200, 5))
    with pm.Model() as model:
        b = pm.Normal("b", 0, 2, shape=5)
        a = pm.StudentT("a", nu=4, mu=0, sigma=2)
        pm.Bernoulli("y", logit_p=a + x @ b, observed=rng.integers(0, 2, 200))
    return model


def gaussian_process() -> Any:
    rng = _rng()
    x = np.linspace(0, 1, 25)[:, None]
    with pm.Model() as model:
        length = pm.InverseGamma("length", 3, 1)
        scale = pm.HalfNormal("scale", 1)
        gp = pm.gp.Marginal(cov_func=scale**2 * pm.gp.cov.Matern52(1, length))
        gp.marginal_likelihood("y", x, rng.normal(size=25), sigma=pm.HalfNormal("noise", 1))
    return model


def mixture() -> Any:
    rng = _rng()
    with pm.Model() as model:
        w = pm.Dirichlet("w", np.ones(3))
        mu = pm.Normal(
            "mu",
            0,
            5,
            shape=3,
            transform=pm.distributions.transforms.ordered,
            initval=np.array([-1.0, 0.0, 1.0]),
        )
        sd = pm.Gamma("sd", 2, 1, shape=3)
        pm.NormalMixture("y", w, mu, sigma=sd, observed=rng.normal(size=150))
    return model


def correlated_normal() -> Any:
    rng = _rng()
    with pm.Model() as model:
        sd = pm.Exponential.dist(1.0, shape=3)
        chol, _, _ = pm.LKJCholeskyCov("chol", n=3, eta=2.0, sd_dist=sd)
        mu = pm.Normal("mu", 0, 1, shape=3)
        pm.MvNormal("y", mu, chol=chol, observed=rng.normal(size=(60, 3)))
    return model


def ordinal() -> Any:
    rng = _rng()
    x = rng.normal(size=120)
    with pm.Model() as model:
        cuts = pm.Normal(
            "cuts",
            0,
            2,
            shape=3,
            transform=pm.distributions.transforms.ordered,
            initval=np.array([-1.0, 0.0, 1.0]),
        )
        b = pm.Normal("b", 0, 1)
        pm.OrderedLogistic("y", eta=b * x, cutpoints=cuts, observed=rng.integers(0, 4, 120))
    return model


def zero_inflated() -> Any:
    rng = _rng()
    with pm.Model() as model:
        psi = pm.Beta("psi", 1, 1)
        mu = pm.Gamma("mu", 2, 0.5)
        alpha = pm.Exponential("alpha", 1)
        data = rng.poisson(2, 100) * rng.integers(0, 2, 100)
        pm.ZeroInflatedNegativeBinomial("y", psi, mu, alpha, observed=data)
    return model


def survival() -> Any:
    rng = _rng()
    x = rng.normal(size=90)
    with pm.Model() as model:
        b = pm.Normal("b", 0, 1, shape=2)
        alpha = pm.HalfNormal("alpha", 2)
        dist = pm.Weibull.dist(alpha, pm.math.exp(b[0] + b[1] * x))
        data = np.minimum(rng.weibull(1.5, 90), 1.0)
        pm.Censored("y", dist, lower=None, upper=1.0, observed=data)
    return model


def autoregression() -> Any:
    rng = _rng()
    with pm.Model() as model:
        rho = pm.Normal("rho", 0, 0.5, shape=2)
        sigma = pm.HalfNormal("sigma", 1)
        start = pm.Normal.dist(0, 10)
        pm.AR("y", rho, sigma=sigma, init_dist=start, observed=rng.normal(size=80))
    return model


def stochastic_volatility() -> Any:
    rng = _rng()
    with pm.Model() as model:
        step = pm.Exponential("step", 10)
        start = pm.Normal.dist(0, 1)
        h = pm.GaussianRandomWalk("h", sigma=step, init_dist=start, shape=100)
        nu = pm.Exponential("nu", 0.1)
        pm.StudentT("y", nu=nu, mu=0, sigma=pm.math.exp(h / 2), observed=rng.normal(size=100))
    return model


def garch() -> Any:
    with pm.Model() as model:
        omega = pm.HalfNormal("omega", 1)
        alpha = pm.Uniform("alpha", 0, 1)
        beta = pm.Uniform("beta", 0, 1)
        y = _rng().normal(size=100)

        def step(last: Any, variance: Any, omega: Any, alpha: Any, beta: Any) -> Any:
            return omega + alpha * last**2 + beta * variance

        variance, _ = pytensor.scan(
            step,
            sequences=pt.constant(y[:-1]),
            outputs_info=[pt.constant(np.float64(1.0))],
            non_sequences=[omega, alpha, beta],
        )
        pm.Normal("y", 0, pt.sqrt(variance), observed=y[1:])
    return model


def item_response() -> Any:
    rng = _rng()
    with pm.Model() as model:
        ability = pm.Normal("ability", 0, 1, shape=20)
        difficulty = pm.Normal("difficulty", 0, 1, shape=10)
        slope = pm.LogNormal("slope", 0, 0.5, shape=10)
        eta = slope * (ability[:, None] - difficulty)
        pm.Bernoulli("y", logit_p=eta, observed=rng.integers(0, 2, (20, 10)))
    return model


def spatial() -> Any:
    rng = _rng()
    n = 12
    w = np.diag(np.ones(n - 1), 1)
    w = w + w.T
    with pm.Model() as model:
        alpha = pm.Uniform("alpha", 0, 0.9)
        tau = pm.Gamma("tau", 2, 1)
        phi = pm.CAR("phi", mu=np.zeros(n), W=w, alpha=alpha, tau=tau)
        pm.Poisson("y", pm.math.exp(phi), observed=rng.poisson(2, n))
    return model


def dirichlet_multinomial() -> Any:
    rng = _rng()
    with pm.Model() as model:
        a = pm.Exponential("a", 1, shape=4)
        counts = rng.multinomial(20, [0.1, 0.2, 0.3, 0.4], size=15)
        pm.DirichletMultinomial("y", n=20, a=a, observed=counts)
    return model


def neural_network() -> Any:
    rng = _rng()
    x = rng.normal(size=(100, 4))
    with pm.Model() as model:
        w1 = pm.Normal("w1", 0, 1, shape=(4, 6))
        b1 = pm.Normal("b1", 0, 1, shape=6)
        w2 = pm.Normal("w2", 0, 1, shape=6)
        hidden = pm.math.tanh(x @ w1 + b1)
        pm.Bernoulli("y", p=pm.math.sigmoid(hidden @ w2), observed=rng.integers(0, 2, 100))
    return model


def robust_regression() -> Any:
    rng = _rng()
    x = rng.normal(size=150)
    with pm.Model() as model:
        nu = pm.Gamma("nu", 2, 0.1)
        b = pm.Normal("b", 0, 1, shape=2)
        sigma = pm.HalfCauchy("sigma", 2)
        pm.StudentT("y", nu=nu, mu=b[0] + b[1] * x, sigma=sigma, observed=rng.standard_t(3, 150))
    return model


def spline() -> Any:
    rng = _rng()
    basis = rng.uniform(size=(100, 8))
    with pm.Model() as model:
        tau = pm.HalfCauchy("tau", 1)
        w = pm.Normal("w", 0, 1, shape=8)
        smooth = pt.cumsum(w * tau)
        pm.Normal("y", pm.math.dot(basis, smooth), 1, observed=rng.normal(size=100))
    return model


def _groups(density: Callable[[str, Any, Any, Any], object]) -> Any:
    """200 groups of five measurements, each a term of its own, with mean `m[k]`."""
    data = np.abs(_rng().normal(size=(200, 5))) + 0.1
    with pm.Model() as model:
        m, s = pm.HalfNormal("m", 2, shape=200), pm.HalfNormal("s", 1)
        for k, measured in enumerate(data):
            density(f"y{k}", m[k], s, measured)
    return model


def lognormal_groups() -> Any:
    return _groups(
        lambda name, m, s, y: pm.LogNormal(name, mu=pt.log(m) - s**2 / 2, sigma=s, observed=y)
    )


def gamma_groups() -> Any:
    return _groups(lambda name, m, s, y: pm.Gamma(name, mu=m, sigma=s, observed=y))


GROUPS: Final[dict[str, Callable[[], Any]]] = {
    "lognormal": lognormal_groups,
    "gamma": gamma_groups,
}
"""Large models for which memory is measured."""
MODELS: Final[dict[str, Callable[[], Any]]] = {
    f.__name__: f
    for f in (
        *(eight_schools, hierarchical_regression, logistic_regression, gaussian_process, mixture),
        *(correlated_normal, ordinal, zero_inflated, survival, autoregression),
        *(stochastic_volatility, garch, item_response, spatial, dirichlet_multinomial),
        *(neural_network, robust_regression, spline),
    )
}
