"""Curves and tables through points: `wt.interpolate`, with the names of `scipy.interpolate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from weft_tensor.front.keywords import take_keywords
from weft_tensor.front.unknown_name import unknown_name
from weft_tensor.ops.interpolate.b_spline import BSpline
from weft_tensor.ops.interpolate.cubic import (
    Akima1DInterpolator,
    CubicHermiteSpline,
    CubicSpline,
    PchipInterpolator,
)
from weft_tensor.ops.interpolate.grid import RegularGridInterpolator, interpn
from weft_tensor.ops.interpolate.older_names import (
    interp1d,
    make_splprep,
    make_splrep,
    pchip_interpolate,
    splantider,
    splder,
    splev,
    splint,
    splprep,
    splrep,
)
from weft_tensor.ops.interpolate.pieces.bernstein import BPoly
from weft_tensor.ops.interpolate.pieces.power_basis import PPoly
from weft_tensor.ops.interpolate.polynomials import (
    BarycentricInterpolator,
    FloaterHormannInterpolator,
    KroghInterpolator,
    barycentric_interpolate,
    krogh_interpolate,
    lagrange,
    pade,
)
from weft_tensor.ops.interpolate.scattered.cubic_triangles import CloughTocher2DInterpolator
from weft_tensor.ops.interpolate.scattered.fractions import AAA
from weft_tensor.ops.interpolate.scattered.points import (
    NearestNDInterpolator,
    RBFInterpolator,
    griddata,
)
from weft_tensor.ops.interpolate.scattered.surfaces import (
    LSQBivariateSpline,
    SmoothBivariateSpline,
    bisplrep,
)
from weft_tensor.ops.interpolate.scattered.triangles import LinearNDInterpolator
from weft_tensor.ops.interpolate.smoothing import make_smoothing_spline
from weft_tensor.ops.interpolate.spline_fits import make_interp_spline, make_lsq_spline
from weft_tensor.ops.interpolate.surfaces import NdBSpline, RectBivariateSpline, bisplev
from weft_tensor.ops.interpolate.univariate import (
    InterpolatedUnivariateSpline,
    LSQUnivariateSpline,
    UnivariateSpline,
)

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        raise unknown_name(__name__, name, {n: n for n in __all__}, "scipy.interpolate")


__all__ = [
    "AAA",
    "Akima1DInterpolator",
    "BPoly",
    "BSpline",
    "BarycentricInterpolator",
    "CloughTocher2DInterpolator",
    "CubicHermiteSpline",
    "CubicSpline",
    "FloaterHormannInterpolator",
    "InterpolatedUnivariateSpline",
    "KroghInterpolator",
    "LSQBivariateSpline",
    "LSQUnivariateSpline",
    "LinearNDInterpolator",
    "NdBSpline",
    "NearestNDInterpolator",
    "PPoly",
    "PchipInterpolator",
    "RBFInterpolator",
    "RectBivariateSpline",
    "RegularGridInterpolator",
    "SmoothBivariateSpline",
    "UnivariateSpline",
    "barycentric_interpolate",
    "bisplev",
    "bisplrep",
    "griddata",
    "interp1d",
    "interpn",
    "krogh_interpolate",
    "lagrange",
    "make_interp_spline",
    "make_lsq_spline",
    "make_smoothing_spline",
    "make_splprep",
    "make_splrep",
    "pade",
    "pchip_interpolate",
    "splantider",
    "splder",
    "splev",
    "splint",
    "splprep",
    "splrep",
]

take_keywords(globals())
