"""Associated Legendre functions of whole degrees and orders, and spherical harmonics.

They are Gegenbauer's polynomials times powers of the sine (NIST Digital Library of Mathematical
Functions, 14.7.10, 18.7.9 and 14.30.1). What is defined for whole numbers alone has no slope in
them. Where degree and order are known, the polynomial is written out; else it is a row, that its
recurrence and its factor are loops.
"""

from __future__ import annotations

from math import lgamma, log, nan, pi
from typing import Any, Final

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.elementwise.arithmetic import rint, sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.elementwise.op import quaternary
from weft_tensor.ops.elementwise.power import pow
from weft_tensor.ops.elementwise.table import LOOP, floating
from weft_tensor.ops.elementwise.trigonometric import cos, sin
from weft_tensor.ops.special.composed.formula import floats
from weft_tensor.ops.special.composed.orthogonal import eval_gegenbauer
from weft_tensor.ops.special.slope_rows import doubled, slope_row
from weft_tensor.types.dtypes import promote

__all__ = ["lpmv", "sph_harm_y", "sph_legendre_p"]

_T = TensorVariable
_MOST: Final = 1_000_000
"""The largest order, and how much larger a degree may be: so many steps are made."""


def _associated(n: TensorLike, m: TensorLike, cosine: _T, sine: _T, normed: bool) -> _T:
    """P of degree n and order m, with Condon's and Shortley's sign; `normed` on the sphere."""
    degree, order = map(stop_gradient, floats((n, m)))
    if degree.is_complex or order.is_complex:
        raise TypeError(f"degrees and orders are real numbers, not {n!r} and {m!r}{called()}")
    if isinstance(n, int) and isinstance(m, int):
        return _of_numbers(n, m, cosine, sine, normed)
    return (spherical_legendre if normed else associated_legendre)(degree, order, cosine, sine)


def _of_numbers(n: int, m: int, cosine: _T, sine: _T, normed: bool) -> _T:
    """The same of numbers that are known."""
    size, sign = abs(m), -1 if m > 0 and m % 2 else 1
    if size > n:
        return 0 * cosine + (nan if m < 0 and not normed else 0)
    apart = lgamma(n - size + 1) - lgamma(n + size + 1)
    share = 0.5 * apart if normed else apart if m < 0 else 0
    factor = exp(size * log(2) + lgamma(size + 0.5) - 0.5 * log(pi) + share)  # with (2m - 1)!!
    if normed:
        factor *= sqrt((2 * n + 1) / (4 * pi))
    polynomial = eval_gegenbauer(n - size, size + 0.5, cosine)
    return sign * factor * pow(sine, size) * polynomial


def _by_steps(normed: bool, n: _T, m: _T, cosine: _T, sine: _T) -> tuple[_T, _T, _T]:
    """P and its slopes in the cosine and in the sine."""
    valid = eq(m, rint(m)) & eq(n, rint(n))
    inside = valid & (abs(m) <= n) & (n - abs(m) <= _MOST) & (abs(m) <= _MOST)
    top, size = where(inside, n, 0), where(inside, abs(m), 0)
    rest, zero = top - size, 0 * (top + size + cosine + sine)

    def grow(state: tuple[_T, ...]) -> tuple[_T, ...]:
        k, factor, slope = state
        pair = (rest + 2 * k + 1) * (rest + 2 * k + 2)
        share = 1 / sqrt(pair) if normed else where(m < 0, 1 / pair, 1)
        step, more = where(m > 0, -1, 1) * (2 * k + 1) * share, k < size
        after = step * (slope * sine + factor)
        return k + 1, where(more, step * sine * factor, factor), where(more, after, slope)

    def climb(state: tuple[_T, ...]) -> tuple[_T, ...]:
        k, (last, before), (slope, other) = state[0], state[1:3], state[3:]
        a, b = (2 * k + 2 * size + 1) / (k + 1), (k + 2 * size) / (k + 1)
        after, more = a * (cosine * slope + last) - b * other, k < rest
        value = where(more, a * cosine * last - b * before, last)
        return k + 1, value, where(more, last, before), where(more, after, slope), slope

    start = zero + (sqrt((2 * top + 1) / (4 * pi)) if normed else 1)
    _, factor, in_sine = while_loop(lambda s: (s[0] < size).any(), grow, (zero, start, zero))
    first = zero, zero + 1, zero, zero, zero
    _, value, _, in_cosine, _ = while_loop(lambda s: (s[0] < rest).any(), climb, first)
    beyond = where(valid & ~(abs(m) <= n), 0 if normed else where(m < 0, nan, 0), nan)
    return (
        where(inside, factor * value, beyond),
        where(inside, factor * in_cosine, 0 * beyond),
        where(inside, in_sine * value, 0 * beyond),
    )


_ORDERS: Final = ((0.0, 9.0), (-9.0, 9.0), (-1.0, 1.0), (-1.0, 1.0))


def _row(name: str, normed: bool, results: tuple[float, float, float]) -> Any:
    """The function of the degree, the order, the cosine and the sine."""
    at, (result, *slopes) = (3.0, 2.0, 0.6, 0.8), results
    forms = [lambda *places, k=k: _by_steps(normed, *places)[k] for k in range(3)]
    rows = [
        slope_row(f"{name}_slope{k}", name, _ORDERS, (*at, slope), forms[k], argument)
        for k, slope, argument in zip((1, 2), slopes, ("third", "fourth"), strict=True)
    ]
    return quaternary(
        name,
        None,
        "Associated Legendre functions of a degree, an order, a cosine and a sine: a row, that its "
        "steps are loops.",
        _ORDERS,
        (*at, result),
        lambda *places: (nan, nan, *[row(*places[:-1]) for row in rows]),
        summation=doubled(forms[0]),
        dtypes=floating,
        cost=LOOP,
    )


associated_legendre = _row("associated_legendre", False, (5.76, 9.6, 14.4))
spherical_legendre = _row("spherical_legendre", True, (0.392442423, 0.654070705, 0.981106057))


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
