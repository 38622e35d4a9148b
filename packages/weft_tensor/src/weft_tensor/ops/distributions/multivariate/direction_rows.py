"""Directions, and orthogonal matrices, of which no direction is likelier than another."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final

from weft_graph import custom_pullback, stop_gradient
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.creation.creation import arange, eye
from weft_tensor.ops.distributions.constraints import Constraint
from weft_tensor.ops.distributions.multivariate.conditions import SIZE, vector
from weft_tensor.ops.distributions.multivariate.multivariate import Multivariate
from weft_tensor.ops.distributions.ratios import HALF_LOG_2PI, LOG_2, LOG_PI
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.elementwise.trigonometric import arcsin, cos, sin
from weft_tensor.ops.linalg.det import det
from weft_tensor.ops.linalg.qr import qr
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.special.gamma import gammaln
from weft_tensor.ops.special.noncentral.bessel_logs import log_ive
from weft_tensor.ops.special.quadrature import UNIT_INTERVAL, along

__all__ = [
    "ortho_group", "special_ortho_group", "uniform_direction", "unitary_group", "vonmises_fisher",
]  # fmt: skip

_ROUNDS: Final = 42
"""Of the sampler: each refuses at most 0.345 of its proposals, 42 rounds 2**-64."""


def _is_direction(x: TensorVariable) -> TensorVariable:
    near = 1e-5 if x.dtype == "float32" else 1e-9
    return abs((x * x).sum(axis=-1) - 1) < near


def _normed(x: TensorVariable) -> TensorVariable:
    size = sqrt((x * x).sum(axis=-1, keepdims=True))
    return x / where(size > 0, size, 1.0)


def _uniform_logpdf(x: TensorVariable) -> TensorVariable:
    """One over the area of the sphere."""
    half = 0.5 * x.shape[-1]
    density = gammaln(half) - LOG_2 - half * LOG_PI
    return where(_is_direction(x), density.astype(x.dtype), -inf)


uniform_direction: Final = Multivariate(
    "uniform_direction", "Γ(n/2) / (2 π^(n/2)) over vectors of length 1", {}, 1, length="dim",
    logpdf=_uniform_logpdf, sample=lambda draws, dim: _normed(draws.wider(dim).normal()),
    mean=lambda dim: 0.0 * arange(dim), cov=lambda dim: eye(dim) / dim,
)  # fmt: skip


def haar(draws: Draws, dim: TensorVariable) -> TensorVariable:
    """Orthogonal matrices: factors Q of normal ones, whose R has a positive diagonal.

    By F. Mezzadri, How to generate random matrices from the classical compact groups, Notices of
    the AMS 54, 2007.
    """
    q, r = qr(draws.wider(dim, dim).normal())
    return q * where(r.diagonal(axis1=-2, axis2=-1) < 0, -1.0, 1.0)[..., None, :]


def _rotation(draws: Draws, dim: TensorVariable) -> TensorVariable:
    q = haar(draws, dim)
    turns = where(det(q) < 0, -1.0, 1.0)[..., None, None]
    return q * where(eq(arange(dim), 0), turns, 1.0)


def _unitary(draws: Draws, dim: TensorVariable) -> TensorVariable:
    real, imaginary = (draws.wider(dim, dim).normal() for _ in range(2))
    q, r = qr(real + 1j * imaginary)
    diagonal = r.diagonal(axis1=-2, axis2=-1)
    return q * (diagonal / abs(diagonal))[..., None, :]


ortho_group: Final = Multivariate(
    "ortho_group", "no matrix Q with QᵀQ = 1 likelier than another", {}, 2, length="dim",
    sample=haar,
)  # fmt: skip
special_ortho_group: Final = Multivariate(
    "special_ortho_group", "no matrix Q with QᵀQ = 1, det(Q) = 1 likelier than another", {}, 2,
    length="dim", sample=_rotation,
)  # fmt: skip
unitary_group: Final = Multivariate(
    "unitary_group", "no complex matrix U with UᴴU = 1 likelier than another", {}, 2,
    length="dim", sample=_unitary,
)  # fmt: skip


def _order(mu: TensorVariable) -> TensorVariable:
    return as_tensor(0.5 * mu.shape[-1] - 1).astype(mu.dtype)


def _log_norming(mu: TensorVariable, kappa: TensorVariable) -> TensorVariable:
    """The logarithm of the integral of exp(kappa (mu·x - 1)) over the sphere."""
    v = _order(mu)
    return log_ive(v, kappa) - v * log(kappa) + mu.shape[-1] * HALF_LOG_2PI


def _shrinkage(mu: TensorVariable, kappa: TensorVariable) -> TensorVariable:
    """How long the mean is: the quotient of two functions I."""
    v = _order(mu)
    return exp(log_ive(v + 1, kappa) - log_ive(v, kappa))


def _fisher_logpdf(x: TensorVariable, mu: TensorVariable, kappa: TensorVariable) -> TensorVariable:
    inside = _is_direction(x)
    off = where(inside[..., None], x - mu, 0.0)
    density = -0.5 * kappa * (off * off).sum(axis=-1) - _log_norming(mu, kappa)
    return where(inside, density, -inf)


def _fisher_entropy(mu: TensorVariable, kappa: TensorVariable) -> TensorVariable:
    return _log_norming(mu, kappa) + kappa * (1 - _shrinkage(mu, kappa))


@custom_pullback
def _along_quantile(
    kappa: TensorVariable, power: TensorVariable, angle: TensorVariable
) -> TensorVariable:
    """Angles to the middle, as a function of how narrow their distribution is."""
    return angle


@_along_quantile.define
def _slopes(
    inputs: Sequence[TensorVariable],
    outputs: Sequence[TensorVariable],
    cotangents: Sequence[TensorVariable],
) -> list[TensorVariable | None]:
    """Less the integral of (cos t - A) f(t) up to the angle, over f there."""
    kappa, power, angle = inputs
    v = 0.5 * power
    mean = exp(log_ive(v + 1, kappa) - log_ive(v, kappa))
    t = along(angle) * UNIT_INTERVAL[0].astype(angle.dtype)
    rise = 2 * sin(0.5 * (along(angle) - t)) * sin(0.5 * (along(angle) + t))
    shares = exp(along(kappa) * rise + along(power) * log(sin(t) / sin(along(angle))))
    parts = UNIT_INTERVAL[1].astype(angle.dtype) * (cos(t) - along(mean)) * shares
    return [-angle * parts.sum(axis=-1) * cotangents[0], None, None]


def _angle(draws: Draws, mu: TensorVariable, kappa: TensorVariable) -> TensorVariable:
    """By A. T. A. Wood (Simulation of the von Mises Fisher distribution, Communications in
    Statistics 23, 1994), in at most 42 rounds over the array: the chance that none of them accepts
    is below 2**-64. The symmetric beta variable is a coordinate of a direction.
    """
    fixed, less = stop_gradient(kappa), as_tensor(mu.shape[-1] - 1).astype(mu.dtype)
    b = less / (2 * fixed + sqrt(4 * fixed * fixed + less * less))

    def propose(round_of: Draws) -> tuple[TensorVariable, TensorVariable]:
        z = 0.5 + 0.5 * _normed(round_of.wider(mu.shape[-1]).normal())[..., 0]
        whole = 1 - (1 - b) * z
        rest = 2 * b * z / whole  # 1 less the cosine
        more = fixed * (2 * b / (1 + b) - rest) + less * log(0.5 * (1 + b) / whole)
        fits = more >= log(round_of.uniform())
        return 2 * arcsin(sqrt(0.5 * rest)), fits

    angle = stop_gradient(draws.accepted(_ROUNDS, propose))
    moved: TensorVariable = _along_quantile(
        broadcast_to(kappa, draws.sizes), broadcast_to(less - 1, draws.sizes), angle
    )
    return moved


def _fisher_sample(draws: Draws, mu: TensorVariable, kappa: TensorVariable) -> TensorVariable:
    angle = _angle(draws, mu, kappa)[..., None]
    across = draws.wider(mu.shape[-1]).normal()
    across = _normed(across - mu * (mu * across).sum(axis=-1, keepdims=True))
    return cos(angle) * mu + sin(angle) * across


_UNIT: Final = Constraint("of length 1", _is_direction)
vonmises_fisher: Final = Multivariate(
    "vonmises_fisher",
    "exp(kappa mu·x) kappa^(n/2-1) / ((2π)^(n/2) I(kappa)) over vectors of length 1, I of order"
    " n/2 - 1",
    {"mu": vector(_UNIT), "kappa": SIZE}, 1, logpdf=_fisher_logpdf, sample=_fisher_sample,
    mean=lambda mu, kappa: _shrinkage(mu, kappa)[..., None] * mu, entropy=_fisher_entropy,
)  # fmt: skip
