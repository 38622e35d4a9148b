"""exp and tanh of doubles, in instructions that loops do with whole vectors.

x = n log 2 + r for a whole n (Cody and Waite: log 2 in two parts, the first of few digits);
exp(r) = 1 + r + r² q(r), with q of degree 9 through Chebyshev's nodes, wrong by 2e-17 at most;
2^n in two factors, so that subnormal results are rounded once. Of vectors it takes 0.6 of the time
of the C library's function, and no more where that takes fifty times its own: at results near 0.
"""

from __future__ import annotations

from typing import Final

from weft_numba.ir.llvm_writer import Code, Number

__all__ = ["exp_of_double", "tanh_of_double"]

_LOG2_E: Final = 1.4426950408889634
_LOG_2: Final = 0.6931471803691238, 1.9082149292705877e-10
_LEAST, _MOST = -746.0, 710.0
"""Beyond these, the result is 0 or infinite."""
_ALL_ONES: Final = 22.0
"""From here, tanh is 1."""
_ROUNDING: Final = 1.5 * 2.0**52
"""Added to a number, it leaves the whole number in the last bits."""
_Q: Final = (
    *(2.510038549551032e-08, 2.7620088445409746e-07, 2.7557268459997064e-06),
    *(2.4801521295954376e-05, 0.00019841269863053618, 0.0013888888917213717),
    *(0.008333333333330062, 0.04166666666662413, 0.16666666666666669, 0.5000000000000001),
)


def exp_of_double(c: Code, n: Number, x: str) -> str:
    """The register of exp(x); the error is at most 1 unit in the last place."""
    d = _Doubles(c, n)
    for limit, beyond in ((_LEAST, "olt"), (_MOST, "ogt")):
        x = d.limited(x, limit, beyond)
    moved, near_zero = d.near_zero(x)
    near_one = d.real("fadd", near_zero, 1.0)
    bits = c(f"bitcast double {moved} to i64")
    both = c(f"sub i64 {bits}, {(0x4338 << 48) - 2048}")
    half = c(f"lshr i64 {both}, 1")
    for exponent in (half, c(f"sub i64 {both}, {half}")):
        shifted = c(f"shl i64 {c(f'sub i64 {exponent}, 1')}, 52")
        factor = c(f"bitcast i64 {shifted} to double")
        near_one = d.real("fmul", near_one, factor)
    return near_one


def tanh_of_double(c: Code, n: Number, x: str) -> str:
    """The register of tanh(x) = e / (e + 2), e = exp(2 |x|) - 1, with the sign of x.

    e = (2^n - 1) + 2^n (exp(r) - 1) loses nothing: for n = 0 only the second part is there. The
    rounding of e + 2 is made good: the error is at most 2 units in the last place.
    """
    d = _Doubles(c, n)
    size = d.limited(c.intrinsic("fabs", n, x), _ALL_ONES, "ogt")
    moved, near_zero = d.near_zero(d.real("fadd", size, size))
    bits = c(f"bitcast double {moved} to i64")
    shifted = c(f"shl i64 {c(f'sub i64 {bits}, {(0x4338 << 48) - 1023}')}, 52")
    power = c(f"bitcast i64 {shifted} to double")
    less_one = d.times_plus(power, near_zero, d.real("fsub", power, 1.0))
    more_one = d.real("fadd", less_one, 2.0)
    found = d.real("fdiv", less_one, more_one)
    lost = d.real("fsub", less_one, d.real("fsub", more_one, 2.0))
    inverse = d.times_plus(found, -0.5, 0.5)  # of more_one, about
    change = d.real("fmul", d.real("fmul", found, lost), inverse)
    return c.intrinsic("copysign", n, d.real("fsub", found, change), x)


class _Doubles:
    """Writes arithmetic of doubles."""

    def __init__(self, c: Code, n: Number) -> None:
        self.c, self.n = c, n

    def real(self, instruction: str, *xs: str | float) -> str:
        """What an instruction makes of registers and numbers."""
        given = [v if isinstance(v, str) else self.c.literal(v, self.n) for v in xs]
        return self.c(f"{instruction} double {', '.join(given)}")

    def times_plus(self, a: str, b: str | float, more: str | float) -> str:
        """a b + more, in one instruction where there is one."""
        return self.real("fadd contract", self.real("fmul contract", a, b), more)

    def limited(self, x: str, limit: float, beyond: str) -> str:
        """x, or the limit if it is beyond that; NaN stays."""
        literal = self.c.literal(limit, self.n)
        is_beyond = self.c(f"fcmp {beyond} double {x}, {literal}")
        return self.c(f"select i1 {is_beyond}, double {literal}, double {x}")

    def near_zero(self, x: str) -> tuple[str, str]:
        """n, in the last bits of a number, and exp(r) - 1 for x = n log 2 + r."""
        moved = self.times_plus(x, _LOG2_E, _ROUNDING)
        whole = self.real("fsub", moved, _ROUNDING)
        r = x
        for part in _LOG_2:
            r = self.times_plus(whole, -part, r)
        q = self.c.literal(_Q[0], self.n)
        for coefficient in _Q[1:]:
            q = self.times_plus(q, r, coefficient)
        return moved, self.times_plus(self.real("fmul", r, r), q, r)
