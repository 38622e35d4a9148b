"""Stacks along other axes than the first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function

MATRICES = [wt.matrix(name) for name in "ABCDEFGHIJ"]
VALUES = [np.arange(6.0).reshape(2, 3) + k for k in range(10)]


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_no_order_is_left_to_change(axis: int) -> None:
    f = function(MATRICES, wt.stack(MATRICES, axis), mode="jax")
    np.testing.assert_array_equal(f(*VALUES), np.stack(VALUES, axis))
    assert " transpose(" not in f.lower_text("hlo", *VALUES)


def test_other_orders_and_stacks_that_are_results() -> None:
    whole: Any = wt.stack(MATRICES)
    orders = [(2, 1, 0), (1, 0, 2), (0, 2, 1)]
    f = function(MATRICES, [whole, *(wt.transpose(whole, axes) for axes in orders)], mode="jax")
    first, *others = f(*VALUES)
    np.testing.assert_array_equal(first, np.stack(VALUES))
    for axes, found in zip(orders, others, strict=True):
        np.testing.assert_array_equal(found, np.stack(VALUES).transpose(axes))


def test_of_lengths_that_differ_is_an_error() -> None:
    f = function(MATRICES, wt.stack(MATRICES, 1), mode="jax")
    with pytest.raises(ValueError, match="stack"):
        f(*VALUES[:9], np.ones((2, 4)))
