"""Kelvin's functions: modified Bessel functions of complex numbers on the diagonal.

NIST Digital Library of Mathematical Functions, 10.61.1, 10.61.2 and, by 10.27.6, with I for J.
Right are the complex numbers: what is a small part of one is right to 1e-12 of the whole; those
of the second kind have both parts right where x is below 1, by series.
"""

from __future__ import annotations

from math import factorial, inf, nan, pi
from math import log as log_of
from typing import Any, Final

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import minimum
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.elementwise.rational import polynomial
from weft_tensor.ops.special.bessel import iv, ive, kv
from weft_tensor.ops.special.composed.formula import formula

__all__ = ["bei", "beip", "ber", "berp", "kei", "keip", "kelvin", "ker", "kerp"]

_T = TensorVariable
_TURN: Final = (0.5**0.5) * (1 + 1j)
_VANISHING: Final = 1100.0
_FAR: Final = 900.0
"""Beyond it, the exponential in these functions is too large for a number before they are."""

_Pairs = tuple[tuple[float, float], ...]


def _pair(n: int) -> tuple[float, float]:
    """1 / n!², with the sign that n has, and this times digamma(n + 1)."""
    size = (-1) ** (n // 2) / float(factorial(n)) ** 2
    return size, size * (sum(1 / k for k in range(1, n + 1)) - float(np.euler_gamma))


def _times(n: int) -> tuple[float, float]:
    size, other = _pair(n)
    return n * size, n * other


_EVEN: Final[_Pairs] = tuple([_pair(2 * k) for k in range(7)])
_ODD: Final[_Pairs] = tuple([_pair(2 * k + 1) for k in range(7)])
_EVEN_SLOPES: Final[_Pairs] = tuple([_times(2 * k) for k in range(1, 8)])
_ODD_SLOPES: Final[_Pairs] = tuple([_times(2 * k + 1) for k in range(7)])


def _first(x: _T, order: int) -> Any:
    """ber x + i bei x, or its derivative."""
    _check(x)
    size = where(x < 0, -x, x)  # whose slope at 0 is not that of abs
    far = size > _FAR
    at = where(far, size, 1)
    near, beyond = iv(order, where(far, 1, size) * _TURN), ive(order, at * _TURN)
    if order:
        sign = _TURN * where(x < 0, -1.0, 1.0)
        near, beyond = near * sign, beyond * sign
    root = exp(minimum(0.5**1.5 * at, 700.0))  # whose square may be too large for a number
    return where(far, root * beyond * root, near)


def _second(x: _T, order: int) -> Any:
    """ker x + i kei x, or its derivative; NaN for negative x, as SciPy's."""
    _check(x)
    near, vanishes = (x > 0) & (x < 1), x > _VANISHING
    value = kv(order, where(x < 0, nan, where(near | vanishes | eq(x, 0), 1, x)) * _TURN)
    value = where(vanishes, 0, -_TURN * value if order else value)
    series = (_slopes_near_0 if order else _near_0)(where(near, x, 0.5))
    value = where(near, series, value)
    return where(eq(x, 0), complex(-inf, 0) if order else complex(inf, -pi / 4), value)


def _near_0(x: _T) -> Any:
    """ker x + i kei x for x below 1, of which each part is right (10.65.3 and 10.65.5)."""
    size, square = log(x) - log_of(2), 0.25 * x * x
    (a, b), (c, d) = (_sums(terms, square * square) for terms in (_EVEN, _ODD))
    return b - size * a + pi / 4 * square * c + 1j * (square * (d - size * c) - pi / 4 * a)


def _slopes_near_0(x: _T) -> Any:
    size, half = log(x) - log_of(2), 0.5 * x
    square = half * half
    (a, _), (c, _) = (_sums(terms, square * square) for terms in (_EVEN, _ODD))
    (p, q), (r, s) = (_sums(terms, square * square) for terms in (_EVEN_SLOPES, _ODD_SLOPES))
    real = half * (square * (q - size * p) + pi / 4 * r) - a / x
    imaginary = half * (s - size * r - 0.5 * c - pi / 4 * square * p)
    return real + 1j * imaginary


def _sums(terms: _Pairs, t: _T) -> list[Any]:
    return [polynomial(each, t) for each in zip(*terms, strict=True)]


def _check(x: _T) -> None:
    if x.is_complex:
        raise TypeError(f"Kelvin's functions take real numbers, not {x!r}{called()}")


def kelvin(x: TensorLike) -> tuple[TensorVariable, ...]:
    """ber x + i bei x, ker x + i kei x, and the derivatives of both. See `scipy.special.kelvin`.

    >>> kelvin(1.0)[0].eval().round(6).item()
    (0.984382+0.249566j)
    """
    v = as_floating(x)
    return _first(v, 0), _second(v, 0), _first(v, 1), _second(v, 1)


# fmt: off
ber = formula("ber", "Kelvin's function ber.", (1.0, 0.984382), lambda x: _first(x, 0).real)
bei = formula("bei", "Kelvin's function bei.", (1.0, 0.249566), lambda x: _first(x, 0).imag)
ker = formula("ker", "Kelvin's function ker.", (1.0, 0.286706), lambda x: _second(x, 0).real)
kei = formula("kei", "Kelvin's function kei.", (1.0, -0.494995), lambda x: _second(x, 0).imag)
berp = formula("berp", "The derivative of ber.", (1.0, -0.062446), lambda x: _first(x, 1).real)
beip = formula("beip", "The derivative of bei.", (1.0, 0.497397), lambda x: _first(x, 1).imag)
kerp = formula("kerp", "The derivative of ker.", (1.0, -0.694604), lambda x: _second(x, 1).real)
keip = formula("keip", "The derivative of kei.", (1.0, 0.35237), lambda x: _second(x, 1).imag)
# fmt: on
