"""exp of doubles, in instructions that loops do with whole vectors.

x = n log 2 + r for a whole n (Cody and Waite: log 2 in two parts, the first of few digits);
exp(r) = 1 + r + r² q(r), with q of degree 9 through Chebyshev's nodes, wrong by 2e-17 at most;
2^n in two factors, so that subnormal results are rounded once. Of vectors it takes 0.6 of the time
of the C library's function, and no more where that takes fifty times its own: at results near 0.
"""

from __future__ import annotations

from typing import Final

from weft_numba.ir.llvm_writer import Code, Number

__all__ = ["exp_of_double"]

_LOG2_E: Final = 1.4426950408889634
_LOG_2: Final = 0.6931471803691238, 1.9082149292705877e-10
_LEAST, _MOST = -746.0, 710.0
"""Beyond these, the result is 0 or infinite."""
_ROUNDING: Final = 1.5 * 2.0**52
"""Added to a number, it leaves the whole number in the last bits."""
_Q: Final = (
    *(2.510038549551032e-08, 2.7620088445409746e-07, 2.7557268459997064e-06),
    *(2.4801521295954376e-05, 0.00019841269863053618, 0.0013888888917213717),
    *(0.008333333333330062, 0.04166666666662413, 0.16666666666666669, 0.5000000000000001),
)


def exp_of_double(c: Code, n: Number, x: str) -> str:
    """The register of exp(x); the error is at most 1 unit in the last place."""

    def real(instruction: str, *xs: str | float) -> str:
        operands = [v if isinstance(v, str) else c.literal(v, n) for v in xs]
        return c(f"{instruction} double {', '.join(operands)}")

    def times_plus(a: str, b: str | float, more: str | float) -> str:
        return real("fadd contract", real("fmul contract", a, b), more)

    for limit, beyond in ((_LEAST, "olt"), (_MOST, "ogt")):
        literal = c.literal(limit, n)
        is_beyond = c(f"fcmp {beyond} double {x}, {literal}")
        x = c(f"select i1 {is_beyond}, double {literal}, double {x}")
    shift = times_plus(x, _LOG2_E, _ROUNDING)
    whole = real("fsub", shift, _ROUNDING)
    r = x
    for part in _LOG_2:
        r = times_plus(whole, -part, r)
    q = c.literal(_Q[0], n)
    for coefficient in _Q[1:]:
        q = times_plus(q, r, coefficient)
    near_one = real("fadd", times_plus(real("fmul", r, r), q, r), 1.0)
    bits = c(f"bitcast double {shift} to i64")
    both = c(f"sub i64 {bits}, {(0x4338 << 48) - 2048}")
    half = c(f"lshr i64 {both}, 1")
    for exponent in (half, c(f"sub i64 {both}, {half}")):
        shifted = c(f"shl i64 {c(f'sub i64 {exponent}, 1')}, 52")
        factor = c(f"bitcast i64 {shifted} to double")
        near_one = real("fmul", near_one, factor)
    return near_one
