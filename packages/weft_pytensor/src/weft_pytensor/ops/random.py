"""Random variables: the same distributions, drawn with Weft's keys in place of generators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pytensor.graph.op import Op

import weft_tensor as wt
from weft_pytensor.convert.table import Converter, register_names
from weft_pytensor.ops.shape import sizes_of
from weft_tensor import TensorVariable

_stats = wt.stats

_ROWS: Final[dict[str, Callable[..., Any]]] = {
    "NormalRV": lambda mu, sigma: (_stats.norm, (mu, sigma)),
    "UniformRV": lambda low, high: (_stats.uniform, (low, high - low)),
    "HalfNormalRV": lambda loc, scale: (_stats.halfnorm, (loc, scale)),
    "LogNormalRV": lambda mu, sigma: (_stats.lognorm, (sigma, 0.0, wt.exp(mu))),
    "GammaRV": lambda shape, scale: (_stats.gamma, (shape, 0.0, scale)),
    "InvGammaRV": lambda shape, scale: (_stats.invgamma, (shape, 0.0, scale)),
    "BetaRV": lambda a, b: (_stats.beta, (a, b)),
    "ExponentialRV": lambda scale: (_stats.expon, (0.0, scale)),
    "LaplaceRV": lambda mu, b: (_stats.laplace, (mu, b)),
    "CauchyRV": lambda alpha, beta: (_stats.cauchy, (alpha, beta)),
    "HalfCauchyRV": lambda loc, scale: (_stats.halfcauchy, (loc, scale)),
    "GumbelRV": lambda mu, beta: (_stats.gumbel_r, (mu, beta)),
    "LogisticRV": lambda mu, s: (_stats.logistic, (mu, s)),
    "StudentTRV": lambda nu, mu, sigma: (_stats.t, (nu, mu, sigma)),
    "WeibullRV": lambda alpha: (_stats.weibull_min, (alpha,)),
    "ParetoRV": lambda alpha, m: (_stats.pareto, (alpha, 0.0, m)),
    "TriangularRV": lambda left, mode, right: (
        _stats.triang,
        ((mode - left) / (right - left), left, right - left),
    ),
    "BernoulliRV": lambda p: (_stats.bernoulli, (p,)),
    "BinomialRV": lambda n, p: (_stats.binom, (n, p)),
    "BetaBinomialRV": lambda n, a, b: (_stats.betabinom, (n, a, b)),
    "PoissonRV": lambda mu: (_stats.poisson, (mu,)),
    "NegBinomialRV": lambda n, p: (_stats.nbinom, (n, p)),
    "GeometricRV": lambda p: (_stats.geom, (p,)),
    "HyperGeometricRV": lambda good, bad, n: (_stats.hypergeom, (good + bad, good, n)),
    "IntegersRV": lambda low, high: (_stats.randint, (low, high)),
    "DiscreteUniformRV": lambda low, high: (_stats.randint, (low, high + 1)),
    "VonMisesRV": lambda mu, kappa: (_stats.vonmises, (kappa, mu)),
    "GenGammaRV": lambda alpha, p, scale: (_stats.gengamma, (alpha / p, p, 0.0, scale)),
    "TruncExponentialRV": lambda b, loc, scale: (_stats.truncexpon, (b, loc, scale)),
    "WaldRV": lambda mu, scale, loc=0.0: (_stats.invgauss, (mu / scale, loc, scale)),
    "SkewNormalRV": lambda mu, sigma, alpha: (_stats.skewnorm, (alpha, mu, sigma)),
    "MoyalRV": lambda mu, sigma: (_stats.moyal, (mu, sigma)),
    "TruncatedNormalRV": lambda mu, sigma, low, high: (
        _stats.truncnorm,
        ((low - mu) / sigma, (high - mu) / sigma, mu, sigma),
    ),
    "CategoricalRV": lambda p: (_stats.categorical, (p,)),
    "DirichletRV": lambda alpha: (_stats.dirichlet, (alpha,)),
    "MultinomialRV": lambda n, p: (_stats.multinomial, (n, p)),
    "CARRV": lambda mu, w, alpha, tau, valid: (_stats.car, (mu, w, alpha, tau)),
    "MvNormalRV": lambda mean, cov: (_stats.multivariate_normal, (mean, cov)),
}
"""For each class, the distribution of `wt.stats` and its parameters."""


def _sampler(row: Converter) -> Converter:
    def draw(
        op: Op, key: TensorVariable, size: TensorVariable | None, *parameters: TensorVariable
    ) -> tuple[TensorVariable, ...]:
        following, own = wt.random.split(key)
        exact = [v.astype("float64") if v.dtype == "float32" else v for v in parameters]
        distribution, arguments = row(*exact)  # as NumPy's generators compute
        shape = None if size is None else tuple(sizes_of(size))
        check = distribution is not _stats.categorical  # whose classes PyMC lets be in any order
        return following, distribution.rvs(own, *arguments, size=shape, check=check)

    return draw


for _name, _row in _ROWS.items():
    register_names(_name)(_sampler(_row))


@register_names("DefaultGeneratorMakerOp")
def generator(op: Op, seed: TensorVariable | None) -> TensorVariable:
    """A key made of the seed."""
    return NotImplemented if seed is None or seed.ndim else wt.random.key(seed)


@register_names("PermutationRV")
def permutation(
    op: Op, key: TensorVariable, size: TensorVariable | None, x: TensorVariable
) -> TensorVariable | tuple[TensorVariable, ...]:
    """Elements, or numbers from 0, in any order."""
    if x.ndim != op.ndims_params[0]:
        return NotImplemented
    following, own = wt.random.split(key)
    return following, wt.random.permutation(own, x)


@register_names("ChoiceWithoutReplacement")
def choice(
    op: Op,
    key: TensorVariable,
    size: TensorVariable | None,
    x: TensorVariable,
    *rest: TensorVariable,
) -> TensorVariable | tuple[TensorVariable, ...]:
    """Some of the elements, each once at most."""
    *p, count = rest
    if x.ndim != op.ndims_params[0] or count.ndim != 1:
        return NotImplemented
    following, own = wt.random.split(key)
    return following, wt.random.choice(own, x, tuple(sizes_of(count)), False, p[0] if p else None)
