"""Associated Legendre functions of whole degrees and orders, and spherical harmonics.

They are Gegenbauer's polynomials times powers of the sine (NIST Digital Library of Mathematical
Functions, 14.7.10, 18.7.9 and 14.30.1). What is defined for whole numbers alone has no slope in
them.
"""

from __future__ import annotations

from math import log, nan, pi

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import rint, sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.elementwise.power import pow
from weft_tensor.ops.elementwise.trigonometric import cos, sin
from weft_tensor.ops.special.composed.formula import floats
from weft_tensor.ops.special.composed.orthogonal import eval_gegenbauer
from weft_tensor.ops.special.gamma import gammaln
from weft_tensor.types.dtypes import promote

__all__ = ["lpmv", "sph_harm_y", "sph_legendre_p"]

_T = TensorVariable


def _associated(n: TensorLike, m: TensorLike, cosine: _T, sine: _T, normed: bool) -> _T:
    """P of degree n and order m, with Condon's and Shortley's sign; `normed` on the sphere."""
    degree, order = map(stop_gradient, floats((n, m)))
    if degree.is_complex or order.is_complex:
        raise TypeError(f"degrees and orders are real numbers, not {n!r} and {m!r}{called()}")
    valid = eq(order, rint(order)) & eq(degree, rint(degree))
    inside = valid & (abs(order) <= degree)
    top, size = where(inside, degree, 0), where(inside, abs(order), 0)
    rest: TensorLike = (top - size).astype("int64")
    if isinstance(n, int) and isinstance(m, int):
        rest = max(n - abs(m), 0)
    polynomial = eval_gegenbauer(rest, size + 0.5, cosine)
    apart = gammaln(top - size + 1) - gammaln(top + size + 1)
    share = 0.5 * apart if normed else where(order < 0, apart, 0)
    factor = exp(size * log(2) + gammaln(size + 0.5) - 0.5 * log(pi) + share)  # with (2m - 1)!!
    if normed:
        factor = factor * sqrt((2 * top + 1) / (4 * pi))
    sign = where((order > 0) & eq(size % 2, 1), -1, 1)
    value = sign * factor * pow(sine, size) * polynomial
    beyond = 0 if normed else where(order < 0, nan, 0)
    return where(valid, where(inside, value, beyond), nan)


def lpmv(m: TensorLike, v: TensorLike, x: TensorLike) -> _T:
    """Associated Legendre functions of order m and degree v, which are whole, for x from -1 to 1.

    Elementwise, with broadcasting; NaN for other orders, degrees and x, also where SciPy's function
    takes any real degree. See `scipy.special.lpmv`.

    >>> print(lpmv(1, 2, 0.3).eval().round(6))
    -0.858545
    """
    degree, place = floats((v, x))
    inside = abs(place) <= 1
    cosine = where(inside, place, 0)
    inner = abs(cosine) < 1
    root = where(inner, sqrt(where(inner, (1 - cosine) * (1 + cosine), 1)), 0)
    n = v if isinstance(v, int) and v >= 0 else where(degree < 0, -degree - 1, degree)
    value = where(inside, _associated(n, m, cosine, root, normed=False), nan)
    return value.astype(promote([degree.dtype, place.dtype]))


def sph_legendre_p(n: TensorLike, m: TensorLike, theta: TensorLike) -> _T:
    """The spherical harmonic of degree n and order m at the polar angle theta, with phi = 0.

    Elementwise, with broadcasting; 0 where m is beyond n, NaN for n and m that are not whole. See
    `scipy.special.sph_legendre_p`.

    >>> print(sph_legendre_p(2, 1, 0.3).eval().round(6))
    -0.218107
    """
    degree, order, angle = floats((n, m, theta))
    sine = sin(angle)
    value = _associated(n, m, cos(angle), where(sine < 0, -sine, sine), normed=True)
    return value.astype(promote([degree.dtype, order.dtype, angle.dtype]))


def sph_harm_y(n: TensorLike, m: TensorLike, theta: TensorLike, phi: TensorLike) -> _T:
    """Spherical harmonics of degree n and order m, with the polar angle theta: complex.

    Elementwise, with broadcasting; 0 where m is beyond n, NaN for n and m that are not whole. See
    `scipy.special.sph_harm_y`.

    >>> print(sph_harm_y(2, 1, 0.3, 0.4).eval().round(6))
    (-0.20089-0.084935j)
    """
    order, angle = floats((m, phi))
    order = stop_gradient(order)
    size = sph_legendre_p(n, m, theta)
    return size * cos(order * angle) + 1j * (size * sin(order * angle))
