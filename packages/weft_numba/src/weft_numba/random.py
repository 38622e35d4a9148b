"""Random bits, and what makes normal numbers of them, as machine code."""

from __future__ import annotations

from weft_numba.machine_code import Code, Number
from weft_numba.scalar_rows import EQ, LE, fabs, fadd, fdiv, fmul, fsub, select
from weft_tensor import ERFINV_CENTRE, ERFINV_TAIL, THREEFRY_PARITY, THREEFRY_ROTATIONS

__all__ = ["erfinv", "threefry2x32"]

_ROTATE = "declare i32 @llvm.fshl.i32(i32, i32, i32)"


def threefry2x32(c: Code, n: Number, key: str, counter: str) -> str:
    """Twenty rounds on the two halves of the counter.

    >>> from weft_numba.machine_code import number
    >>> code = Code()
    >>> threefry2x32(code, number("uint64"), "%key", "%counter")
    '%v88'
    """
    c.declarations["llvm.fshl.i32"] = _ROTATE
    words = [*_halves(c, key)]
    both = c("xor i32 {}, {}", *words)
    words.append(c("xor i32 {}, {}", both, str(THREEFRY_PARITY)))
    x, y = (c("add i32 {}, {}", *pair) for pair in zip(_halves(c, counter), words, strict=False))
    for group in range(5):
        for bits in THREEFRY_ROTATIONS[group % 2]:
            x = c("add i32 {}, {}", x, y)
            turned = c("call i32 @llvm.fshl.i32(i32 {}, i32 {}, i32 {})", y, y, str(bits))
            y = c("xor i32 {}, {}", turned, x)
        x = c("add i32 {}, {}", x, words[(group + 1) % 3])
        numbered = c("add i32 {}, {}", words[(group + 2) % 3], str(group + 1))
        y = c("add i32 {}, {}", y, numbered)
    high = c("shl i64 {}, 32", c("zext i32 {} to i64", x))
    return c("or i64 {}, {}", high, c("zext i32 {} to i64", y))


def _halves(c: Code, word: str) -> tuple[str, str]:
    high = c("trunc i64 {} to i32", c("lshr i64 {}, 32", word))
    return high, c("trunc i64 {} to i32", word)


def erfinv(c: Code, n: Number, x: str) -> str:
    """By `weft_tensor.inverse_erf`, both of its cases at once."""
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
