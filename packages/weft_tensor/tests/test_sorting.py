"""What sorting offers beyond its Ops: unique, median, take_along_axis."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from weft_tensor import matrix, median, take_along_axis, tensor, unique, vector
from weft_testing import check_grad


@pytest.mark.parametrize(
    "values",
    [
        [3.0, 1.0, 3.0, 2.0, 1.0],
        [np.nan, 1.0, np.nan, -np.inf],
        [2.0],
        [],
    ],
)
def test_unique_is_numpys(values: list[float]) -> None:
    x = vector("x")
    found = [v.eval({x: values}) for v in unique(x, True, True, True)]
    expected: Any = np.unique(np.array(values), True, True, True)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_unique_takes_tensors_of_any_rank_and_dtype() -> None:
    x = tensor("x", "int32", (None, None))
    array = np.array([[3, 1], [1, 2]], "int32")
    found, inverse = (v.eval({x: array}) for v in unique(x, return_inverse=True))
    np.testing.assert_array_equal(found, [1, 2, 3])
    assert found.dtype == "int32"
    np.testing.assert_array_equal(found[inverse], array)


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1), -1])
@pytest.mark.parametrize("columns", [3, 4])
def test_median_is_numpys(axis: Any, columns: int) -> None:
    x = matrix("x")
    array = np.random.default_rng(0).normal(size=(5, columns))
    for keepdims in (False, True):
        found = median(x, axis, keepdims).eval({x: array})
        np.testing.assert_array_equal(found, np.median(array, axis, keepdims=keepdims))
    array[0, 1] = np.nan
    np.testing.assert_array_equal(median(x, axis).eval({x: array}), np.median(array, axis))
    check_grad(lambda x: median(x, axis), [np.random.default_rng(1).normal(size=(5, columns))])


def test_take_along_axis_is_numpys() -> None:
    x, i = matrix("x"), tensor("i", "int64", (None, None))
    array, places = np.arange(12.0).reshape(3, 4), np.array([[0, 3, 1, 1]] * 3)
    for axis in (0, 1):
        chosen = places % array.shape[axis]
        found = take_along_axis(x, i, axis).eval({x: array, i: chosen})
        np.testing.assert_array_equal(found, np.take_along_axis(array, chosen, axis))
