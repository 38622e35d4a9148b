"""What users and writers of Ops may get wrong: each error names the culprit."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import pytest

from weft_graph import (
    Apply,
    FunctionGraph,
    Mode,
    Op,
    OpFromGraph,
    RewriteError,
    Rule,
    RuleBook,
    Type,
    constant,
    digest,
    function,
    grad,
    pushforward,
    replace,
    rewrite,
    shared,
    toposort,
)
from weft_graph.extend import check_pickles


@pytest.mark.parametrize("make", [shared, constant])
@pytest.mark.parametrize(
    ("given", "text"),
    [
        ((Fraction(1),), r"\(Fraction\(1, 1\),\) \(tuple\); the `\w+\(value\)` of weft.tensor"),
        (Type, "the class Type: call it"),
    ],
)
def test_shared_and_constant_take_a_type_first(make: Any, given: Any, text: str) -> None:
    with pytest.raises(TypeError, match=rf"{make.__name__}\(type, value\) takes a Type.*{text}"):
        make(given, "x")


class Same(Op):
    """The identity."""

    def infer(self, *types: Type) -> Any:
        return types[0]

    def impl(self, *values: Any) -> Any:
        return values[0]


def refused(kind: type[Exception], text: str, action: Any) -> str:
    """The notes of the error that `action` must raise."""
    with pytest.raises(kind, match=text) as caught:
        action()
    return "\n".join(getattr(caught.value, "__notes__", ()))


# Cycles


def test_replacing_a_variable_by_what_depends_on_it_makes_no_cycle(x: Any) -> None:
    once, twice = Same()(x), Same()(Same()(x))
    assert replace([once], {x: once}) == [twice]
    graph = FunctionGraph([x], [twice]).replace({once: twice})
    assert graph.outputs == (Same()(twice),)
    assert len(graph.order) == 4
    assert function([x], once, givens={x: once}, mode="py")(1.0) == 1.0


@pytest.mark.parametrize("field", ["op", "inputs", "type"])
def test_a_variable_can_not_be_changed(x: Any, field: str) -> None:
    node = Same()(x)
    with pytest.raises(AttributeError, match=f"variables are immutable, can't set '{field}'"):
        setattr(node, field, (node,))
    with pytest.raises(AttributeError, match=f"variables are immutable, can't delete '{field}'"):
        delattr(node, field)


def test_an_op_can_not_be_changed() -> None:
    with pytest.raises(AttributeError, match="immutable value"):
        Same().scale = 2
    with pytest.raises(AttributeError, match="immutable value"):
        del Same().scale  # type: ignore[attr-defined]  # what is tested


@pytest.mark.cases(0)
def test_a_cycle_made_by_force_is_found() -> None:
    start = Type()("start")
    first = Same()(start)
    last = Same()(Same()(first))
    object.__setattr__(first, "inputs", (last,))
    try:
        refused(ValueError, "<Same : Type> depends on itself", lambda: toposort([last]))
        refused(ValueError, "depends on itself", lambda: FunctionGraph(outputs=[last]))
    finally:
        object.__setattr__(first, "inputs", (start,))


def test_a_cycle_through_one_of_many_inputs_is_found() -> None:
    class Join(Op):
        def infer(self, *types: Type) -> Type:
            return types[0]

    starts = [Type()(f"start{k}") for k in range(9)]
    inner = Same()(starts[0])
    joined = Join()(*starts[1:5], inner, *starts[5:])
    last = Same()(joined)
    object.__setattr__(inner, "inputs", (joined,))
    try:
        refused(ValueError, "<Join : Type> depends on itself", lambda: toposort([last]))
    finally:
        object.__setattr__(inner, "inputs", (starts[0],))


def test_many_equal_outputs_are_no_cycle(x: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weft_graph.core.toposort._SUSPICIOUS", 10)
    node = x
    for _ in range(50):
        node = node + node
    assert len(toposort([node] * 100)) == 51


# Foreign objects


@pytest.mark.parametrize("foreign", [3, None, "x", [1.0], object()])
def test_a_foreign_object_is_named(x: Any, foreign: Any) -> None:
    kind = f"a {type(foreign).__name__}, not a Variable"
    refused(TypeError, f"Same: argument 0 is .*, {kind}", lambda: Same()(foreign))
    refused(TypeError, f"input .* of a FunctionGraph is {kind}", lambda: FunctionGraph([foreign]))
    refused(
        TypeError, f"output .* of a FunctionGraph is {kind}", lambda: FunctionGraph([x], [foreign])
    )
    refused(TypeError, "is not a Variable", lambda: replace([x], {x: foreign}))
    if foreign is not None:  # which stays what it is
        what = r"what to replace in\[0\].* must be a Variable"
        refused(TypeError, what, lambda: replace([foreign], {x: x}))
    refused(TypeError, "is not a Variable", lambda: FunctionGraph([x], [x]).replace({x: foreign}))
    refused(TypeError, "is not a Variable", lambda: function([x], x, givens={x: foreign}))


@pytest.mark.parametrize("foreign", [b"", "x", object()])
def test_a_foreign_object_for_function(x: Any, foreign: Any) -> None:
    refused(TypeError, "x0 is .*: it must be a Variable", lambda: function([foreign], x))
    refused(TypeError, "outputs is .*: it must be a Variable", lambda: function([x], foreign))


def test_a_key_that_is_no_variable(x: Any) -> None:
    refused(TypeError, "can't replace 'x' by <x .*: 'x' is not a", lambda: replace([x], {"x": x}))


def test_a_variable_where_a_list_is_needed(x: Any) -> None:
    text = r"a FunctionGraph takes a list of %s: write \[x\]"
    refused(TypeError, text % "inputs", lambda: FunctionGraph(x, [x]))
    refused(TypeError, text % "outputs", lambda: FunctionGraph([x], x))
    refused(TypeError, r"write function\(\[x\], ...\)", lambda: function(x, x))


def test_arguments_of_a_call_that_do_not_fit(x: Any, y: Any) -> None:
    f = function([x, y], x + y, mode="py")
    refused(TypeError, "missing 1 required positional argument: 'y'", lambda: f(1.0))
    refused(TypeError, "takes 2 positional arguments but 3 were given", lambda: f(1.0, 2.0, 3.0))
    refused(TypeError, "unexpected keyword argument 'z'", lambda: f(1.0, z=2.0))
    refused(TypeError, "input <y : Number>, made at .*'two' is not", lambda: f(1.0, "two"))


# Ops that are written wrongly


WRONG: dict[str, Any] = {
    "nothing": None,
    "a list with something else": [Type(), 1],
    "a class": Type,
    "no types": (),
    "a tuple with something else": (Type(), None),
}


@pytest.mark.parametrize("given", WRONG)
def test_what_infer_may_not_return(x: Any, given: str) -> None:
    class Wrong(Op):
        def infer(self, *types: Type) -> Any:
            return WRONG[given]

    notes = refused(
        TypeError, "Wrong.infer must return a Type, or several as a tuple, not ", lambda: Wrong()(x)
    )
    assert "while applying Wrong to\n  x : Number" in notes


def test_infer_that_returns_a_variable(x: Any) -> None:
    class Wrong(Op):
        def infer_from(self, *inputs: Any) -> Any:
            return inputs[0]

    refused(TypeError, "must return a Type, .*, not <x : Number>", lambda: Wrong()(x))


@pytest.mark.parametrize("method", ["infer", "make_node"])
def test_an_error_of_the_op_itself_shows_op_and_inputs(x: Any, method: str) -> None:
    def failing(self: Any, *given: Any) -> Any:
        raise KeyError("oops")

    failing_op = type("Failing", (Op,), {method: failing})
    notes = refused(KeyError, "oops", lambda: failing_op()(x))
    assert notes.startswith("while applying Failing to\n  x : Number")


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (lambda op, x: None, "Wrong.make_node must return an Apply, not None"),
        (lambda op, x: [x], r"Wrong.make_node must return an Apply, not \[<x : Number>\]"),
        (lambda op, x: x, "Wrong.make_node must return an Apply, not <x : Number>"),
        (lambda op, x: Apply(op, [x], []), "Wrong: Apply needs at least one output"),
        (lambda op, x: Apply(op, [x], ["x"]), "Wrong: output 'x' of Apply is not a Variable"),  # type: ignore[list-item]  # what is tested
        (lambda op, x: Apply(op, [1], [x]), "Wrong: input 1 of Apply is not a Variable"),  # type: ignore[list-item]  # what is tested
        (lambda op, x: Apply(op, [x], x), "Wrong: Apply takes a list of outputs, not <x"),
        (lambda op, x: Apply(op, x, [x]), "Wrong: Apply takes a list of inputs, not <x"),
    ],
)
def test_what_make_node_may_not_return(x: Any, made: Any, text: str) -> None:
    class Wrong(Op):
        def make_node(self, *inputs: Any) -> Any:
            return made(self, *inputs)

    assert "while applying Wrong to\n  x : Number" in refused(TypeError, text, lambda: Wrong()(x))


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (None, "Wrong.pullback must return a list of cotangents, not None"),
        ([], "Wrong.pullback returned 0 cotangents for 1 inputs"),
        (["a"], "Wrong.pullback returned 'a' as cotangent of input 0, <x : Number>"),
    ],
)
def test_what_a_pullback_may_not_return(x: Any, calc: Any, given: Any, text: str) -> None:
    class Wrong(calc.NumberOp):  # type: ignore[misc]  # a class from a fixture
        def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
            return given

    notes = refused(TypeError, text, lambda: grad(Wrong()(x), x))
    assert "while differentiating <Wrong : Number>, made at line" in notes


@pytest.mark.parametrize("method", ["pullback", "pushforward"])
def test_an_error_in_a_derivative_names_the_node(x: Any, calc: Any, method: str) -> None:
    def failing(self: Any, *given: Any) -> Any:
        raise KeyError("oops")

    failing_op = type("Failing", (calc.NumberOp,), {method: failing})
    node = failing_op()(x)
    ways = {"pullback": lambda: grad(node, x), "pushforward": lambda: pushforward([node], [x], [x])}
    assert "<Failing : Number>, made at line" in refused(KeyError, "oops", ways[method])


# Ops that compute something else than they say


class Unfilled(Same):
    """Fills no storage."""

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        pass


class OtherType(Same):
    """A string in place of a number."""

    def impl(self, *values: Any) -> Any:
        return str(values[0])


class TooMany(Same):
    """Three results in place of two."""

    def infer(self, *types: Type) -> Any:
        return types[0], types[0]

    def impl(self, *values: Any) -> Any:
        return values * 3


@pytest.mark.parametrize(
    ("op", "text"),
    [
        (Unfilled(), "Unfilled returned what is not of its declared type: None is not a number"),
        (OtherType(), "OtherType returned what is not of its declared type: '1.0' is not a number"),
        (TooMany(), "TooMany returned what is not of its declared type: expected 2 results, got 3"),
    ],
    ids=str,
)
def test_verification_names_an_op_that_computes_something_else(x: Any, op: Op, text: str) -> None:
    outputs = op(x)
    notes_and_text = refused(
        RuntimeError, text, lambda: function([x], outputs, mode="py", verify={x: 1.0})
    )
    assert notes_and_text == ""


# Rules and passes


def test_an_error_in_a_rule_names_rule_and_node(x: Any) -> None:
    def faulty(node: Any) -> Any:
        raise KeyError("oops")

    def picky(node: Any) -> bool:
        raise KeyError("oops")

    node = Same()(x)
    for given in (
        Rule(Same, faulty, name="faulty rule"),
        Rule(Same, lambda node: None, when=picky, name="faulty rule"),
    ):
        mode = Mode("py", books=[RuleBook("book", [given])])
        for options in ({}, {"stats": True}):
            notes = refused(
                KeyError, "oops", lambda m=mode, o=options: function([x], node, mode=m, **o)
            )
            assert notes.startswith("while rule faulty rule was tried on <Same : Number>, made at")


def test_a_right_side_of_another_type_names_rule_and_node(x: Any) -> None:
    other = Type()("other")
    wrong = RuleBook("book", [Rule(Same, lambda node: other, name="wrong rule")])
    text = "rule wrong rule made <other : Type> of <Same : Number>, which is of another type"
    for action in (
        lambda: rewrite([Same()(x)], wrong),
        lambda: function([x], Same()(x), mode=Mode("py", books=[wrong])),
    ):
        notes = refused(RewriteError, text, action)
        assert notes.startswith("while rule wrong rule was tried on <Same : Number>, made at")


def test_rules_that_undo_each_other_name_one_of_them(x: Any, calc: Any) -> None:
    there = Rule(Same, lambda node: -node.inputs[0], name="there")
    back = Rule(calc.Neg, lambda node: Same()(node.inputs[0]), name="back")
    mode = Mode("py", books=[RuleBook("book", [there, back])])
    text = "rules of book go round: there leads back to <Same : Number>"
    refused(RewriteError, text, lambda: function([x], Same()(x), mode=mode))


def test_a_pass_that_fails_or_gives_no_graph(x: Any) -> None:
    def failing(graph: FunctionGraph) -> FunctionGraph:
        raise KeyError("oops")

    def forgetful(graph: FunctionGraph) -> Any:
        return None

    def compile_with(change: Any) -> Any:
        return lambda: function([x], Same()(x), mode=Mode("py", books=[change]))

    notes = refused(KeyError, "oops", compile_with(failing))
    assert notes == "while the pass failing changed the graph"
    refused(TypeError, "forgetful must return a FunctionGraph, not None", compile_with(forgetful))


# Parameters


class Holding(Same):
    """An Op with a parameter of any kind."""

    held: Any


@pytest.mark.parametrize("held", [[1], {}, {1}, bytearray(b"a"), ([1],)], ids=str)
def test_a_parameter_without_a_hash_is_named(held: Any) -> None:
    refused(TypeError, "Holding: parameters must be hashable, but held=", lambda: Holding(held))


def test_a_parameter_that_no_other_process_finds_is_named_by_digest(x: Any) -> None:
    node = Holding(lambda: 1)(x)
    refused(TypeError, "Holding: parameter 'held': .*by name", lambda: digest(node))
    refused((AttributeError, pickle.PicklingError), "<lambda>", lambda: pickle.dumps(node))  # type: ignore[arg-type]  # two classes


class Lonely(Same):
    """Lists no parameters, so each is equal to itself alone."""

    def __init__(self, scale: float) -> None:
        self.scale = scale


def test_an_op_that_does_not_pickle_to_itself() -> None:
    with pytest.raises(TypeError, match="does not come back from pickling as itself"):
        check_pickles(Lonely(2.0))
    with pytest.raises(TypeError, match="Holding: parameter 'held' can't be pickled"):
        check_pickles(Holding(lambda: 1))
    check_pickles(Holding(len))


# Size


def test_an_error_deep_in_a_long_chain_is_short(x: Any, calc: Any) -> None:
    v = x
    for _ in range(3_000):
        v = -v
    last = calc.Reciprocal()(v)
    notes = refused(ZeroDivisionError, "division", lambda: function([x], last, mode="py")(0.0))
    assert len(notes.splitlines()) <= 5
    assert "last = calc.Reciprocal()(v)" in notes


def test_an_error_inside_a_graph_that_is_an_op_names_both_nodes(x: Any, y: Any, calc: Any) -> None:
    inner = calc.Reciprocal()(x * 2.0)
    outer = OpFromGraph([x], [inner], name="half_inverse", inline=False)(y)
    notes = refused(ZeroDivisionError, "division", lambda: function([y], outer, mode="py")(0.0))
    assert "while computing Reciprocal : Number\n  input 0: <Mul : Number> = 0.0" in notes
    assert "inner = calc.Reciprocal()(x * 2.0)" in notes
    assert "while computing half_inverse : Number\n  input 0: <y : Number> = 0.0" in notes


def test_a_large_value_is_shortened_in_messages() -> None:
    text = Type()("text")
    f = function([text], Holding("abc")(OtherError()(text)), mode="py")
    notes = refused(KeyError, "oops", lambda: f("x" * 10_000))
    assert len(notes) < 400


class OtherError(Same):
    """Always fails."""

    def impl(self, *values: Any) -> Any:
        raise KeyError("oops")
