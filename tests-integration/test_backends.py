"""What all backends do alike with state, threads, assumptions and Ops that they do not know."""

from __future__ import annotations

import pickle
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import (
    In,
    Mode,
    Op,
    PythonFallbackWarning,
    Type,
    assume,
    function,
    grad,
    pushforward,
)
from weft_testing import check_grad, compare_jax_and_py, compare_numba_and_py

x = wt.vector("x")
BACKENDS = pytest.mark.parametrize("mode", ["py", "numba", "jax"])


class Line(Op):
    """No backend but Python knows it."""

    slope: float

    def infer(self, *types: Type) -> Type:
        return types[0]

    def impl(self, *values: Any) -> Any:
        return self.slope * values[0]


@pytest.mark.cases("jax")
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
@pytest.mark.parametrize("values", [[1.0, np.ma.masked], np.ma.masked_greater([1.0, 1e9], 2.0)])
def test_no_backend_takes_a_masked_array(mode: str, values: Any) -> None:
    f = function([In(x, value=values)], x.sum(), mode=mode)
    for call in (f, lambda: f(values), lambda: f(x=values), lambda: f.profile(values)):
        with pytest.raises(TypeError, match=r"input <x : .*>, made at .*tensors have no mask"):
            call()


@pytest.mark.cases("numba", "py")
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


INFINITE: list[tuple[Any, list[Any], list[Any]]] = [
    (
        wt.logaddexp,
        [[np.inf, 0.0, -np.inf, np.inf, -np.inf, 1.0], [0.0, np.inf, 0.0, np.inf, -np.inf, 1.0]],
        [[1.0, 0.0, 0.0, 0.5, 0.5, 0.5], [0.0, 1.0, 1.0, 0.5, 0.5, 0.5]],
    ),
    (
        wt.logaddexp2,
        [[np.inf, -np.inf, np.inf, 3.0], [-np.inf, 1.0, np.inf, 2.0]],
        [[1.0, 0.0, 0.5, 2 / 3], [0.0, 1.0, 0.5, 1 / 3]],
    ),
    (wt.hypot, [[np.inf, -np.inf, 3.0], [2.0, 0.0, 4.0]], [[1.0, -1.0, 0.6], [0.0, 0.0, 0.8]]),
    (wt.arctan2, [[1.0, -np.inf], [np.inf, 2.0]], [[0.0, 0.0], [0.0, 0.0]]),
    (wt.log1mexp, [[0.0, -0.0, -np.inf]], [[-np.inf, -np.inf, 0.0]]),
]
"""Functions, arguments, and the derivatives by each of these."""


@BACKENDS
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of NumPy, for what is not chosen
def test_derivatives_at_infinity_and_where_they_are_infinite(mode: str) -> None:
    for function_of, points, expected in INFINITE:
        inputs = [wt.vector(f"x{k}") for k in range(len(points))]
        y = function_of(*inputs)
        outputs = grad(y.sum(), inputs) + [pushforward(y, v, wt.ones_like(v)) for v in inputs]
        found = function(inputs, outputs, mode=mode)(*map(np.array, points))
        np.testing.assert_allclose(found, expected * 2, err_msg=function_of.__name__)


def test_second_derivatives_of_logaddexp_where_its_arguments_are_equal() -> None:
    check_grad(lambda x, y: grad(wt.logaddexp(x, y).sum(), x), [np.zeros(2), np.zeros(2)])
    small = wt.vector("small", dtype="int8")
    slope = grad(wt.logaddexp(x.astype("float32"), small).sum(), x)
    assert function([x, small], slope, mode="py")(np.zeros(1), np.array([-100], "int8")) == 1.0


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


@BACKENDS
def test_an_error_in_a_shared_node_names_the_line_of_what_uses_it(mode: str) -> None:
    """Equal expressions are one node, which knows only where the first of them was written."""
    z = wt.lscalar("z")
    first = x[::z]
    for outputs in (
        x[::z] + 1.0,  # used
        [x[::z] * 2.0, first[0]],  # used
        x[::z][:1].sum(),  # used
    ):
        f = function([x, z], outputs, mode=mode)
        with pytest.raises(ValueError, match="slice step cannot be zero") as caught:
            f([1.0, 2.0], 0)
        (note,) = [n for n in caught.value.__notes__ if n.startswith("while computing")]
        *_, used, made = note.splitlines()
        assert made.endswith(": first = x[::z]")
        assert re.fullmatch(r"  used at line \d+ of .*  # used", used)
    f = function([x, z], x[::z], mode=mode)
    with pytest.raises(ValueError, match="slice step cannot be zero") as caught:
        f([1.0, 2.0], 0)
    assert "f = function([x, z], x[::z], mode=mode)" in "".join(caught.value.__notes__)


@pytest.mark.cases("numba")
@BACKENDS
def test_a_single_bool_as_an_index(mode: str) -> None:
    """As in NumPy: a new axis, of length 1 or 0."""
    X, b, i = wt.matrix("X"), wt.scalar("b", dtype="bool"), wt.lvector("i")
    keys: list[Any] = [(b,), (slice(None), b), (1, b), (b, i), (i, slice(None), b), (..., b, None)]
    keys += [(True, b), (False, slice(1, None)), (b, b, 0)]
    outputs: list[Any] = []
    for key in keys:
        y = X[key]
        outputs += [y, X[key].set(-1.0), X[key].inc(2.0), grad((y * y).sum(), X)]
    chosen = X[X.sum() > 0].sum()
    f = function([X, b, i], [*outputs, chosen, grad(chosen, X)], mode=mode)
    array = np.arange(6.0).reshape(2, 3)
    for value in (True, False):
        *found, total, slope = f(array, value, np.array([0]))
        left = iter(found)
        for key in keys:
            place: Any = tuple(value if k is b else np.array([0]) if k is i else k for k in key)
            changed, added, slopes = array.copy(), array.copy(), np.zeros_like(array)
            changed[place] = -1.0
            np.add.at(added, place, 2.0)
            np.add.at(slopes, place, 2 * array[place])
            for expected in (array[place], changed, added, slopes):
                np.testing.assert_array_equal(next(left), expected, str(place), strict=True)
        assert total == array.sum()
        np.testing.assert_array_equal(slope, np.ones((2, 3)))
    with pytest.raises((IndexError, ValueError)):
        f(array, False, np.array([0, 1]))  # NumPy: could not be broadcast
    assert f(-array, True, np.array([0, 1]))[-2] == 0


@pytest.mark.cases(1)
@BACKENDS
def test_block_diagonals_of_stacks(mode: str) -> None:
    """Stacks of matrices are broadcast against each other."""
    a, b, c = wt.tensor3("a"), wt.tensor4("b"), wt.vector("c")
    blocks = wt.block_diag(a, b, c)
    f = function([a, b, c], [blocks, *grad((blocks**2).sum(), [a, b, c])], mode=mode)
    rng = np.random.default_rng(0)
    values = rng.normal(size=(2, 1, 3)), rng.normal(size=(3, 1, 2, 2)), rng.normal(size=2)
    found, *slopes = f(*values)
    assert found.shape == (3, 2, 4, 7)
    expected = np.zeros((3, 2, 4, 7))
    expected[..., :1, :3], expected[..., 1:3, 3:5], expected[..., 3, 5:] = values
    np.testing.assert_array_equal(found, expected)
    for slope, value, times in zip(slopes, values, (3, 2, 6), strict=True):
        np.testing.assert_allclose(slope, 2 * times * value)
    with pytest.raises(ValueError, match="broadcast"):
        f(values[0], np.ones((3, 3, 2, 2)), values[2])
    assert f(values[0][:0], values[1], values[2])[0].shape == (3, 0, 4, 7)
