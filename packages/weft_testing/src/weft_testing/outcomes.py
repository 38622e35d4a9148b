"""What a call comes to, results or an error, to be compared with that of another function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

__all__ = ["assert_same_outcome", "outcome"]

Outcome = list[Any] | Exception
"""What a call comes to: its results, or the error that it raises."""


def outcome(f: Callable[..., object], values: Sequence[object]) -> Any:
    """The results of `f(*values)`, without NumPy's warnings; or the exception that it raises.

    >>> outcome(int, ["7"]), type(outcome(int, ["seven"]))
    ([7], <class 'ValueError'>)
    """
    try:
        with np.errstate(all="ignore"):
            results = f(*values)
    except Exception as error:
        return error
    return list(results) if isinstance(results, (list, tuple)) else [results]


def assert_same_outcome(actual: Outcome, expected: Outcome, rtol: float = 1e-13) -> None:
    """Assert that results have the same dtypes, shapes and values; errors, the same type.

    >>> assert_same_outcome(outcome(int, ["seven"]), outcome(float, ["seven"]))
    >>> assert_same_outcome(outcome(np.exp, [0.0]), outcome(np.cos, [0.0]))
    """
    if isinstance(actual, Exception) or isinstance(expected, Exception):
        assert type(actual) is type(expected), f"{actual!r} instead of {expected!r}"
        return
    for one, other in zip(actual, expected, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_allclose(one, other, rtol=rtol)
