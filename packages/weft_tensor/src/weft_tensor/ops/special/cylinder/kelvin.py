"""Kelvin's functions: modified Bessel functions of complex numbers on the diagonal.

NIST Digital Library of Mathematical Functions, 10.61.1, 10.61.2 and, by 10.27.6, with I for J.
Right are the complex numbers: what is a small part of one is right to 1e-12 of the whole.
"""

from __future__ import annotations

from math import inf, nan, pi
from typing import Any, Final

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.special.bessel import iv, kv
from weft_tensor.ops.special.composed.formula import formula

__all__ = ["bei", "beip", "ber", "berp", "kei", "keip", "kelvin", "ker", "kerp"]

_T = TensorVariable
_TURN: Final = (0.5**0.5) * (1 + 1j)


def _first(x: _T, order: int) -> Any:
    """ber x + i bei x, or its derivative."""
    _check(x)
    value = iv(order, where(x < 0, -x, x) * _TURN)  # whose slope at 0 is not that of abs
    return value * _TURN * where(x < 0, -1.0, 1.0) if order else value


def _second(x: _T, order: int) -> Any:
    """ker x + i kei x, or its derivative; NaN for negative x, as SciPy's."""
    _check(x)
    value = kv(order, where(x < 0, nan, where(eq(x, 0), 1, x)) * _TURN)
    value = -_TURN * value if order else value
    return where(eq(x, 0), complex(-inf, 0) if order else complex(inf, -pi / 4), value)


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
