"""Nested inputs and outputs, defaults, updates of shared state, pickling, profiles."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

from weft_graph import In, Op, Type, function, get_value, set_value, shared


class Whole(Type):
    """Integers."""

    def filter(self, value: Any) -> Any:
        if type(value) is not int:
            raise TypeError(f"{value!r} is no int")
        return value


class Plus(Op):
    """The sum of two integers."""

    def infer(self, *types: Type) -> Type:
        return types[0]

    def impl(self, *values: Any) -> Any:
        return values[0] + values[1]


@dataclass
class Pair:
    """Two things."""

    left: Any
    right: Any


class Point(NamedTuple):
    """Two coordinates."""

    x: Any
    y: Any


plus = Plus()


def test_structures_go_in_and_come_out() -> None:
    a, b, c, d = (Whole()(name) for name in "abcd")
    f = function(
        [{"a": a, "more": [b, None]}, Pair(c, (d,))],
        {"sum": plus(a, b), "pair": Pair(plus(c, d), None), "point": Point(a, [d])},
        mode="py",
    )
    result = f({"a": 1, "more": [2, None]}, Pair(3, (4,)))
    assert result == {"sum": 3, "pair": Pair(7, None), "point": Point(1, [4])}
    assert isinstance(result["point"], Point)


def test_the_kind_of_sequence_is_kept() -> None:
    a = Whole()("a")
    assert function([a], (a, a), mode="py")(1) == (1, 1)
    assert function([a], [a], mode="py")(1) == [1]
    assert function([a], None, mode="py")(1) is None


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ({"a": 1}, r"argument x0 must be a dict of \['a', 'b'\], but it is a dict of \['a'\]"),
        ([1, 2], r"must be a dict of \['a', 'b'\], but it is a list of 2"),
        ({"a": 1, "b": [1, 2]}, r"argument x0\['b'\] must be a list of \[0\], but it is a list"),
    ],
)
def test_another_structure_names_the_path(argument: Any, message: str) -> None:
    a, b = Whole()("a"), Whole()("b")
    f = function([{"a": a, "b": [b]}], plus(a, b), mode="py")
    with pytest.raises(TypeError, match=message):
        f(argument)


def test_what_is_no_variable_names_the_path() -> None:
    with pytest.raises(TypeError, match=r"outputs\['a'\]\[1\] is 'b', a str"):
        function([], {"a": [None, "b"]}, mode="py")


def test_numbers_among_results_stand_for_themselves() -> None:
    a = Whole()("a")
    f = function([a], {"twice": plus(a, a), "rest": [3, 2.5, None]}, mode="py")
    assert f(4) == {"twice": 8, "rest": [3, 2.5, None]}


def test_parameters_by_name_and_defaults() -> None:
    a, b = Whole()("a"), Whole()("b")
    f = function({"first": a, "second": In(b, 10)}, plus(a, b), mode="py")
    assert f(1) == f(first=1) == 11
    assert f(1, second=2) == 3
    with pytest.raises(TypeError, match=r"input <b : Whole>.*'x' is no int"):
        f(1, second="x")
    named = function([In(a, name="first"), In(b, value=10)], plus(a, b), mode="py")
    assert named(first=1) == 11
    with pytest.raises(TypeError, match="'b' has no default value, but 'a' before it has one"):
        function([In(a, 1), b], plus(a, b), mode="py")


def test_updates_see_the_old_values_and_come_last() -> None:
    a, b = shared(Whole(), 1, "a"), shared(Whole(), 2, "b")
    step = function([], [a, b], updates={a: b, b: plus(a, b)}, mode="py")
    assert [step() for _ in range(3)] == [[1, 2], [2, 3], [3, 5]]
    assert (get_value(a), get_value(b)) == (5, 8)
    set_value(a, 0)
    assert step() == [0, 8]


def test_an_error_leaves_shared_values_as_they_were() -> None:
    class Refuse(Op):
        def infer(self, *types: Type) -> Type:
            return types[0]

        def impl(self, *values: Any) -> Any:
            raise ArithmeticError("no")

    a, b = shared(Whole(), 1), shared(Whole(), 2)
    step = function([], a, updates={a: plus(a, b), b: Refuse()(b)}, mode="py")
    with pytest.raises(ArithmeticError, match="no"):
        step()
    assert (get_value(a), get_value(b)) == (1, 2)


def test_only_shared_variables_have_values_and_updates() -> None:
    a = Whole()("a")
    with pytest.raises(TypeError, match="only shared variables can"):
        function([a], a, updates={a: a}, mode="py")
    with pytest.raises(TypeError, match="is not shared"):
        get_value(a)
    with pytest.raises(TypeError, match="is no int"):
        set_value(shared(Whole(), 1), "one")
    with pytest.raises(TypeError, match="must be of its type"):
        function([], [], updates={shared(Whole(), 1): Type()("other")}, mode="py")


def test_unused_inputs() -> None:
    a, b = Whole()("a"), Whole()("b")
    assert function([a, b], a, mode="py")(1, 2) == 1
    with pytest.raises(ValueError, match="no output depends on <b : Whole>"):
        function([a, b], a, mode="py", on_unused_input="raise")
    with pytest.warns(UserWarning, match="no output depends on <b : Whole>"):
        function([a, b], a, mode="py", on_unused_input="warn")
    with pytest.raises(ValueError, match="must be 'ignore', 'warn' or 'raise'"):
        function([a], a, mode="py", on_unused_input="maybe")  # type: ignore[arg-type]  # the test


def test_a_function_pickles_and_works_in_another_process() -> None:
    x = Type()("x")
    f = function([x], {"same": x.named("mu")}, mode="py")
    assert pickle.loads(pickle.dumps(f))(3) == {"same": 3}
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer)(4))"
    run = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(f), capture_output=True, check=True
    )
    assert run.stdout.decode().strip() == "{'same': 4}"


def test_the_profile_and_the_log_say_what_was_done() -> None:
    a, b = Whole()("a"), Whole()("b")
    f = function([[a, b]], plus(plus(a, b), b), mode="py")
    profile = f.profile([1, 2])
    assert [str(t.node.op) for t in profile.timings] == ["Plus", "Plus"]
    assert profile.by_op().keys() == {"Plus"}
    assert "test_function_structures.py" in str(profile)
    assert f.log[0].name == "build"
    assert f.log[-1].name == "link for py"
    assert f.log[-1].nodes == 2
