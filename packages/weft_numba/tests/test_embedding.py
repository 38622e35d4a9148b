"""Graphs within other compiled code."""

from __future__ import annotations

import threading
from typing import Any

import numba
import numpy as np
import pytest
from scipy import LowLevelCallable
from scipy.integrate import nquad

import weft_tensor as wt
from weft_graph import function, grad, shared, wrap_py
from weft_numba import as_cfunc, as_njit

x = wt.vector("x", dtype="float64")
A = wt.matrix("A", dtype="float64")
a, b = wt.scalar("a", dtype="float64"), wt.scalar("b", dtype="float64")
X, M = np.array([0.5, -1.0, 2.0]), np.arange(9.0).reshape(3, 3) + np.eye(3)


def test_values_and_derivatives_in_another_function() -> None:
    data = wt.constant(np.linspace(0, 1, 3))
    cost = wt.log1p(wt.exp(A @ x - data)).sum() * a
    outputs = [cost, *grad(cost, [x, A])]
    f = as_njit([x, A, a], outputs)

    @numba.njit
    def twice(v: Any, matrix: Any, k: Any) -> Any:
        f(v, matrix, k)
        return f(v, matrix, k)

    expected = function([x, A, a], outputs, mode="py")(X, M, 2.0)
    for one, other in zip(twice(X, M, 2.0), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)


def test_results_have_memory_of_their_own() -> None:
    fixed = np.ones(3)
    f = as_njit([x], [x, x[::-1], wt.constant(fixed), wt.exp(x)])
    same, backwards, constant, _ = f(X)
    same[0], backwards[0], constant[0] = 7, 8, 9
    assert X.tolist() == [0.5, -1.0, 2.0]
    assert [v.tolist() for v in f(X)[:3]] == [X.tolist(), X[::-1].tolist(), fixed.tolist()]


def test_arrays_may_be_read_only() -> None:
    fixed = X.copy()
    fixed.flags.writeable = False
    changed = as_njit([x], wt.set_subtensor(x[0], 7.0))(fixed)
    changed[1] = 8
    assert changed.tolist() == [7, 8, 2]
    assert fixed.tolist() == X.tolist()


def test_other_types_are_refused() -> None:
    f = as_njit([x], x.sum())
    assert f(X) == 1.5
    for bad in (X.astype("float32"), M, M[:, 0], 3.0):
        with pytest.raises(TypeError, match="No matching definition"):
            f(bad)


def test_errors_within() -> None:
    f = as_njit([A], wt.linalg.cholesky(A))
    with pytest.raises(np.linalg.LinAlgError):
        f(-M)


def test_what_has_no_machine_code() -> None:
    doubled = wrap_py(lambda v: 2 * v, itypes=[x.type], otypes=[x.type])
    with pytest.raises(TypeError, match="<lambda> has no machine code"):
        as_njit([x], doubled(x))
    with pytest.raises(TypeError, match="is shared: give its value as an input"):
        as_njit([x], x * shared(x.type, X))


def test_c_functions_of_numbers() -> None:
    f = as_cfunc([a, b], wt.exp(-(a**2) - b**2))
    assert f.ctypes(0.0, 0.0) == 1.0
    g = as_cfunc([a], wt.linalg.cholesky(wt.reshape(a, (1, 1)))[0, 0])
    assert g.ctypes(4.0) == 2.0
    assert np.isnan(g.ctypes(-1.0))
    one = as_cfunc([a], wt.exp(-a))
    total, _ = nquad(LowLevelCallable(one.ctypes), [(0, 5)])
    np.testing.assert_allclose(total, 1 - np.exp(-5))
    with pytest.raises(TypeError, match="no number of float64"):
        as_cfunc([x], x.sum())


def test_many_threads() -> None:
    f = as_njit([x], wt.cumsum(wt.exp(x)))
    values = [np.random.default_rng(k).normal(size=200) for k in range(8)]
    found: dict[int, Any] = {}

    def run(k: int) -> None:
        for _ in range(200):
            found[k] = f(values[k])

    threads = [threading.Thread(target=run, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for k, v in enumerate(values):
        np.testing.assert_allclose(found[k], np.cumsum(np.exp(v)), rtol=1e-13)
