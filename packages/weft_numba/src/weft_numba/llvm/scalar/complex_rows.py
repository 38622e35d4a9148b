"""Functions of complex numbers as machine code: a table from rows to LLVM instructions.

A complex number is a pair of registers. Rows that NumPy computes from the parts do the same;
the others call the C library's functions of complex numbers, with parts of 64 bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from weft_numba.ir.llvm_writer import Code, Number, Pair, Value
from weft_numba.llvm.scalar.real_rows import (
    EQ,
    GE,
    GT,
    LE,
    LT,
    NE,
    ROWS,
    and_,
    fabs,
    fadd,
    fdiv,
    fmul,
    fneg,
    fsub,
    isnan,
    or_,
    select,
    truth,
)

__all__ = ["COMPLEX_ROWS", "complex_truth"]

Row = Callable[..., Value]
Test = Callable[..., str]


def complex_truth(c: Code, n: Number, x: Pair) -> str:
    """Whether a number is not zero."""
    return or_(c, truth(c, n.part, x.real), truth(c, n.part, x.imag))


def _by_parts(name: str) -> Row:
    """The function of real numbers on each part."""
    compute = ROWS["f"][name]
    return lambda c, n, *xs: Pair(
        compute(c, n.part, *[x.real for x in xs]), compute(c, n.part, *[x.imag for x in xs])
    )


def _either(name: str) -> Row:
    compute = ROWS["f"][name]
    return lambda c, n, x: or_(c, compute(c, n.part, x.real), compute(c, n.part, x.imag))


def _choose(c: Code, n: Number, condition: str, x: Pair, y: Pair) -> Pair:
    pairs = zip(x, y, strict=True)
    return Pair(*[select(c, n.part, condition, one, other) for one, other in pairs])


def _constant(c: Code, n: Number, value: complex) -> Pair:
    return Pair(c.literal(value.real, n.part), c.literal(value.imag, n.part))


def _scale(c: Code, n: Number, x: Pair, factor: float) -> Pair:
    return Pair(*[fmul(c, n.part, part, c.literal(factor, n.part)) for part in x])


def _mul(c: Code, n: Number, x: Pair, y: Pair) -> Pair:
    p = n.part
    real = fsub(c, p, fmul(c, p, x.real, y.real), fmul(c, p, x.imag, y.imag))
    return Pair(real, fadd(c, p, fmul(c, p, x.real, y.imag), fmul(c, p, x.imag, y.real)))


def _true_div(c: Code, n: Number, x: Pair, y: Pair) -> Pair:
    """Smith's algorithm: scaled by the larger part of y."""
    p = n.part
    straight = GE(c, p, fabs(c, p, y.real), fabs(c, p, y.imag))
    large, small = _sorted(c, p, straight, y)
    u, v = _sorted(c, p, straight, x)
    ratio = fdiv(c, p, small, large)
    scale = fdiv(c, p, c.literal(1.0, p), fadd(c, p, large, fmul(c, p, small, ratio)))
    real = fmul(c, p, fadd(c, p, u, fmul(c, p, v, ratio)), scale)
    tilted = fmul(c, p, u, ratio)
    imag = select(c, p, straight, fsub(c, p, v, tilted), fsub(c, p, tilted, v))
    quotient = Pair(real, fmul(c, p, imag, scale))
    by_zero = Pair(*[fdiv(c, p, part, fabs(c, p, y.real)) for part in x])
    return _choose(c, n, _is_zero(c, n, y), by_zero, quotient)


def _sorted(c: Code, p: Number, straight: str, x: Pair) -> Pair:
    """The parts of x as they are, or the other way round."""
    return Pair(select(c, p, straight, x.real, x.imag), select(c, p, straight, x.imag, x.real))


def _reciprocal(c: Code, n: Number, x: Pair) -> Pair:
    p, one = n.part, c.literal(1.0, n.part)
    straight = LE(c, p, fabs(c, p, x.imag), fabs(c, p, x.real))
    large, small = _sorted(c, p, straight, x)
    ratio = fdiv(c, p, small, large)
    scale = fadd(c, p, large, fmul(c, p, small, ratio))
    real = fdiv(c, p, select(c, p, straight, one, ratio), scale)
    imag = fdiv(c, p, fneg(c, p, select(c, p, straight, ratio, one)), scale)
    return Pair(real, imag)


def _abs(c: Code, n: Number, x: Pair) -> str:
    return c.function("hypot", n.part, x.real, x.imag)


def _sign(c: Code, n: Number, x: Pair) -> Pair:
    """x / |x|; a single infinite part decides alone."""
    p, zero = n.part, c.literal(0.0, n.part)
    size = _abs(c, n, x)
    usual = Pair(*[fdiv(c, p, part, size) for part in x])
    infinite = [ROWS["f"]["isinf"](c, p, part) for part in x]
    signs = [
        select(c, p, there, c.intrinsic("copysign", p, c.literal(1.0, p), part), zero)
        for there, part in zip(infinite, x, strict=True)
    ]
    one_infinite = c("xor i1 {}, {}", *infinite)
    sign = _choose(c, n, one_infinite, Pair(*signs), usual)
    return _choose(c, n, EQ(c, p, size, zero), _constant(c, n, 0j), sign)


def _is_zero(c: Code, n: Number, x: Pair) -> str:
    return c("xor i1 {}, true", complex_truth(c, n, x))


def _eq(c: Code, n: Number, x: Pair, y: Pair) -> str:
    return and_(c, EQ(c, n.part, x.real, y.real), EQ(c, n.part, x.imag, y.imag))


def _neq(c: Code, n: Number, x: Pair, y: Pair) -> str:
    return or_(c, NE(c, n.part, x.real, y.real), NE(c, n.part, x.imag, y.imag))


def _ordered(strictly: Test, tie: Test) -> Test:
    """By the real parts, and where they are equal by the imaginary ones."""

    def compare(c: Code, n: Number, x: Pair, y: Pair) -> str:
        p = n.part
        before = strictly(c, p, x.real, y.real)
        sure = and_(c, before, c(f"fcmp ord {p.register} {x.imag}, {y.imag}"))
        tied = and_(c, EQ(c, p, x.real, y.real), tie(c, p, x.imag, y.imag))
        return or_(c, sure, tied)

    return compare


def _extreme(better: Test) -> Row:
    def pick(c: Code, n: Number, x: Pair, y: Pair) -> Pair:
        nan = or_(c, isnan(c, n.part, x.real), isnan(c, n.part, x.imag))
        return _choose(c, n, or_(c, nan, better(c, n, x, y)), x, y)

    return pick


def _libm(name: str) -> Callable[..., Pair]:
    """The C library's function; numbers of 64 bits are widened for it."""

    def compute(c: Code, n: Number, *xs: Pair) -> Pair:
        if n.bits == 128:
            return c.complex_function(name, *xs)
        wide = [Pair(*[c(f"fpext float {part} to double") for part in x]) for x in xs]
        result = c.complex_function(name, *wide)
        return Pair(*[c(f"fptrunc double {part} to float") for part in result])

    return compute


def _scaled_log(factor: float) -> Row:
    return lambda c, n, x: _scale(c, n, _libm("clog")(c, n, x), factor)


def _exp(c: Code, n: Number, x: Pair) -> Pair:
    """exp(re) (cos(im) + i sin(im)), the first in two factors, so that it overflows but in the end.

    An infinite exp(re) is known whatever the angle is, but for its sign (C's Annex G).
    """
    if c.exact or c.alone:
        return _libm("cexp")(c, n, x)
    p, zero, most = n.part, c.literal(0.0, n.part), c.literal(math.inf, n.part)
    root = ROWS["f"]["exp"](c, p, fmul(c, p, x.real, c.literal(0.5, p)))
    circle = [c.function(name, p, x.imag) for name in ("cos", "sin")]
    real, imag = [fmul(c, p, fmul(c, p, root, part), root) for part in circle]
    no_angle = c("xor i1 {}, true", ROWS["f"]["isfinite"](c, p, x.imag))
    vanishes = and_(c, no_angle, EQ(c, p, x.real, c.literal(-math.inf, p)))
    real = select(c, p, and_(c, no_angle, EQ(c, p, x.real, most)), most, real)
    real = select(c, p, vanishes, zero, real)
    imag = select(c, p, vanishes, c.intrinsic("copysign", p, zero, x.imag), imag)
    is_real = EQ(c, p, x.imag, zero)
    return Pair(
        select(c, p, is_real, fmul(c, p, root, root), real), select(c, p, is_real, x.imag, imag)
    )


def _exp2(c: Code, n: Number, x: Pair) -> Value:
    return _exp(c, n, _scale(c, n, x, math.log(2.0)))


def _expm1(c: Code, n: Number, x: Pair) -> Pair:
    """The real part is expm1(re) cos(im) - 2 sin(im / 2)²."""
    p = n.part
    half = c.function("sin", p, fmul(c, p, x.imag, c.literal(0.5, p)))
    lost = fmul(c, p, c.literal(2.0, p), fmul(c, p, half, half))
    cosine, sine = c.function("cos", p, x.imag), c.function("sin", p, x.imag)
    real = fsub(c, p, fmul(c, p, c.function("expm1", p, x.real), cosine), lost)
    return Pair(real, fmul(c, p, c.function("exp", p, x.real), sine))


def _log1p(c: Code, n: Number, x: Pair) -> Pair:
    p = n.part
    more = fadd(c, p, x.real, c.literal(1.0, p))
    size = c.function("hypot", p, more, x.imag)
    return Pair(c.function("log", p, size), c.function("atan2", p, x.imag, more))


_LARGEST_POWER: Final = 99
"""The largest whole exponent for which NumPy multiplies."""


def _pow(c: Code, n: Number, x: Pair, y: Pair) -> Pair:
    """Products for small whole exponents, else exp(y log(x)); as NumPy at zero."""
    p, zero = n.part, c.literal(0.0, n.part)
    size = fabs(c, p, y.real)
    whole = and_(c, EQ(c, p, c.intrinsic("rint", p, size), size), EQ(c, p, y.imag, zero))
    small = and_(c, whole, LE(c, p, size, c.literal(_LARGEST_POWER, p)))
    count = c("fptoui {} {} to i32", p.register, select(c, p, small, size, zero))
    power, base = _constant(c, n, 1 + 0j), x
    for bit in range(_LARGEST_POWER.bit_length()):
        odd = c("trunc i32 {} to i1", c("lshr i32 {}, {}", count, str(bit)))
        begun = c("icmp ne i32 {}, 0", c("and i32 {}, {}", count, str((1 << bit) - 1)))
        product = _choose(c, n, begun, _mul(c, n, power, base), base)
        power = _choose(c, n, odd, product, power)
        base = _mul(c, n, base, base)
    inverse = _true_div(c, n, _constant(c, n, 1 + 0j), power)
    power = _choose(c, n, LT(c, p, y.real, zero), inverse, power)
    general = _libm("cpow")(c, n, x, y)
    result = _choose(c, n, small, power, general)
    nan = _constant(c, n, complex(math.nan, math.nan))
    of_zero = _choose(c, n, GT(c, p, y.real, zero), _constant(c, n, 0j), nan)
    result = _choose(c, n, _is_zero(c, n, x), of_zero, result)
    return _choose(c, n, _is_zero(c, n, y), _constant(c, n, 1 + 0j), result)


COMPLEX_ROWS: Final[dict[str, Row]] = {
    **{name: _by_parts(name) for name in ("add", "sub", "neg", "rint")},
    "mul": _mul,
    "true_div": _true_div,
    "square": lambda c, n, x: _mul(c, n, x, x),
    "reciprocal": _reciprocal,
    "abs": _abs,
    "sign": _sign,
    "conj": lambda c, n, x: Pair(x.real, fneg(c, n.part, x.imag)),
    "real": lambda c, n, x: x.real,
    "imag": lambda c, n, x: x.imag,
    "eq": _eq,
    "neq": _neq,
    "lt": _ordered(LT, LT),
    "le": _ordered(LT, LE),
    "gt": _ordered(GT, GT),
    "ge": _ordered(GT, GE),
    "maximum": _extreme(_ordered(GT, GE)),
    "minimum": _extreme(_ordered(LT, LE)),
    "isnan": _either("isnan"),
    "isinf": _either("isinf"),
    "isfinite": lambda c, n, x: and_(c, *[ROWS["f"]["isfinite"](c, n.part, part) for part in x]),
    "where": _choose,
    "broadcast_length": lambda c, n, x, y: _choose(
        c, n, _eq(c, n, x, _constant(c, n, 1 + 0j)), y, x
    ),
    "pow": _pow,
    "exp": _exp,
    "exp2": _exp2,
    "expm1": _expm1,
    "log1p": _log1p,
    "log2": _scaled_log(1.0 / math.log(2.0)),
    "log10": _scaled_log(1.0 / math.log(10.0)),
    **{
        name: _libm("c" + name.replace("arc", "a"))
        for name in (
            *("log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh"),
            *("arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh"),
        )
    },
}
"""By name; see `weft_numba.llvm.scalar.real_rows.ROWS` for the other kinds of numbers."""
