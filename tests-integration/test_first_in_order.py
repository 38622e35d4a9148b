"""A few elements from an end of an order: those that sorting all gives, also of ties and NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function
from weft_tensor import ArgSort, Sort

TAKEN = [slice(None, 3), slice(None, 7), slice(-4, None), slice(0, 1), slice(-1, None)]
ORDERS: list[Any] = [(wt.argsort, np.argsort), (wt.sort, np.sort)]


def some(dtype: str, *shape: int) -> Any:
    values = np.random.default_rng(0).integers(0, 9, shape).astype(dtype)
    if dtype.startswith("float") and values.size > 4:
        for step, special in ((7, np.nan), (11, np.inf), (13, -np.inf)):
            values.flat[step // 3 :: step] = special
    return values


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int8", "uint8", "bool"])
def test_both_ends_both_ways(mode: str, dtype: str, few: Any) -> None:
    x = wt.tensor("x", dtype, (None, None))
    for ours, numpys in few(ORDERS, 1):
        taken = [v[:, s] for s in TAKEN for v in (ours(x), ours(x)[:, ::-1])]
        f = function([x], taken, mode=mode)
        if mode == "py":
            assert not any(isinstance(v.op, (ArgSort, Sort)) for v in f.graph.nodes)
        for n in few([0, 1, 2, 5, 40, 300], 3):
            values = some(dtype, 3, n)
            order = numpys(values, axis=1, kind="stable")
            expected = [v[:, s] for s in TAKEN for v in (order, order[:, ::-1])]
            for got, wanted in zip(f(values), expected, strict=True):
                np.testing.assert_array_equal(got, wanted, strict=True)


def test_orders_that_others_need_and_short_lanes_are_sorted() -> None:
    x, short = wt.vector("x"), wt.vector("short", shape=20)
    for inputs, v in (
        ([x], wt.argsort(x)[:3] + wt.argsort(x)[-3:] + wt.argsort(x)[0]),
        ([x], wt.argsort(x)[:9]),
        ([short], wt.argsort(short)[:3]),
    ):
        assert any(isinstance(v.op, ArgSort) for v in function(inputs, v, mode="py").graph.nodes)
