"""Order of few numbers, and windows of few: networks and slices in place of what XLA has."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, grad
from weft_jax.lowering.sorting_network import in_order

x = wt.vector("x")
X = wt.matrix("X")
VALUES = np.sin(np.arange(20.0))


@pytest.mark.parametrize("n", [1, 2, 3, 5, 7])
def test_a_network_sorts_what_zeros_and_ones_are(n: int) -> None:
    lanes = np.array(list(product([0, 1], repeat=n)))
    np.testing.assert_array_equal(np.stack(in_order(lanes), -1), np.sort(lanes, -1))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int8", "bool"])
def test_lanes_of_a_few(dtype: Any) -> None:
    values = (np.random.default_rng(0).normal(size=(40, 7)) * 9).astype(dtype)
    if dtype.startswith("float"):
        values[:9, :4] = [np.nan, np.inf, -np.inf, -0.0]
        values[3] = np.nan
    at = wt.tensor("at", dtype, (None, 7))
    outputs = [wt.sort(at, 1), wt.sort(at, 1)[:, 2], wt.sort(at.T, 0)[-2]]
    f = function([at], outputs, mode="jax")
    in_order = np.sort(values, 1)
    for result, expected in zip(
        f(values), (in_order, in_order[:, 2], in_order[:, -2]), strict=True
    ):
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("shape", [(6, 7), (40, 20), (9, 60)])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int8", "bool"])
def test_elements_at_places(dtype: Any, shape: tuple[int, int]) -> None:
    values = (np.random.default_rng(0).normal(size=shape) * 9).astype(dtype)
    if dtype.startswith("float"):
        values[:3, :4] = [np.nan, np.inf, -np.inf, -0.0]
        values[1] = np.nan
    at = wt.tensor("at", dtype, (None, None))
    middle = at.shape[1] // 2
    f = function([at], wt.OrderStatistics()(at, wt.stack([middle, middle + 1])), mode="jax")
    places = [shape[1] // 2, shape[1] // 2 + 1]
    np.testing.assert_array_equal(f(values), np.sort(values, 1)[:, places])


def test_medians_of_neighbours_and_their_slopes(few: Any) -> None:
    image = np.random.default_rng(0).normal(size=(6, 7))
    middle = wt.ndimage.median_filter(X, size=3)
    for output in few((middle, grad(wt.sum(middle**2), X)), 1):
        by_jax, by_python = (function([X], output, mode=mode)(image) for mode in ("jax", "py"))
        np.testing.assert_allclose(by_jax, by_python, rtol=1e-14)


def test_windows_are_as_indices_say(few: Any) -> None:
    n = wt.scalar("n", "int64")
    rows = wt.expand_dims(wt.arange(n), 1)
    squares = np.arange(6.0) ** 2
    many = (rows + wt.arange(3), wt.arange(3) + rows, 2 * rows + wt.arange(3))
    for places in few(many, 1):
        for output in (x[places], x[places].inc(wt.sqrt(x)[:3]), grad(wt.sum(x[places] ** 2), x)):
            by_jax, by_python = (function([x, n], output, mode=mode) for mode in ("jax", "py"))
            for count in (2, 0):
                np.testing.assert_allclose(by_jax(squares, count), by_python(squares, count))
            with pytest.raises(IndexError):
                by_jax(squares, 5)


def test_stacks_that_are_read_twice() -> None:
    parts = wt.stack([x[k : x.shape[0] - 7 + k] for k in range(8)], axis=1)
    outputs = [parts.std(-1), grad(parts.std(-1).sum(), x), parts]
    for got, want in zip(
        *(function([x], outputs, mode=m)(VALUES) for m in ("jax", "py")), strict=True
    ):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-15)
