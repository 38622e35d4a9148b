"""Functions that XLA compiles for long, of several arrays: computed together, with equal values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, function, grad
from weft_jax.compile.joined_functions import joined
from weft_tensor import Elemwise


def names(graph: FunctionGraph) -> list[str]:
    return [v.op.name for v in graph.nodes if isinstance(v.op, Elemwise)]


@pytest.mark.cases(0)
def test_values_and_slopes_stay() -> None:
    x, a = wt.vector("x", shape=(3,)), wt.scalar("a")
    cut = wt.special.betainc(a, 2.0, x).sum() - wt.special.betainc(3.0, a, 0.25)
    outputs = [cut, *grad(cut, [x, a])]
    values = [np.array([0.1, 0.5, 0.9]), np.array(1.5)]
    expected = function([x, a], outputs, mode="py")(*values)
    call = function([x, a], outputs, mode="jax")
    for one, other in zip(call(*values), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10)
    assert call.source.count("betainc(") == 1


def test_one_of_another_is_by_itself() -> None:
    x = wt.vector("x", shape=(3,))
    inner = wt.special.gammainc(x, 1.0)
    graph = FunctionGraph([x], [wt.special.gammainc(inner, 2.0), wt.special.gammainc(2.0, x)])
    new = joined(graph)
    assert names(new).count("gammainc") == 2
    for outputs in (graph.outputs, new.outputs):
        found = function([x], list(outputs), mode="py")([0.5, 1.0, 2.0])
        np.testing.assert_allclose(found, function([x], list(graph.outputs))([0.5, 1.0, 2.0]))


@pytest.mark.parametrize("shape", [(None,), (5000,)])
def test_unknown_lengths_and_long_arrays_stay(shape: Any) -> None:
    x = wt.vector("x", shape=shape)
    graph = FunctionGraph([x], [wt.special.gammainc(x, 1.0), wt.special.gammainc(x, 2.0)])
    assert joined(graph) is graph


def test_empty_and_single_elements() -> None:
    x, y = wt.vector("x", shape=(0,)), wt.matrix("y", shape=(1, 1))
    f = function([x, y], [wt.special.gammainc(2.0, x), wt.special.gammainc(2.0, y)], mode="jax")
    none, one = f(np.zeros(0), np.ones((1, 1)))
    assert none.shape == (0,)
    np.testing.assert_allclose(one, [[1 - 2 / np.e]], rtol=1e-12)
