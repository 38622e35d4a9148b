"""Changes of variables: from where a distribution lives to numbers without bounds, and back.

A transform is named by its `forward`, which takes values of a distribution; for most, what comes
out may be any numbers. `backward` leads back; `inverse` is the transform the other way round.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import Any, Final

import numpy as np

from weft_graph import Constant
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange, eye, zeros, zeros_like
from weft_tensor.ops.distributions.composed.spaces import (
    CORR_CHOLESKY,
    FACTORS,
    NUMBERS,
    ORDERED,
    SIMPLEX,
    VECTORS,
    Space,
    between,
)
from weft_tensor.ops.distributions.constraints import NONZERO, checked
from weft_tensor.ops.distributions.laws import Frozen, as_law
from weft_tensor.ops.distributions.ratios import LOG_2
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import isfinite, where
from weft_tensor.ops.elementwise.exponential import exp, log1p, sigmoid, softplus
from weft_tensor.ops.elementwise.exponential import log as logarithm
from weft_tensor.ops.elementwise.trigonometric import arctanh, tanh
from weft_tensor.ops.linalg.square import tril
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.rearrange import flip
from weft_tensor.ops.special.entropies import logit as log_odds

__all__ = [
    "Transform",
    "affine",
    "cholesky",
    "corr_cholesky",
    "identity",
    "interval",
    "log",
    "logit",
    "of",
    "ordered",
    "simplex",
]


@dataclass(frozen=True)
class Transform:
    """A change of variables, one to one and smooth."""

    name: str
    forward: Callable[[TensorLike], TensorVariable]
    backward: Callable[[TensorLike], TensorVariable]
    slope: Callable[[TensorVariable, TensorVariable], TensorVariable]
    """The logarithm of |det| of the derivative of `forward`, of values before and after it."""
    domain: Space = NUMBERS
    """What `forward` takes."""
    codomain: Space = NUMBERS
    """What it gives."""
    increases: bool | None = None
    """Whether larger numbers become larger, or smaller; None for what is not of single numbers."""
    recipe: tuple[Callable[..., Any], tuple[Any, ...]] | None = field(default=None, compare=False)
    """A function that makes it, and its arguments, by which it is pickled."""

    def __repr__(self) -> str:
        return f"wt.stats.transforms.{self.name}"

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.recipe or super().__reduce_ex__(protocol)

    def log_abs_det_jacobian(self, x: TensorLike) -> TensorVariable:
        """log|det| of the derivative of `forward` at x, for each value."""
        before = as_tensor(x)
        return self.slope(before, self.forward(before))

    @property
    def inverse(self) -> Transform:
        """The same the other way round.

        >>> log.inverse.forward(0.0).eval().item()
        1.0
        """
        return Transform(
            f"{self.name}.inverse",
            self.backward,
            self.forward,
            lambda before, after: -self.slope(after, before),
            self.codomain,
            self.domain,
            self.increases,
            (_inverse, (self,)),
        )


def _inverse(transform: Transform) -> Transform:
    return transform.inverse


def _named(name: str) -> Transform:
    transform: Transform = globals()[name]
    return transform


def affine(loc: TensorLike, scale: TensorLike) -> Transform:
    """loc + scale x. Raises ValueError where `scale` is 0.

    >>> affine(1.0, 2.0).forward(3.0).eval().item()
    7.0
    """
    place, width = as_tensor(loc), as_tensor(scale)
    size = checked([width], NONZERO.holds(width), "affine", "scale", NONZERO.says)
    return Transform(
        "affine",
        lambda x: place + size * x,
        lambda y: (as_tensor(y) - place) / size,
        lambda x, y: logarithm(abs(size)) + 0 * x,
        increases=scale > 0 if isinstance(scale, int | float) else None,
        recipe=(affine, (loc, scale)),
    )


identity: Final = Transform(
    "identity", as_tensor, as_tensor, lambda x, y: zeros_like(x), increases=True,
    recipe=(_named, ("identity",)),
)  # fmt: skip
"""Of any numbers."""
log: Final = Transform(
    "log", logarithm, exp, lambda x, y: -y, between(0.0, inf, 1.0), increases=True,
    recipe=(_named, ("log",)),
)  # fmt: skip
"""Of positive numbers."""
logit: Final = Transform(
    "logit", log_odds, sigmoid, lambda x, y: softplus(y) + softplus(-y),
    between(0.0, 1.0, 0.5), increases=True, recipe=(_named, ("logit",)),
)  # fmt: skip
"""Of numbers between 0 and 1."""


def _finite(bound: TensorVariable, name: str) -> TensorVariable:
    return checked([bound], isfinite(bound), "interval", name, "finite")


def interval(lower: TensorLike | None = None, upper: TensorLike | None = None) -> Transform:
    """Of numbers between bounds: log((x - lower) / (upper - x)), of one bound log of the distance.

    Raises TypeError without a bound, ValueError unless `lower` is below `upper` and both finite.

    >>> interval(1.0, 3.0).forward(2.0).eval().item()
    0.0
    """
    if lower is None and upper is None:
        raise TypeError("interval takes a bound at least: lower, upper or both")
    if upper is None:
        low = _finite(as_tensor(lower if lower is not None else 0), "lower")
        return Transform(
            "interval", lambda x: logarithm(as_tensor(x) - low), lambda y: low + exp(y),
            lambda x, y: -y, between(low, inf, low + 1), increases=True,
            recipe=(interval, (lower, upper)),
        )  # fmt: skip
    if lower is None:
        high = _finite(as_tensor(upper), "upper")
        return Transform(
            "interval", lambda x: logarithm(high - x), lambda y: high - exp(y),
            lambda x, y: -y, between(-inf, high, high - 1), increases=False,
            recipe=(interval, (lower, upper)),
        )  # fmt: skip
    start, stop = as_tensor(lower), as_tensor(upper)
    fits = (start < stop) & isfinite(stop - start)
    stop = checked([start, stop], fits, "interval", "upper", "above lower, both finite")
    width = stop - start
    return Transform(
        "interval",
        lambda x: logarithm((as_tensor(x) - start) / (stop - x)),
        lambda y: start + width * sigmoid(y),
        lambda x, y: softplus(y) + softplus(-y) - logarithm(width),
        between(start, stop, 0.5 * (start + stop)),
        increases=True,
        recipe=(interval, (lower, upper)),
    )


def _later(x: TensorVariable) -> TensorVariable:
    """For each element the sum of it and of all that follow it."""
    return flip(cumsum(flip(x, -1), -1), -1)


def _left(x: TensorVariable) -> TensorVariable:
    """How many elements follow each, but for the last."""
    return logarithm(arange(x.shape[-1], 0, -1).astype(x.dtype))


def _broken(x: TensorLike) -> TensorVariable:
    shares = as_tensor(x)
    first = shares[..., :-1]
    return logarithm(first) - logarithm(_later(shares)[..., 1:]) + _left(first)


def _sticks(y: TensorLike) -> tuple[TensorVariable, TensorVariable]:
    """Logarithms of the shares, and of what is left of the stick after each but the last."""
    odds = as_tensor(y)
    odds = odds - _left(odds)
    left = cumsum(-softplus(odds), -1)
    before = left + softplus(odds)
    return concatenate([before - softplus(-odds), left[..., -1:]], -1), left


def _simplex_slope(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    odds = y - _left(y)
    shares, _ = _sticks(y)
    return (softplus(odds) - shares[..., :-1]).sum(axis=-1)


simplex: Final = Transform(
    "simplex", _broken, lambda y: exp(_sticks(y)[0]), _simplex_slope,
    SIMPLEX, VECTORS, recipe=(_named, ("simplex",)),
)  # fmt: skip
"""Of vectors of positive numbers that sum to one: by breaking a stick, even shares become zeros."""


def _gaps(x: TensorLike) -> TensorVariable:
    rising = as_tensor(x)
    return concatenate([rising[..., :1], logarithm(rising[..., 1:] - rising[..., :-1])], -1)


def _summed(y: TensorLike) -> TensorVariable:
    gaps = as_tensor(y)
    return cumsum(concatenate([gaps[..., :1], exp(gaps[..., 1:])], -1), -1)


ordered: Final = Transform(
    "ordered", _gaps, _summed, lambda x, y: -y[..., 1:].sum(axis=-1),
    ORDERED, VECTORS, recipe=(_named, ("ordered",)),
)  # fmt: skip
"""Of vectors of increasing numbers: the first, and logarithms of the distances."""


def _places(n: int, below: int) -> tuple[np.ndarray, np.ndarray]:
    rows, columns = np.tril_indices(n, -below)
    return rows, columns


def _matrix(y: TensorLike, n: int, below: int) -> TensorVariable:
    """The lower half of a matrix, from a vector."""
    values = as_tensor(y)
    start = zeros((*values.shape[:-1], n, n), dtype=values.dtype)
    return start[(..., *_places(n, below))].set(values)


def cholesky(n: int) -> Transform:
    """Of triangular factors of n rows, with a positive diagonal: a vector, the diagonal as logs.

    >>> cholesky(2).backward([0.0, 3.0, 0.0]).eval()
    array([[1., 0.],
           [3., 1.]])
    """
    inner = eye(n)

    def forward(x: TensorLike) -> TensorVariable:
        factor = as_tensor(x)
        ones = inner.astype(factor.dtype)
        logs = logarithm(where(ones > 0, factor, 1.0))
        return where(ones > 0, logs, factor)[(..., *_places(n, 0))]

    def backward(y: TensorLike) -> TensorVariable:
        lower = _matrix(y, n, 0)
        diagonal = inner.astype(lower.dtype) > 0
        return where(diagonal, exp(where(diagonal, lower, 0.0)), lower)

    def slope(x: TensorVariable, y: TensorVariable) -> TensorVariable:
        return -logarithm(x.diagonal(axis1=-2, axis2=-1)).sum(axis=-1)

    return Transform(
        "cholesky", forward, backward, slope, FACTORS, VECTORS, recipe=(cholesky, (n,))
    )


def corr_cholesky(n: int) -> Transform:
    """Of triangular factors of correlation matrices of n rows: a vector of n (n - 1) / 2 numbers.

    By D. Lewandowski, D. Kurowicka and H. Joe (Generating random correlation matrices based on
    vines and extended onion method, J. Multivariate Analysis 100, 2009).

    >>> corr_cholesky(2).backward([0.0]).eval()
    array([[1., 0.],
           [0., 1.]])
    """

    def forward(x: TensorLike) -> TensorVariable:
        factor = as_tensor(x)
        left = sqrt(_later(factor * factor))
        below = np.tril(np.ones((n, n), "bool"), -1)
        share = where(below, factor / where(below, left, 1.0), 0.0)
        return arctanh(share)[(..., *_places(n, 1))]

    def backward(y: TensorLike) -> TensorVariable:
        share = _matrix(y, n, 1)
        rest = _log_square(share)
        before = cumsum(rest, -1) - rest
        ones = eye(n).astype(share.dtype)
        return tril((tanh(share) + ones) * exp(0.5 * before))

    def slope(x: TensorVariable, y: TensorVariable) -> TensorVariable:
        share = _matrix(y, n, 1)
        rest = _log_square(share)
        before = cumsum(rest, -1) - rest
        return -tril(rest + 0.5 * before, -1).sum(axis=(-2, -1))

    return Transform(
        *("corr_cholesky", forward, backward, slope, CORR_CHOLESKY, VECTORS),
        recipe=(corr_cholesky, (n,)),
    )


def _log_square(y: TensorVariable) -> TensorVariable:
    """log(1 - tanh(y)²)."""
    return 2 * (LOG_2 - abs(y) - log1p(exp(-2 * abs(y))))


_OF_VECTORS: Final = {
    "dirichlet": simplex,
    **dict.fromkeys(("multivariate_normal", "multivariate_t", "matrix_normal"), identity),
    **dict.fromkeys(("matrix_t", "gaussian_random_walk", "ar", "car"), identity),
}


def of(law: object) -> Transform:
    """The transform that leads from where a distribution has its values to any numbers.

    It follows from the ends that are fixed: `log` of positive numbers, `interval` between
    parameters, `identity` without ends; of vectors `simplex` for `dirichlet`, and of factors
    `corr_cholesky` for `lkj_cholesky` with an `n`. Raises TypeError for what is no distribution,
    is of integers, or has values for which there is no transform here.

    >>> from weft_tensor import scalar
    >>> from weft_tensor.stats import beta, dirichlet, gamma, norm
    >>> mu = scalar("mu")
    >>> [of(law).name for law in (norm(mu), gamma(mu), beta(mu, 1.0), dirichlet([1.0, 2.0]))]
    ['identity', 'log', 'logit', 'simplex']
    """
    distribution = as_law(law)
    if distribution.is_discrete:
        raise TypeError(f"{distribution.name} is of integers, which no transform frees of bounds")
    if distribution.event_rank:
        return _of_vectors(distribution)
    low, high = distribution.ends()
    if low == -inf:
        return identity if high == inf else interval(None, high)
    if high == inf:
        return log if _is(low, 0.0) else interval(low, None)
    return logit if _is(low, 0.0) and _is(high, 1.0) else interval(low, high)


def _of_vectors(law: Any) -> Transform:
    if law.name in _OF_VECTORS:
        return _OF_VECTORS[law.name]
    if law.name == "lkj_cholesky" and isinstance(law, Frozen) and "n" in law.kwargs:
        return corr_cholesky(int(law.kwargs["n"]))
    raise TypeError(f"no transform frees the values of {law.name} of bounds: write a `Transform`")


def _is(end: TensorLike, number: float) -> bool:
    place = as_tensor(end)
    return isinstance(place.op, Constant) and bool((place.eval() == number).all())
