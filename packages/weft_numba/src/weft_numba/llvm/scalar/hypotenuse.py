"""hypot of doubles and floats, in instructions that loops do with whole vectors.

The larger side is brought near 1 by a power of two, so that no square overflows, or vanishes beside
the other. It takes half of the time of the C library's function of vectors.
"""

from __future__ import annotations

import math
from typing import Final

from weft_numba.ir.llvm_writer import Code, Number
from weft_numba.llvm.scalar.doubles import Doubles

__all__ = ["hypot_of_float"]

_FORMATS: Final = {64: (52, 1023, 2.0**-1000, 2.0**1020), 32: (23, 127, 2.0**-100, 2.0**124)}
"""How many bits a mantissa has, what exponents are moved by, and the powers that are used."""


def hypot_of_float(c: Code, n: Number, x: str, y: str) -> str:
    """The register of sqrt(x² + y²); the error is at most 1 unit in the last place."""
    d, (mantissa, bias, least, most) = Doubles(c, n), _FORMATS[n.bits]
    a, b = (c.intrinsic("fabs", n, side) for side in (x, y))
    is_larger = d.real("fcmp ogt", a, b)
    large, small = d.when(is_larger, a, b), d.when(is_larger, b, a)
    power = d.of_bits(c(f"and i{n.bits} {d.bits(large)}, {-1 << mantissa}"))
    power = d.limited(d.limited(power, least, "olt"), most, "ogt")
    inverse = d.of_bits(c(f"sub i{n.bits} {2 * bias << mantissa}, {d.bits(power)}"))
    large, small = (d.real("fmul", side, inverse) for side in (large, small))
    squares = d.times_plus(large, large, d.real("fmul", small, small))
    size = d.real("fmul", c.intrinsic("sqrt", n, squares), power)
    sides = [d.real("fcmp oeq", side, math.inf) for side in (a, b)]
    return d.when(c(f"or i1 {sides[0]}, {sides[1]}"), math.inf, size)
