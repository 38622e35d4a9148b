"""Functions that XLA compiles for long, of several arrays: computed together, with equal values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, function, grad
from weft_jax.compile.joined_functions import ANOTHER, Together, joined
from weft_jax.ops.elementwise.table import FORMS
from weft_tensor import Elemwise


def names(graph: FunctionGraph) -> list[str]:
    return [v.op.name for v in graph.nodes if isinstance(v.op, Elemwise)]


def groups(graph: FunctionGraph) -> list[tuple[str, int]]:
    """Of those that are computed together, the first, and how many they are."""
    ops = [v.op for v in graph.nodes]
    return [(op.rows[0].name, len(op.rows)) for op in ops if isinstance(op, Together)]


def test_functions_that_are_another_are_computed_by_it() -> None:
    assert {name for pair in ANOTHER.items() for name in pair} == {*FORMS}
    assert all(FORMS[name][0] is FORMS[another][0] for name, another in ANOTHER.items())


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
    assert call.source.count("betainc(") == 0


@pytest.mark.cases(0)
def test_one_of_another_is_by_itself(few: Any) -> None:
    x = wt.vector("x", shape=(3,))
    inner = wt.special.gammainc(x, 1.0)
    graph = FunctionGraph([x], [wt.special.gammainc(inner, 2.0), wt.special.gammainc(2.0, x)])
    new = joined(graph)
    assert names(new) == ["gammainc"]
    assert groups(new) == [("gammainc", 2)]
    for outputs in few((graph.outputs, new.outputs), 1):
        found = function([x], list(outputs), mode="jax")([0.5, 1.0, 2.0])
        np.testing.assert_allclose(found, function([x], list(graph.outputs))([0.5, 1.0, 2.0]))


def test_long_arrays_stay() -> None:
    x = wt.vector("x", shape=(5000,))
    graph = FunctionGraph([x], [wt.special.gammainc(x, 1.0), wt.special.gammainc(x, 2.0)])
    assert joined(graph) is graph


@pytest.mark.parametrize("lengths", [(1, 3), (0, 3), (1500, 1500), (5000, 1)])
def test_unknown_lengths(lengths: tuple[int, int]) -> None:
    """One array has all elements where they are few, which shapes say when JAX traces."""
    x, y = wt.vector("x"), wt.vector("y")
    both = [wt.special.gammaincc(x, 1.0), wt.special.gammainc(2.0, y)]
    assert groups(joined(FunctionGraph([x, y], both))) == [("gammaincc", 2)]
    values = [np.linspace(0.1, 4.0, n) for n in lengths]
    expected = function([x, y], both, mode="py")(*values)
    call = function([x, y], both, mode="jax")
    for one, other in zip(call(*values), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_both_sides_and_inverses_are_one_function(few: Any) -> None:
    a, b, x = (wt.vector(name) for name in "abx")
    names = ["betainc", "betaincc", "betaincinv", "betainccinv"]
    sides = [getattr(wt.special, name)(a, b, x) for name in names]
    sides += [wt.special.gammainc(a, x), wt.special.gammaincc(a, x)]
    sides += [wt.special.gammaincinv(a, x), wt.special.gammainccinv(a, x)]
    found = groups(joined(FunctionGraph([a, b, x], sides)))
    firsts = ["betainc", "betaincinv", "gammainc", "gammaincinv"]
    assert found == [(name, 2) for name in firsts]
    sides = few(sides, 3)
    values = [np.array([0.01, 0.5, 4000.0]), np.array([2.0, 0.3, 5000.0]), np.full(3, 0.4)]
    expected = function([a, b, x], sides, mode="py")(*values)
    for one, other in zip(function([a, b, x], sides, mode="jax")(*values), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11)


def test_in_loops_those_that_are_loops() -> None:
    x = wt.vector("x")
    sides = (wt.special.gammainc, wt.special.gammaincc)

    def step(_: Any, v: Any) -> Any:
        return sum(side(v, 1.0) * wt.special.gammaln(v + k) for k, side in enumerate(sides, 1))

    total = wt.fori_loop(0, 3, step, x)
    values = [0.5, 1.5]
    expected = function([x], total, mode="py")(values)
    np.testing.assert_allclose(function([x], total, mode="jax")(values), expected, rtol=1e-12)


def test_empty_and_single_elements() -> None:
    x, y = wt.vector("x", shape=(0,)), wt.matrix("y", shape=(1, 1))
    f = function([x, y], [wt.special.gammainc(2.0, x), wt.special.gammainc(2.0, y)], mode="jax")
    none, one = f(np.zeros(0), np.ones((1, 1)))
    assert none.shape == (0,)
    np.testing.assert_allclose(one, [[1 - 2 / np.e]], rtol=1e-12)
