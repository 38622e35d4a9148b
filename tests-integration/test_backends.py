"""What all backends do alike with state, threads, assumptions and Ops that they do not know."""

from __future__ import annotations

import pickle
import re
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import (
    In,
    Mode,
    Op,
    OpFromGraph,
    PythonFallbackWarning,
    Type,
    assume,
    check_and_raise,
    constant,
    function,
    get_value,
    grad,
    print_value,
    pushforward,
    shared,
    stop_gradient,
)
from weft_jax import JAX, jax_funcify
from weft_numba import numba_funcify
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


EXPONENTS = [0, 1, 2, 3, 4, 5, 7, 8, 12, 31, 63, 64, 65, -1, -2, -3, -8, -64]


@BACKENDS
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_whole_powers_are_numpys_but_for_rounding(mode: str, dtype: str) -> None:
    v = wt.vector("v", dtype=dtype)
    f = function([v], [v**n for n in EXPONENTS], mode=mode)
    half = [0.0, 0.3, 0.99, 1.0, 1.01, 3.0, 1e10, np.inf]
    values = np.array([*half, *(-x for x in half), np.nan], dtype)
    with np.errstate(all="ignore"):
        found = f(values)
        expected = [values.astype("float64") ** n for n in EXPONENTS]
        expected = [e.astype(dtype) for e in expected]
    for n, got, want in zip(EXPONENTS, found, expected, strict=True):
        assert got.dtype == dtype
        tiny = float(np.finfo(dtype).tiny)  # XLA has nothing smaller
        rounding = float(max(4, abs(n)) * np.finfo(dtype).eps)
        np.testing.assert_allclose(got, want, rtol=rounding, atol=tiny, err_msg=str(n))
        signed = want[:-1]
        np.testing.assert_array_equal(np.signbit(got[:-1]), np.signbit(signed), str(n))


@BACKENDS
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "uint32", "int64", "uint64"])
def test_whole_powers_of_integers_wrap_around_as_numpys(mode: str, dtype: str) -> None:
    values = np.array([0, 1, 2, 3, 5, 7, 11, 100], dtype)
    values = values if dtype[0] in "bu" else np.concatenate([values, -values])
    exponents: list[Any] = [0, 1, 2, 3, 4, 5, 13, 64, 100]
    exponents += [np.int8(3), np.uint64(3), np.float32(3)]
    v = wt.vector("v", dtype=dtype)
    found = function([v], [v**n for n in exponents], mode=mode)(values)
    for n, got in zip(exponents, found, strict=True):
        want = np.power(values, n)
        assert got.dtype == (v**n).dtype == ("float32" if want.dtype == "float16" else want.dtype)
        np.testing.assert_allclose(got, want, rtol=1e-6 if want.dtype.kind == "f" else 0)


@pytest.mark.cases(2)
@BACKENDS
@pytest.mark.parametrize("books", [[], None], ids=["plain", "all"])
def test_integers_to_negative_powers_are_refused(mode: str, books: Any) -> None:
    how = Mode(mode) if books is None else Mode(mode, books=books)
    v, y, condition = wt.lvector("v"), wt.lvector("y"), wt.scalar("condition", dtype="bool")
    values = np.array([1, 2, 3])
    for outputs, given in (
        (v**-1, ()),
        (v**-2, ()),
        (v ** np.array([[2], [-3]]), ()),
        (v**y, ([0, -1, 2],)),
        (v**y, ([-1],)),
    ):
        f = function([v, y][: 1 + len(given)], outputs, mode=how)
        with pytest.raises(ValueError, match=r"(?i)integers to negative integer powers") as caught:
            f(values, *given)
        assert "while computing pow" in caught.value.__notes__[0]
        assert f(values[:0], *[g[:1] for g in given]).size == 0
    chosen = function([condition, v], wt.ifelse(condition, v**-2, v), mode=how)
    assert chosen(False, values).tolist() == [1, 2, 3]


@BACKENDS
@pytest.mark.parametrize("books", [[], None], ids=["plain", "all"])
def test_many_integers_to_the_power_of_one_and_of_many(mode: str, books: Any) -> None:
    how = Mode(mode) if books is None else Mode(mode, books=books)
    values = np.arange(10**6)
    exponents = values % 70
    v, y, one = wt.lvector("v"), wt.lvector("y"), wt.lscalar("one")
    outputs = [v**3, v**100, v**exponents, v**y, v**one, one**y]
    found = function([v, y, one], outputs, mode=how)(values, exponents, 5)
    expected = [values**n for n in (3, 100, exponents, exponents, 5)]
    for got, want in zip(found, [*expected, 5**exponents], strict=True):
        np.testing.assert_array_equal(got, want)


@BACKENDS
def test_whole_powers_of_complex_numbers(mode: str) -> None:
    z = wt.zvector("z")
    values = np.array([0, 0.3 - 2j, -1.5, 2j, 1 + 1e-9j, -0.7 - 0.7j])
    f = function([z], [z**n for n in EXPONENTS], mode=mode)
    found = f(values[1:])
    for n, got in zip(EXPONENTS, found, strict=True):
        np.testing.assert_allclose(got, values[1:] ** n, rtol=1e-13, atol=1e-13, err_msg=str(n))
    zeros = function([z], [z**n for n in (0, 1, 2, 5)], mode=mode)(values[:1])
    assert [complex(x[0]) for x in zeros] == [1, 0, 0, 0]


@BACKENDS
@pytest.mark.parametrize("n", [-3, -2, -1, 0, 1, 2, 3, 5, 8])
def test_derivatives_of_whole_powers(mode: str, n: int) -> None:
    slope = grad((x**n).sum(), x)
    f = function([x], [slope, grad(slope.sum(), x)], mode=mode)
    values = np.array([-2.0, -0.5, 0.5, 3.0] if n < 0 else [-2.0, -0.5, 0.0, 0.5, 3.0])
    first, second = f(values)
    zero = 0.0 * values
    np.testing.assert_allclose(first, n * values ** (n - 1) if n else zero, rtol=1e-13)
    expected = n * (n - 1) * values ** (n - 2) if n not in (0, 1) else zero
    np.testing.assert_allclose(second, expected, rtol=1e-13)


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


class Words(Type):
    """Values that are no tensors, of which no backend knows anything."""


class Doubled(Op):
    runs_in_python: ClassVar[bool] = True

    def infer(self, *types: Type) -> Type:
        return types[0]

    def impl(self, *values: Any) -> Any:
        return values[0] + values[0]


class Count(Op):
    runs_in_python: ClassVar[bool] = True

    def infer(self, *types: Type) -> Type:
        return wt.TensorType("int64", ())

    def impl(self, *values: Any) -> Any:
        return np.asarray(len(values[0]))


VALUES: list[Any] = [(1, 2), "ab", [1, [2, 3]], (Fraction(1, 2),), b"x", range(3), np.arange(3.0)]


@BACKENDS
@pytest.mark.parametrize("value", VALUES)
def test_a_value_that_is_no_tensor_comes_back_as_it_is(mode: str, value: Any) -> None:
    words = Words()("words")
    for by in (Mode(mode), Mode(mode, books=[])):
        f = function([words], words, mode=by)
        assert f(value) is value
        results = {
            "named": words.named("again"),
            "checked": check_and_raise(words, x.sum() > 0, ValueError, "none"),
            "printed": print_value(words, "words"),
            "stopped": stop_gradient(words),
            "inside": OpFromGraph([words, x], [words, x + 1.0], inline=False)(words, x)[0],
            "sum": x.sum(),
        }
        found = function([words, x], results, mode=by)(value, [1.0, 2.0])
        assert found.pop("sum") == 3.0
        assert all(v is value for v in found.values())
        with pytest.raises(ValueError, match="none"):
            function([words, x], results, mode=by)(value, [-1.0])
        assert function([words, x], x * 2.0, mode=by)(value, [1.0])[0] == 2.0
        static = function([In(words, static=True), x], [words, x + 1.0], mode=by)
        assert static(value, [1.0])[0] is value


@BACKENDS
@pytest.mark.parametrize("value", [(1, 2), "ab", (Fraction(1, 2),), [1, [2]]])
def test_ops_on_what_is_no_tensor_and_state_of_such_types(mode: str, value: Any) -> None:
    words, state = Words()("words"), shared(Words(), value, "state")
    lengths = wt.arange(Count()(words))
    f = function([words, x], [Doubled()(words), lengths, x * 2.0], mode=mode)
    twice, counted, doubled = f(value, [1.0])
    assert twice == value + value
    assert counted.tolist() == list(range(len(value)))
    assert doubled == [2.0]
    step = function([x], [state, x + 1.0], updates={state: Doubled()(state)}, mode=mode)
    for count in (1, 2, 4):
        before, more = step([1.0])
        assert (before, more.tolist()) == (value * count, [2.0])
        assert type(get_value(state)) is type(value)
    give = function([words], [], updates={state: words}, mode=mode)
    give(value)
    assert get_value(state) == value
    if not isinstance(value, list):  # a constant can be hashed
        same = constant(Words(), value)
        assert function([], [same, Doubled()(same)], mode=mode)() == [value, value + value]


class TwoVectors(Type):
    """Two vectors: a type of a user's who lowers Ops on it."""

    def filter(self, value: Any) -> Any:
        first, second = value
        return np.asarray(first, float), np.asarray(second, float)


class Swap(Op):
    def infer(self, *types: Type) -> Type:
        return types[0]

    def impl(self, *values: Any) -> Any:
        return values[0][::-1]


class First(Op):
    def infer(self, *types: Type) -> Type:
        return x.type

    def impl(self, *values: Any) -> Any:
        return values[0][0]


for register in (jax_funcify.register, numba_funcify.register):
    register(Swap)(lambda op, **kwargs: lambda pair: (pair[1], pair[0]))
    register(First)(lambda op, **kwargs: lambda pair: pair[0])


@BACKENDS
def test_a_type_of_the_users_with_lowerings_of_its_own(mode: str) -> None:
    pair, given = TwoVectors()("pair"), ([1.0, 2.0], [3.0])
    swapped = Swap()(pair)
    f = function([pair, x], [swapped, First()(swapped.named("other")) + x, pair], mode=mode)
    (a, b), total, same = f(given, [1.0])
    assert [v.tolist() for v in (a, b, total, *same)] == [[3], [1, 2], [4], [1, 2], [3]]
    assert {type(v) for v in (a, b, total, *same)} == {np.ndarray}
    state = shared(TwoVectors(), given, "state")
    step = function([x], x + 1.0, updates={state: Swap()(state)}, mode=mode)
    for expected in ([3.0], [1.0, 2.0]):
        step([1.0])
        first = get_value(state)[0]
        assert (type(first), first.tolist()) == (np.ndarray, expected)


def test_options_of_jax_leave_what_is_no_tensor_alone() -> None:
    words, value = Words()("words"), [1, [2, 3]]
    results = [words, Doubled()(words), wt.log(x)]
    found = function([words, x], results, mode=JAX(nan_guard=True))(value, [1.0])
    assert found[:2] == [value, value + value]
    with pytest.raises(FloatingPointError, match="log made NaN"):
        function([words, x], results, mode=JAX(nan_guard=True))(value, [-1.0])
    for options in ({"dynamic": "static"}, {"dynamic": "error"}, {"disable_jit": True}):
        f = function([words, x], [words, x + 1.0], mode=JAX(**options))
        assert f(value, [1.0])[0] is value


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


@pytest.mark.cases(2)
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
