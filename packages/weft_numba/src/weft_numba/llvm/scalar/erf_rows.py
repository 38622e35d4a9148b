"""Error functions that the C library does not have, as machine code."""

from __future__ import annotations

from typing import Final

from weft_numba.ir.llvm_writer import Code, Number
from weft_numba.llvm.scalar.real_rows import (
    EQ,
    GT,
    LE,
    LT,
    Row,
    fabs,
    fadd,
    fdiv,
    fmul,
    fneg,
    fsub,
    select,
)
from weft_tensor.extend import ERFCX, ERFINV_CENTRE, ERFINV_TAIL

__all__ = ["ERROR_ROWS"]


def _erfcx(c: Code, n: Number, x: str) -> str:
    """By `weft_tensor.ops.elementwise.erfcx`."""
    above = _erfcx_above(c, n, fabs(c, n, x))
    power = c.function("exp", n, fmul(c, n, x, x))
    below = fsub(c, n, fmul(c, n, c.literal(2.0, n), power), above)
    return select(c, n, LT(c, n, x, c.literal(0.0, n)), below, above)


def _erfcx_above(c: Code, n: Number, x: str) -> str:
    """The same of what is not negative."""
    one = c.literal(1.0, n)
    s = fdiv(c, n, one, fadd(c, n, one, fmul(c, n, x, c.literal(0.5, n))))
    return fmul(c, n, s, _fraction(c, n, ERFCX, s))


def _logerfc(c: Code, n: Number, x: str) -> str:
    """log1p(-erf(x)) up to 1, log(erfcx(x)) - x² beyond."""
    near = c.function("log1p", n, fneg(c, n, c.function("erf", n, x)))
    scaled = c.function("log", n, _erfcx_above(c, n, fabs(c, n, x)))
    far = fsub(c, n, scaled, fmul(c, n, x, x))
    return select(c, n, GT(c, n, x, c.literal(1.0, n)), far, near)


def _log_ndtr(c: Code, n: Number, x: str) -> str:
    """With y = x / sqrt(2), log1p(-erfc(y) / 2) above 0, log(erfcx(-y) / 2) - y² below."""
    y, half = fmul(c, n, x, c.literal(0.5**0.5, n)), c.literal(-0.5, n)
    near = c.function("log1p", n, fmul(c, n, c.function("erfc", n, y), half))
    scaled = fmul(c, n, _erfcx_above(c, n, fabs(c, n, y)), c.literal(0.5, n))
    square = fmul(c, n, fmul(c, n, x, x), half)
    far = fadd(c, n, c.function("log", n, scaled), square)
    return select(c, n, GT(c, n, x, c.literal(0.0, n)), near, far)


def _erfinv(c: Code, n: Number, x: str) -> str:
    """By `weft_tensor.ops.elementwise.erfinv`, both of its cases at once."""
    size, one = fabs(c, n, x), c.literal(1.0, n)
    centre = _fraction(c, n, ERFINV_CENTRE, fsub(c, n, c.literal(0.5625, n), fmul(c, n, x, x)))
    inner = fmul(c, n, x, fadd(c, n, centre, c.literal(0.875, n)))
    logarithm = c.function("log", n, fsub(c, n, one, size))
    s = c.intrinsic("sqrt", n, fsub(c, n, c.literal(0.0, n), logarithm))
    outer = fsub(c, n, s, _fraction(c, n, ERFINV_TAIL, fsub(c, n, s, one)))
    outer = select(c, n, EQ(c, n, size, one), s, outer)
    outer = c.intrinsic("copysign", n, outer, x)
    return select(c, n, LE(c, n, size, c.literal(0.75, n)), inner, outer)


def _fraction(
    c: Code, n: Number, terms: tuple[tuple[float, ...], tuple[float, ...]], t: str
) -> str:
    top, bottom = (_polynomial(c, n, coefficients, t) for coefficients in terms)
    return fdiv(c, n, top, bottom)


def _polynomial(c: Code, n: Number, coefficients: tuple[float, ...], t: str) -> str:
    """By Horner's scheme; a product and a sum may be one instruction, where there is one."""
    total = c.literal(coefficients[-1], n)
    for coefficient in coefficients[-2::-1]:
        total = c.intrinsic("fmuladd", n, total, t, c.literal(coefficient, n))
    return total


ERROR_ROWS: Final[dict[str, Row]] = {
    "erfcx": _erfcx,
    "erfinv": _erfinv,
    "log_ndtr": _log_ndtr,
    "logerfc": _logerfc,
}
"""Of floating-point numbers, by name."""
