"""The inverse normal distribution, which is Wald's."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, pi
from typing import Final

from weft_graph import custom_pullback, stop_gradient
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.distributions.constraints import POSITIVE
from weft_tensor.ops.distributions.continuous import Continuous
from weft_tensor.ops.distributions.distribution import Rows
from weft_tensor.ops.distributions.ratios import HALF_LOG_2PI, log_of, one_sided
from weft_tensor.ops.elementwise.arithmetic import maximum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, log1p
from weft_tensor.ops.elementwise.exponential import log as logarithm
from weft_tensor.ops.elementwise.rational import polynomial
from weft_tensor.ops.elementwise.special import erfcx
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.special.quadrature import HALF_LINE, along

__all__ = ["invgauss", "recipinvgauss", "wald"]

_ROOT: Final = 0.5**0.5
_CLOSE: Final = 1e-5
_FAR: Final = 30.0
_SLOPES: Final = (1.0, -3.0, 15.0, -105.0, 945.0)
"""Of the asymptotic series of the slope of erfcx."""


def _parts(x: TensorVariable, mu: TensorVariable | float) -> tuple[TensorVariable, TensorVariable]:
    root = sqrt(x)
    return (x / mu - 1) / root, (x / mu + 1) / root


def _logpdf(x: TensorVariable, mu: TensorVariable | float = 1.0) -> TensorVariable:
    off, _ = _parts(x, mu)
    return -0.5 * (off * off) - HALF_LOG_2PI - 1.5 * logarithm(x)


def _logcdf(x: TensorVariable, mu: TensorVariable | float = 1.0) -> TensorVariable:
    off, sum_ = _parts(x, mu)
    low = one_sided(off) * _ROOT
    both = 0.5 * (erfcx(low) + erfcx(sum_ * _ROOT))
    below = log_of(both) - 0.5 * off * off
    above = log1p(-0.5 * _fall(low, 2 * _ROOT / sqrt(x)) * exp(-0.5 * off * off))
    return where(off < 0, below, above)


def _fall(start: TensorVariable, step: TensorVariable) -> TensorVariable:
    """erfcx(start) - erfcx(start + step); by the slope in the middle where steps are small."""
    small = step < _CLOSE * maximum(start, 1.0)
    middle = where(small, start + 0.5 * step, 1.0)
    far = middle > _FAR
    near, square = where(far, 1.0, middle), 0.5 / where(far, middle, _FAR) ** 2
    slope = where(
        far, 2 * square * polynomial(_SLOPES, square), 2 - 2 * pi**0.5 * near * erfcx(near)
    )
    apart = erfcx(start) - erfcx(start + where(small, 1.0, step))
    return where(small, step * slope / pi**0.5, apart)


def _logsf(x: TensorVariable, mu: TensorVariable | float = 1.0) -> TensorVariable:
    off, sum_ = _parts(x, mu)
    high = one_sided(off) * _ROOT
    rest = 0.5 * erfcx(sum_ * _ROOT)
    above = log_of(0.5 * _fall(high, 2 * _ROOT / sqrt(x))) - 0.5 * off * off
    below = log1p(-(0.5 * erfcx(high) + rest) * exp(-0.5 * off * off))
    return where(off < 0, below, above)


def _entropy(mu: TensorVariable | float = 1.0) -> TensorVariable:
    return 0.5 + HALF_LOG_2PI + 1.5 * _log_mean(mu)


def _log_mean(mu: TensorVariable | float) -> TensorVariable:
    """E log x, which is log(mu) less the integral of exp(-t) / (2 / mu + t)."""
    size = as_tensor(mu)
    places, weights = (v.astype(size.dtype) for v in HALF_LINE)
    rest = (weights * exp(-places) / (along(2 / size) + places)).sum(axis=-1)
    return logarithm(size) - rest


@custom_pullback
def _moved_with(mu: TensorVariable, draws: TensorVariable) -> TensorVariable:
    """Draws, as a function of their mean."""
    return draws


@_moved_with.define
def _slopes(
    inputs: Sequence[TensorVariable],
    outputs: Sequence[TensorVariable],
    cotangents: Sequence[TensorVariable],
) -> list[TensorVariable | None]:
    """That of the inverse of the distribution function: of its parts, Φ(-sum) / φ(sum) is left."""
    mu, x = inputs[0], outputs[0]
    _, sum_ = _parts(x, mu)
    tail = (0.5 * pi) ** 0.5 * erfcx(sum_ * _ROOT)
    return [2 * (x / mu) * sqrt(x) / mu * tail * cotangents[0], None]


def _sample(draws: Draws, mu: TensorLike = 1.0) -> TensorVariable:
    """The roots of the square of a normal number, of which one is chosen.

    By J. R. Michael, W. R. Schucany and R. W. Haas, Generating random variates using
    transformations with multiple roots, Am. Stat. 30, 1976.
    """
    mean = as_tensor(mu).astype(draws.kind)
    center = stop_gradient(mean)
    w = 0.5 * center * draws.normal() ** 2
    root = 1 + w + sqrt(w) * sqrt(w + 2)
    sample = where(draws.uniform() * (1 + root) <= root, center / root, center * root)
    result: TensorVariable = _moved_with(broadcast_to(mean, draws.sizes), stop_gradient(sample))
    return result


_ROWS: Final[Rows] = {
    "logpdf": _logpdf,
    "logcdf": _logcdf,
    "logsf": _logsf,
    "mean": lambda mu=1.0: mu,
    "var": lambda mu=1.0: mu**3,
    "entropy": _entropy,
    "sample": _sample,
}
invgauss: Final = Continuous(
    "invgauss", "exp(-(x - mu)²/(2 x mu²)) / sqrt(2π x³)", {"mu": POSITIVE}, (0.0, inf),
    open_ends=True, **_ROWS,
)  # fmt: skip
wald: Final = Continuous(
    "wald", "exp(-(x - 1)²/(2 x)) / sqrt(2π x³)", {}, (0.0, inf),
    open_ends=True, **_ROWS,
)  # fmt: skip
recipinvgauss: Final = Continuous(
    "recipinvgauss", "exp(-(1 - mu x)²/(2 x mu²)) / sqrt(2π x)", {"mu": POSITIVE}, (0.0, inf),
    open_ends=True,
    logpdf=lambda x, mu: _logpdf(1 / x, mu) - 2 * logarithm(x),
    logcdf=lambda x, mu: _logsf(1 / x, mu), logsf=lambda x, mu: _logcdf(1 / x, mu),
    mean=lambda mu: 1 + 1 / mu, var=lambda mu: 2 + 1 / mu,
    entropy=lambda mu: 0.5 + HALF_LOG_2PI - 0.5 * _log_mean(mu),
    sample=lambda draws, mu: 1 / _sample(draws, mu),
)  # fmt: skip
