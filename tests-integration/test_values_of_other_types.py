"""Values that are no tensors: what all backends do with them."""

from __future__ import annotations

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
    Type,
    check_and_raise,
    constant,
    function,
    get_value,
    print_value,
    shared,
    stop_gradient,
)
from weft_jax import JAX, jax_funcify
from weft_numba import numba_funcify

x = wt.vector("x")

BACKENDS = pytest.mark.parametrize("mode", ["py", "numba", "jax"])


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


@BACKENDS
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bool", "complex128"])
def test_numbers_of_all_classes_at_the_door(mode: str, dtype: str) -> None:
    number = wt.scalar("number", dtype)
    f = function([number], [number, wt.eq(number, 0)], mode=mode)
    for value in (1.0, 1, True, 1j, *(np.dtype(name).type(1) for name in wt.DTYPES)):
        exact = type(value) in (np.dtype(dtype).type, type(np.zeros((), dtype).item()))
        if exact or np.can_cast(np.asarray(value).dtype, dtype, "safe"):
            found, no = f(value)
            assert found.dtype == dtype
            assert (found, no) == (value, not value)
        elif isinstance(value, np.generic):
            with pytest.raises(TypeError, match="input <number"):
                f(value)


@BACKENDS
def test_names_of_numbers_do_not_hide_what_the_door_calls(mode: str) -> None:
    a, b, c = (wt.scalar(name) for name in ("array", "_array", "type"))
    f = function([a, b, c], a + 2 * b + 3 * c, mode=mode)
    assert f(1.0, np.float64(2), 3) == 14
    assert f(array=1.0, type=3.0, array_2=2.0) == 14
