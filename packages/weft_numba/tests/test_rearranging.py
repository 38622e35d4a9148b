"""Masks, repetition, padding, sorting and diagonals: Numba gives what Python gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, grad, graph_inputs

x = wt.vector("x")
X = wt.matrix("X")
n = wt.scalar("n", "int64")
c = wt.vector("c", "int64")

VALUES = {
    x: np.array([1.5, -2.0, 0.5, 3.0, 0.5]),
    X: np.arange(15.0).reshape(3, 5) - 6.5,
    n: np.int64(2),
    c: np.array([2, 0, 1, 3, 1]),
}

GROUPS: dict[str, list[Any]] = {
    "masks": [x[x > 0], X[X > 0].sum(), X[X[:, 0] > -5].set(0.0), wt.compress(x > 0, X, 1)],
    "repetition": [wt.repeat(x, c), wt.repeat(X, n, 0), wt.tile(X, (n, 2)), wt.roll(X, n)],
    "padding": [wt.pad(X, ((n, 1), (0, n))), wt.pad(x, 3, "reflect"), *wt.split(x, [n])],
    "order": [*wt.unique(x, True, True, True), wt.median(X, 1), wt.bincount(c, x)],
    "diagonals": [wt.diag(x, n), wt.diag(X, -1), wt.trace(X), wt.block_diag(X, x), wt.kron(x, X)],
}


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", GROUPS)
def test_equals_python(name: str) -> None:
    outputs = list(GROUPS[name])
    cost = sum((wt.sin(v).sum() for v in outputs if v.type.differentiable), wt.constant(0.0))
    outputs += grad(cost, [x, X], disconnected_inputs="ignore")
    inputs = list(VALUES)
    expected = function(inputs, outputs, mode="py")(*VALUES.values())
    found = function(inputs, outputs, mode="numba")(*VALUES.values())
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
        assert one.dtype == other.dtype


def test_bad_input_is_refused() -> None:
    mask = wt.vector("mask", "bool")
    for made, inputs, values, error in (
        (x[mask], [x, mask], (np.ones(3), np.ones(2, bool)), IndexError),
        (wt.repeat(x, n), [x, n], (np.ones(3), -1), ValueError),
        (wt.argmax(x), [x], (np.ones(0),), ValueError),
    ):
        with pytest.raises(error):
            function(inputs, made, mode="numba")(*values)


V = [wt.vector(f"v{k}") for k in range(100)]
W = [wt.vector(f"w{k}", "int32") for k in range(20)]
M = [wt.matrix(f"M{k}") for k in range(40)]
S = [wt.scalar(f"s{k}", "int8" if k % 3 else "float64") for k in range(50)]
FIXED = [wt.constant(np.arange(3) * k) for k in range(20)]

JOINED: dict[str, list[Any]] = {
    "all": V,
    "all twice": [*V[:20], *V[:20]],
    "some": V[3::9],
    "two types": [v for pair in zip(V[:20], W, strict=True) for v in pair],
    "two types, one behind the other": [*V[:20], *W, x],
    "constants": [v for pair in zip(FIXED, V[:20], strict=True) for v in pair],
    "computed": [f(v) for v in V[:20] for f in (wt.exp, lambda v: v[::-1], lambda v: v)],
    "matrices": M,
    "transposed": [m.T if k % 2 else m for k, m in enumerate(M)],
    "numbers": S,
}


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", JOINED)
def test_joins_of_many(name: str) -> None:
    parts = JOINED[name]
    inputs: list[Any] = list(graph_inputs(parts))
    rank = parts[0].ndim
    outputs = [wt.stack(parts), wt.stack(parts, axis=-1) * 2]
    outputs += [wt.concatenate(parts, axis) for axis in range(rank)]
    rng = np.random.default_rng(1)
    values = [np.asarray(rng.normal(size=[3] * v.ndim) * 9, v.dtype) for v in inputs]
    found, expected = (function(inputs, outputs, mode=mode)(*values) for mode in ("numba", "py"))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14, strict=True)


def test_joins_of_many_of_any_length() -> None:
    for parts, axis in ((JOINED["constants"], 0), (JOINED["two types"], 0), (M, 0), (M, 1)):
        inputs: list[Any] = list(graph_inputs(parts))
        shapes = [[k % 4 if a == axis else 2 for a in range(v.ndim)] for k, v in enumerate(inputs)]
        values = [
            np.ones(n, v.dtype) * k for k, (n, v) in enumerate(zip(shapes, inputs, strict=True))
        ]
        joined = wt.concatenate(parts, axis)
        found, expected = (function(inputs, joined, mode=mode)(*values) for mode in ("numba", "py"))
        np.testing.assert_array_equal(found, expected, strict=True)


def test_joins_of_many_of_which_one_does_not_fit(few: Any) -> None:
    parts = JOINED["matrices"]
    values = [np.ones((2, 3))] * 40
    for joined in few((wt.stack(parts), wt.concatenate(parts)), 1):
        f = function(parts, joined, mode="numba")
        assert f(*values).sum() == 240.0
        with pytest.raises(
            ValueError, match=r"differ in a length|must match exactly|must have the same shape"
        ):
            f(*values[:39], np.ones((2, 2)))


@pytest.mark.parametrize(("dtype", "count"), [("uint8", 256), ("bool", 2)])
def test_counts_of_all_bytes_have_a_known_length(dtype: str, count: int) -> None:
    b = wt.vector("b", dtype)
    counts = wt.bincount(b, minlength=count)
    assert counts.type.shape == (count,)
    assert wt.bincount(b, minlength=count - 1).type.shape == (None,)
    f = function([b], [counts, wt.bincount(b, minlength=1)], mode="numba")
    for values in (np.array([0, 255, 3, 3, 255]).astype(dtype), np.zeros(0, dtype)):
        for found, least in zip(f(values), (count, 1), strict=True):
            np.testing.assert_array_equal(found, np.bincount(values, minlength=least))
