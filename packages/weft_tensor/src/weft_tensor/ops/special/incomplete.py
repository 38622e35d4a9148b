"""The incomplete gamma and beta functions, regularised, and their inverses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import e, nan
from typing import Any, Final

import numpy as np

from weft_tensor.build.lazy_import import in_double, lazy_import
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.elementwise.op import binary, ternary
from weft_tensor.ops.elementwise.table import LOOP, POSITIVE, Interval, floating
from weft_tensor.ops.special.entropies import xlog1py, xlogy
from weft_tensor.ops.special.gamma import betaln
from weft_tensor.ops.special.incomplete_logs import gammainc_density
from weft_tensor.ops.special.incomplete_slopes import (
    betainc_slope_sum,
    gammainc_slope_sum,
)
from weft_tensor.ops.special.slope_rows import doubled, slope_row

__all__ = [
    "beta_slope",
    "betainc",
    "betaincc",
    "betainccinv",
    "betaincinv",
    "gammainc",
    "gammainc_slope",
    "gammaincc",
    "gammainccinv",
    "gammaincinv",
]

Slopes = Callable[..., Sequence[Any]]
_SHARE: Final[Interval] = (0.1, 0.9)
_TINY: Final = 1e-307


gammainc_slope = slope_row(
    "gammainc_slope", "gammainc", (POSITIVE, POSITIVE), (1.5, 2.0, -0.277433564), gammainc_slope_sum
)
beta_slope = slope_row(
    "betainc_slope",
    "betainc",
    (POSITIVE, POSITIVE, _SHARE, _SHARE),
    (2.0, 3.0, 0.5, 0.5, -0.195288687),
    betainc_slope_sum,
)


def _gamma_slopes(a: TensorVariable, x: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    """Those of gammainc, in both arguments."""
    return gammainc_slope(a, x), gammainc_density(a, x)


@doubled
def _slope_in_a(a: TensorVariable, b: TensorVariable, x: TensorVariable) -> TensorVariable:
    return beta_slope(a, b, x, 1 - x)


@doubled
def _slope_in_b(a: TensorVariable, b: TensorVariable, x: TensorVariable) -> TensorVariable:
    """Of a tiny x, 1 - x has not the digits."""
    return -beta_slope(b, a, 1 - x, x)


def _beta_slopes(
    a: TensorVariable, b: TensorVariable, x: TensorVariable
) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
    """Those of betainc, in all arguments."""
    density = exp(xlogy(a - 1, x) + xlog1py(b - 1, -x) - betaln(a, b))
    return _slope_in_a(a, b, x), _slope_in_b(a, b, x), density


def _forward(slopes: Slopes, sign: int) -> Slopes:
    """The derivatives of the function, or of what it lacks of 1."""

    def derivative(*inputs: TensorVariable) -> list[Any]:
        *arguments, out = inputs
        return [sign * s for s in slopes(*[v.astype(out.dtype) for v in arguments])]

    return derivative


def _inverse(slopes: Slopes, sign: int) -> Slopes:
    """The derivatives of the inverse, as those of an implicit function."""

    def derivative(*inputs: TensorVariable) -> list[Any]:
        *parameters, _, out = inputs
        *others, density = slopes(*[v.astype(out.dtype) for v in parameters], out)
        return [*[-s / density for s in others], sign / density]

    return derivative


def _gamma_inverse(name: str, a: Any, y: Any) -> Any:
    """SciPy's, which has numbers for some shares and shapes that have none."""
    fine = (a >= 0) & (y >= 0) & (y <= 1) & ((a > 0) | (y == 0) | (y == 1))
    return lazy_import(f"scipy.special.{name}")(np.where(fine, abs(a), np.full_like(a, nan)), y)


def _beta_inverse(a: Any, b: Any, y: Any) -> Any:
    """SciPy's; its power series' first term where SciPy has NaN for tiny shares, or underflows."""
    x = in_double("scipy.special.betaincinv", a, b, y)
    rare = ~(x >= _TINY)
    if np.any(rare):
        with np.errstate(all="ignore"):
            logs = np.log(a) + np.log(y) + in_double("scipy.special.betaln", a, b)
            first = np.exp(logs / a)
            alone = (first * b < 1e-16) & (b > 0) & (y <= 1)
        x = np.where(rare & alone, first, x)
    return x


def _beta_inverse_above(a: Any, b: Any, y: Any) -> Any:
    """The same, of what a share lacks of 1."""
    x = in_double("scipy.special.betainccinv", a, b, y)
    if np.any(~(x >= _TINY)):
        x = np.where(x < _TINY, _beta_inverse(a, b, 1 - y), x)
        x = np.where(np.isnan(x), 1 - _beta_inverse(b, a, y), x)
    return x


# fmt: off
gammainc = binary(
    "gammainc", "scipy.special.gammainc", "Incomplete gamma function, from 0 to x, regularised.",
    (POSITIVE, POSITIVE), (1.0, 1.0, 1 - 1 / e), _forward(_gamma_slopes, 1),
    dtypes=floating, cost=LOOP,
)
gammaincc = binary(
    "gammaincc", "scipy.special.gammaincc",
    "Incomplete gamma function, from x to infinity, regularised.",
    (POSITIVE, POSITIVE), (1.0, 1.0, 1 / e), _forward(_gamma_slopes, -1),
    dtypes=floating, cost=LOOP,
)
gammaincinv = binary(
    "gammaincinv", partial(_gamma_inverse, "gammaincinv"),
    "Inverse of `gammainc` in its second argument.",
    (POSITIVE, _SHARE), (1.0, 1 - 1 / e, 1.0), _inverse(_gamma_slopes, 1),
    dtypes=floating, cost=LOOP,
)
gammainccinv = binary(
    "gammainccinv", partial(_gamma_inverse, "gammainccinv"),
    "Inverse of `gammaincc` in its second argument.",
    (POSITIVE, _SHARE), (1.0, 1 / e, 1.0), _inverse(_gamma_slopes, -1),
    dtypes=floating, cost=LOOP,
)
betainc = ternary(
    "betainc", partial(in_double, "scipy.special.betainc"),
    "Incomplete beta function, from 0 to x, regularised.",
    (POSITIVE, POSITIVE, _SHARE), (2.0, 1.0, 0.5, 0.25), _forward(_beta_slopes, 1),
    dtypes=floating, cost=LOOP,
)
betaincc = ternary(
    "betaincc", partial(in_double, "scipy.special.betaincc"),
    "Incomplete beta function, from x to 1, regularised.",
    (POSITIVE, POSITIVE, _SHARE), (2.0, 1.0, 0.5, 0.75), _forward(_beta_slopes, -1),
    dtypes=floating, cost=LOOP,
)
betaincinv = ternary(
    "betaincinv", _beta_inverse,
    "Inverse of `betainc` in its last argument.",
    (POSITIVE, POSITIVE, _SHARE), (2.0, 1.0, 0.25, 0.5), _inverse(_beta_slopes, 1),
    dtypes=floating, cost=LOOP,
)
betainccinv = ternary(
    "betainccinv", _beta_inverse_above,
    "Inverse of `betaincc` in its last argument.",
    (POSITIVE, POSITIVE, _SHARE), (2.0, 1.0, 0.75, 0.5), _inverse(_beta_slopes, -1),
    dtypes=floating, cost=LOOP,
)
