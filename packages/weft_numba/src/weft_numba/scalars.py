"""Scalar functions in Numba: NumPy's ufuncs, and rows of our own where Numba has none."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np

from weft_numba.source import compiled, njit
from weft_tensor import SCALARS

__all__ = ["KIND_ROWS", "ROWS", "scalar_function"]

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


def _floor_div(x: Any, y: Any) -> Any:
    """NumPy's way: by the remainder, so that the result is right where x / y is rounded."""
    if y == 0:
        return x / y
    rest = np.fmod(x, y)
    quotient = (x - rest) / y
    if rest != 0 and (y < 0) != (rest < 0):
        quotient -= 1
    if quotient == 0:
        return np.copysign(quotient, x / y)
    whole = np.floor(quotient)
    return whole + 1 if quotient - whole > 0.5 else whole


def _integer_floor_div(x: Any, y: Any) -> Any:
    """The smallest integer divided by -1 is itself in NumPy, a trap in machine code."""
    return -x if y == -1 else x // y


def _integer_mod(x: Any, y: Any) -> Any:
    return 0 if y == -1 else x % y


def _integer_fmod(x: Any, y: Any) -> Any:
    """With the sign of x; Numba's own is wrong for negative numbers."""
    rest = 0 if y == -1 else x % y
    return rest - y if rest != 0 and (x < 0) != (y < 0) else rest


def _integer_pow(x: Any, y: Any) -> Any:
    if y < 0:
        raise ValueError("integers to negative integer powers are not allowed")
    return np.power(x, y)


def _left_shift(x: Any, y: Any) -> Any:
    """By more than all bits is 0 in NumPy, undefined in machine code."""
    return x << y if 0 <= y < 64 else x ^ x


def _right_shift(x: Any, y: Any) -> Any:
    return x >> y if 0 <= y < 64 else x ^ x if x >= 0 else x | -1


ROWS: Final[dict[str, Callable[..., Any]]] = {
    "broadcast_length": _broadcast_length,
    "conj": lambda x: np.conj(x),
    "erf": lambda x: math.erf(x),
    "erfc": lambda x: math.erfc(x),
    "imag": lambda x: x.imag,
    "left_shift": _left_shift,
    "log1mexp": _log1mexp,
    "logical_and": lambda x, y: (x != 0) and (y != 0),
    "logical_not": lambda x: x == 0,
    "logical_or": lambda x, y: (x != 0) or (y != 0),
    "logical_xor": lambda x, y: (x != 0) != (y != 0),
    "real": lambda x: x.real,
    "right_shift": _right_shift,
    "sigmoid": _sigmoid,
    "softplus": _softplus,
    "where": _where,
}
"""Functions of scalars that already have the dtypes of the computation."""


KIND_ROWS: Final[dict[tuple[str, str], Callable[..., Any]]] = {
    ("floor_div", "f"): _floor_div,
    ("floor_div", "i"): _integer_floor_div,
    ("fmod", "i"): _integer_fmod,
    ("mod", "i"): _integer_mod,
    ("pow", "i"): _integer_pow,
    ("imag", "b"): lambda x: False,
    ("real", "b"): lambda x: x,
}
"""The same for dtypes of one kind (`numpy.dtype.kind`), before those in `ROWS`."""


@cache
def scalar_function(name: str, dtype: str) -> Any:
    """The Numba function of scalars for the row `name`, which computes with `dtype`."""
    own = KIND_ROWS.get((name, np.dtype(dtype).kind), ROWS.get(name))
    if own is not None:
        return njit(own)
    row = SCALARS[name]
    arguments = ", ".join("abc"[: row.arity])
    return compiled(f"def lowered({arguments}):\n    return ufunc({arguments})\n", ufunc=row.numpy)
