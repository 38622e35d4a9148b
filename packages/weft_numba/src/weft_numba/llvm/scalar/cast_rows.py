"""Conversions of dtypes as machine code."""

from __future__ import annotations

from weft_numba.ir.llvm_writer import Code, Number, Pair, Value
from weft_numba.llvm.scalar.complex_rows import complex_truth
from weft_numba.llvm.scalar.real_rows import GE, fsub, truth

__all__ = ["cast"]


def cast(c: Code, x: Value, have: Number, want: Number) -> Value:
    """A number as another dtype, as NumPy's `astype`; real ones lose the imaginary part.

    >>> from weft_numba.ir.llvm_writer import number
    >>> code = Code()
    >>> cast(code, "%x", number("int8"), number("float64")), code.lines
    ('%v0', ['%v0 = sitofp i8 %x to double'])
    """
    if have.dtype == want.dtype:
        return x
    if isinstance(x, Pair):
        if want.kind == "b":
            return complex_truth(c, have, x)
        if want.kind != "c":
            return _real(c, x.real, have.part, want)
        return Pair(*[_real(c, part, have.part, want.part) for part in x])
    if want.kind == "c":
        return Pair(_real(c, x, have, want.part), c.literal(0.0, want.part))
    return _real(c, x, have, want)


def _real(c: Code, x: str, have: Number, want: Number) -> str:
    if have.dtype == want.dtype:
        return x
    if want.kind == "b":
        return truth(c, have, x)
    if have.kind == "f" and want.kind == "f":
        word = "fptrunc" if have.bits > want.bits else "fpext"
        return c(f"{word} {have.register} {x} to {want.register}")
    if want.kind == "f":
        word = "sitofp" if have.kind == "i" else "uitofp"
        return c(f"{word} {have.register} {x} to {want.register}")
    if have.kind == "f":
        return _to_integer(c, x, have, want)
    if have.register == want.register:
        return x
    have_bits = 1 if have.kind == "b" else have.bits
    word = "trunc" if have_bits > want.bits else "sext" if have.kind == "i" else "zext"
    return c(f"{word} {have.register} {x} to {want.register}")


def _to_integer(c: Code, x: str, have: Number, want: Number) -> str:
    """What does not fit is some number, as in C and NumPy, but not undefined behaviour."""
    if want.dtype == "uint64":
        large = GE(c, have, x, c.literal(2.0**63, have))
        less = fsub(c, have, x, c.literal(2.0**63, have))
        low = c("freeze i64 {}", c(f"fptosi {have.register} {x} to i64"))
        high = c("freeze i64 {}", c(f"fptosi {have.register} {less} to i64"))
        return c("select i1 {}, i64 {}, i64 {}", large, c(f"xor i64 {high}, {-(2**63)}"), low)
    wide = c("freeze i64 {}", c(f"fptosi {have.register} {x} to i64"))
    return wide if want.bits == 64 else c(f"trunc i64 {wide} to {want.register}")
