"""Shapes that depend on values: JAX gives what Python gives, errors included."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, grad
from weft_graph.extend import memory_of
from weft_testing import assert_same_outcome, outcome

n = wt.scalar("n", "int64")
m = wt.scalar("m", "int64")
x = wt.vector("x")
X = wt.matrix("X")
v = wt.vector("v", "int64")

XS = np.arange(6.0) + 0.5
MATRIX = np.arange(12.0).reshape(4, 3)
SIZES = [0, 1, 2, 5, -1, -9]
NUMBERS = [(size,) for size in SIZES]
CUTS = [(XS, cut) for cut in (0, 1, 2, 5, 6, 7, 100, -1, -2, -6, -7, -100)]
VECTORS = [(XS,), (XS[:1],), (XS[:0],)]
PAIRS = [(XS, i, j) for i in (0, 2, -2, -9, 8) for j in (0, 4, -1, -9, 9)]


def ints(*values: int) -> np.ndarray[Any, Any]:
    return np.array(values, "int64")


class Corner(wt.TensorOp):
    """The square part of a matrix, by an expansion that cuts where a length says."""

    def expansion(self, x: Any) -> Any:
        return x[:, : wt.minimum(*wt.shape(x))]


GRAPHS: dict[str, tuple[Sequence[Any], Any, Sequence[tuple[Any, ...]]]] = {
    "arange(n)": ([n], wt.arange(n), NUMBERS),
    "arange(n // 2 + 1)": ([n], wt.arange(n // 2 + 1), NUMBERS),
    "arange(n, n + 3)": ([n], wt.arange(n, n + 3), NUMBERS),
    "arange(m, n, 2)": ([m, n], wt.arange(m, n, 2), [(0, 5), (3, -5), (-3, 4)]),
    "arange(0, n, m)": ([n, m], wt.arange(0, n, m), [(5, 2), (5, -1), (-5, -2)]),
    "arange of floats": ([x], wt.arange(x[0], x[1], 0.5), [(np.array([0.0, 2.2]),), (XS[::-1],)]),
    "arange(x.shape[0] + 1)": ([x], wt.arange(x.shape[0] + 1), VECTORS),
    "arange(n).sum()": ([n], wt.arange(n).sum(), NUMBERS),
    "tri": ([n], wt.where(wt.arange(n)[:, None] >= wt.arange(n), 1.0, 0.0), NUMBERS),
    "zeros(n) + arange(n)": ([n], wt.zeros(n) + wt.arange(n), NUMBERS),
    "zeros((n, m))": ([n, m], wt.zeros((n, m)), [(2, 3), (0, 3), (2, -1), (-1, 2)]),
    "zeros(2 * x.shape[0])": ([x], wt.zeros(2 * x.shape[0]), VECTORS),
    "full((n, 2), n)": ([n], wt.full((n, 2), n), NUMBERS),
    "zeros(v.sum())": ([v], wt.zeros(v.sum()), [(ints(1, 2),), (ints(),), (ints(-3, 2),)]),
    "zeros((x > 1).sum())": ([x], wt.zeros((x > 1).sum()), VECTORS),
    "zeros(ifelse)": ([n], wt.zeros(wt.ifelse(n > 2, n, 1)), NUMBERS),
    "eye(n)": ([n], wt.eye(n), NUMBERS),
    "eye(n, m, n - m)": ([n, m], wt.eye(n, m, n - m), [(2, 3), (3, 2), (0, 2), (2, -1)]),
    "linspace": ([n], wt.linspace(0.0, 1.0, n), NUMBERS),
    "linspace without end": ([x, n], wt.linspace(x[0], x[1], n, endpoint=False), CUTS),
    "expansion that cuts": ([X], Corner()(X), [(MATRIX,), (MATRIX.T,), (MATRIX[:0],)]),
    "reshape to (n, m)": ([X, n, m], X.reshape(n, m), [(MATRIX, *s) for s in ((2, 6), (5, 5))]),
    "reshape to (n, -1)": ([X, n], X.reshape(n, -1), [(MATRIX, s) for s in (1, 3, 5, 12, 0, -2)]),
    "reshape to v": (
        [X, v],
        X.reshape(v[0], v[1]),
        [(MATRIX, ints(*s)) for s in ((2, 6), (12, 1), (5, 2), (-2, -6))],
    ),
    "reshape to the size": ([X], X.reshape(X.shape[0] * X.shape[1]), [(MATRIX,), (MATRIX[:0],)]),
    "reshape to (m, n) of X": ([X], X.reshape(X.shape[1], X.shape[0]), [(MATRIX,), (MATRIX[:0],)]),
    "broadcast_to(x, (n, ...))": (
        [x, n],
        wt.broadcast_to(x, (n, x.shape[0])),
        [(XS, s) for s in SIZES],
    ),
    "broadcast_to(x, (n,))": ([x, n], wt.broadcast_to(x, (n,)), [(XS, 6), (XS, 5), (XS[:1], 4)]),
    "x[n]": ([x, n], x[n], CUTS),
    "x[:n]": ([x, n], x[:n], CUTS),
    "x[n:]": ([x, n], x[n:], CUTS),
    "x[n:n + 2]": ([x, n], x[n : n + 2], CUTS),
    "x[n:m]": ([x, n, m], x[n:m], PAIRS),
    "x[::n]": ([x, n], x[::n], CUTS),
    "x[n::-1]": ([x, n], x[n::-1], CUTS),
    "x[:n:-2]": ([x, n], x[:n:-2], CUTS),
    "x[:x.shape[0] // 2]": ([x], x[: x.shape[0] // 2], VECTORS),
    "x[-(x.shape[0] // 2):]": ([x], x[-(x.shape[0] // 2) :], VECTORS),
    "x[:v.max()]": ([x, v], x[: v.max()], [(XS, ints(1, 2)), (XS, ints(-1, -2)), (XS, ints())]),
    "X[:n, m:]": ([X, n, m], X[:n, m:], [(MATRIX, *s) for s in ((2, 1), (-1, -1), (9, -9))]),
    "X[n, :m]": ([X, n, m], X[n, :m], [(MATRIX, *s) for s in ((2, 1), (-4, 0), (-5, 0), (9, 1))]),
    "X[:n, v]": ([X, n, v], X[:n, v], [(MATRIX, 2, ints(0, 2, 2)), (MATRIX, 2, ints(0, 3))]),
    "x[:n].set(0)": ([x, n], x[:n].set(0.0), CUTS),
    "x[:n].set(arange(3))": ([x, n], x[:n].set(wt.arange(3).astype(float)), CUTS),
    "x[n:].inc(x[n:])": ([x, n], x[n:].inc(x[n:]), CUTS),
    "X[n:, v].inc(1)": ([X, n, v], X[n:, v].inc(1.0), [(MATRIX, 2, ints(0, 2, 2))]),
    "x[:n] + x[n:]": ([x, n], x[:n] + x[n:], CUTS),
    "x[:n].max()": ([x, n], x[:n].max(), CUTS),
    "stack": ([x, n], wt.stack([x[:n], x[n:]]), CUTS),
    "concatenate": ([x, n], wt.concatenate([x[:n], wt.zeros(n)]), CUTS),
    "squeeze": ([x, n], x[:n].squeeze(0), CUTS),
    "X[:n].T @ X[:n]": ([X, n], X[:n].T @ X[:n], [(MATRIX, s) for s in SIZES]),
    "gradient": ([x, n], grad((x[:n] ** 2).sum(), x), CUTS),
    "n also as data": ([x, n], [x[:n], n, n * x], CUTS),
}


@pytest.mark.cases(4)
@pytest.mark.parametrize("name", GRAPHS)
def test_equals_python(name: str) -> None:
    inputs, outputs, cases = GRAPHS[name]
    reference = function(inputs, outputs, mode="py")
    compiled = function(inputs, outputs, mode="jax")
    for values in cases:
        assert_same_outcome(outcome(compiled, values), outcome(reference, values))


def compiles(inputs: Sequence[Any], output: Any, cases: Sequence[tuple[Any, ...]]) -> int:
    """How often JAX compiles `output` when it is called with all `cases`, twice."""
    compiled: Any = function(inputs, output, mode="jax")
    reference = function(inputs, output, mode="py")
    for values in [*cases, *cases]:
        np.testing.assert_array_equal(compiled(*values), reference(*values))
    return int(compiled.compile_stats.compiles)


def test_arange_of_constant_length_compiles_once() -> None:
    assert compiles([n], wt.arange(n, n + 3), [(i,) for i in range(10)]) == 1


def test_slices_compile_once_per_length() -> None:
    cases = [(XS, i) for i in (0, 1, 2, 3, 4, 5, 6, 7)]
    assert compiles([x, n], x[n : n + 2], cases) == 3


def test_sizes_beyond_the_end_compile_once() -> None:
    assert compiles([x, n], x[:n], [(XS, i) for i in (6, 7, 8, 100)]) == 1


def test_scalar_indices_are_no_sizes() -> None:
    assert compiles([x, n], x[n] + x, [(XS, i) for i in range(5)]) == 1


def test_updates_compile_once_per_length() -> None:
    cases = [(XS, i) for i in (0, 1, 2, 3)]
    assert compiles([x, n], x[n : n + 2].set(0.0), cases) == 1


def test_sums_as_sizes_compile_once_per_sum() -> None:
    cases = [(ints(1, 2),), (ints(3, 0),), (ints(2, 2),)]
    assert compiles([v], wt.zeros(v.sum()), cases) == 2


def test_only_the_size_counts_where_a_value_is_also_data() -> None:
    cases = [(XS, i) for i in (7, 8, 9)]
    assert compiles([x, n], x[:n] * n, cases) == 1


def test_what_is_written_into_slices_is_not_copied() -> None:
    slope = grad(wt.square(x[n : n + 2]).sum(), x)
    graph = function([x, n], slope, mode="jax").graph
    assert memory_of(graph) == ["itself"]
    graph = function([x, n], wt.concatenate([x[:n], x[n:]]), mode="jax").graph
    assert memory_of(graph) == ["itself"]


@pytest.mark.cases(0)
def test_counts_that_are_known_while_jax_traces_are_arrays_for_others() -> None:
    data = wt.vector("data")
    a = wt.sparse.coo_array((data, ([0, 0, 1], [0, 1, 1])), (2, 2))
    f = function([data], (a.T @ a).toarray(), mode="jax")
    np.testing.assert_allclose(f([1.0, 2.0, 3.0]), [[1.0, 2.0], [2.0, 13.0]])
