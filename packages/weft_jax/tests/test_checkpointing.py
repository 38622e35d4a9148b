"""With JAX, checkpoints keep results, and XLA keeps them apart from what was computed before."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

import weft_tensor as wt
from weft_graph import FunctionGraph, checkpoint, custom_pullback, function, grad, rewrite_graph
from weft_graph.extend import transpile
from weft_jax import JAXLinker
from weft_testing import compare_jax_and_py


def steps(x: Any, a: Any) -> Any:
    for _ in range(5):
        x = wt.tanh(x * a) + 0.5 * wt.sin(x)
    return x


def test_results_stay() -> None:
    x, a = wt.vector("x"), wt.scalar("a")
    cost = checkpoint(steps)(checkpoint(steps)(x, a), a).sum()
    plain = steps(steps(x, a), a).sum()
    outputs = [cost, *grad(cost, [x, a])]
    values = [np.linspace(-1, 2, 7), np.array(1.25)]
    _, results = compare_jax_and_py([x, a], outputs, values)
    expected = function([x, a], [plain, *grad(plain, [x, a])], mode="py")(*values)
    for mine, other in zip(results, expected, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-12)


def test_lengths_stay_numbers() -> None:
    x, n = wt.vector("x"), wt.scalar("n", dtype="int64")
    cost: Any = checkpoint(lambda x, n: (wt.exp(x[:n]) * wt.arange(n)).sum() + x.shape[0] * x.sum())
    compare_jax_and_py([x, n], [grad(cost(x, n), x)], [np.ones(5), np.array(3)])


def instructions(f: Any, name: str) -> int:
    """How many instructions called `name` XLA makes of the gradient of f(f(x))."""
    x = wt.vector("x", "float32", shape=(64,))
    graph = rewrite_graph(FunctionGraph([x], [grad(f(f(x)).sum(), x)]))
    program = transpile(graph, JAXLinker().funcify, reuse=False).load()
    text = str(jax.jit(program).lower(jax.numpy.ones(64, "float32")).compile().as_text())
    return text.count(f" {name}(")


def test_xla_computes_again_what_was_not_kept() -> None:
    def fourfold(v: Any) -> Any:
        for _ in range(4):
            v = wt.tanh(v)
        return v

    assert instructions(fourfold, "tanh") == 8
    assert instructions(checkpoint(fourfold), "tanh") == 12


def test_custom_pullbacks_are_used() -> None:
    @custom_pullback(pullback=lambda inputs, outputs, cotangents: [3.0 * cotangents[0]])
    def step(x: Any) -> Any:
        return wt.rint(x)

    x = wt.vector("x")
    _, (_, by_x) = compare_jax_and_py([x], [step(x), grad(step(x).sum(), x)], [[0.2, 0.7]])
    np.testing.assert_array_equal(by_x, [3.0, 3.0])
