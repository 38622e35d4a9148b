"""exp, exp2 and tanh of doubles, in instructions that loops do with whole vectors.

x = n log 2 + r for a whole n (Cody and Waite: log 2 in two parts, the first of few digits);
exp(r) = 1 + r + r² q(r), with q of degree 9 through Chebyshev's nodes, wrong by 2e-17 at most;
2^n in two factors, so that subnormal results are rounded once. Of vectors it takes 0.6 of the time
of the C library's function, and no more where that takes fifty times its own: at results near 0.
"""

from __future__ import annotations

from typing import Final

from weft_numba.ir.llvm_writer import Code, Number
from weft_numba.llvm.scalar.doubles import ROUNDING, Doubles

__all__ = ["exp2_of_double", "exp_of_double", "tanh_of_double"]

_LOG2_E: Final = 1.4426950408889634
_LOG_2: Final = 0.6931471803691238, 1.9082149292705877e-10
_LEAST, _MOST = -746.0, 710.0
_LEAST_OF_2, _MOST_OF_2 = -1080.0, 1030.0
"""Beyond these, the result is 0 or infinite."""
_ALL_ONES: Final = 22.0
"""From here, tanh is 1."""
_ALL_OF_LOG_2: Final = 0.6931471805599453, 2.3190468138462996e-17
_Q: Final = (
    *(2.510038549551032e-08, 2.7620088445409746e-07, 2.7557268459997064e-06),
    *(2.4801521295954376e-05, 0.00019841269863053618, 0.0013888888917213717),
    *(0.008333333333330062, 0.04166666666662413, 0.16666666666666669, 0.5000000000000001),
)


def exp_of_double(c: Code, n: Number, x: str) -> str:
    """The register of exp(x); the error is at most 1 unit in the last place."""
    d = Doubles(c, n)
    for limit, beyond in ((_LEAST, "olt"), (_MOST, "ogt")):
        x = d.limited(x, limit, beyond)
    moved, near_zero = _near_zero(d, x)
    return _times_power(d, near_zero, moved)


def exp2_of_double(c: Code, n: Number, x: str) -> str:
    """The register of 2^x; the error is at most 1 unit in the last place."""
    d = Doubles(c, n)
    for limit, beyond in ((_LEAST_OF_2, "olt"), (_MOST_OF_2, "ogt")):
        x = d.limited(x, limit, beyond)
    moved = d.real("fadd", x, ROUNDING)
    part = d.real("fsub", x, d.real("fsub", moved, ROUNDING))
    log, rest = _ALL_OF_LOG_2
    r = d.times_plus(part, log, d.real("fmul", part, rest))
    return _times_power(d, _less_one(d, r), moved)


def _times_power(d: Doubles, near_zero: str, moved: str) -> str:
    """(1 + near_zero) 2^n, where n is in the last bits of `moved`."""
    c, result = d.c, d.real("fadd", near_zero, 1.0)
    both = c(f"sub i64 {d.bits(moved)}, {(0x4338 << 48) - 2048}")
    half = c(f"lshr i64 {both}, 1")
    for exponent in (half, c(f"sub i64 {both}, {half}")):
        shifted = c(f"shl i64 {c(f'sub i64 {exponent}, 1')}, 52")
        result = d.real("fmul", result, d.of_bits(shifted))
    return result


def tanh_of_double(c: Code, n: Number, x: str) -> str:
    """The register of tanh(x) = e / (e + 2), e = exp(2 |x|) - 1, with the sign of x.

    e = (2^n - 1) + 2^n (exp(r) - 1) loses nothing: for n = 0 only the second part is there. The
    rounding of e + 2 is made good: the error is at most 2 units in the last place.
    """
    d = Doubles(c, n)
    size = d.limited(c.intrinsic("fabs", n, x), _ALL_ONES, "ogt")
    moved, near_zero = _near_zero(d, d.real("fadd", size, size))
    shifted = c(f"shl i64 {c(f'sub i64 {d.bits(moved)}, {(0x4338 << 48) - 1023}')}, 52")
    power = d.of_bits(shifted)
    less_one = d.times_plus(power, near_zero, d.real("fsub", power, 1.0))
    more_one = d.real("fadd", less_one, 2.0)
    quotient = d.real("fdiv", less_one, more_one)
    lost = d.real("fsub", less_one, d.real("fsub", more_one, 2.0))
    inverse = d.times_plus(quotient, -0.5, 0.5)  # of more_one, about
    change = d.real("fmul", d.real("fmul", quotient, lost), inverse)
    return c.intrinsic("copysign", n, d.real("fsub", quotient, change), x)


def _near_zero(d: Doubles, x: str) -> tuple[str, str]:
    """n, in the last bits of a number, and exp(r) - 1 for x = n log 2 + r."""
    moved = d.times_plus(x, _LOG2_E, ROUNDING)
    whole = d.real("fsub", moved, ROUNDING)
    r = x
    for part in _LOG_2:
        r = d.times_plus(whole, -part, r)
    return moved, _less_one(d, r)


def _less_one(d: Doubles, r: str) -> str:
    """exp(r) - 1 for numbers up to log(2) / 2."""
    return d.times_plus(d.real("fmul", r, r), d.polynomial(r, _Q), r)
