"""Vectors whose elements follow, or neighbour, one another."""

from __future__ import annotations

from typing import Any, Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.scan import scan
from weft_tensor.ops.creation.creation import arange, eye, zeros_like
from weft_tensor.ops.distributions.constraints import POSITIVE, REAL, Constraint
from weft_tensor.ops.distributions.multivariate.conditions import (
    NUMBER,
    SIZE,
    is_symmetric,
    matrix,
    number,
    unit_of,
    vector,
)
from weft_tensor.ops.distributions.multivariate.multivariate import Multivariate, Parameter
from weft_tensor.ops.distributions.multivariate.spread import Spread, spread_of
from weft_tensor.ops.distributions.ratios import HALF_LOG_2PI
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import log
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.transpose import moveaxis

__all__ = ["ar", "car", "gaussian_random_walk"]


def _normal(x: TensorVariable, loc: Any, scale: TensorVariable) -> TensorVariable:
    z = (x - loc) / scale
    return -0.5 * z * z - log(scale) - HALF_LOG_2PI


def _walk(
    x: TensorVariable, mu: TensorVariable, sigma: TensorVariable, loc: TensorVariable,
    scale: TensorVariable,
) -> TensorVariable:  # fmt: skip
    steps = _normal(x[..., 1:] - x[..., :-1], mu[..., None], sigma[..., None])
    return _normal(x[..., 0], loc, scale) + steps.sum(axis=-1)


def _walked(
    draws: Draws, mu: TensorVariable, sigma: TensorVariable, loc: TensorVariable,
    scale: TensorVariable, steps: TensorVariable,
) -> TensorVariable:  # fmt: skip
    z = draws.wider(steps).normal()
    first = eq(arange(steps), 0)
    moves = where(first, loc[..., None], mu[..., None])
    return cumsum(moves + where(first, scale[..., None], sigma[..., None]) * z, -1)


def _walk_mean(
    mu: TensorVariable, sigma: TensorVariable, loc: TensorVariable, scale: TensorVariable,
    steps: TensorVariable,
) -> TensorVariable:  # fmt: skip
    return loc[..., None] + mu[..., None] * arange(steps) + 0 * (sigma + scale)[..., None]


def _walk_var(
    mu: TensorVariable, sigma: TensorVariable, loc: TensorVariable, scale: TensorVariable,
    steps: TensorVariable,
) -> TensorVariable:  # fmt: skip
    return (scale**2)[..., None] + (sigma**2)[..., None] * arange(steps) + 0 * (mu + loc)[..., None]


gaussian_random_walk: Final = Multivariate(
    "gaussian_random_walk", "a normal start, and normal steps of mean mu and deviation sigma",
    {
        "mu": NUMBER, "sigma": SIZE, "init_loc": number(REAL, 0.0),
        "init_scale": number(POSITIVE, 1.0),
    },
    1, length="steps", scipy=None, logpdf=_walk, sample=_walked, mean=_walk_mean, var=_walk_var,
)  # fmt: skip


def _order(rho: TensorVariable) -> int:
    order = rho.type.shape[-1]
    if not isinstance(order, int):
        raise TypeError(f"ar: rho must have a known length, not {rho!r}")
    return order


def _ar(
    x: TensorVariable, rho: TensorVariable, sigma: TensorVariable, constant: TensorVariable,
    scale: TensorVariable,
) -> TensorVariable:  # fmt: skip
    p = _order(rho)
    ahead: Any = constant[..., None]
    for k in range(p):
        ahead = ahead + rho[..., k, None] * x[..., p - 1 - k : -1 - k]
    start = _normal(x[..., :p], 0.0, scale[..., None]).sum(axis=-1)
    return start + _normal(x[..., p:], ahead, sigma[..., None]).sum(axis=-1)


def _ar_sample(
    draws: Draws, rho: TensorVariable, sigma: TensorVariable, constant: TensorVariable,
    scale: TensorVariable, steps: TensorVariable,
) -> TensorVariable:  # fmt: skip
    p = _order(rho)
    z = moveaxis(draws.wider(steps).normal(), -1, 0)
    start = [broadcast_to(scale, draws.sizes) * z[k] for k in range(p)]

    def step(noise: TensorVariable, *last: TensorVariable) -> list[TensorVariable]:
        ahead = constant + sigma * noise
        for k in range(p):
            ahead = ahead + rho[..., k] * last[-1 - k]
        return [*last[1:], ahead]

    *_, later = scan(step, sequences=[z[p:]], outputs_info=start, return_list=True)
    first = [v[None] for v in start]
    return moveaxis(concatenate([*first, later], 0), 0, -1)


ar: Final = Multivariate(
    "ar", "x[t] normal around constant + Σ rho[k] x[t-1-k]; the first len(rho) around 0",
    {
        "rho": vector(), "sigma": SIZE, "constant": number(REAL, 0.0),
        "init_scale": number(POSITIVE, 1.0),
    },
    1, length="steps", scipy=None, logpdf=_ar, sample=_ar_sample,
)  # fmt: skip


def _neighbours(
    mu: TensorVariable, W: TensorVariable, alpha: TensorVariable, tau: TensorVariable
) -> tuple[TensorVariable, Spread]:
    """The precision is tau (D - alpha W), where D has how many neighbours there are."""
    own = eye(W.shape[-1]).astype(W.dtype) * W.sum(axis=-1)[..., None]
    precision = tau[..., None, None] * (own - alpha[..., None, None] * W)
    return mu, spread_of("car", "cov", precision=precision)


_ADJACENT: Final = Constraint(
    "symmetric, with neighbours for all",
    lambda v: is_symmetric(v) & (v >= 0).all(axis=(-2, -1)) & (v.sum(axis=-1) > 0).all(axis=-1),
    instance=lambda v: 1 - unit_of(v),
)
_CLOSENESS: Final = Constraint(
    "between -1 and 1", lambda v: (v > -1) & (v < 1), instance=zeros_like
)

car: Final = Multivariate(
    "car", "normal around mu with the precision tau (D - alpha W), D = diag of the rows' sums of W",
    {"mu": vector(), "W": matrix(_ADJACENT), "alpha": Parameter(0, _CLOSENESS), "tau": SIZE}, 1,
    scipy=None, prepared=_neighbours,
    logpdf=lambda x, mu, spread: (
        -0.5 * spread.square(x - mu) - spread.half_log_det() - HALF_LOG_2PI * spread.length
    ),
    sample=lambda draws, mu, spread: mu + spread.colored(draws),
    mean=lambda mu, spread: mu, cov=lambda mu, spread: spread.cov(),
)  # fmt: skip
