"""Draws with names of `jax.random` and PyTensor, and further ones of NumPy's `Generator`."""

from __future__ import annotations

from typing import Any, Final

from weft_tensor.build.convert import as_floating, as_tensor, as_tensors
from weft_tensor.build.variable import SizesLike, TensorLike, TensorVariable
from weft_tensor.ops.distributions import discrete_rows as whole
from weft_tensor.ops.distributions import gamma_rows as of_gamma
from weft_tensor.ops.distributions import normal_rows as of_normal
from weft_tensor.ops.distributions import simple_rows as closed
from weft_tensor.ops.distributions.rows import gamma_kin_rows as kin
from weft_tensor.ops.distributions.rows import noncentral_rows as noncentral
from weft_tensor.ops.distributions.rows import normal_part_rows as parts
from weft_tensor.ops.distributions.rows import series_rows as series
from weft_tensor.ops.distributions.samplers.named import Sampler
from weft_tensor.ops.elementwise.arithmetic import sign
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.linalg.qr import qr
from weft_tensor.ops.linalg.square import diagonal_of
from weft_tensor.ops.random.distributions import bernoulli, normal, split
from weft_tensor.ops.random.uses import uses_key
from weft_tensor.ops.random.words import Size, as_sizes
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.transpose import matrix_transpose

__all__ = [
    "ball",
    "betabinom",
    "cauchy",
    "gengamma",
    "halfcauchy",
    "halfnormal",
    "invgamma",
    "loggamma",
    "logseries",
    "maxwell",
    "nbinom",
    "noncentral_chisquare",
    "noncentral_f",
    "orthogonal",
    "rademacher",
    "t",
    "truncated_normal",
    "truncexpon",
    "weibull_min",
    "zipf",
]


def _noncentral_f(
    key: TensorLike, dfnum: TensorLike, dfden: TensorLike, nonc: TensorLike, size: Size, dtype: Any
) -> TensorVariable:
    first, second = split(key)
    above, below, apart = (as_floating(v) for v in as_tensors((dfnum, dfden, nonc)))
    zero = 0 * (above + below + apart)
    over = noncentral.ncx2.rvs(first, above + zero, apart, size=size, dtype=dtype) / above
    under = of_gamma.chi2.rvs(second, below + zero, size=size, dtype=dtype) / below
    return over / under


def _gengamma(
    key: TensorLike, alpha: TensorLike, p: TensorLike, lambd: TensorLike, **options: Any
) -> TensorVariable:
    power = as_tensor(p)
    return of_gamma.gengamma.rvs(key, alpha / power, power, scale=lambd, **options)


betabinom: Final = Sampler("betabinom", whole.betabinom.rvs, "n", "a", "b")
cauchy: Final = Sampler("cauchy", closed.cauchy.rvs)
gengamma: Final = Sampler("gengamma", _gengamma, alpha=1.0, p=1.0, lambd=1.0)
halfcauchy: Final = Sampler("halfcauchy", closed.halfcauchy.rvs, loc=0.0, scale=1.0)
halfnormal: Final = Sampler("halfnormal", of_normal.halfnorm.rvs, loc=0.0, scale=1.0)
invgamma: Final = Sampler(
    "invgamma",
    lambda key, shape, scale, **o: of_gamma.invgamma.rvs(key, shape, scale=scale, **o),
    "shape",
    "scale",
)
loggamma: Final = Sampler("loggamma", lambda key, a, **o: kin.loggamma.rvs(key, a, **o), "a")
logseries: Final = Sampler("logseries", series.logser.rvs, "p")
maxwell: Final = Sampler("maxwell", of_normal.maxwell.rvs)
nbinom: Final = Sampler("nbinom", whole.nbinom.rvs, "n", "p")
noncentral_chisquare: Final = Sampler(
    "noncentral_chisquare",
    lambda key, df, nonc, **o: noncentral.ncx2.rvs(key, df, nonc, **o),
    "df",
    "nonc",
)
noncentral_f: Final = Sampler("noncentral_f", _noncentral_f, "dfnum", "dfden", "nonc")
t: Final = Sampler("t", of_gamma.t.rvs, "df")
truncated_normal: Final = Sampler(
    "truncated_normal",
    lambda key, lower, upper, **o: parts.truncnorm.rvs(key, lower, upper, **o),
    "lower",
    "upper",
)
truncexpon: Final = Sampler("truncexpon", closed.truncexpon.rvs, "b", loc=0.0, scale=1.0)
weibull_min: Final = Sampler(
    "weibull_min",
    lambda key, scale, concentration, **o: closed.weibull_min.rvs(
        key, concentration, scale=scale, **o
    ),
    "scale",
    "concentration",
)
zipf: Final = Sampler("zipf", series.zipf.rvs, "a")


@uses_key
def rademacher(key: TensorLike, size: SizesLike = (), dtype: Any = "int64") -> TensorVariable:
    """1 or -1, each with probability one half. See `jax.random.rademacher`.

    >>> from weft_tensor.random import key
    >>> rademacher(key(7), 4).eval()
    array([-1,  1,  1,  1])
    """
    return where(bernoulli(key, size=size), 1, -1).astype(dtype)


@uses_key
def orthogonal(
    key: TensorLike,
    n: int,
    size: SizesLike = (),
    dtype: Any = "float64",
    m: int | None = None,
) -> TensorVariable:
    """Orthogonal matrices, drawn evenly from all; n x m ones have orthonormal rows or columns.

    By F. Mezzadri, How to generate random matrices from the classical compact groups, 2007. See
    `jax.random.orthogonal`.

    >>> from weft_tensor.random import key
    >>> q = orthogonal(key(7), 3)
    >>> (q @ q.T).eval().round(9) + 0
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    columns = n if m is None else m
    tall, wide = max(n, columns), min(n, columns)
    q, r = qr(normal(key, size=(*as_sizes(size), tall, wide), dtype=dtype))
    q = q * sign(diagonal_of(r)).expand_dims(-2)
    return q if n >= columns else matrix_transpose(q)


@uses_key
def ball(
    key: TensorLike,
    d: int,
    p: TensorLike = 2.0,
    size: SizesLike = (),
    dtype: Any = "float64",
) -> TensorVariable:
    """Points drawn evenly from where the p-norm of d coordinates is at most 1.

    By F. Barthe and others, A probabilistic approach to the geometry of the l_p^n-ball, 2005. See
    `jax.random.ball`.

    >>> from weft_tensor.random import key
    >>> points = ball(key(7), 3, size=1000)
    >>> bool(((points**2).sum(axis=-1) <= 1).all().eval())
    True
    """
    first, second = split(key)
    sizes = as_sizes(size)
    power = as_floating(p).astype(dtype)
    g = kin.gennorm.rvs(first, power, size=(*sizes, d), dtype=dtype)
    e = closed.expon.rvs(second, size=sizes, dtype=dtype)
    return g / ((sum(abs(g) ** power, -1) + e) ** (1 / power)).expand_dims(-1)
