"""What all backends do alike with state, threads, assumptions and Ops that they do not know."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Mode, Op, PythonFallbackWarning, Type, assume, function, grad
from weft_testing import compare_jax_and_py, compare_numba_and_py

x = wt.vector("x")
BACKENDS = pytest.mark.parametrize("mode", ["py", "numba", "jax"])


class Line(Op):
    """No backend but Python knows it."""

    slope: float

    def infer(self, *types: Type) -> Type:
        return types[0]

    def impl(self, *values: Any) -> Any:
        return self.slope * values[0]


@BACKENDS
def test_gradient_descent(mode: str) -> None:
    b = wt.shared([0.0, 0.0], "b")
    X, y = wt.matrix("X"), wt.vector("y")
    loss = ((X @ b - y) ** 2).sum()
    step = function([X, y], loss, updates={b: b - 0.1 * grad(loss, b)}, mode=mode)
    data = np.eye(2), np.array([1.0, 2.0])
    losses = [float(step(*data)) for _ in range(60)]
    assert losses[0] == 5.0
    assert losses == sorted(losses, reverse=True)
    np.testing.assert_allclose(b.get_value(), data[1], rtol=1e-5)
    assert function([], b * 2, mode=mode)().dtype == "float64"


@BACKENDS
def test_sixteen_threads_call_one_function(mode: str) -> None:
    checked = wt.check_and_raise(x, x.sum() > 0, ValueError, "not positive")
    f = function([x], [checked * 2, x.sum()], mode=Mode(mode))

    def call(k: int) -> bool:
        values = np.full(k + 1, float(k))
        for _ in range(20):
            if not k:
                with pytest.raises(ValueError, match="not positive"):
                    f(values)
                continue
            twice, total = f(values)
            if not (np.array_equal(twice, 2 * values) and total == k * (k + 1)):
                return False
        return True

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(call, range(16)))


@BACKENDS
@pytest.mark.parametrize("books", ["all", "none"])
def test_assumptions_leave_no_trace_in_results(mode: str, books: str) -> None:
    v = assume(x, positive=True)
    output = wt.log(wt.abs(v)) + v.sum()
    chosen = Mode(mode, books=[]) if books == "none" else Mode(mode)
    result = function([x], output, mode=chosen)(np.array([1.0, 2.0]))
    np.testing.assert_allclose(result, [3.0, 3.0 + np.log(2.0)])


def test_an_op_that_python_alone_knows() -> None:
    """It runs between what is compiled; Numba's linker says once what to write."""
    outputs = [Line(2.0)(wt.exp(x)) + 1]
    compare_jax_and_py([x], outputs, [np.ones(2)])
    with pytest.warns(PythonFallbackWarning, match=r"Line.*register"):
        compare_numba_and_py([x], outputs, [np.ones(2)])


@BACKENDS
def test_functions_are_pickled(mode: str) -> None:
    f = function([x], [wt.exp(x).sum(), x[::-1]], mode=mode)
    other = pickle.loads(pickle.dumps(f))
    for one, two in zip(f([1.0, 2.0]), other([1.0, 2.0]), strict=True):
        np.testing.assert_array_equal(one, two)


@BACKENDS
def test_a_power_of_one_half_is_a_square_root(mode: str) -> None:
    values = np.array([-np.inf, -0.0, 0.0, 2.0, np.inf])
    with np.errstate(invalid="ignore"):
        found = function([x], x**0.5, mode=mode)(values)
        expected = values**0.5
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(np.signbit(found[1:]), np.signbit(expected[1:]))


@BACKENDS
@pytest.mark.parametrize("books", [[], None], ids=["plain", "all"])
def test_a_power_is_the_same_for_one_exponent_and_for_many(mode: str, books: Any) -> None:
    how = Mode(mode) if books is None else Mode(mode, books=books)
    values = np.array([-np.inf, -0.0, 0.0, 2.0, np.inf])
    rows = wt.matrix("rows")
    for y, half in ((wt.scalar("y"), 0.5), (wt.vector("y"), [0.5] * 5), (wt.vector("y"), [0.5])):
        found = function([x, y], x**y, mode=how)(values, half)
        np.testing.assert_allclose(found, [np.inf, 0.0, 0.0, 2**0.5, np.inf], rtol=1e-15)
        assert not np.signbit(found).any()
    found = function([x, rows], x**rows, mode=how)(values, [[0.5], [2.0]])
    np.testing.assert_allclose(found[:, 0], [np.inf, np.inf])


@BACKENDS
def test_sums_of_exponentials_of_nothing(mode: str) -> None:
    X = wt.matrix("X")
    powers = wt.exp(X)
    outputs = [wt.log(powers.sum(1)), wt.log(powers.sum()), powers / powers.sum(1, keepdims=True)]
    f = function([X], [*outputs, grad(outputs[0].sum(), X)], mode=mode)
    with np.errstate(divide="ignore"):
        rows, whole, softmax, slope = f(np.ones((3, 0)))
    np.testing.assert_array_equal(rows, [-np.inf] * 3)  # as in SciPy
    assert whole == -np.inf
    assert softmax.shape == slope.shape == (3, 0)


@BACKENDS
def test_a_sum_over_a_negative_length_is_an_error(mode: str) -> None:
    n = wt.scalar("n", "int64")
    f = function([n], wt.full((n, 2), 2.5).sum(), mode=mode)
    assert f(3) == 15.0
    with pytest.raises(ValueError, match="negative"):
        f(-1)


X, flags = wt.matrix("X"), wt.vector("flags", dtype="bool")
n, k = wt.scalar("n", "int64"), wt.vector("k", "int64")
OUTSIDE: dict[str, tuple[list[Any], Any, list[Any], str]] = {
    "number": ([x, n], x[n], [[1.0] * 3, 7], "index 7 is out of bounds for axis 0 with size 3"),
    "from the end": ([x], x[-5], [[1.0] * 3], "index -5 is out of bounds for axis 0 with size 3"),
    "nothing": ([x, n], x[n], [[], 0], "index 0 is out of bounds for axis 0 with size 0"),
    "column": ([X, n], X[:, n], [np.ones((3, 2)), 2], "index 2 is out of bounds for axis 1 with"),
    "gather": ([X, k], X[:, k], [np.ones((3, 2)), [0, 7]], "index 7 is out of bounds for axis 1"),
    "take": ([x, k], wt.take(x, k), [[1.0] * 3, [7]], "index 7 is out of bounds for axis 0 with"),
    "fused": ([x, k], wt.exp(x)[k].sum(), [[1.0], [0, 7]], "index 7 is out of bounds for axis 0"),
    "along": (
        [X, k],
        wt.take_along_axis(X, k[None], axis=0),
        [np.ones((3, 2)), [0, 7]],
        "index 7 is out of bounds for axis 0 with size 3",
    ),
    "set": ([x, n], x[n].set(0.0), [[1.0] * 3, 7], "index 7 is out of bounds for axis 0 with size"),
    "inc": ([x, k], x[k].inc(1.0), [[1.0] * 3, [-7]], "index -7 is out of bounds for axis 0"),
    "map": (
        [X, n],
        wt.map(lambda row: row[n], X),
        [np.ones((3, 2)), 7],
        "index 7 is out of bounds",
    ),
    "ifelse": ([x, n], wt.ifelse(n > 3, x[n], x[0]), [[1.0] * 3, 7], "index 7 is out of bounds"),
    "mask": (
        [x, flags],
        x[flags],
        [[1.0] * 3, [True] * 2],
        "has length 2, but of what it indexes, 3",
    ),
    "pivots": ([k], wt.linalg.pivot_to_permutation(k), [[5, 1]], "pivot 5 is out of bounds for 2"),
}


@BACKENDS
@pytest.mark.parametrize("case", OUTSIDE)
def test_an_index_out_of_bounds_is_named_as_numpy_names_it(mode: str, case: str) -> None:
    inputs, output, values, said = OUTSIDE[case]
    f = function(inputs, output, mode=mode)
    for _repetition in range(2):
        with pytest.raises(IndexError) as caught:
            f(*values)
        assert said in str(caught.value)
        assert all(note.startswith("while computing") for note in caught.value.__notes__)


@BACKENDS
def test_an_index_of_state_is_named(mode: str) -> None:
    s = wt.shared(np.zeros(3), "s")
    f = function([n], s[n], updates={s: s[n].set(1.0)}, mode=mode)
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 3"):
        f(7)


@BACKENDS
def test_lengths_that_do_not_fit_are_named(mode: str) -> None:
    y = wt.vector("y")
    for output in (x + y, x[:2].set(y)):
        with pytest.raises(ValueError, match="broadcast") as caught:
            function([x, y], output, mode=mode)([1.0] * 2, [1.0] * 3)
        assert {"2", "3"} <= set(str(caught.value))
        (note,) = caught.value.__notes__
        assert note.startswith("while computing")


@BACKENDS
def test_a_number_that_does_not_fit_is_named(mode: str) -> None:
    small = wt.vector("small", "uint8")
    f = function([small], small + 1, mode=mode)
    with pytest.raises(TypeError, match="300 does not fit into it, which takes integers from 0 to"):
        f([200, 300])
    with pytest.raises(TypeError, match=r"convert it explicitly, with .astype\('uint8'\)"):
        f(np.array([200, 300]))
