"""Logarithms of SciPy's functions as machine code: the sums that they are only where it is due."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from weft_numba.ir.llvm_writer import Code, Number, Value, number
from weft_numba.llvm.scalar.cast_rows import cast
from weft_numba.llvm.scalar.real_rows import ROWS
from weft_numba.llvm.scalar.scipy_rows import SCIPY_ROWS

__all__ = ["LOGARITHMS", "by_logarithm"]

Row = Callable[..., Value]

LOGARITHMS: Final = {
    "log_gammainc": ("gammainc", "gammaincc"),
    "log_gammaincc": ("gammaincc", "gammainc"),
}
"""The functions that these are logarithms of, and what they lack of 1."""
_DOUBLE: Final = number("float64")
_LEAST: Final = 1e-290
"""SciPy's results keep their digits down to here."""


def by_logarithm(name: str, by_sum: Row) -> Row:
    """The logarithm of SciPy's result where both it and what it lacks of 1 are no underflow.

    Elsewhere, also for NaN and at the ends, it is `by_sum`, which takes 20 times as long. That is
    one function for both logarithms: programs often have both, which share nearly all.
    """
    function, rest = (SCIPY_ROWS[of] for of in LOGARITHMS[name])

    def compute(c: Code, n: Number, *xs: str) -> Value:
        full = f"weft_{name}"
        if full not in c.declarations:
            c.declarations[full] = ""
            parameters = [f"%p{k}" for k in range(len(xs))]
            typed = ", ".join(f"double {p}" for p in parameters)
            head = f"define internal double @{full}({typed}) noinline nounwind willreturn"
            with c.definition(f"{head} memory(none)"), c.joined(tuple(LOGARITHMS)):
                _branches(c, full, function, rest, parameters)
                c.lines.append(f"far_{full}:")
                c.lines.append(f"ret double {by_sum(c, _DOUBLE, *parameters)}")
            c.declarations[full] = c.definitions.pop()
        wide = ", ".join(f"double {cast(c, x, n, _DOUBLE)}" for x in xs)
        return cast(c, c(f"call double @{full}({wide})"), _DOUBLE, n)

    return compute


def _branches(c: Code, name: str, function: Row, rest: Row, xs: Sequence[str]) -> None:
    """Return the logarithm where it is right; else go on at `far`."""
    real = ROWS["f"]
    least, half = (c.literal(x, _DOUBLE) for x in (_LEAST, 0.5))
    value = function(c, _DOUBLE, *xs)
    some = c(f"fcmp ogt double {value}, {least}")
    c.lines += [f"br i1 {some}, label %some_{name}, label %far_{name}", f"some_{name}:"]
    large = c(f"fcmp ogt double {value}, {half}")
    c.lines += [f"br i1 {large}, label %large_{name}, label %small_{name}", f"small_{name}:"]
    c.lines += [f"ret double {real['log'](c, _DOUBLE, value)}", f"large_{name}:"]
    missing = rest(c, _DOUBLE, *xs)
    some = c(f"fcmp ogt double {missing}, {least}")
    c.lines += [f"br i1 {some}, label %near_{name}, label %far_{name}", f"near_{name}:"]
    c.lines.append(f"ret double {real['log1p'](c, _DOUBLE, c(f'fneg double {missing}'))}")
