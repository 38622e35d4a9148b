"""Functions of complex numbers of which SciPy's call has several results: a row for each result.

Airy's, Fresnel's, and the integrals of sines and cosines. Those that are scaled by an exponential
of a real part have slopes, but no complex derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import pi
from typing import Any, Final

from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.ops.elementwise.arithmetic import sign, sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.op import Unary, unary
from weft_tensor.ops.elementwise.table import analytic
from weft_tensor.ops.elementwise.trigonometric import cos, cosh, sin, sinh
from weft_tensor.ops.special.slope_rows import slopes_beside_scale

__all__ = ["PARTS"]

PARTS: Final = {
    "complex_airy_ai": ("airy", 0),
    "complex_airy_aip": ("airy", 1),
    "complex_airy_bi": ("airy", 2),
    "complex_airy_bip": ("airy", 3),
    "complex_airye_ai": ("airye", 0),
    "complex_airye_aip": ("airye", 1),
    "complex_airye_bi": ("airye", 2),
    "complex_airye_bip": ("airye", 3),
    "complex_fresnel_sine": ("fresnel", 0),
    "complex_fresnel_cosine": ("fresnel", 1),
    "complex_sine_integral": ("sici", 0),
    "complex_cosine_integral": ("sici", 1),
    "complex_sinh_integral": ("shichi", 0),
    "complex_cosh_integral": ("shichi", 1),
}
"""Of rows, SciPy's function, and which of its results they are."""


def _part(function: str, k: int, z: Any) -> Any:
    """SciPy's, where -0 is 0: with an imaginary part of -0 its Airy functions are others."""
    return lazy_import(f"scipy.special.{function}")(z + 0)[k]


def _row(name: str, result: complex, slope: Callable[..., Any] | None, **fields: Any) -> Unary:
    function, k = PARTS[f"complex_{name}"]
    return unary(
        f"complex_{name}",
        partial(_part, function, k),
        f"`{name}` of a complex number.",
        (0.5, 3.0),
        (1.0, result),
        slope and (lambda z, r: (slope(z, r),)),
        dtypes=analytic,
        **fields,
    )


def _over(top: Any, at_0: int, z: Any) -> Any:
    zero = eq(z, 0)
    return where(zero, at_0, top / where(zero, 1, z))


def _turned(square: Any) -> Any:
    return pi / 2 * square


# fmt: off
complex_airy_ai: Unary = _row("airy_ai", 0.135292416 + 0j, lambda z, r: complex_airy_aip(z))
complex_airy_aip: Unary = _row("airy_aip", -0.159147441 + 0j, lambda z, r: z * complex_airy_ai(z))
complex_airy_bi: Unary = _row("airy_bi", 1.207423595 + 0j, lambda z, r: complex_airy_bip(z))
complex_airy_bip: Unary = _row("airy_bip", 0.932435933 + 0j, lambda z, r: z * complex_airy_bi(z))
complex_airye_ai: Unary = _row(
    "airye_ai", 0.263513645 + 0j, lambda z, r: complex_airye_aip(z) + sqrt(z) * r,
)
complex_airye_aip: Unary = _row(
    "airye_aip", -0.309976971 + 0j, lambda z, r: z * complex_airye_ai(z) + sqrt(z) * r,
)
_row("fresnel_sine", 0.438259147 + 0j, lambda z, r: sin(_turned(z * z)))
_row("fresnel_cosine", 0.779893400 + 0j, lambda z, r: cos(_turned(z * z)))
_row("sine_integral", 0.946083070 + 0j, lambda z, r: _over(sin(z), 1, z))
_row("cosine_integral", 0.337403923 + 0j, lambda z, r: cos(z) / z)
_row("sinh_integral", 1.057250875 + 0j, lambda z, r: _over(sinh(z), 1, z))
_row("cosh_integral", 0.837866941 + 0j, lambda z, r: cosh(z) / z)
# fmt: on


def _of_scale(z: Any) -> Any:
    """The slope of the logarithm of exp(-abs(real(2/3 z^(3/2)))), of which a real part counts."""
    root = sqrt(z)
    return -sign((z * root).real) * root


_BI_SLOPES: Final = slopes_beside_scale(lambda z: complex_airye_bip(z), _of_scale)
_BIP_SLOPES: Final = slopes_beside_scale(lambda z: z * complex_airye_bi(z), _of_scale)
complex_airye_bi: Unary = _row("airye_bi", 0.619911940 + 0j, None, **_BI_SLOPES)
complex_airye_bip: Unary = _row("airye_bip", 0.478728601 + 0j, None, **_BIP_SLOPES)
