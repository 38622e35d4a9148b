"""The example of the tutorial on adding JAX and Numba support, as those who follow it write it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import weft.tensor as wt
from weft_graph import FunctionGraph
from weft_jax.lowering.dispatch import jax_funcify
from weft_numba.lowering.dispatch import numba_funcify
from weft_tensor.ops.control.ifelse import IfElse
from weft_tensor.ops.creation.creation import Eye
from weft_testing import compare_jax_and_py, compare_numba_and_py

COMPARISONS = pytest.mark.parametrize("compare", [compare_jax_and_py, compare_numba_and_py])
calls: list[str] = []


def jax_funcify_Eye(op: Any, **kwargs: Any) -> Callable[..., Any]:
    dtype = op.dtype

    def eye(N: Any, M: Any, k: Any) -> Any:
        calls.append("jax eye")
        return jnp.eye(N, M, k, dtype=dtype)

    return eye


def numba_funcify_Eye(op: Any, **kwargs: Any) -> Callable[..., Any]:
    calls.append("numba eye")
    dtype = np.dtype(op.dtype)

    def eye(n: Any, m: Any, k: Any) -> Any:
        return np.eye(n, m, k, dtype)

    return eye


def jax_funcify_IfElse(op: Any, **kwargs: Any) -> Callable[..., Any]:
    n_outs = op.n_outs

    def ifelse(condition: Any, *values: Any) -> Any:
        calls.append("jax ifelse")
        then, otherwise = values[:n_outs], values[n_outs:]
        results = jax.lax.cond(condition, lambda: then, lambda: otherwise)
        return results if n_outs > 1 else results[0]

    return ifelse


def numba_funcify_IfElse(op: Any, **kwargs: Any) -> Callable[..., Any]:
    calls.append("numba ifelse")
    n_outs = op.n_outs

    def choose_one(condition: Any, then: Any, otherwise: Any) -> Any:
        return then if condition else otherwise

    def choose_several(condition: Any, *values: Any) -> Any:
        if condition:
            return values[:n_outs]
        return values[n_outs:]

    return choose_one if n_outs == 1 else choose_several


@pytest.fixture(autouse=True)
def tutorial_registrations() -> Iterator[None]:
    tables: list[tuple[Any, Any, Any]] = [
        (jax_funcify, Eye, jax_funcify_Eye),
        (numba_funcify, Eye, numba_funcify_Eye),
        (jax_funcify, IfElse, jax_funcify_IfElse),
        (numba_funcify, IfElse, numba_funcify_IfElse),
    ]
    built_in = [table.dispatch(op) for table, op, _ in tables]
    for table, op, function in tables:
        table.register(op, function)
    calls.clear()
    yield
    for (table, op, _), function in zip(tables, built_in, strict=True):
        table.register(op, function)


def test_jax_Eye() -> None:
    x = wt.scalar()
    out_fg = FunctionGraph(outputs=[wt.eye(x)])
    compare_jax_and_py(out_fg, [3])
    assert calls == ["jax eye"]


def test_numba_Eye() -> None:
    x = wt.scalar()
    out_fg = FunctionGraph(outputs=[wt.eye(x)])
    compare_numba_and_py(out_fg, [3])
    assert calls == ["numba eye"]


@COMPARISONS
@pytest.mark.parametrize(
    "dtypes",
    [("int64", "int32", "int8"), ("uint8", "float32", "int16"), ("float64", "float64", "float64")],
)
def test_eye_of_sizes_of_any_dtype(compare: Any, dtypes: tuple[str, ...]) -> None:
    n, m, k = (wt.scalar(name, dtype=dtype) for name, dtype in zip("nmk", dtypes, strict=True))
    graph = FunctionGraph([n, m, k], [wt.eye(n, m, k, dtype="float32")])
    compiled, _ = compare(graph, [3, 4, 1])
    for values in ([3, 4, 1], [1, 2, 0], [4, 2, 3]):
        expected = np.eye(values[0], values[1], values[2], dtype="float32")
        np.testing.assert_array_equal(compiled(*values)[0], expected, strict=True)


def test_jax_compiles_eye_once_per_size() -> None:
    x = wt.scalar("x")
    compiled, _ = compare_jax_and_py([x], [wt.eye(x)], [3])
    for size in (3, 4, 3, 4):
        assert compiled(size)[0].shape == (size, size)
    assert calls == ["jax eye"] * 2


@COMPARISONS
@pytest.mark.parametrize("n_outs", [1, 2])
def test_ifelse(compare: Any, n_outs: int) -> None:
    x, y = wt.vector("x"), wt.matrix("y")
    v, w = wt.vector("v"), wt.matrix("w")
    graph = FunctionGraph([x, y, v, w], wt.ifelse(x.sum() > 0, [x, y][:n_outs], [v, w][:n_outs]))
    for value in ([1.0, 2.0], [-1.0, -2.0]):
        compare(graph, [value, np.ones((2, 3)), [5.0, 6.0], np.zeros((2, 3))])
    assert calls


@COMPARISONS
def test_both_forms_of_calling(compare: Any) -> None:
    x = wt.scalar("x")
    told: list[tuple[Any, Any]] = []
    compiled, results = compare(
        [x], [wt.eye(x)], [2], assert_fn=lambda actual, expected: told.append((actual, expected))
    )
    assert len(told) == len(results) == 1
    np.testing.assert_array_equal(told[0][0], told[0][1])
    np.testing.assert_array_equal(compiled(2)[0], np.eye(2))
