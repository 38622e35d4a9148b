"""Functions of two floating numbers, for whole vectors at once: pow, hypot, rests, neighbours."""

from __future__ import annotations

import math
from typing import Final

from weft_numba.ir.llvm_writer import Code, Number
from weft_numba.ir.vector_math import has_fma
from weft_numba.llvm.scalar.doubles import Doubles
from weft_numba.llvm.scalar.usual_rows import by_usual
from weft_tensor.extend import Usual

__all__ = ["hypot_of_float", "next_of_float", "pow_of_float", "rest_of_float"]

_FORMATS: Final = {64: (52, 1023, 2.0**-1000, 2.0**1020), 32: (23, 127, 2.0**-100, 2.0**124)}
"""How many bits a mantissa has, what exponents are moved by, and the powers that are used."""


def hypot_of_float(c: Code, n: Number, x: str, y: str) -> str:
    """The register of sqrt(x² + y²); the error is at most 1 unit in the last place.

    The larger side is brought near 1 by a power of two, so that no square overflows, or vanishes
    beside the other. It takes half of the time of the C library's function of vectors.
    """
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


def pow_of_float(c: Code, n: Number, x: str, y: str) -> str:
    """The register of x to the power y, as IEEE 754 has it.

    The C library's functions of vectors go number by number where a base is negative or zero, which
    takes four times as long: they get its size, or 1, and a factor says what follows from the sign.
    It alone is kept across the call.
    """
    d = Doubles(c, n)
    half = d.real("fmul", y, 0.5)
    is_whole = d.real("fcmp oeq", c.intrinsic("rint", n, y), y)
    is_odd = c(f"and i1 {is_whole}, {d.real('fcmp une', c.intrinsic('rint', n, half), half)}")
    is_zero = d.real("fcmp oeq", x, 0.0)
    of_zero = d.when(d.real("fcmp olt", y, 0.0), math.inf, d.real("fadd", y, 1.0))
    of_zero = d.when(d.real("fcmp ogt", y, 0.0), 0.0, of_zero)
    factor = d.when(is_zero, of_zero, 1.0)
    factor = d.when(is_odd, c.intrinsic("copysign", n, factor, x), factor)
    is_negative = c(f"and i1 {d.real('fcmp olt', x, 0.0)}, {d.real('fcmp ogt', x, -math.inf)}")
    is_root = c(f"and i1 {is_negative}, {c(f'xor i1 {is_whole}, true')}")
    factor = d.when(is_root, math.nan, factor)
    power = c.function("pow", n, d.when(is_zero, 1.0, c.intrinsic("fabs", n, x)), y)
    return d.real("fmul", power, factor)


_MOST: Final = {64: 2.0**51, 32: 2.0**22}
"""Quotients up to here are whole where they should be, or too large by one."""


def rest_of_float(c: Code, n: Number, x: str, y: str) -> str:
    """C's fmod(x, y), which no rounding changes, in a twelfth of its time.

    The quotient, rounded to a number and cut, is the right whole number or, where the rest comes
    near to y, the next: the rest is then negative, and is right again with y added. A product that
    is subtracted without being rounded gives either exactly.
    """
    if not has_fma():
        return _by_c(c, n, x, y, "")
    return str(_IN_VECTORS[n.bits](c, n, x, y, c("fdiv {} {}, {}", n.register, x, y)))


def _by_c(c: Code, n: Number, x: str, y: str, quotient: str) -> str:
    return c("frem {} {}, {}", n.register, x, y)


def _by_quotient(c: Code, n: Number, x: str, y: str, quotient: str) -> str:
    d, zero = Doubles(c, n), c.literal(0.0, n)
    whole = c.intrinsic("trunc", n, quotient)
    rest = c.intrinsic("fma", n, c("fneg {} {}", n.register, whole), y, x)
    other_side = c("xor i1 {}, {}", d.real("fcmp olt", rest, zero), d.real("fcmp olt", x, zero))
    is_beyond = c("and i1 {}, {}", d.real("fcmp one", rest, zero), other_side)
    back = d.real("fadd", rest, c.intrinsic("copysign", n, y, x))
    return c.intrinsic("copysign", n, d.when(is_beyond, back, rest), x)


_IN_VECTORS: Final = {
    bits: by_usual("rest", _by_c, [(Usual(-most, most, math.fmod), _by_quotient)])
    for bits, most in _MOST.items()
}


def next_of_float(c: Code, n: Number, x: str, y: str) -> str:
    """C's nextafter(x, y): away from zero, bits are a number that is one larger."""
    d = Doubles(c, n)
    shrinks = c("xor i1 {}, {}", d.real("fcmp ogt", x, 0.0), d.real("fcmp olt", x, y))
    step = c(f"select i1 {shrinks}, i{n.bits} -1, i{n.bits} 1")
    moved = d.of_bits(c(f"add i{n.bits} {d.bits(x)}, {step}"))
    least = c.intrinsic("copysign", n, d.of_bits(c(f"add i{n.bits} 0, 1")), y)
    moved = d.when(d.real("fcmp oeq", x, 0.0), least, moved)
    ordered = d.when(d.real("fcmp oeq", x, y), y, moved)
    return d.when(d.real("fcmp uno", x, y), d.real("fadd", x, y), ordered)
