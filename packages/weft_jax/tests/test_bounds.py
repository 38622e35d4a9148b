"""Indices out of range, with `bounds="clip"`."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Mode, function, get_value, grad
from weft_jax import JAXLinker

x = wt.vector("x")
X = wt.matrix("X")
n = wt.scalar("n", "int64")
k = wt.vector("k", "int64")
VALUES = np.arange(4.0)


def clipped(inputs: Any, outputs: Any, **kwargs: Any) -> Any:
    return function(inputs, outputs, mode=Mode(JAXLinker(bounds="clip")), **kwargs)


def test_the_first_or_last_element_takes_the_place() -> None:
    f = clipped([x, n], x[n])
    assert [float(f(VALUES, i)) for i in (-9, -4, -1, 0, 3, 4, 99)] == [0, 0, 3, 0, 3, 3, 3]
    assert clipped([x], x[9])(VALUES) == 3.0
    g = clipped([X, k], X[1:, k])
    assert g(np.eye(3), [0, 7, -7]).tolist() == [[0, 0, 0], [0, 1, 0]]


def test_updates_and_gradients() -> None:
    f = clipped([x, k], [x[k].set(9.0), x[k].inc(1.0), grad(x[k].sum(), x)])
    changed, added, slope = f(VALUES, [0, 8])
    assert changed.tolist() == [9, 1, 2, 9]
    assert added.tolist() == [1, 1, 2, 4]
    assert slope.tolist() == [1, 0, 0, 1]


def test_slices_that_begin_at_variables() -> None:
    f = clipped([X, n, k], X[n : n + 2, k])
    assert f(np.arange(9.0).reshape(3, 3), 1, [2, 5]).tolist() == [[5, 5], [8, 8]]


def test_where_there_is_no_element() -> None:
    with pytest.raises(IndexError, match="of length 0"):
        clipped([x, n], x[n])(np.ones(0), 0)


def test_other_checks_stay() -> None:
    refused = wt.check_and_raise(x[n], x > 0, ArithmeticError, "negative")
    with pytest.raises(ArithmeticError, match="negative"):
        clipped([x, n], refused)([-1.0], 5)


def test_large_state_is_overwritten_in_place() -> None:
    state: Any = wt.shared(np.zeros(100_000))
    step = clipped([k], [], updates={state: state[k].inc(1.0)})
    step([0])
    old = state.op.cell[0]
    step([10**6])
    assert isinstance(old, jax.Array)
    assert old.is_deleted()
    assert get_value(state)[[0, 1, -1]].tolist() == [1.0, 0.0, 1.0]


def test_other_words() -> None:
    with pytest.raises(ValueError, match="'check' or 'clip', not 'wrap'"):
        JAXLinker(bounds="wrap")  # type: ignore[arg-type]  # the point of the test
