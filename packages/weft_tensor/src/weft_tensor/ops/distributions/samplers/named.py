"""Draws with the names and parameters of NumPy's `Generator`: each is that of a distribution."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import pi
from typing import Any, Final

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.distributions import discrete_rows as whole
from weft_tensor.ops.distributions import gamma_rows as of_gamma
from weft_tensor.ops.distributions import inverse_normal_rows as of_inverse
from weft_tensor.ops.distributions import normal_rows as of_normal
from weft_tensor.ops.distributions import simple_rows as closed
from weft_tensor.ops.distributions.circular_rows import vonmises as around
from weft_tensor.ops.distributions.constraints import by_names, checked
from weft_tensor.ops.distributions.multivariate import normal_rows as vectors
from weft_tensor.ops.distributions.multivariate import share_rows as shares
from weft_tensor.ops.distributions.multivariate import table_rows as tables
from weft_tensor.ops.distributions.multivariate.conditions import is_symmetric
from weft_tensor.ops.distributions.multivariate.spread import applied
from weft_tensor.ops.elementwise.arithmetic import maximum, mod, sqrt
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.elementwise.op import broadcast_dims
from weft_tensor.ops.linalg.eigh import eigh
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.svd import svd
from weft_tensor.ops.random.distributions import normal, uniform
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.random.uses import uses_key
from weft_tensor.ops.random.words import Size, as_sizes, no_shape
from weft_tensor.ops.shape.length import as_size, lengths_of
from weft_tensor.ops.shape.transpose import matrix_transpose

__all__ = [
    "Sampler",
    "beta",
    "binomial",
    "chisquare",
    "dirichlet",
    "exponential",
    "f",
    "gamma",
    "geometric",
    "gumbel",
    "hypergeometric",
    "laplace",
    "logistic",
    "lognormal",
    "multinomial",
    "multivariate_hypergeometric",
    "multivariate_normal",
    "negative_binomial",
    "pareto",
    "poisson",
    "power",
    "random",
    "rayleigh",
    "standard_cauchy",
    "standard_exponential",
    "standard_gamma",
    "standard_normal",
    "standard_t",
    "triangular",
    "vonmises",
    "wald",
    "weibull",
]


class Sampler:
    """Draws of a distribution: called with a key, its parameters, `size` and `dtype`.

    Parameters broadcast; without `size`, draws have their shape. Those that are not valid raise
    ValueError, where they are known at once, else when the function runs. `shape=` is `size`, but
    for a distribution that has such a parameter. A shape by place, as JAX has it, raises
    TypeError where it would be a parameter.
    """

    def __init__(
        self,
        name: str,
        draw: Callable[..., TensorVariable],
        *needed: str,
        **defaults: float | None,
    ) -> None:
        self.name = name
        self.parameters: Mapping[str, float | None] = {**dict.fromkeys(needed), **defaults}
        self._needed = needed
        self._draw = draw
        signature = ", ".join([*needed, *[f"{n}={v}" for n, v in defaults.items()]])
        self.__doc__ = f"{name}(key, {signature + ', ' if signature else ''}size=None, dtype=None)"

    def __repr__(self) -> str:
        return f"wt.random.{self.name}"

    @uses_key
    def __call__(
        self,
        key: TensorLike,
        *args: Any,
        size: Size = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> TensorVariable:
        """Draws: the same for a key on all backends.

        Raises TypeError for what is no key, and for parameters that are missing or unknown.
        """
        if "shape" in kwargs and "shape" not in self.parameters:
            size = kwargs.pop("shape")
        if size is None and not kwargs and len(args) > len(self._needed):
            no_shape(self.name, args[-1])
        arguments = by_names(self.name, tuple(self.parameters), self._needed, args, kwargs)
        left = {n: v for n, v in self.parameters.items() if n not in arguments and v is not None}
        return self._draw(key, size=size, dtype=dtype, **left, **arguments)


def _hypergeometric(
    key: TensorLike, ngood: TensorLike, nbad: TensorLike, nsample: TensorLike, **options: Any
) -> TensorVariable:
    good = as_tensor(ngood)
    return whole.hypergeom.rvs(key, good + as_tensor(nbad), good, nsample, **options)


def _lognormal(
    key: TensorLike, mean: TensorLike, sigma: TensorLike, **options: Any
) -> TensorVariable:
    return exp(of_normal.norm.rvs(key, mean, sigma, **options))


def _triangular(
    key: TensorLike, left: TensorLike, mode: TensorLike, right: TensorLike, **options: Any
) -> TensorVariable:
    start = as_tensor(left)
    width = as_tensor(right) - start
    return closed.triang.rvs(key, (mode - start) / width, start, width, **options)


def _vonmises(key: TensorLike, mu: TensorLike, kappa: TensorLike, **options: Any) -> TensorVariable:
    """From -π to π, as NumPy's are."""
    return mod(around.rvs(key, kappa, mu, **options) + pi, 2 * pi) - pi


def _wald(key: TensorLike, mean: TensorLike, scale: TensorLike, **options: Any) -> TensorVariable:
    size = as_tensor(scale)
    return of_inverse.invgauss.rvs(key, as_tensor(mean) / size, scale=size, **options)


beta: Final = Sampler("beta", of_gamma.beta.rvs, "a", "b")
binomial: Final = Sampler("binomial", whole.binom.rvs, "n", "p")
chisquare: Final = Sampler("chisquare", of_gamma.chi2.rvs, "df")
dirichlet: Final = Sampler("dirichlet", shares.dirichlet.rvs, "alpha")
exponential: Final = Sampler("exponential", closed.expon.rvs, scale=1.0)
f: Final = Sampler(
    "f", lambda key, dfnum, dfden, **o: of_gamma.f.rvs(key, dfnum, dfden, **o), "dfnum", "dfden"
)
gamma: Final = Sampler(
    "gamma", lambda key, shape, scale, **o: of_gamma.gamma.rvs(key, shape, scale=scale, **o),
    "shape", scale=1.0,
)  # fmt: skip
geometric: Final = Sampler("geometric", whole.geom.rvs, "p")
gumbel: Final = Sampler("gumbel", closed.gumbel_r.rvs, loc=0.0, scale=1.0)
hypergeometric: Final = Sampler("hypergeometric", _hypergeometric, "ngood", "nbad", "nsample")
laplace: Final = Sampler("laplace", closed.laplace.rvs, loc=0.0, scale=1.0)
logistic: Final = Sampler("logistic", closed.logistic.rvs, loc=0.0, scale=1.0)
lognormal: Final = Sampler("lognormal", _lognormal, mean=0.0, sigma=1.0)
multinomial: Final = Sampler(
    "multinomial", lambda key, n, pvals, **o: shares.multinomial.rvs(key, n, pvals, **o),
    "n", "pvals",
)  # fmt: skip
multivariate_hypergeometric: Final = Sampler(
    "multivariate_hypergeometric",
    lambda key, colors, nsample, **o: tables.multivariate_hypergeom.rvs(key, colors, nsample, **o),
    "colors", "nsample",
)  # fmt: skip
negative_binomial: Final = Sampler("negative_binomial", whole.nbinom.rvs, "n", "p")
pareto: Final = Sampler("pareto", lambda key, a, **o: closed.pareto.rvs(key, a, -1, **o), "a")
poisson: Final = Sampler("poisson", lambda key, lam, **o: whole.poisson.rvs(key, lam, **o), lam=1.0)
power: Final = Sampler("power", lambda key, a, **o: of_gamma.beta.rvs(key, a, 1, **o), "a")
random: Final = Sampler("random", uniform)
rayleigh: Final = Sampler("rayleigh", of_normal.rayleigh.rvs, scale=1.0)
standard_cauchy: Final = Sampler("standard_cauchy", closed.cauchy.rvs)
standard_exponential: Final = Sampler("standard_exponential", closed.expon.rvs)
standard_gamma: Final = Sampler(
    "standard_gamma", lambda key, shape, **o: of_gamma.gamma.rvs(key, shape, **o), "shape"
)
standard_normal: Final = Sampler("standard_normal", normal)
standard_t: Final = Sampler("standard_t", of_gamma.t.rvs, "df")
triangular: Final = Sampler("triangular", _triangular, "left", "mode", "right")
vonmises: Final = Sampler("vonmises", _vonmises, "mu", "kappa")
wald: Final = Sampler("wald", _wald, "mean", "scale")
weibull: Final = Sampler("weibull", lambda key, a, **o: closed.weibull_min.rvs(key, a, **o), "a")


@uses_key
def multivariate_normal(
    key: TensorLike,
    mean: TensorLike,
    cov: TensorLike,
    size: Size = None,
    dtype: Any = None,
    method: str = "cholesky",
) -> TensorVariable:
    """Normal vectors. See `numpy.random.Generator.multivariate_normal`.

    Parameters
    ----------
    key
        Made by `key`, `split` or `fold_in`.
    mean, cov
        The mean, and the covariance, along the last axis and the last two.
    size
        Lengths before that of a vector.
    dtype
        float32 or float64; by default, that of the parameters.
    method
        "cholesky", or "eigh" or "svd", which take covariances without full rank, too, and give the
        same draws as each other. ValueError for others, and for what is no covariance.

    Examples
    --------
    >>> from weft_tensor.random import key
    >>> multivariate_normal(key(7), [0.0, 10.0], [[1.0, 0.0], [0.0, 4.0]]).eval().round(2)
    array([0.73, 8.05])
    """
    if method == "cholesky":
        return vectors.multivariate_normal.rvs(key, mean, cov, size=size, dtype=dtype)
    whole_cov = as_tensor(cov) if dtype is None else as_tensor(cov).astype(dtype)
    even = is_symmetric(whole_cov)
    whole_cov = checked([whole_cov], even, "multivariate_normal", "cov", "symmetric")
    if method == "eigh":
        values, left = eigh(whole_cov)
        right = matrix_transpose(left)
        signed, below = values, -values
    elif method == "svd":
        left, values, right = svd(whole_cov)
        signed = values * (left * matrix_transpose(right)).sum(axis=-2)
        below = values - signed
    else:
        raise ValueError(f"method is 'cholesky', 'eigh' or 'svd', not {method!r}")
    near = 1e-4 if values.dtype == "float32" else 1e-8
    holds = (below <= near * abs(values).max(axis=-1, keepdims=True)).all(axis=-1)
    name = "the eigenvalues of cov"
    signed = checked([whole_cov, signed], holds, "multivariate_normal", name, "0 or positive")
    root = matmul(left * sqrt(maximum(signed, 0))[..., None, :], right)
    place = as_tensor(mean).astype(root.dtype)
    batches = broadcast_dims(lengths_of(place)[:-1], lengths_of(root)[:-2])
    sizes = tuple([as_size(n) for n in batches]) if size is None else as_sizes(size)
    z = Draws(key, sizes, root.dtype).wider(root.shape[-1]).normal()
    return place + applied(root, z)
