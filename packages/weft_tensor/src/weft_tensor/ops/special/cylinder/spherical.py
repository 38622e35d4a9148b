"""Spherical Bessel functions: those of half orders, and power series near 0.

NIST Digital Library of Mathematical Functions, 10.47.3 to 10.47.9, 10.47.15, 10.47.16, 10.51.2 and
10.53.1.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from math import inf, nan, pi
from typing import Any, Final

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import rint, sqrt
from weft_tensor.ops.elementwise.comparison import eq, isfinite, neq, where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.elementwise.power import pow
from weft_tensor.ops.special.bessel import iv, ive, jv, kv, kve
from weft_tensor.ops.special.composed.formula import Formula, documented, ordered
from weft_tensor.ops.special.confluent.limit import hyp0f1_series
from weft_tensor.ops.special.cylinder.second_kind import yv
from weft_tensor.ops.special.gamma import poch
from weft_tensor.types.dtypes import promote

__all__ = ["spherical_in", "spherical_jn", "spherical_kn", "spherical_yn"]

_T = TensorVariable
_NEAR: Final = 2.0
_CLOSE: Final = 0.5
_TERMS: Final = 9
"""So many are enough below it."""


def _of_first_kind(n: _T, z: _T, far: Callable[[_T, _T], _T], sign: int) -> _T:
    x = abs(z)
    near, beyond = x < _NEAR, (x >= _NEAR) & (x < inf)
    small, large = where(near, z, 1), where(beyond, x, _NEAR)
    first = pow(0.5 * small, n) / poch(0 * n + 1.5, n)
    by_series = first * hyp0f1_series(n + 1.5, 0.25 * sign * small * small)
    value = where(beyond, sqrt(0.5 * pi / large) * far(n + 0.5, large), nan)
    return where(near, by_series, where(z < 0, _parity(n) * value, value))


def _parity(n: _T) -> Any:
    return 1 - 2 * (n % 2)


def _jn(n: _T, z: _T) -> _T:
    return where(eq(abs(z), inf), 0, _of_first_kind(n, z, jv, -1))


def _in(n: _T, z: _T) -> _T:
    def far(v: _T, x: _T) -> _T:
        return ive(v, x) * exp(0.5 * x) * exp(0.5 * x)

    end = where(z < 0, _parity(n) * inf, inf)
    return where(eq(abs(z), inf), end, _of_first_kind(n, z, far, 1))


def _usable(z: _T) -> tuple[_T, _T]:
    """Whether |z| is a number above 0, and that or 1."""
    x = abs(z)
    usable = (x > 0) & (x < inf)
    return usable, where(usable, x, 1)


def _yn(n: _T, z: _T) -> _T:
    usable, x = _usable(z)
    value = where(usable, sqrt(0.5 * pi / x) * yv(n + 0.5, x), nan)
    value = where(eq(abs(z), inf), 0, where(eq(z, 0), -inf, value))
    return where(z < 0, -_parity(n) * value, value)


def _kn(n: _T, z: _T) -> _T:
    usable, x = _usable(z)
    value = where(usable, sqrt(0.5 * pi / x) * kve(n + 0.5, x) * exp(-x), nan)
    value = where(eq(z, inf), 0, where(eq(z, 0), inf, value))
    below = z < 0
    turned = -_parity(n) * where(eq(z, -inf), 0, value) - pi * _in(n, where(below, -z, 1))
    return where(below, turned, value)


def _to_the_right(z: _T) -> tuple[_T, _T]:
    """Whether z is left of the imaginary axis, and it, or -z; 1 for 0 and what is infinite."""
    left = z.real < 0
    usable = neq(z, 0) & isfinite(z)
    return left, where(usable, where(left, -z, z), 1)


def _half(function: Callable[..., _T], n: _T, z: _T) -> _T:
    return sqrt(0.5 * pi / z) * function(stop_gradient(n + 0.5), z)


def _at_ends(z: _T, on_line: Any, at_0: Any, beside: Any, value: _T) -> _T:
    """At infinite and at no real parts as SciPy has it."""
    end = where(eq(z.imag, 0), on_line, beside)
    return where(eq(abs(z.real), inf), end, where(eq(z, 0), at_0, value))


def _complex_first(n: _T, z: _T, function: Callable[..., _T], sign: int) -> _T:
    """Near 0 by the power series, whose slopes do not cancel."""
    left, w = _to_the_right(z)
    value = _half(function, n, w)
    near = abs(z) < _CLOSE
    small, none = where(near, z, 1), eq(n, 0)
    power = where(none, 1, pow(where(none, 1, 0.5 * small), n)) / poch(0 * n + 1.5, n)
    series: Any = 1.0
    for k in range(_TERMS, 0, -1):
        series = 1 + 0.5 * sign * small * small / (k * (2 * n + (2 * k + 1))) * series
    return where(near, power * series, where(left, _parity(n) * value, value))


def _complex_jn(n: _T, z: _T) -> _T:
    value = _complex_first(n, z, jv, -1)
    return _at_ends(z, 0, value, inf * (1 + 1j), value)


def _complex_in(n: _T, z: _T) -> _T:
    value = _complex_first(n, z, iv, 1)
    return _at_ends(z, where(z.real < 0, _parity(n) * inf, inf), value, nan, value)


def _complex_yn(n: _T, z: _T) -> _T:
    left, w = _to_the_right(z)
    value = _half(yv, n, w)
    return _at_ends(z, 0, nan, inf * (1 + 1j), where(left, -_parity(n) * value, value))


def _complex_kn(n: _T, z: _T) -> _T:
    left, w = _to_the_right(z)
    value = _half(kv, n, w)
    turned = -_parity(n) * value - pi * _complex_first(n, where(left, w, 1), iv, 1)
    return _at_ends(z, where(z.real < 0, -inf, 0), nan, nan, where(left, turned, value))


def _spherical(
    name: str,
    summary: str,
    example: tuple[float, ...],
    forms: tuple[Callable[[_T, _T], _T], Callable[[_T, _T], _T]],
    signs: tuple[int, int],
) -> Formula:
    """The function of real and of complex numbers, by a form each.

    `signs` are those of the next lower and higher one in its derivative.
    """

    def call(n: TensorLike, z: TensorLike, derivative: bool = False) -> TensorVariable:
        order, x = ordered((n, z))
        if order.is_complex:
            raise TypeError(f"{name}: the order is a real number, not {n!r}{called()}")
        form = forms[x.is_complex]
        valid = (order >= 0) & eq(order, rint(order))
        degree = where(valid, order, 0)
        if derivative:
            low, high = signs
            is_0 = eq(degree, 0)
            down = where(is_0, 1, degree)
            lower, higher = form(down - 1, x), form(degree + 1, x)
            apart = low * down * lower + high * (down + 1) * higher
            value = where(is_0, high * higher, apart / (2 * down + 1))
        else:
            value = form(degree, x)
        result: TensorVariable = where(valid, value, nan).astype(promote([order.dtype, x.dtype]))
        return result

    return documented(
        call, name, f"{summary} of order n, or its derivative.", example, signature(call)
    )


# fmt: off
spherical_jn = _spherical(
    "spherical_jn", "The spherical Bessel function of the first kind", (1, 2.0, 0.435398),
    (_jn, _complex_jn), (1, -1),
)
spherical_yn = _spherical(
    "spherical_yn", "The spherical Bessel function of the second kind", (1, 2.0, -0.350612),
    (_yn, _complex_yn), (1, -1),
)
spherical_in = _spherical(
    "spherical_in", "The modified spherical Bessel function of the first kind",
    (1, 2.0, 0.974383), (_in, _complex_in), (1, 1),
)
spherical_kn = _spherical(
    "spherical_kn", "The modified spherical Bessel function of the second kind",
    (1, 2.0, 0.159438), (_kn, _complex_kn), (-1, -1),
)
# fmt: on
