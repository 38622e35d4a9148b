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
    shared,
    stop_gradient,
)
from weft_jax import JAX, jax_funcify
from weft_numba import numba_funcify
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


class Pair(Type):
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
    pair, given = Pair()("pair"), ([1.0, 2.0], [3.0])
    swapped = Swap()(pair)
    f = function([pair, x], [swapped, First()(swapped.named("other")) + x, pair], mode=mode)
    (a, b), total, same = f(given, [1.0])
    assert [v.tolist() for v in (a, b, total, *same)] == [[3], [1, 2], [4], [1, 2], [3]]
    assert {type(v) for v in (a, b, total, *same)} == {np.ndarray}
    state = shared(Pair(), given, "state")
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
