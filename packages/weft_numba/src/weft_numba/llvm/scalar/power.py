"""Powers of doubles and floats, of any base as fast as of positive ones.

The C library's functions of vectors go number by number where a base is negative or zero, which
takes four times as long: they get its size, or 2, and what follows from the sign is put right here.
"""

from __future__ import annotations

import math

from weft_numba.ir.llvm_writer import Code, Number
from weft_numba.llvm.scalar.doubles import Doubles

__all__ = ["pow_of_float"]


def pow_of_float(c: Code, n: Number, x: str, y: str) -> str:
    """The register of x to the power y, as IEEE 754 has it."""
    d = Doubles(c, n)
    half = d.real("fmul", y, 0.5)
    is_whole = d.real("fcmp oeq", c.intrinsic("rint", n, y), y)
    is_odd = c(f"and i1 {is_whole}, {d.real('fcmp une', c.intrinsic('rint', n, half), half)}")
    is_zero = d.real("fcmp oeq", x, 0.0)
    power = c.function("pow", n, d.when(is_zero, 2.0, c.intrinsic("fabs", n, x)), y)
    of_zero = d.when(d.real("fcmp ogt", y, 0.0), 0.0, power)
    of_zero = d.when(d.real("fcmp olt", y, 0.0), math.inf, of_zero)
    power = d.when(is_zero, of_zero, power)
    power = d.when(is_odd, c.intrinsic("copysign", n, power, x), power)
    is_negative = c(f"and i1 {d.real('fcmp olt', x, 0.0)}, {d.real('fcmp ogt', x, -math.inf)}")
    is_root = c(f"and i1 {is_negative}, {c(f'xor i1 {is_whole}, true')}")
    return d.when(is_root, math.nan, power)
