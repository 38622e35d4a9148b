"""Numbers below the smallest normal one: Python and Numba keep them, XLA takes them for 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import weft.tensor as wt
from weft_testing import compare_jax_and_py, compare_numba_and_py

FUNCTIONS: Final[dict[str, Callable[[Any], Any]]] = {
    "comparison": lambda x: x > 0,
    "log": wt.log,
    "sqrt": wt.sqrt,
    "inverse": lambda x: 1 / x,
    "product": lambda x: x * 2.0**100,
    "quotient": lambda x: x / x,
    "sum": lambda x: (x * 2.0**100).sum(),
}

VALUES: Final = {
    "float64": np.array([5e-324, 1e-310, -1e-310, 0.5, 1e-300]),
    "float32": np.array([1e-45, 1e-40, -1e-40, 0.5, 1e-30], "float32"),
}

each_function = pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
each_dtype = pytest.mark.parametrize("dtype", VALUES)


@each_function
@each_dtype
def test_numba_keeps_them(function: Callable[[Any], Any], dtype: str) -> None:
    x = wt.vector("x", dtype=dtype)
    with np.errstate(all="ignore"):
        compare_numba_and_py([x], [function(x)], [VALUES[dtype]])


@each_function
@each_dtype
def test_xla_takes_them_for_zero_and_nothing_else(
    function: Callable[[Any], Any], dtype: str
) -> None:
    x = wt.vector("x", dtype=dtype)
    with np.errstate(all="ignore"):
        compare_jax_and_py([x], [function(x)], [VALUES[dtype]])


def test_what_is_only_moved_keeps_them() -> None:
    x = wt.dvector("x")
    f = wt.function([x], [x[::-1], wt.concatenate([x, x])], mode="jax")
    reversed_, twice = f(VALUES["float64"])
    np.testing.assert_array_equal(reversed_, VALUES["float64"][::-1])
    np.testing.assert_array_equal(twice, np.tile(VALUES["float64"], 2))


def test_other_differences_are_found_beside_them() -> None:
    x = wt.dvector("x")
    with np.errstate(all="ignore"), pytest.raises(AssertionError, match="Not equal"):
        compare_jax_and_py(
            [x],
            [wt.log(x)],
            [VALUES["float64"]],
            assert_fn=lambda actual, wanted: np.testing.assert_allclose(actual + 1, wanted),
        )
