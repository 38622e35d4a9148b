"""Sums and extremes of long windows are those of shorter ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, Mode, function, grad, pushforward, rewrite_graph
from weft_tensor import Index, IndexUpdate
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


def _searched(outputs: list[Any]) -> bool:
    graph = rewrite_graph(FunctionGraph(outputs=outputs), Mode("py").books)
    return any(isinstance(v.op, Index | IndexUpdate) and ARRAY in v.op.entries for v in graph.nodes)


def test_what_is_left_alone() -> None:
    x, y = wt.vector("x"), wt.vector("y")
    of_both = (windows(x, 9, 0) - windows(x, 9, 0).max(-1, keepdims=True)) * windows(y, 9, 0)
    for expression in (windows(x, 7, 0).sum(-1), of_both.sum(-1), windows(x, 9, 0) @ wt.eye(9)):
        assert _searched([expression])


PRODUCTS: dict[str, Any] = {
    "deviations": lambda slid, x, w: slid(x, 9, 1).std(-1),
    "of two axes": lambda slid, x, w: slid(x, (2, 4)).var((-1, -2), ddof=1),
    "of both": lambda slid, x, w: ((slid(x, 9, 1) - x[:, 8:, None]) * slid(x**2, 9, 1)).sum(
        (0, -1)
    ),
    "weights": lambda slid, x, w: (slid(x, 8, 1) * w[0]).sum(-1),
    "product": lambda slid, x, w: slid(x, 8, 0) @ w[1],
    "weights of two axes": lambda slid, x, w: (slid(x, (8, 3)) * w.T).sum((-2, -1)),
}


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_sums_of_products_and_their_slopes(mode: str) -> None:
    x, w = wt.matrix("x", shape=("n", "m")), wt.matrix("w", shape=(3, 8))
    rng = np.random.default_rng(1)
    values = rng.normal(size=(17, 19)) + 3.0, rng.normal(size=(3, 8))
    step = rng.normal(size=values[0].shape)
    results = [of(windows, x, w) for of in PRODUCTS.values()]
    slopes = [grad((r * (1 + wt.arange(r.shape[-1]))).sum(), x) for r in results[::2]]
    assert not _searched(results)
    f = function([x, w], [*results, *slopes], mode=mode)
    got = f(*values)
    for (name, of), y in zip(PRODUCTS.items(), got[: len(results)], strict=True):
        np.testing.assert_allclose(y, of(slid, *values), rtol=1e-8, err_msg=name)
    for of, g in zip([*PRODUCTS.values()][::2], got[len(results) :], strict=True):
        sides = (of(slid, values[0] + s * step, values[1]) for s in (2.0**-6, -(2.0**-6)))
        rise = np.subtract(*sides) * 2**5
        np.testing.assert_allclose(
            (g * step).sum(), (rise * (1 + np.arange(rise.shape[-1]))).sum(), rtol=1e-3
        )


def test_slopes_of_windows_by_their_places() -> None:
    x = wt.vector("x")
    parts = x[wt.arange(x.shape[0] - 8)[:, None] + wt.arange(9)]
    slope = grad((parts.mean(-1) ** 2).sum(), x)
    assert not _searched([slope])
    by_hand = function([x], slope, mode="py")(np.arange(12.0))
    np.testing.assert_allclose(by_hand, np.convolve(2 * np.arange(4.0, 8.0) / 9, np.ones(9)))


def test_nothing_cancels_far_from_zero() -> None:
    x = wt.vector("x")
    values = np.arange(40.0) % 7 + 1e15
    spread = windows(x, 14).var(-1)
    f = function([x], [spread, grad(spread[3], x), pushforward(spread, x, x - 1e15)], mode="py")
    exact, slope, twice = f(values)
    np.testing.assert_allclose(exact, 4.0, rtol=1e-15)
    np.testing.assert_allclose(slope[3:17], (values[3:17] - 1e15 - 3) / 7, atol=1e-15)
    np.testing.assert_allclose(twice, 8.0, rtol=1e-15)
    with np.errstate(invalid="ignore"):
        assert np.isnan(f(np.where(values == 1e15, np.inf, values))[0]).all()
