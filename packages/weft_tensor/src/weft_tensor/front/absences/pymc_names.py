"""PyMC's distributions, and how those of `wt.stats` are called for them."""

from __future__ import annotations

from typing import Final

__all__ = ["PYMC", "as_in_pymc"]

PYMC: Final = {
    "AsymmetricLaplace": ("kappa, mu, b", "laplace_asymmetric(kappa, mu, 1 / b)"),
    "Bernoulli": ("p", "bernoulli(p)"),
    "Beta": ("alpha, beta", "beta(alpha, beta)"),
    "BetaBinomial": ("alpha, beta, n", "betabinom(n, alpha, beta)"),
    "Binomial": ("n, p", "binom(n, p)"),
    "Categorical": ("p", "categorical(p)"),
    "Cauchy": ("alpha, beta", "cauchy(alpha, beta)"),
    "Censored": ("law, lower, upper", "censor(law, lower, upper)"),
    "ChiSquared": ("nu", "chi2(nu)"),
    "Dirichlet": ("a", "dirichlet(a)"),
    "DirichletMultinomial": ("n, a", "dirichlet_multinomial(a, n)"),
    "DiscreteUniform": ("lower, upper", "randint(lower, upper + 1)"),
    "DiscreteWeibull": ("q, beta", "discrete_weibull(q, beta)"),
    "ExGaussian": ("mu, sigma, nu", "exponnorm(nu / sigma, mu, sigma)"),
    "Exponential": ("lam", "expon(scale=1 / lam)"),
    "Gamma": ("alpha, beta", "gamma(alpha, scale=1 / beta)"),
    "Geometric": ("p", "geom(p)"),
    "Gumbel": ("mu, beta", "gumbel_r(mu, beta)"),
    "HalfCauchy": ("beta", "halfcauchy(scale=beta)"),
    "HalfNormal": ("sigma", "halfnorm(scale=sigma)"),
    "HalfStudentT": ("nu, sigma", "halft(nu, scale=sigma)"),
    "HurdlePoisson": ("psi, mu", "hurdle_poisson(psi, mu)"),
    "HyperGeometric": ("N, k, n", "hypergeom(N, k, n)"),
    "InverseGamma": ("alpha, beta", "invgamma(alpha, scale=beta)"),
    "Kumaraswamy": ("a, b", "kumaraswamy(a, b)"),
    "LKJCholeskyCov": ("eta, n", "lkj_cholesky(eta, n=n)"),
    "LKJCorr": ("eta, n", "lkj(eta, n=n)"),
    "Laplace": ("mu, b", "laplace(mu, b)"),
    "LogNormal": ("mu, sigma", "lognorm(sigma, scale=exp(mu))"),
    "Logistic": ("mu, s", "logistic(mu, s)"),
    "LogitNormal": ("mu, sigma", "logitnorm(mu, sigma)"),
    "MatrixNormal": ("mu, rowcov, colcov", "matrix_normal(mu, rowcov, colcov)"),
    "Moyal": ("mu, sigma", "moyal(mu, sigma)"),
    "Multinomial": ("n, p", "multinomial(n, p)"),
    "MvNormal": ("mu, cov", "multivariate_normal(mu, cov)"),
    "MvStudentT": ("nu, scale, mu", "multivariate_t(mu, scale, nu)"),
    "NegativeBinomial": ("mu, alpha", "nbinom(alpha, alpha / (alpha + mu))"),
    "Normal": ("mu, sigma", "norm(mu, sigma)"),
    "Pareto": ("alpha, m", "pareto(alpha, scale=m)"),
    "Poisson": ("mu", "poisson(mu)"),
    "Rice": ("nu, sigma", "rice(nu / sigma, scale=sigma)"),
    "SkewNormal": ("mu, sigma, alpha", "skewnorm(alpha, mu, sigma)"),
    "SkewStudentT": ("a, b, mu, sigma", "jf_skew_t(a, b, mu, sigma)"),
    "StudentT": ("nu, mu, sigma", "t(nu, mu, sigma)"),
    "Triangular": (
        "lower, upper, c",
        "triang((c - lower) / (upper - lower), lower, upper - lower)",
    ),
    "Truncated": ("law, lower, upper", "truncate(law, lower, upper)"),
    "TruncatedNormal": ("mu, sigma, lower, upper", "truncate(norm(mu, sigma), lower, upper)"),
    "Uniform": ("lower, upper", "uniform(lower, upper - lower)"),
    "VonMises": ("mu, kappa", "vonmises(kappa, mu)"),
    "Wald": ("mu, lam, alpha", "invgauss(mu / lam, alpha, lam)"),
    "Weibull": ("alpha, beta", "weibull_min(alpha, scale=beta)"),
    "Wishart": ("nu, V", "wishart(nu, V)"),
    "ZeroInflatedBinomial": ("psi, n, p", "zero_inflated_binom(psi, n, p)"),
    "ZeroInflatedPoisson": ("psi, mu", "zero_inflated_poisson(psi, mu)"),
}
"""By name, the parameters, and the same distribution here; precision `tau` is `sigma**-2`."""


def as_in_pymc(family: str) -> str:
    """What is said of a family of ours that PyMC calls otherwise; nothing of others.

    >>> as_in_pymc("gamma"), as_in_pymc("moment")
    ("; PyMC's Gamma(alpha, beta) is gamma(alpha, scale=1 / beta)", '')
    """
    for name, (parameters, own) in PYMC.items():
        if own.startswith(f"{family}("):
            return f"; PyMC's {name}({parameters}) is {own}"
    return ""
