"""The dtypes of tensors, and NumPy's rules for what combines to what."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final

import numpy as np

__all__ = ["DTYPES", "DTypeLike", "as_dtype", "is_weak", "promote", "weak_dtype"]

DTYPES: Final = (
    "bool",
    *("int8", "int16", "int32", "int64"),
    *("uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64"),
    *("complex64", "complex128"),
)
"""The dtypes that a tensor may have."""

_PLAIN: Final = {name: name for name in DTYPES}

DTypeLike = str | type[object] | np.dtype
"""What `as_dtype` takes: a dtype's name, a Python or NumPy type, or NumPy's dtype."""


@cache
def _by_dtype(dtype: np.dtype) -> str:
    name = str(dtype.name)
    if name not in DTYPES:
        raise TypeError(f"tensors can't be of dtype {name}; they can be {', '.join(DTYPES)}")
    return name


def as_dtype(dtype: DTypeLike) -> str:
    """The name of a dtype, given in any form that NumPy takes.

    Raises TypeError for a dtype that tensors can't have.

    >>> import numpy as np
    >>> as_dtype(float), as_dtype(np.int32), as_dtype("f4")
    ('float64', 'int32', 'float32')
    """
    if isinstance(dtype, str) and dtype in _PLAIN:
        return _PLAIN[dtype]
    try:
        return _by_dtype(np.dtype(dtype))
    except TypeError as error:
        given: object = dtype
        advice: object = error
        if isinstance(given, int):
            advice = "lengths come as one tuple, (2, 3)"
        elif isinstance(given, (tuple, list)):
            advice = f"lengths are given by name, shape={given!r}"
        raise TypeError(f"{given!r} is no dtype for tensors: {advice}") from None


def is_weak(value: object) -> bool:
    """Whether `value` is a Python number, which takes its dtype from what it meets."""
    return type(value) in (int, float, complex)


def promote(dtypes: Iterable[str]) -> str:
    """The dtype that arrays of `dtypes` combine to (`numpy.result_type`).

    >>> promote(["int32", "float32"]), promote(["int8", "uint8"])
    ('float64', 'int16')
    """
    names = tuple(dtypes)
    return names[0] if len(set(names)) == 1 else _promoted(names)


@cache
def _promoted(dtypes: tuple[str, ...]) -> str:
    return as_dtype(np.result_type(*dtypes))


def weak_dtype(value: complex, others: Iterable[str]) -> str:
    """The dtype that the Python number `value` takes among arrays of dtypes `others`.

    >>> weak_dtype(2, ["float32"]), weak_dtype(0.5, ["int8"]), weak_dtype(1, [])
    ('float32', 'float64', 'int64')
    """
    return _weak(type(value).__name__, tuple(others))


@cache
def _weak(kind: str, others: tuple[str, ...]) -> str:
    default = {"int": "int64", "float": "float64", "complex": "complex128"}[kind]
    if not others:
        return default
    among = np.result_type(*others)
    if kind == "int" and among.kind == "b":
        return default
    if kind == "float" and among.kind in "biu":
        return default
    if kind == "complex" and among.kind in "biuf":
        return "complex64" if among == np.float32 else default
    return as_dtype(among)
