"""Sums and extremes of long windows are those of shorter ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, Mode, function, rewrite_graph
from weft_tensor import Index
from weft_tensor.extend import ARRAY

windows, slid = wt.sliding_window_view, np.lib.stride_tricks.sliding_window_view


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_reductions_of_windows(mode: str) -> None:
    x, n, b = wt.tensor3("x"), wt.matrix("n", dtype="int8"), wt.matrix("b", dtype="bool")
    rows: dict[str, Any] = {
        "mean": lambda slid, x, n, b: slid(x, 13, 1).mean(-1),
        "largest": lambda slid, x, n, b: slid(x, 8, 0).max(-1),
        "least": lambda slid, x, n, b: slid(x, 9, 2).min(-1),
        "of two axes": lambda slid, x, n, b: slid(x, (8, 9), (0, 2)).sum((-1, -2)),
        "of squares": lambda slid, x, n, b: ((slid(x, 10, 1) * 2.0) ** 2).sum((0, -1)),
        "turned": lambda slid, x, n, b: slid(x, 10, 1).transpose(3, 2, 0, 1).max(0),
        "integers": lambda slid, x, n, b: slid(n, 16, 0).sum(-1),
        "any": lambda slid, x, n, b: slid(b, 9, 0).any(-1),
        "all above": lambda slid, x, n, b: (slid(n, 9, 1) > -90).all(-1),
    }
    rng = np.random.default_rng(0)
    values = (
        rng.normal(size=(14, 17, 15)),
        rng.integers(-99, 99, (20, 12)).astype("int8"),
        rng.random((20, 12)) < 0.1,
    )
    values[0][3, 3, 3] = np.nan
    f = function([x, n, b], [row(windows, x, n, b) for row in rows.values()], mode=mode)
    for (name, row), got in zip(rows.items(), f(*values), strict=True):
        want = row(slid, *values)
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12, err_msg=name)
        assert got.dtype == want.dtype, name


def test_other_numbers_of_windows() -> None:
    x, count = wt.vector("x"), wt.lscalar("count")
    f = function([x, count], x[wt.expand_dims(wt.arange(count), 1) + wt.arange(9)].sum(-1))
    values = np.arange(12.0)
    np.testing.assert_allclose(f(values, 2), slid(values, 9).sum(-1)[:2])
    np.testing.assert_allclose(f(values, 4), slid(values, 9).sum(-1))
    with pytest.raises(IndexError, match="beyond the end"):
        f(values, 5)
    assert f(values[:3], 0).shape == (0,)


def test_what_is_left_alone() -> None:
    x, y = wt.vector("x"), wt.vector("y")
    for expression in (windows(x, 7, 0).sum(-1), (windows(x, 9, 0) * y[:9]).sum(-1)):
        graph = rewrite_graph(FunctionGraph([x, y], [expression]), Mode("py").books)
        assert any(isinstance(v.op, Index) and ARRAY in v.op.entries for v in graph.nodes)
