"""exp, exp2 and tanh of doubles and floats, in instructions that loops do with whole vectors.

x = n log 2 + r for a whole n (Cody and Waite: log 2 in two parts, the first of few digits);
exp(r) = 1 + r + r² q(r), with a polynomial q through Chebyshev's nodes: of degree 9 it is wrong by
2e-17 at most, and of degree 4, for floats, by 8e-9; 2^n in two factors, so that subnormal results
are rounded once. Of vectors of doubles it takes 0.6 of the time of the C library's function, and no
more where that takes fifty times its own: at results near 0. What is 0 is no product, which takes
three times as long where it underflows.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from weft_numba.ir.llvm_writer import Code, Number
from weft_numba.llvm.scalar.doubles import ROUNDING, Doubles

__all__ = ["exp2_of_float", "exp_of_float", "tanh_of_float"]

_LOG2_E: Final = 1.4426950408889634


class _Format(NamedTuple):
    """What depends on how many bits numbers have."""

    rounding: float
    """Added to a number, it leaves the whole number in the last bits,"""
    rounding_bits: int
    """and these are its own."""
    mantissa: int
    bias: int
    log_2: tuple[float, float]
    """log 2 in two parts, of which the first has few digits,"""
    all_of_log_2: tuple[float, float]
    """or all that fit."""
    limits: tuple[float, float]
    """Beyond these, exp is 0 or infinite,"""
    limits_of_2: tuple[float, float]
    """and exp2 is."""
    all_ones: float
    """From here, tanh is 1."""
    q: tuple[float, ...]
    t: tuple[float, ...]


_FORMATS: Final = {
    64: _Format(
        rounding=ROUNDING,
        rounding_bits=0x4338 << 48,
        mantissa=52,
        bias=1023,
        log_2=(0.6931471803691238, 1.9082149292705877e-10),
        all_of_log_2=(0.6931471805599453, 2.3190468138462996e-17),
        limits=(-746.0, 710.0),
        limits_of_2=(-1080.0, 1030.0),
        all_ones=22.0,
        q=(
            *(2.510038549551032e-08, 2.7620088445409746e-07, 2.7557268459997064e-06),
            *(2.4801521295954376e-05, 0.00019841269863053618, 0.0013888888917213717),
            *(0.008333333333330062, 0.04166666666662413, 0.16666666666666669, 0.5000000000000001),
        ),
        t=(
            *(4.1437662804024295e-08, -1.6534060033836456e-06, 6.613756471622828e-05),
            *(-0.0027777777777564404, 0.1666666666666666),
        ),
    ),
    32: _Format(
        rounding=1.5 * 2.0**23,
        rounding_bits=0x4B40 << 16,
        mantissa=23,
        bias=127,
        log_2=(0.693359375, -0.00021219444),
        all_of_log_2=(0.6931471824645996, -1.9046542121259336e-09),
        limits=(-104.0, 89.0),
        limits_of_2=(-152.0, 129.0),
        all_ones=10.0,
        q=(0.0013926176, 0.008363173, 0.041666556, 0.16666578, 0.5),
        t=(-0.0027698387854326874, 0.16666654727578006),
    ),
}


def exp_of_float(c: Code, n: Number, x: str) -> str:
    """The register of exp(x); the error is at most 1.1 units in the last place."""
    d, (least, most) = Doubles(c, n), _FORMATS[n.bits].limits
    is_zero = d.real("fcmp olt", x, least)
    moved, near_zero = _near_zero(d, d.when(is_zero, 0.0, d.limited(x, most, "ogt")))
    return d.when(is_zero, 0.0, _times_power(d, near_zero, moved))


def exp2_of_float(c: Code, n: Number, x: str) -> str:
    """The register of 2^x; the error is at most 1.1 units in the last place."""
    d, f = Doubles(c, n), _FORMATS[n.bits]
    least, most = f.limits_of_2
    is_zero = d.real("fcmp olt", x, least)
    x = d.when(is_zero, 0.0, d.limited(x, most, "ogt"))
    moved = d.real("fadd", x, f.rounding)
    part = d.real("fsub", x, d.real("fsub", moved, f.rounding))
    log, rest = f.all_of_log_2
    r = d.times_plus(part, log, d.real("fmul", part, rest))
    return d.when(is_zero, 0.0, _times_power(d, _less_one(d, r), moved))


def _times_power(d: Doubles, near_zero: str, moved: str) -> str:
    """(1 + near_zero) 2^n, where n is in the last bits of `moved`."""
    c, result, f, bits = d.c, d.real("fadd", near_zero, 1.0), _FORMATS[d.n.bits], d.n.bits
    both = c(f"sub i{bits} {d.bits(moved)}, {f.rounding_bits - 2 * (f.bias + 1)}")
    half = c(f"lshr i{bits} {both}, 1")
    for exponent in (half, c(f"sub i{bits} {both}, {half}")):
        shifted = c(f"shl i{bits} {c(f'sub i{bits} {exponent}, 1')}, {f.mantissa}")
        result = d.real("fmul", result, d.of_bits(shifted))
    return result


def tanh_of_float(c: Code, n: Number, x: str) -> str:
    """The register of tanh(x), as that of exp(2 |x|) = 2^n exp(r), with the sign of x.

    exp(r) = (2 + s + r) / (2 + s - r) for s = r coth(r / 2) - 2 = r² t(r²), so that there is one
    division; t through Chebyshev's nodes is wrong by 7e-18 at most, for floats by 2e-8. What is
    small is added first: the error is at most 2.5 units in the last place.
    """
    d, f = Doubles(c, n), _FORMATS[n.bits]
    size = d.limited(c.intrinsic("fabs", n, x), f.all_ones, "ogt")
    moved, r = _reduced(d, d.real("fadd", size, size))
    exponent = c(f"sub i{n.bits} {d.bits(moved)}, {f.rounding_bits - f.bias}")
    power = d.of_bits(c(f"shl i{n.bits} {exponent}, {f.mantissa}"))
    square = d.real("fmul", r, r)
    s = d.real("fmul", square, d.polynomial(square, f.t))
    more, less = d.real("fadd", power, 1.0), d.real("fsub", power, 1.0)
    above = d.times_plus(less, 2.0, d.times_plus(less, s, d.real("fmul", more, r)))
    below = d.times_plus(more, 2.0, d.times_plus(more, s, d.real("fmul", less, r)))
    return c.intrinsic("copysign", n, d.real("fdiv", above, below), x)


def _near_zero(d: Doubles, x: str) -> tuple[str, str]:
    """n, in the last bits of a number, and exp(r) - 1 for x = n log 2 + r."""
    moved, r = _reduced(d, x)
    return moved, _less_one(d, r)


def _reduced(d: Doubles, x: str) -> tuple[str, str]:
    """n, in the last bits of a number, and r for x = n log 2 + r."""
    f = _FORMATS[d.n.bits]
    moved = d.times_plus(x, _LOG2_E, f.rounding)
    whole = d.real("fsub", moved, f.rounding)
    r = x
    for part in f.log_2:
        r = d.times_plus(whole, -part, r)
    return moved, r


def _less_one(d: Doubles, r: str) -> str:
    """exp(r) - 1 for numbers up to log(2) / 2."""
    return d.times_plus(d.real("fmul", r, r), d.polynomial(r, _FORMATS[d.n.bits].q), r)
