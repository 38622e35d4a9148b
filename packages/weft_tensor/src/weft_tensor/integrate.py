"""Integrals: `wt.integrate`, with the names of `scipy.integrate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from weft_tensor.front.keywords import take_keywords
from weft_tensor.front.unknown_name import unknown_name
from weft_tensor.ops.integrate.adaptive import quad, quad_vec
from weft_tensor.ops.integrate.at_once.even_points import QMCQuadResult, qmc_quad
from weft_tensor.ops.integrate.at_once.sums import NsumResult, nsum
from weft_tensor.ops.integrate.at_once.tanh_sinh import TanhSinhResult, tanhsinh
from weft_tensor.ops.integrate.boundary_values import BVPResult, solve_bvp
from weft_tensor.ops.integrate.cubature import CubatureRegion, CubatureResult, cubature
from weft_tensor.ops.integrate.fixed import fixed_quad, lebedev_rule
from weft_tensor.ops.integrate.nested import dblquad, nquad, tplquad
from weft_tensor.ops.integrate.odes import OdeResult, odeint, solve_ivp
from weft_tensor.ops.integrate.samples import (
    cumulative_simpson,
    cumulative_trapezoid,
    newton_cotes,
    romb,
    simpson,
)
from weft_tensor.ops.statistics.differences import trapezoid

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        raise unknown_name(__name__, name, {n: n for n in __all__}, "scipy.integrate")


__all__ = [
    "BVPResult",
    "CubatureRegion",
    "CubatureResult",
    "NsumResult",
    "OdeResult",
    "QMCQuadResult",
    "TanhSinhResult",
    "cubature",
    "cumulative_simpson",
    "cumulative_trapezoid",
    "dblquad",
    "fixed_quad",
    "lebedev_rule",
    "newton_cotes",
    "nquad",
    "nsum",
    "odeint",
    "qmc_quad",
    "quad",
    "quad_vec",
    "romb",
    "simpson",
    "solve_bvp",
    "solve_ivp",
    "tanhsinh",
    "tplquad",
    "trapezoid",
]

take_keywords(globals())
