"""Scalar functions that are SciPy's, called by their addresses, in 64 bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from weft_numba.ir.llvm_writer import Code, Number, Value, number
from weft_numba.ir.scipy_special import symbol
from weft_numba.llvm.scalar.cast_rows import cast

__all__ = ["SCIPY_ROWS"]

_NAMES: Final = (
    *("beta", "binom", "gamma", "hyp2f1", "poch"),
    *("gammainc", "gammaincc", "gammaincinv", "gammainccinv"),
    *("betainc", "betaincc", "betaincinv", "betainccinv"),
    *("iv", "ive", "j0", "j1", "jv", "k0", "k0e", "k1", "k1e", "kv", "kve", "y0", "y1"),
    "owens_t",
)
_DOUBLE: Final = number("float64")


def _scipys(name: str) -> Callable[..., Value]:
    def compute(c: Code, n: Number, *xs: str) -> Value:
        wide = [cast(c, x, n, _DOUBLE) for x in xs]
        return cast(c, c.external(symbol(name, len(xs)), *wide), _DOUBLE, n)

    return compute


SCIPY_ROWS: Final[dict[str, Callable[..., Value]]] = {name: _scipys(name) for name in _NAMES}
"""By the names of the scalar table."""
