"""Halphen's distribution, the generalised inverse Gaussian: logarithms of K and of both tails.

With x = exp(u), all are integrals of exp(p u - b (cosh(u) - 1)), which falls from its top to both
sides faster than an exponential: so by Gauss' rule, from a place on to where nothing is left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, nan
from typing import Any, Final

from weft_graph import replace
from weft_graph.extend import sweep_forward
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, log, log1mexp, log1p, logaddexp
from weft_tensor.ops.elementwise.op import Binary, Ternary, binary, ternary
from weft_tensor.ops.elementwise.table import ANY, LOOP, POSITIVE, floating
from weft_tensor.ops.elementwise.trigonometric import arcsinh, cosh, sinh
from weft_tensor.ops.special.quadrature import UNIT_INTERVAL, along
from weft_tensor.ops.special.slope_rows import doubled, slope_row
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    "halphen_height",
    "halphen_reach",
    "log_geninvgauss_cdf",
    "log_geninvgauss_sf",
    "log_kv_integral",
]

_T = TensorVariable
_DROP: Final = 40.0
"""The logarithm of how small the integrand is where it is cut off."""
_MOST: Final = 1e20
"""Of a larger p, the place of the top is not resolved."""


def halphen_height(u: _T, p: _T, b: _T) -> _T:
    """The logarithm of the integrand."""
    return p * u - 2 * b * sinh(0.5 * u) ** 2


def halphen_reach(u: _T, p: _T, b: _T) -> _T:
    """From the top or a place above it, a distance after which nothing is left.

    Each of three parts alone, which all fall, is as small there.
    """
    fall = maximum(b * sinh(u) - p, 0.0)
    steady = _DROP / where(fall > 0, fall, 1e-300)
    below = p < 0
    power = where(below, u, 0.0)
    rise = 2 * sinh(0.5 * power) ** 2 + _DROP / where(below, b, b * cosh(u))
    curved = log1p(rise + sqrt(rise) * sqrt(rise + 2)) - power  # arccosh(1 + rise)
    return minimum(steady, where(curved > 1e-3 * abs(power), curved, inf))


def _beyond(u: _T, p: _T, b: _T, width: _T) -> _T:
    """The logarithm of the integral over that width from a place above the top on."""
    places, weights = UNIT_INTERVAL
    s = along(width) * places
    fall = along(p) * s - 2 * along(b) * sinh(along(u) + 0.5 * s) * sinh(0.5 * s)
    return halphen_height(u, p, b) + log(width * (weights * exp(fall)).sum(axis=-1))


def _whole(p: _T, b: _T, path_p: _T, path_b: _T) -> _T:
    top = arcsinh(path_p / path_b)
    above = _beyond(top, p, b, halphen_reach(top, path_p, path_b))
    return logaddexp(above, _beyond(-top, -p, b, halphen_reach(-top, -path_p, path_b)))


def _side(sign: int) -> Callable[..., Any]:
    """Below (-1) or above (1) a place, by the side of the top on which that is."""

    def compute(x: _T, p: _T, b: _T, path_p: _T, path_b: _T) -> _T:
        u = log(x)
        above = u > arcsinh(path_p / path_b)
        start, turned = where(above, u, -u), where(above, path_p, -path_p)
        width = halphen_reach(start, turned, path_b)
        outer = _beyond(start, where(above, p, -p), b, width) - _whole(p, b, path_p, path_b)
        here = above if sign > 0 else ~above
        return where(here, outer, log1mexp(where(here, -1.0, minimum(outer, -1e-300))))

    return compute


def _value(form: Callable[..., Any]) -> Callable[..., Any]:
    """Of the function itself, whose path is that of its parameters."""

    def compute(*inputs: _T) -> _T:
        *x, p, b = inputs
        valid = (b > 0) & (b < inf) & (abs(p) < _MOST)
        for v in x:
            valid = valid & (v > 0) & (v < inf)
        *x, p, b = [where(valid, v, 1.0) for v in inputs]
        return where(valid, form(*x, p, b, p, b), nan)

    return compute


def _slope(form: Callable[..., Any], place: int) -> Callable[..., Any]:
    """That in a parameter, in which the path stays."""

    def compute(*inputs: _T) -> _T:
        path = [TensorType("float64", v.type.shape)() for v in inputs[-2:]]
        v = inputs[place]
        moved: Any = sweep_forward([form(*inputs, *path)], {v: 0 * v + 1})
        slope: Any = replace(moved, dict(zip(path, inputs[-2:], strict=True)))
        p, b = inputs[-2:]
        return where((b > 0) & (abs(p) < _MOST), slope[0], nan)

    return compute


_K_SLOPES: Final = [
    slope_row(
        f"log_kv_integral_by_{name}", "log_kv_integral", (ANY, POSITIVE), (0.5, 1.0, result),
        _slope(_whole, place), which,
    )
    for place, name, which, result in (
        (0, "p", "first", 0.361328617), (1, "b", "second", -0.5),
    )
]  # fmt: skip
log_kv_integral: Binary = binary(
    "log_kv_integral", None, "log(2 kve(p, b)), also where kve overflows.", (ANY, POSITIVE),
    (0.5, 1.0, 0.918938533), lambda p, b, r: [slope(p, b) for slope in _K_SLOPES],
    summation=doubled(_value(_whole)), dtypes=floating, cost=LOOP,
)  # fmt: skip


def _tail(name: str, summary: str, sign: int, result: float, slopes: Sequence[float]) -> Ternary:
    domain, at = (POSITIVE, ANY, POSITIVE), (1.5, 0.5, 1.0)
    form = _side(sign)
    rows = [
        slope_row(f"{name}_by_{n}", name, domain, (*at, slopes[k]), _slope(form, k), which)
        for k, (n, which) in enumerate((("x", "first"), ("p", "second"), ("b", "third")))
    ]
    return ternary(
        name, None, summary, domain, (*at, result),
        lambda x, p, b, r: [slope(x, p, b) for slope in rows], summation=doubled(_value(form)),
        dtypes=floating, cost=LOOP,
    )  # fmt: skip


log_geninvgauss_cdf: Ternary = _tail(
    "log_geninvgauss_cdf", "The logarithm of Halphen's distribution function of x, p and b.", -1,
    -0.680940766, (0.592109524, -0.672898907, 0.286301129),
)  # fmt: skip
log_geninvgauss_sf: Ternary = _tail(
    "log_geninvgauss_sf", "The logarithm of what that lacks of 1.", 1,
    -0.705504435, (-0.60683401, 0.689632451, -0.29342082),
)  # fmt: skip
