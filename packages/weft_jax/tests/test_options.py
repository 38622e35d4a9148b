"""What XLA is told for small arrays and for sums of what comparisons choose: the same results."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, function, grad
from weft_jax.options import FEW, sums_choices, told_for

x = wt.vector("x")
X = wt.matrix("X")

SUMS = {
    "sum": wt.where(x < 0, x, 0.0).sum(),
    "rows": wt.where(X < 0, X, 1.0).sum(axis=1),
    "count": (x > 0.5).sum(),
    "huber": wt.where(abs(x) < 1, 0.5 * x * x, abs(x) - 0.5).sum(),
}
OTHERS = {
    "no choice": (x * x).sum(),
    "columns": wt.where(X < 0, X, 0.0).sum(axis=0),
    "exponentials": wt.where(x < 0, wt.exp(x), 0.0).sum(),
    "maximum": wt.where(x < 0, x, 0.0).max(),
    "product": wt.where(X < 0, X, 0.0).sum() + (X @ X).sum(),
}
SPECIAL = (np.nan, -np.nan, np.inf, -np.inf, -0.0)


def test_which_graphs_are_told_to_use_loops() -> None:
    assert all(sums_choices(FunctionGraph(outputs=[y])) for y in SUMS.values())
    assert not any(sums_choices(FunctionGraph(outputs=[y])) for y in OTHERS.values())


@pytest.mark.parametrize("name", [*SUMS, *OTHERS])
@pytest.mark.parametrize("size", [0, 9, 30_000])
@pytest.mark.parametrize("special", [False, True])
def test_results_are_those_of_python(name: str, size: int, special: bool) -> None:
    if size == 0 and name == "maximum":
        size = 1
    y = (SUMS | OTHERS)[name]
    drawn: Any = np.random.default_rng(0).normal(size=size)
    if special:
        drawn[: len(SPECIAL)] = SPECIAL[: len(drawn)]
    arrays = {x: drawn, X: drawn[: int(size**0.5) ** 2].reshape(int(size**0.5), -1 if size else 0)}
    (v,) = (v for v in (x, X) if v in FunctionGraph(outputs=[y]).inputs)
    f, expected = (function([v], y, mode=mode) for mode in ("jax", "py"))
    with np.errstate(invalid="ignore"):
        right = expected(arrays[v])
    np.testing.assert_allclose(f(arrays[v]), right, rtol=1e-12, atol=1e-12)
    with jax.enable_x64(True):
        np.testing.assert_allclose(f(jax.numpy.asarray(arrays[v])), right, rtol=1e-12, atol=1e-12)


def test_gradients_are_right_too() -> None:
    both = [SUMS["huber"], grad(SUMS["huber"], x)]
    values = np.linspace(-3.0, 3.0, 20_001)
    value, slope = function([x], both, mode="jax")(values)
    np.testing.assert_allclose(
        value, np.where(abs(values) < 1, values**2 / 2, abs(values) - 0.5).sum()
    )
    np.testing.assert_allclose(slope, np.clip(values, -1.0, 1.0), atol=1e-15)


def test_large_sums_of_32_bits_stay_precise() -> None:
    rough = wt.vector("rough", "float32")
    chosen = wt.where(rough < 2.0, rough, 0.0).sum()
    graph = FunctionGraph(outputs=[chosen])
    assert told_for(graph) is not None
    values = np.random.default_rng(0).uniform(size=4 * FEW).astype("float32")
    result = function([rough], chosen, mode="jax")(values)
    np.testing.assert_allclose(result, values.astype("float64").sum(), rtol=2e-7)
