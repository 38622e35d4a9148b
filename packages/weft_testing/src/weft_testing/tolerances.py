"""How far two computations of one thing may be apart, by dtype."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["GRADIENT", "VALUE", "assert_close", "assert_same"]

VALUE: Final = {"float32": 2e-5, "float64": 1e-10, "complex64": 2e-5, "complex128": 1e-10}
"""Relative tolerances between backends; other dtypes must agree exactly."""

GRADIENT: Final = {"float32": 5e-3, "float64": 1e-5, "complex64": 5e-3, "complex128": 1e-5}
"""Relative tolerances between derivatives and finite differences."""


def assert_close(actual: ArrayLike, expected: ArrayLike) -> None:
    """Assert that arrays are equal within `VALUE`; NaN equals NaN.

    The absolute tolerance is the relative one times the largest finite value, so that
    cancellation among large values is no failure.
    """
    actual, expected = np.asarray(actual), np.asarray(expected)
    rtol = VALUE.get(str(expected.dtype), 0)
    finite = np.abs(expected[np.isfinite(expected)]) if rtol else np.zeros(0)
    scale = min(float(finite.max(initial=0.0)), 1e300)
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=rtol * max(scale, 1e-5))


def assert_same(actual: ArrayLike, expected: ArrayLike) -> None:
    """Assert that arrays have one dtype and shape, and are close."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.dtype == expected.dtype, f"dtype {actual.dtype} instead of {expected.dtype}"
    assert actual.shape == expected.shape, f"shape {actual.shape} instead of {expected.shape}"
    assert_close(actual, expected)
