"""Graphs within other compiled code."""

from __future__ import annotations

import threading
from pathlib import Path
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


@pytest.mark.cases(0)
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


PROGRAM = """
    import numba
    import numpy as np
    import weft_tensor as wt
    from numba.core import event
    from weft_graph import grad
    from weft_numba import as_cfunc, as_njit

    class Compiled(event.Listener):
        count = 0

        def on_start(self, _):
            self.count += 1

        def on_end(self, _):
            pass

    event.register("numba:compile", compiled := Compiled())
    A, x, s = wt.matrix("A"), wt.vector("x"), wt.dscalar("s")
    cost = wt.log1p(wt.exp(A @ x)).sum() * s + wt.linalg.slogdet(A)[1] + wt.constant([1.0, 2.0])[0]
    f = as_njit([A, x, s], [cost, grad(cost, x), x])
    g = as_cfunc([s], wt.exp(s) * s)
    own = compiled.count
    value, slope, _ = f(2 * np.eye(3), np.ones(3), 0.5)
    assert slope.dtype is np.dtype("float64")
    np.testing.assert_allclose(value, 1.5 * np.log1p(np.exp(2)) + np.log(8) + 1)
    np.testing.assert_allclose(g.ctypes(2.0), np.exp(2) * 2)

    @numba.njit
    def twice(m, v):
        return f(m, v, 1.0)[1] + f(m, v, 2.0)[1]

    np.testing.assert_allclose(twice(2 * np.eye(3), np.ones(3)), 6 / (1 + np.exp(-2)) * np.ones(3))
    try:
        f(np.zeros((3, 3)), np.ones(2), 1.0)
    except ValueError as error:
        assert "matmul" in str(error), error
    print(own, g._cache_hits, len(f.overloads), sep=",")
"""


@pytest.mark.cases(0)  # test_cache.py asks the same of functions
@pytest.mark.optimized
def test_a_second_process_compiles_nothing(run: Any, cache_folder: Path) -> None:
    first, second = run(PROGRAM), run(PROGRAM)
    assert int(first[0]) > 0
    assert first[1:] == ["0", "1"]
    assert second == ["0", "1", "1"]
    assert len(list(cache_folder.iterdir())) == 3


@pytest.mark.optimized
def test_other_graphs_and_other_callers_are_kept_apart(cache_folder: Path) -> None:
    for factor in (2.0, 3.0, 2.0):
        assert as_njit([x], factor * x)(X).tolist() == (factor * X).tolist()
        assert as_njit([x], [factor * x])(X)[0].tolist() == (factor * X).tolist()
    assert len(list(cache_folder.iterdir())) == 4
    for file in cache_folder.iterdir():
        file.write_bytes(file.read_bytes()[:-20])
    assert as_njit([x], 3.0 * x)(X).tolist() == (3.0 * X).tolist()
