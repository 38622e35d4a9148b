"""Derivatives of what was cut in two at one place, as `roll` does: joined halves, no sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft.tensor as wt
from weft_graph import function
from weft_tensor import IndexUpdate
from weft_testing import compare_jax_and_py, compare_numba_and_py

x = wt.vector("x")
X = wt.matrix("X")
k = wt.scalar("k", dtype="int64")


def slope(y: Any, of: Any) -> Any:
    return wt.grad(wt.sum(wt.exp(y) * (1.0 + of)), of)


@pytest.mark.parametrize("n", [0, 1, 2, 7])
@pytest.mark.parametrize("by", [0, 1, -3, 9])
def test_the_slope_of_a_roll_is_right(n: int, by: int, few: Any) -> None:
    values = [np.linspace(-1.0, 1.0, n), by]
    found = slope(wt.roll(x, k), x)
    plain = function([x, k], found, mode=wt.Mode("py", books=[]))(*values)
    for compare in few((compare_jax_and_py, compare_numba_and_py), 1):
        (result,) = compare([x, k], [found], values)[1]
        np.testing.assert_allclose(result, plain, rtol=1e-12)


def test_it_adds_nothing_to_zeros() -> None:
    for y, of in ((wt.roll(x, k), x), (wt.roll(X, 2, axis=1), X)):
        f: Any = function([of, k], slope(y, of), mode="py", on_unused_input="ignore")
        assert not [v for v in f.graph.nodes if isinstance(v.op, IndexUpdate)]


def test_halves_of_other_places_or_axes_are_added() -> None:
    a = np.arange(6.0).reshape(2, 3)
    y = wt.exp(X[:, 1:]).sum() + wt.exp(X[:, :2]).sum() + wt.exp(X[1:]).sum()
    result = function([X], wt.grad(y, X), mode="py")(a)
    np.testing.assert_allclose(result, np.exp(a) * [[1, 2, 1], [2, 3, 2]])
