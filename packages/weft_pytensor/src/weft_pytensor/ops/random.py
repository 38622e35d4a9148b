"""Random variables: the same distributions, drawn with Weft's keys in place of generators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from pytensor.graph.op import Op

import weft_tensor as wt
from weft_pytensor.convert.table import Converter, register_names
from weft_pytensor.ops.shape import sizes_of
from weft_tensor import TensorVariable

_stats = wt.stats
_Draw: TypeAlias = Callable[..., TensorVariable]
"""From a distribution of `wt.stats` and its parameters to as many numbers as are wanted."""

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
    "RiceRV": lambda b, sigma: (_stats.rice, (b, 0.0, sigma)),
    "MatrixNormalRV": lambda mean, rows, columns: (
        _stats.matrix_normal,
        (mean, rows @ rows.mT, columns @ columns.mT),
    ),
    "WishartRV": lambda nu, scale: (_stats.wishart, (wt.trunc(nu), scale)),
}
"""For each class, the distribution of `wt.stats` and its parameters."""


def _skew_t(draw: _Draw, *parameters: TensorVariable) -> TensorVariable:
    """Jones and Faddy's: beta numbers, stretched from (0, 1) to all numbers."""
    a, b, mu, sigma = wt.broadcast_arrays(*parameters)
    x = draw(_stats.beta, a, b)
    return mu + sigma * (2 * x - 1) * wt.sqrt(a + b) / (2 * wt.sqrt(x * (1 - x)))


def _interpolated(
    draw: _Draw, x: TensorVariable, pdf: TensorVariable, cdf: TensorVariable
) -> TensorVariable:
    """Where the distribution function, of parabolas, is a uniform number."""
    p = draw(_stats.uniform)
    x, pdf, cdf = (v.reshape((-1,)) for v in (x, pdf, cdf))  # of one distribution, as PyMC's
    k = wt.clip(wt.searchsorted(cdf, p) - 1, 0, x.shape[0] - 2)
    slope = (pdf[k + 1] - pdf[k]) / (x[k + 1] - x[k])
    rest = p - cdf[k]
    root = wt.sqrt(wt.maximum(pdf[k] ** 2 + 2 * slope * rest, 0.0))
    return x[k] + wt.where(rest > 0, 2 * rest / (pdf[k] + root), 0.0)


def _stick_breaking(draw: _Draw, alpha: TensorVariable, count: TensorVariable) -> TensorVariable:
    """What is left of a stick, of which each time a beta number is broken off."""
    k = count.reshape(())
    broken = draw(_stats.beta, 1.0, alpha[..., None], more=(k,))
    left = wt.cumprod(1 - broken, -1)
    first = wt.ones_like(alpha[..., None]) * wt.ones_like(left[..., :1])
    pieces = wt.concatenate([first, left], -1)
    return pieces * wt.concatenate([broken, wt.ones_like(first)], -1)


_COMPOSED: Final[dict[str, Callable[..., TensorVariable]]] = {
    "SkewStudentTRV": _skew_t,
    "InterpolatedRV": _interpolated,
    "StickBreakingWeightsRV": _stick_breaking,
}
"""For each class, what makes its numbers of those that `wt.stats` draws."""


def _sampler(compose: Callable[..., TensorVariable]) -> Converter:
    def draw(
        op: Op, key: TensorVariable, size: TensorVariable | None, *parameters: TensorVariable
    ) -> tuple[TensorVariable, ...]:
        following, own = wt.random.split(key)
        exact, shape = _exact(parameters), _shape(size)

        def numbers(law: Any, *arguments: Any, more: tuple[Any, ...] = ()) -> Any:
            check = law is not _stats.categorical  # whose classes PyMC lets be in any order
            size = shape
            if more:
                size = (*(arguments[-1].shape[:-1] if shape is None else shape), *more)
            return law.rvs(own, *arguments, size=size, check=check)

        return following, compose(numbers, *exact)  # as NumPy's generators compute

    return draw


def _exact(parameters: Sequence[TensorVariable]) -> list[TensorVariable]:
    return [v.astype("float64") if v.dtype == "float32" else v for v in parameters]


def _shape(size: TensorVariable | None) -> tuple[TensorVariable | int, ...] | None:
    return None if size is None else tuple(sizes_of(size))


def _row(parameters: Callable[..., Any]) -> Callable[..., TensorVariable]:
    def compose(draw: _Draw, *values: TensorVariable) -> TensorVariable:
        law, arguments = parameters(*values)
        return draw(law, *arguments)

    return compose


for _name, _compose in ({k: _row(v) for k, v in _ROWS.items()} | _COMPOSED).items():
    register_names(_name)(_sampler(_compose))


@register_names("DefaultGeneratorMakerOp")
def generator(op: Op, seed: TensorVariable | None) -> TensorVariable:
    """A key made of the seed."""
    return NotImplemented if seed is None or seed.ndim else wt.random.key(seed)


@register_names("MvNormalRV")
def multivariate_normal(
    op: Op, key: TensorVariable, size: TensorVariable | None, *parameters: TensorVariable
) -> tuple[TensorVariable, ...]:
    """Normal vectors by the Op's factor: all but Cholesky's take what has no full rank, too."""
    following, own = wt.random.split(key)
    mean, cov = _exact(parameters)
    method = getattr(op, "method", "cholesky")
    drawn = wt.random.multivariate_normal(own, mean, cov, _shape(size), method=method)
    return following, drawn


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
