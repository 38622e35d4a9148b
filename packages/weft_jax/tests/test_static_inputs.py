"""Inputs for whose values JAX compiles: `In(n, static=True)`."""

from __future__ import annotations

import pickle
from typing import Any

import jax
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import In, Mode, function, grad
from weft_jax import JAXLinker, RecompileWarning, as_jax
from weft_jax.analysis.shape_policy import DynamicShapeError

x = wt.vector("x")
n = wt.scalar("n", "int64")
scale = wt.scalar("scale")
k = wt.vector("k", "int64")
VALUES = np.arange(1.0, 5.0)


def test_the_compiled_program_has_the_value() -> None:
    f: Any = function([In(n, static=True), x], x[n] * 2, mode="jax")
    assert [float(f(i, VALUES)) for i in (0, 2, 0, -1)] == [2.0, 6.0, 2.0, 8.0]
    assert f.compile_stats.keys == ((0,), (2,), (-1,))
    text = f.lower_text("jaxpr", 2, VALUES)
    assert "slice" in text
    assert "i64[]" not in text.split("let")[0]
    with pytest.raises(IndexError, match="out of bounds"):
        f(4, VALUES)


def test_dtypes_are_those_of_the_graph() -> None:
    outputs = [n / 2, x * scale, n + 1, scale, k * 2, k[n]]
    inputs = [In(v, static=True) for v in (n, scale, k)]
    values = [np.int64(1), np.float64(0.5), np.array([3, 4]), VALUES]
    found = function([*inputs, x], outputs, mode="jax")(*values)
    expected = function([*inputs, x], outputs, mode="py")(*values)
    for result, wanted in zip(found, expected, strict=True):
        assert result.dtype == wanted.dtype
        np.testing.assert_array_equal(result, wanted)


def test_derivatives_by_it_and_pickling() -> None:
    y = (x * scale**2).sum()
    f = function([x, In(scale, value=3.0, static=True)], grad(y, [scale, x]), mode="jax")
    for g in (f, pickle.loads(pickle.dumps(f))):
        by_scale, by_x = g(x=VALUES)
        assert by_scale == 60.0
        assert by_x.tolist() == [9.0] * 4


def test_lengths_may_depend_on_it_where_they_may_on_nothing() -> None:
    mode = Mode(JAXLinker(dynamic="error"))
    with pytest.raises(DynamicShapeError):
        function([n], wt.arange(n + 1), mode=mode)
    assert function([In(n, static=True)], wt.arange(n + 1), mode=mode)(2).tolist() == [0, 1, 2]


@pytest.mark.cases(0)
def test_many_values_warn() -> None:
    f = function([In(n, static=True), x], x * n, mode="jax")
    with pytest.warns(RecompileWarning, match=r"every new value of <n : int64>, made at .*test_st"):
        _results = [f(value, VALUES) for value in range(16)]


def test_jax_must_know_it() -> None:
    f = as_jax(function([In(n, static=True), x], x * n, mode="jax"))
    assert jax.jit(f, static_argnums=0)(2, VALUES).tolist() == [2.0, 4.0, 6.0, 8.0]
    with pytest.raises(TypeError, match="static_argnums"):
        jax.jit(f)(2, VALUES)


def test_other_backends_ignore_it() -> None:
    f = function([In(n, static=True)], n + 1, mode="py")
    assert f(2) == 3
    assert "Static" not in str([v.op for v in f.graph.nodes])
