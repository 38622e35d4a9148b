from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from weft_testing import assert_close, assert_same, tensor_ops


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        ([1.0, np.nan, np.inf], [1.0 + 1e-12, np.nan, np.inf]),
        ([1e-12, 100.0], [0.0, 100.0]),
        (np.full(1, 1.00001, "float32"), np.ones(1, "float32")),
        ([], []),
        ([1, 2], [1, 2]),
    ],
)
def test_what_is_close(actual: Any, expected: Any) -> None:
    assert_close(actual, expected)


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        ([1.0], [1.0 + 1e-8]),
        ([np.inf], [1e308]),
        ([np.nan], [1.0]),
        ([1.0], [np.nan]),
        (np.array([10**9 + 1]), np.array([10**9])),
        ([1e-3], [0.0]),
    ],
)
def test_what_is_not(actual: Any, expected: Any) -> None:
    with pytest.raises(AssertionError):
        assert_close(actual, expected)


def test_the_same_is_of_one_dtype_and_shape() -> None:
    assert_same(np.ones(2), np.ones(2) + 1e-13)
    with pytest.raises(AssertionError, match="dtype float32 instead of float64"):
        assert_same(np.ones(2, "float32"), np.ones(2))
    with pytest.raises(AssertionError, match=r"shape \(1, 2\) instead of \(2,\)"):
        assert_same(np.ones((1, 2)), np.ones(2))


def test_every_op_is_listed_once() -> None:
    ops = tensor_ops()
    assert len(ops) == len(set(ops))
    names = {op.__name__ if isinstance(op, type) else str(op) for op in ops}
    assert {"Sum", "Matmul", "Cholesky", "Index", "exp", "where"} < names
