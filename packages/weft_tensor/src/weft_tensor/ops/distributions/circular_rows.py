"""The von Mises distribution of angles, around the circle and on its line from -π to π."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, pi
from typing import Any, Final

from weft_graph import custom_pullback, stop_gradient
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.distributions.constraints import NONNEGATIVE
from weft_tensor.ops.distributions.continuous import Continuous
from weft_tensor.ops.distributions.distribution import Rows
from weft_tensor.ops.distributions.integrals import log_integral
from weft_tensor.ops.distributions.ratios import HALF_LOG_2PI, one_sided
from weft_tensor.ops.elementwise.arithmetic import floor, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, log, log1mexp
from weft_tensor.ops.elementwise.trigonometric import arcsin, arctan, cos, sin, tan
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.special.bessel import i0e, i1e
from weft_tensor.ops.special.quadrature import UNIT_INTERVAL, along

__all__ = ["vonmises", "vonmises_line"]

_DROP: Final = 20.0
"""Half the logarithm of how small the density is where its integral is cut off."""
_ROUNDS: Final = 42
"""Of the sampler: each refuses at most 0.342 of its proposals, 42 rounds 2**-65."""


def _logpdf(x: TensorVariable, kappa: TensorVariable) -> TensorVariable:
    return -2 * kappa * sin(0.5 * x) ** 2 - log(i0e(kappa)) - 2 * HALF_LOG_2PI


def _far_end(x: TensorVariable, kappa: TensorVariable) -> TensorVariable:
    """Beyond it, there is nothing to integrate."""
    wide = kappa > _DROP * 1e-3
    share = sin(0.5 * x) ** 2 + _DROP / where(wide, kappa, 1.0)
    inside = wide & (share < 1)
    return where(inside, 2 * arcsin(sqrt(where(inside, share, 0.5))), pi)


def _log_tail(x: TensorVariable, kappa: TensorVariable) -> TensorVariable:
    """The logarithm of the probability of more than x, which is from 0 to π."""
    stop = stop_gradient(_far_end(x, kappa))
    return log_integral(_logpdf, x, stop, _logpdf(x, kappa), kappa)


def _logcdf(x: TensorVariable, kappa: TensorVariable) -> TensorVariable:
    tail = _log_tail(minimum(one_sided(x), pi), kappa)
    return where(x < 0, tail, log1mexp(tail))


def _var(kappa: TensorVariable) -> TensorVariable:
    stop = stop_gradient(_far_end(0 * kappa, kappa))
    places = along(stop) * UNIT_INTERVAL[0].astype(kappa.dtype)
    parts = UNIT_INTERVAL[1].astype(kappa.dtype) * places**2 * exp(_logpdf(places, along(kappa)))
    return 2 * stop * parts.sum(axis=-1)


def _best_fisher(draws: Draws, kappa: TensorVariable) -> TensorVariable:
    """By D. J. Best and N. I. Fisher (Efficient simulation of the von Mises distribution,
    Applied Statistics 28, 1979), in at most 42 rounds over the array: the chance that none accepts
    is below 2**-64. The derivative is that of the inverse of the distribution function.
    """
    fixed = stop_gradient(kappa)
    root = sqrt(1 + 4 * fixed * fixed)
    rest = sqrt(2 * (1 + root))
    excess, whole = 1 + 1 / (root + 2 * fixed) + rest, 1 + root + rest
    slope, level = excess / (whole + 2 * fixed), excess * excess / (4 * whole)

    def propose(round_of: Draws) -> tuple[TensorVariable, TensorVariable]:
        """Their r is not needed: slope is (1 - rho) / (1 + rho), and level kappa (r - 1)."""
        half = slope * tan(0.5 * pi * round_of.uniform())
        square = half * half
        c = level + 2 * fixed * square / (1 + square)
        u = round_of.uniform()
        angle = 2 * arctan(half)
        fits = (c * (2 - c) > u) | (log(c / u) + 1 - c >= 0)
        return where(round_of.uniform() < 0.5, -angle, angle), fits

    angles = stop_gradient(draws.accepted(_ROUNDS, propose))
    result: TensorVariable = _moved_with(broadcast_to(kappa, draws.sizes), angles)
    return result


@custom_pullback
def _moved_with(kappa: TensorVariable, drawn: TensorVariable) -> TensorVariable:
    """Draws, as a function of how narrow their distribution is."""
    return drawn


@_moved_with.define
def _slopes(
    inputs: Sequence[TensorVariable],
    outputs: Sequence[TensorVariable],
    cotangents: Sequence[TensorVariable],
) -> list[TensorVariable | None]:
    """The integral of (cos t - A) f(t) over the tail, over f at its end."""
    kappa, drawn = inputs[0], outputs[0]
    x = abs(drawn)
    width = _far_end(x, kappa) - x
    places = along(x) + along(width) * UNIT_INTERVAL[0].astype(x.dtype)
    ratio = exp(_logpdf(places, along(kappa)) - along(_logpdf(x, kappa)))
    off = cos(places) - along(i1e(kappa) / i0e(kappa))
    slope = width * (UNIT_INTERVAL[1].astype(x.dtype) * off * ratio).sum(axis=-1)
    return [where(drawn < 0, -slope, slope) * cotangents[0], None]


_SHARED: Final[Rows] = {
    "logpdf": _logpdf,
    "mean": lambda kappa: 0 * kappa,
    "var": _var,
    "entropy": lambda kappa: (
        2 * HALF_LOG_2PI + log(i0e(kappa)) + kappa * (1 - i1e(kappa) / i0e(kappa))
    ),
    "sample": _best_fisher,
}
_LINE: Final[Rows] = {**_SHARED, "logcdf": _logcdf}
vonmises_line: Final = Continuous(
    "vonmises_line", "exp(kappa cos(x)) / (2π I0(kappa))", {"kappa": NONNEGATIVE}, (-pi, pi),
    symmetric=True, **_LINE,
)  # fmt: skip
_line: Final[Any] = vonmises_line.formulas


def _turns(x: TensorVariable) -> TensorVariable:
    return floor((x + pi) / (2 * pi))


def _around(x: TensorVariable, kappa: TensorVariable) -> TensorVariable:
    turns = _turns(x)
    return turns + exp(_line["logcdf"](x - 2 * pi * turns, kappa))


def _left(x: TensorVariable, kappa: TensorVariable) -> TensorVariable:
    turns = _turns(x)
    return exp(_line["logsf"](x - 2 * pi * turns, kappa)) - turns


_CIRCLE: Final[Rows] = {
    **_SHARED, "cdf": _around, "sf": _left, "ppf": _line["ppf"], "isf": _line["isf"],
}  # fmt: skip
vonmises: Final = Continuous(
    "vonmises", "exp(kappa cos(x)) / (2π I0(kappa)), again every 2π", {"kappa": NONNEGATIVE},
    (-inf, inf), **_CIRCLE,
)  # fmt: skip
