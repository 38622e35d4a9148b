"""Every scalar function as machine code: a table from rows to LLVM instructions.

A row is a function of the code to add to, the number that it computes with, and the
operands' registers; it returns the register of the result. Rows are without branches, so that
loops over them can be vectorised: where NumPy decides, they compute both and select.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from weft_numba.ir.llvm_writer import Code, Number
from weft_numba.llvm.scalar.exponential import exp2_of_float, exp_of_float, tanh_of_float
from weft_numba.llvm.scalar.logarithm import log_of_double
from weft_numba.llvm.scalar.loops import loop_of
from weft_numba.llvm.scalar.of_two import hypot_of_float, next_of_float, pow_of_float, rest_of_float
from weft_numba.llvm.scalar.usual_rows import by_usual

__all__ = [
    *("EQ", "GE", "GT", "LE", "LT", "NE", "ROWS", "Row", "and_", "fabs", "fadd", "fdiv", "fmul"),
    *("fneg", "fsub", "isnan", "or_", "select", "truth"),
]

Row = Callable[..., str]


def _plain(instruction: str) -> Row:
    """An instruction of one type, as `fadd`."""
    return lambda c, n, *xs: c(f"{instruction} {n.register} {', '.join(xs)}")


def _intrinsic(name: str) -> Row:
    return lambda c, n, *xs: c.intrinsic(name, n, *xs)


def _libm(name: str) -> Row:
    return lambda c, n, *xs: c.function(name, n, *xs)


def _is(predicate: str, literal: float | None = None) -> Row:
    """A comparison of two numbers, or of one with a literal."""

    def compare(c: Code, n: Number, x: str, y: str = "") -> str:
        other = y or c.literal(0.0 if literal is None else literal, n)
        kind, word = "fcmp" if n.kind == "f" else "icmp", predicate
        if kind == "fcmp" and word == ">=" and other == c.literal(math.inf, n):
            # beside x < 0, LLVM would look at the bits of x, which takes six times as long
            word, other = ">", c.literal(float(np.finfo(n.dtype).max), n)
        return c(f"{kind} {_PREDICATES[word][n.kind]} {n.register} {x}, {other}")

    return compare


_PREDICATES: Final[dict[str, dict[str, str]]] = {
    "==": {"f": "oeq", "i": "eq", "u": "eq", "b": "eq"},
    "!=": {"f": "une", "i": "ne", "u": "ne", "b": "ne"},
    "<": {"f": "olt", "i": "slt", "u": "ult", "b": "ult"},
    "<=": {"f": "ole", "i": "sle", "u": "ule", "b": "ule"},
    ">": {"f": "ogt", "i": "sgt", "u": "ugt", "b": "ugt"},
    ">=": {"f": "oge", "i": "sge", "u": "uge", "b": "uge"},
}
EQ, NE, LT, LE, GT, GE = map(_is, _PREDICATES)


def isnan(c: Code, n: Number, x: str) -> str:
    return c("fcmp uno {} {}, {}", n.register, x, x)


def select(c: Code, n: Number, condition: str, x: str, y: str) -> str:
    return c("select i1 {}, {} {}, {} {}", condition, n.register, x, n.register, y)


def truth(c: Code, n: Number, x: str) -> str:
    """Whether a number is not zero."""
    return x if n.kind == "b" else NE(c, n, x, c.literal(0, n))


def or_(c: Code, x: str, y: str) -> str:
    return c("or i1 {}, {}", x, y)


def and_(c: Code, x: str, y: str) -> str:
    return c("and i1 {}, {}", x, y)


def _extreme(name: str, better: Row) -> Row:
    """The larger or smaller; NaN if either is."""

    def pick(c: Code, n: Number, x: str, y: str) -> str:
        if n.kind == "f":  # what x is takes longer to compute, mostly: y is looked at for NaN
            return c.intrinsic(name, n, y, x, flags="nsz")
        return select(c, n, better(c, n, y, x), y, x)  # x if equal: LLVM foresees what stays

    return pick


def fadd(c: Code, n: Number, x: str, y: str) -> str:
    return c("fadd {} {}, {}", n.register, x, y)


def fsub(c: Code, n: Number, x: str, y: str) -> str:
    return c("fsub {} {}, {}", n.register, x, y)


def fmul(c: Code, n: Number, x: str, y: str) -> str:
    return c("fmul contract {} {}, {}", n.register, x, y)


def fdiv(c: Code, n: Number, x: str, y: str) -> str:
    return c("fdiv {} {}, {}", n.register, x, y)


def fneg(c: Code, n: Number, x: str) -> str:
    return c("fneg {} {}", n.register, x)


def fabs(c: Code, n: Number, x: str) -> str:
    return c.intrinsic("fabs", n, x)


def _log1p(c: Code, n: Number, x: str) -> str:
    """log(1 + x), and to first order what rounding has taken from 1 + x, over 1 + x.

    With 64 bits it is as right as the C library's function of vectors, and takes less time;
    with 32 bits that is as fast, and at most 2 units in the last place off, where this is 4.5.
    """
    if c.exact or n.bits == 32:
        return c.function("log1p", n, x)
    one = c.literal(1.0, n)
    total = fadd(c, n, one, x)
    log = _LOG(c, n, total)
    lost = fsub(c, n, x, fsub(c, n, total, one))
    lost = _at_most(1.0)(c, n, lost)  # NaN if x is infinite
    result = fadd(c, n, log, fmul(c, n, lost, _near_reciprocal(c, n, total)))
    return c.intrinsic("copysign", n, result, x)  # -0.0


def _at_most(limit: float) -> Row:
    """A number, or the limit in place of one that is larger or NaN: one instruction."""

    def pick(c: Code, n: Number, x: str) -> str:
        most = c.literal(limit, n)
        return select(c, n, LT(c, n, x, most), x, most)

    return pick


def _near_reciprocal(c: Code, n: Number, x: str) -> str:
    """About 1 / x for positive doubles, at most 1/8 off, and near 1 far less; 0 for large ones.

    A number's bits are about its logarithm, so those of 1 / x are about those of 1, twice, without
    those of x (J. F. Blinn, Floating-point tricks, IEEE CG&A 17, 1997).
    """
    bits = c("bitcast double {} to i64", _at_most(2.0**64)(c, n, x))
    return c("bitcast i64 {} to double", c("sub i64 {}, {}", str(2 * 0x3FF << 52), bits))


def _in_vectors(name: str, written: Row, bits: Sequence[int] = (32, 64)) -> Row:
    """The C library's function, but in loops, of numbers of so many bits, instructions."""
    shared = by_usual(name, written, ())

    def compute(c: Code, n: Number, *xs: str) -> str:
        if c.exact or c.alone or n.bits not in bits:
            return c.function(name, n, *xs)
        return str((shared if name in c.apart else written)(c, n, *xs))

    return compute


_LOG = _in_vectors("log", log_of_double, bits=(64,))


def _logaddexp(function: str, scale: float) -> Row:
    """The larger, and log1p(exp(-|x - y|)): by the C library's log1p, which is faster here."""

    def both(c: Code, n: Number, x: str, y: str) -> str:
        most = _extreme("maximum", GE)(c, n, x, y)
        apart = fneg(c, n, fabs(c, n, fsub(c, n, x, y)))
        rest = c.function("log1p", n, c.function(function, n, apart))
        if scale != 1.0:
            rest = fmul(c, n, rest, c.literal(scale, n))
        equal = fadd(c, n, x, c.literal(math.log(2.0) * scale, n))  # infinities, too
        return select(c, n, EQ(c, n, x, y), equal, fadd(c, n, most, rest))

    return both


def _float_sign(c: Code, n: Number, x: str) -> str:
    zero, one = c.literal(0.0, n), c.literal(1.0, n)
    up = select(c, n, GT(c, n, x, zero), one, zero)
    sign = select(c, n, LT(c, n, x, zero), c.literal(-1.0, n), up)
    return select(c, n, isnan(c, n, x), x, sign)


def _integer_sign(c: Code, n: Number, x: str) -> str:
    up = c("zext i1 {} to {}", GT(c, n, x, "0"), n.register)
    if n.kind == "u":
        return up
    return select(c, n, LT(c, n, x, "0"), "-1", up)


def _integer_abs(c: Code, n: Number, x: str) -> str:
    if n.kind == "u":
        return x
    return select(c, n, LT(c, n, x, "0"), c("sub {} 0, {}", n.register, x), x)


def _float_divmod(c: Code, n: Number, x: str, y: str) -> tuple[str, str]:
    """NumPy's floor_divide and remainder: by C's remainder, so that they fit each other."""
    zero = c.literal(0.0, n)
    rest = rest_of_float(c, n, x, y)
    quotient = fdiv(c, n, fsub(c, n, x, rest), y)
    other_side = c("xor i1 {}, {}", LT(c, n, y, zero), LT(c, n, rest, zero))
    differs = and_(c, NE(c, n, rest, zero), other_side)
    quotient = select(c, n, differs, fsub(c, n, quotient, c.literal(1.0, n)), quotient)
    remainder = select(c, n, differs, fadd(c, n, rest, y), rest)
    signed_zero = c.intrinsic("copysign", n, zero, y)
    remainder = select(c, n, EQ(c, n, remainder, zero), signed_zero, remainder)
    whole = c.intrinsic("floor", n, quotient)
    above = GT(c, n, fsub(c, n, quotient, whole), c.literal(0.5, n))
    whole = select(c, n, above, fadd(c, n, whole, c.literal(1.0, n)), whole)
    ratio = fdiv(c, n, x, y)
    flat = c.intrinsic("copysign", n, zero, ratio)
    whole = select(c, n, EQ(c, n, quotient, zero), flat, whole)
    return select(c, n, EQ(c, n, y, zero), ratio, whole), remainder


def _integer_division(instruction: str, after: Row | None) -> Row:
    """Division with NumPy's results where machines trap: 0 for x / 0, and by -1."""

    def divide(c: Code, n: Number, x: str, y: str) -> str:
        sign = n.kind.replace("i", "s")
        by_zero = EQ(c, n, y, "0")
        traps = by_zero
        if n.kind == "i":
            traps = or_(c, by_zero, EQ(c, n, y, "-1"))
        safe = select(c, n, traps, "1", y)
        result = c(f"{sign}{instruction} {n.register} {x}, {safe}")
        if after is not None and n.kind == "i":
            rest = c(f"srem {n.register} {x}, {safe}")
            opposite = LT(c, n, c("xor {} {}, {}", n.register, rest, safe), "0")
            differs = and_(c, NE(c, n, rest, "0"), opposite)
            result = select(c, n, differs, after(c, n, result, safe), result)
        if n.kind == "i":
            by_minus_one = c("sub {} 0, {}", n.register, x) if instruction == "div" else "0"
            result = select(c, n, EQ(c, n, y, "-1"), by_minus_one, result)
        return select(c, n, by_zero, "0", result)

    return divide


def _shift(instruction: str) -> Row:
    """A shift by more than all bits leaves nothing (or the sign), and none is undefined."""

    def shift(c: Code, n: Number, x: str, y: str) -> str:
        name = "ashr" if instruction == "shr" and n.kind == "i" else instruction
        name = "lshr" if name == "shr" else name
        if y.isdigit() and int(y) < n.bits:
            return c(f"{name} {n.register} {x}, {y}")
        fits = c("icmp ult {} {}, {}", n.register, y, str(n.bits))
        by = select(c, n, fits, y, str(n.bits - 1))
        shifted = c(f"{name} {n.register} {x}, {by}")
        return shifted if name == "ashr" else select(c, n, fits, shifted, "0")

    return shift


def _integer_pow(c: Code, n: Number, x: str, y: str) -> str:
    """By squaring, modulo two to the number of bits; negative exponents are refused."""
    if n.kind == "i":
        c.fail(LT(c, n, y, "0"), "Integers to negative integer powers are not allowed.")
    return loop_of("pow", c, n, x, y)


def _gcd(c: Code, n: Number, x: str, y: str) -> str:
    """Of the numbers without their signs."""
    return loop_of("gcd", c, n, _integer_abs(c, n, x), _integer_abs(c, n, y))


def _integer_reciprocal(c: Code, n: Number, x: str) -> str:
    """Nonzero for 1 and -1 alone; 1 / 0 is what NumPy makes of an infinity on this processor.

    On AArch64, that is not the same for one int32 as for many.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        of_zero = str(np.reciprocal(np.zeros(64, n.dtype))[0])
    unit = EQ(c, n, x, "1")
    if n.kind == "i":
        unit = or_(c, unit, EQ(c, n, x, "-1"))
    return select(c, n, unit, x, select(c, n, EQ(c, n, x, "0"), of_zero, "0"))


_FLOAT: Final[dict[str, Row]] = {
    "add": fadd,
    "sub": fsub,
    "mul": fmul,
    "true_div": fdiv,
    "neg": fneg,
    "abs": fabs,
    "square": lambda c, n, x: fmul(c, n, x, x),
    "reciprocal": lambda c, n, x: fdiv(c, n, c.literal(1.0, n), x),
    "sign": _float_sign,
    "floor_div": lambda c, n, x, y: _float_divmod(c, n, x, y)[0],
    "mod": lambda c, n, x, y: _float_divmod(c, n, x, y)[1],
    "fmod": rest_of_float,
    "nextafter": next_of_float,
    "pow": _in_vectors("pow", pow_of_float),
    "isnan": isnan,
    "isinf": lambda c, n, x: EQ(c, n, fabs(c, n, x), c.literal(math.inf, n)),
    "isfinite": lambda c, n, x: LT(c, n, fabs(c, n, x), c.literal(math.inf, n)),
    "exp": _in_vectors("exp", exp_of_float),
    "exp2": _in_vectors("exp2", exp2_of_float),
    "hypot": _in_vectors("hypot", hypot_of_float),
    "tanh": _in_vectors("tanh", tanh_of_float),
    "log": _LOG,
    "log1p": _log1p,
    "logaddexp": _logaddexp("exp", 1.0),
    "logaddexp2": _logaddexp("exp2", 1.0 / math.log(2.0)),
    **{name: _intrinsic(name) for name in ("sqrt", "copysign", "floor", "ceil", "trunc", "rint")},
    **{
        name: _libm(name)
        for name in (
            *("expm1", "log2", "log10", "erf", "erfc", "cbrt"),
            *("sin", "cos", "tan", "sinh", "cosh"),
        )
    },
    **{
        name: _libm(name.replace("arc", "a"))
        for name in ("arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh", "arctan2")
    },
}
_INTEGER: Final[dict[str, Row]] = {
    "add": _plain("add"),
    "sub": _plain("sub"),
    "mul": _plain("mul"),
    "neg": lambda c, n, x: c("sub {} 0, {}", n.register, x),
    "abs": _integer_abs,
    "sign": _integer_sign,
    "square": lambda c, n, x: c("mul {} {}, {}", n.register, x, x),
    "floor_div": _integer_division("div", lambda c, n, q, y: c("sub {} {}, 1", n.register, q)),
    "mod": _integer_division("rem", lambda c, n, r, y: c("add {} {}, {}", n.register, r, y)),
    "fmod": _integer_division("rem", None),
    "gcd": _gcd,
    "bitwise_and": _plain("and"),
    "bitwise_or": _plain("or"),
    "bitwise_xor": _plain("xor"),
    "bitwise_not": lambda c, n, x: c("xor {} {}, -1", n.register, x),
    "left_shift": _shift("shl"),
    "right_shift": _shift("shr"),
    "pow": _integer_pow,
    "reciprocal": _integer_reciprocal,
    **{name: (lambda c, n, x: x) for name in ("floor", "ceil", "trunc", "rint")},
}


def _not(c: Code, n: Number, x: str) -> str:
    return c("xor i1 {}, true", x)


_BITS: Final[dict[str, Row]] = {
    "add": _plain("or"),
    "mul": _plain("and"),
    "bitwise_and": _plain("and"),
    "bitwise_or": _plain("or"),
    "bitwise_xor": _plain("xor"),
    "bitwise_not": _not,
    "logical_and": _plain("and"),
    "logical_not": _not,
    "logical_or": _plain("or"),
    "logical_xor": _plain("xor"),
    **{name: (lambda c, n, x: x) for name in ("abs", "square", "floor", "ceil", "trunc")},
}
_ALL: Final[dict[str, Row]] = {
    "eq": EQ,
    "neq": NE,
    "lt": LT,
    "le": LE,
    "gt": GT,
    "ge": GE,
    "maximum": _extreme("maximum", GE),
    "minimum": _extreme("minimum", LE),
    "where": select,
    "broadcast_length": lambda c, n, x, y: select(c, n, EQ(c, n, x, c.literal(1, n)), y, x),
    "real": lambda c, n, x: x,
    "conj": lambda c, n, x: x,
    "imag": lambda c, n, x: c.literal(0, n),
    **{name: (lambda c, n, x: "false") for name in ("isnan", "isinf")},
    "isfinite": lambda c, n, x: "true",
}
ROWS: Final[dict[str, dict[str, Row]]] = {
    "f": {**_ALL, **_FLOAT},
    "i": {**_ALL, **_INTEGER},
    "u": {**_ALL, **_INTEGER},
    "b": {**_ALL, **_BITS},
}
"""By the kind of number that a row computes with, and its name."""
