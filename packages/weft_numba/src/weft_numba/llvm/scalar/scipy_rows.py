"""Scalar functions that are SciPy's, called by their addresses, in 64 bits."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial, reduce
from math import nan
from typing import Any, Final

from weft_numba.ir.llvm_writer import Code, Number, Value, number
from weft_numba.ir.scipy_special import symbol
from weft_numba.llvm.scalar.cast_rows import cast
from weft_numba.llvm.scalar.real_rows import LE, and_, fabs, select
from weft_tensor.extend import HYP1F1_LIMIT

__all__ = ["COMPLEX_SCIPY_ROWS", "SCIPY_ROWS"]

_NAMES: Final = (
    *("beta", "binom", "gamma", "poch"),
    *("gammainc", "gammaincc", "gammaincinv", "gammainccinv"),
    *("betainc", "betaincc", "betaincinv", "betainccinv"),
    *("iv", "ive", "j0", "j1", "jv", "k0", "k0e", "k1", "k1e", "kv", "kve", "y0", "y1", "yv"),
    *("ellipe", "ellipeinc", "ellipk", "ellipkinc", "ellipkm1", "elliprc", "elliprd", "elliprf"),
    *("elliprg", "elliprj", "owens_t"),
)
_DOUBLE: Final = number("float64")


def _scipys(name: str) -> Callable[..., Value]:
    def compute(c: Code, n: Number, *xs: str) -> Value:
        wide = [cast(c, x, n, _DOUBLE) for x in xs]
        return cast(c, c.external(symbol(name, len(xs)), *wide), _DOUBLE, n)

    return compute


def _bounded(name: str, most: float) -> Callable[..., Value]:
    """NaN for numbers that are larger, or none: SciPy's may not come back from these."""
    function = _scipys(name)

    def compute(c: Code, n: Number, *xs: str) -> Value:
        limit = c.literal(most, n)
        few = reduce(partial(and_, c), [LE(c, n, fabs(c, n, x), limit) for x in xs])
        value: Any = function(c, n, *[select(c, n, few, x, c.literal(1.0, n)) for x in xs])
        return select(c, n, few, value, c.literal(nan, n))

    return compute


def _of_complex(name: str) -> Callable[..., Value]:
    def compute(c: Code, n: Number, *xs: Value) -> Value:
        *orders, z = xs
        wide = number("complex128")
        doubles = [cast(c, order, n.part, _DOUBLE) for order in orders]
        full = symbol(name, len(xs), is_complex=True)
        return cast(c, c.complex_external(full, *doubles, cast(c, z, n, wide)), wide, n)

    return compute


_COMPLEX: Final = {
    **{f"complex_{name}": name for name in ("gamma", "erf", "erfc", "erfcx", "ndtr", "log_ndtr")},
    **{f"complex_{name}": name for name in ("exp1", "expi", "spence", "dawsn", "erfi")},
    **{f"complex_{name}": name for name in ("jv", "iv", "ive", "kv", "kve", "hyp2f1")},
    "complex_digamma": "psi",
    "complex_loggamma": "loggamma",
    "wofz": "wofz",
}
"""SciPy's names of rows."""

COMPLEX_SCIPY_ROWS: Final[dict[str, Callable[..., Value]]] = (
    {} if sys.platform == "win32" else {row: _of_complex(name) for row, name in _COMPLEX.items()}
)
"""Of complex numbers; on Windows, these are passed in other ways."""

SCIPY_ROWS: Final[dict[str, Callable[..., Value]]] = {
    **{name: _scipys(name) for name in _NAMES},
    "hyp1f1": _bounded("hyp1f1", HYP1F1_LIMIT),
}
"""By the names of the scalar table."""
