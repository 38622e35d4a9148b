"""Masks, repetition, padding, sorting and diagonals: Numba gives what Python gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, grad

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
