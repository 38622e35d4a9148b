"""Curves and tables through points: `wt.interpolate`, with the names of `scipy.interpolate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from weft_tensor.front.unknown_name import unknown_name
from weft_tensor.ops.interpolate.b_spline import BSpline
from weft_tensor.ops.interpolate.cubic import (
    Akima1DInterpolator,
    CubicHermiteSpline,
    CubicSpline,
    PchipInterpolator,
)
from weft_tensor.ops.interpolate.grid import RegularGridInterpolator, interpn
from weft_tensor.ops.interpolate.piecewise import PPoly
from weft_tensor.ops.interpolate.spline_fits import make_interp_spline, make_lsq_spline

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        raise unknown_name(__name__, name, {n: n for n in __all__}, "scipy.interpolate")


__all__ = [
    "Akima1DInterpolator",
    "BSpline",
    "CubicHermiteSpline",
    "CubicSpline",
    "PPoly",
    "PchipInterpolator",
    "RegularGridInterpolator",
    "interpn",
    "make_interp_spline",
    "make_lsq_spline",
]
