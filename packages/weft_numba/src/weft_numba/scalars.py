"""Scalar functions in Numba: NumPy's ufuncs, and rows of our own where Numba has none."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np

from weft_tensor import SCALARS

from weft_numba.source import compiled, njit

__all__ = ["ROWS", "scalar_function"]

_LOG_HALF = math.log(0.5)


def _softplus(x: Any) -> Any:
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def _log1mexp(x: Any) -> Any:
    return np.log(-np.expm1(x)) if x > _LOG_HALF else np.log1p(-np.exp(x))


def _sigmoid(x: Any) -> Any:
    if x >= 0:
        return 1 / (1 + np.exp(-x))
    e = np.exp(x)
    return e / (1 + e)


def _where(c: Any, x: Any, y: Any) -> Any:
    return x if c else y


def _broadcast_length(x: Any, y: Any) -> Any:
    return y if x == 1 else x


ROWS: Final[dict[str, Callable[..., Any]]] = {
    "broadcast_length": _broadcast_length,
    "conj": lambda x: np.conj(x),
    "erf": lambda x: math.erf(x),
    "erfc": lambda x: math.erfc(x),
    "imag": lambda x: x.imag,
    "log1mexp": _log1mexp,
    "logical_and": lambda x, y: (x != 0) and (y != 0),
    "logical_not": lambda x: x == 0,
    "logical_or": lambda x, y: (x != 0) or (y != 0),
    "logical_xor": lambda x, y: (x != 0) != (y != 0),
    "real": lambda x: x.real,
    "sigmoid": _sigmoid,
    "softplus": _softplus,
    "where": _where,
}
"""Functions of scalars that already have the dtypes of the computation."""


@cache
def scalar_function(name: str) -> Any:
    """The Numba function of scalars for the row `name`."""
    if name in ROWS:
        return njit(ROWS[name])
    row = SCALARS[name]
    arguments = ", ".join("abc"[: row.arity])
    return compiled(f"def lowered({arguments}):\n    return ufunc({arguments})\n", ufunc=row.numpy)
