"""What a division leaves, for whole vectors at once."""

from __future__ import annotations

import math
from typing import Final

from weft_numba.ir.llvm_writer import Code, Number
from weft_numba.ir.vector_math import has_fma
from weft_numba.llvm.scalar.doubles import Doubles
from weft_numba.llvm.scalar.usual_rows import by_usual
from weft_tensor.extend import Usual

__all__ = ["rest_of_float"]

_MOST: Final = {64: 2.0**51, 32: 2.0**22}
"""Quotients up to here are whole where they should be, or too large by one."""


def rest_of_float(c: Code, n: Number, x: str, y: str) -> str:
    """C's fmod(x, y), which no rounding changes, in a twentieth of its time.

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
