"""Graphs that are Ops run on every backend, inlined or not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft.tensor as wt
from weft_graph import Mode, OpFromGraph, function, grad
from weft_numba import NumbaLinker

MODES = ["py", "numba", "jax"]
x, y, n = wt.vector("x"), wt.vector("y"), wt.scalar("n", "int64")
VALUE = np.array([0.5, -1.5, 2.0])


def kept(inputs: list[Any], *outputs: Any) -> OpFromGraph:
    """An Op that compiling leaves as it is."""
    return OpFromGraph(inputs, outputs, name="kept", inline=False)


@pytest.mark.parametrize("mode", MODES)
def test_one_result_and_its_gradient(mode: str) -> None:
    softplus = kept([x], wt.log1p(wt.exp(x)))
    cost = (softplus(x) * [1.0, 2.0, 3.0]).sum()
    f = function([x], [softplus(x), grad(cost, x)], mode=mode)
    value, slope = f(VALUE)
    np.testing.assert_allclose(value, np.log1p(np.exp(VALUE)), rtol=1e-14)
    np.testing.assert_allclose(slope, np.array([1, 2, 3]) / (1 + np.exp(-VALUE)), rtol=1e-14)


@pytest.mark.parametrize("mode", MODES)
def test_several_results_constants_and_a_graph_inside_a_graph(mode: str) -> None:
    inner = kept([x], x * [1.0, 10.0, 100.0])
    total, shifted = kept([x, y], x.sum(), inner(x) + y[::-1] + 1.0)(x, wt.exp(y))
    f = function([x, y], [total * 2.0, shifted, inner(shifted)], mode=mode)
    first, second, third = f(VALUE, VALUE)
    assert first.shape == ()
    assert first == 2 * VALUE.sum()
    expected = VALUE * [1, 10, 100] + np.exp(VALUE)[::-1] + 1
    np.testing.assert_allclose(second, expected, rtol=1e-14)
    np.testing.assert_allclose(third, expected * [1, 10, 100], rtol=1e-14)


@pytest.mark.parametrize("mode", MODES)
def test_shapes_inside_that_depend_on_a_value(mode: str) -> None:
    summed = kept([x, n], (wt.arange(n + x.shape[0]) * 2).sum() + x.sum(), wt.arange(n))
    f = function([x, n], summed(x, n), mode=mode)
    for count in (2, 4):
        total, numbers = f(VALUE, count)
        assert total == sum(range(count + 3)) * 2 + VALUE.sum()
        assert numbers.tolist() == list(range(count))


@pytest.mark.parametrize("mode", MODES)
def test_an_error_inside_names_the_node(mode: str) -> None:
    checked = kept([x], wt.check_and_raise(x, (x > 0).all(), ValueError, "not positive"))
    f = function([x], checked(x) * 2.0, mode=mode)
    assert f([1.0]).tolist() == [2.0]
    with pytest.raises(ValueError, match="not positive") as caught:
        f([-1.0])
    assert "checked(x) * 2.0" in "\n".join(caught.value.__notes__)


def test_numba_is_exact_inside_as_well() -> None:
    points = np.linspace(-20.0, 20.0, 1_001)
    f = function([x], kept([x], wt.exp(x))(x), mode=Mode(NumbaLinker(exact=True)))
    plain = function([x], wt.exp(x), mode=Mode(NumbaLinker(exact=True)))
    np.testing.assert_array_equal(f(points), plain(points))
