"""Scalar functions that are SciPy's, called by their addresses, in 64 bits."""

from __future__ import annotations

from typing import Final

from weft_numba.ir.llvm_writer import Code, Number, number
from weft_numba.ir.scipy_special import symbol
from weft_numba.llvm.scalar.cast_rows import cast
from weft_numba.llvm.scalar.real_rows import Row

__all__ = ["SCIPY_ROWS"]

_NAMES: Final = ("beta", "betaln", "binom", "gamma", "ndtri_exp", "poch")


def _scipys(name: str) -> Row:
    def compute(c: Code, n: Number, *xs: str) -> str:
        double = number("float64")
        wide = [cast(c, x, n, double) for x in xs]
        return cast(c, c.external(symbol(name, len(xs)), *wide), double, n)  # type: ignore[arg-type]  # no pairs

    return compute


SCIPY_ROWS: Final[dict[str, Row]] = {name: _scipys(name) for name in _NAMES}
"""By the names of the scalar table."""
