from __future__ import annotations

import pickle
from typing import Any

import pytest

from weft_graph import Rule, RuleBook, replace, rewrite, treat_as_internal, wildcard
from weft_graph.core import source_location as source
from weft_graph.linking.error_notes import node_note


def test_a_variable_knows_the_line_that_made_it(x: Any, calc: Any) -> None:
    result = calc.Neg()(x)
    where = "in test_a_variable_knows_the_line_that_made_it: result = calc.Neg()(x)"
    assert result.made_at.endswith(where)
    assert __file__ in result.made_at


def test_so_does_an_input(calc: Any) -> None:
    mine = calc.Number()("mine")
    assert mine.made_at.endswith('mine = calc.Number()("mine")')


def test_the_first_place_counts(x: Any, calc: Any) -> None:
    first = calc.Neg()(x)
    second = calc.Neg()(x)
    assert second.made_at.endswith("first = calc.Neg()(x)")
    assert first is second


def test_frames_of_internal_packages_are_left_out(
    x: Any, calc: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "_packages", set(source._packages))
    monkeypatch.setattr(source, "_internal", {})
    library: dict[str, Any] = {"__name__": "some_models.linear"}
    exec("def apply(op, v):\n    return op(v)\n", library)
    assert "line 2 of <string>, in apply" in library["apply"](calc.Neg(), x).made_at
    treat_as_internal("some_models")
    result = library["apply"](calc.Round(), x)
    assert result.made_at.endswith('result = library["apply"](calc.Round(), x)')


LIBRARY = """
from weft_graph import Apply, Op

def as_rounded(v):
    return Rounded()(v)

class Rounded(Op):
    def infer(self, v):
        return v

class Twice(Op):
    def make_node(self, v):
        v = as_rounded(v)
        return Apply(self, [v], [v.type()])

class Called(Op):
    def __call__(self, *inputs):
        return super().__call__(*inputs)

    def infer(self, v):
        return v

class Converting(Op):
    def convert(self, inputs):
        return tuple([as_rounded(v) for v in inputs])

    def infer(self, v):
        return v
"""


def test_methods_of_an_op_are_no_place_of_its_user(x: Any, y: Any) -> None:
    library: dict[str, Any] = {"__name__": "some_models.ops"}
    exec(compile(LIBRARY, "ops.py", "exec"), library)
    twice = library["Twice"]()(x)
    assert twice.made_at.endswith('twice = library["Twice"]()(x)')
    assert twice.inputs[0].made_at == twice.made_at
    applied = library["Twice"]().make_node(y).outputs[0]
    assert applied.made_at.endswith('applied = library["Twice"]().make_node(y).outputs[0]')
    called = library["Called"]()(x)
    assert called.made_at.endswith('called = library["Called"]()(x)')
    converted = library["Converting"]()(-x)
    assert converted.made_at.endswith('converted = library["Converting"]()(-x)')
    assert converted.inputs[0].made_at == converted.made_at
    assert library["as_rounded"](-y).made_at.endswith("line 5 of ops.py, in as_rounded")
    later = -(x + y)
    assert later.made_at.endswith("later = -(x + y)")


def test_a_part_of_a_package_may_be_internal(
    x: Any, calc: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "_packages", set(source._packages))
    monkeypatch.setattr(source, "_internal", {})
    treat_as_internal("company.models")
    for name, is_internal in (("company.models.linear", True), ("company.modelsuse", False)):
        library: dict[str, Any] = {"__name__": name, "op": calc.Neg()}
        exec("def apply(v):\n    return op(op(v))\n", library)
        inner = calc.Number()("inner")
        made = library["apply"](inner)
        assert made.made_at.endswith('made = library["apply"](inner)') is is_internal


def test_what_a_rule_makes_points_at_what_it_replaces(x: Any, calc: Any) -> None:
    a = wildcard("a")
    book = RuleBook("squares", [Rule(calc.Mul()(a, a), calc.Power(2)(a))])
    square = calc.Mul()(x, x)
    result = calc.Neg()(square)
    new: Any = rewrite([result], book)[0]
    assert new.inputs[0].op is calc.Power(2)
    assert new.inputs[0].made_at.endswith("square = calc.Mul()(x, x)")
    assert new.made_at.endswith("result = calc.Neg()(square)")


def test_what_a_rule_makes_by_itself_points_at_what_it_replaces(x: Any, calc: Any) -> None:
    a = wildcard("a")
    square = calc.Mul()(x, x)
    new: Any = Rule(calc.Mul()(a, a), calc.Neg()(calc.Power(2)(a)))(square)
    assert new.made_at.endswith("square = calc.Mul()(x, x)")
    assert new.inputs[0].made_at.endswith("square = calc.Mul()(x, x)")


def test_what_replace_makes_points_at_what_it_replaces(x: Any, y: Any, calc: Any) -> None:
    total = calc.Add()(x, x)
    (new,) = replace([total], {x: y})
    assert new is y + y
    assert new.made_at.endswith("total = calc.Add()(x, x)")


def test_a_failing_rule_leaves_no_trace(x: Any, calc: Any) -> None:
    def fail(node: Any) -> Any:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        rewrite([-x], RuleBook("bad", [Rule(calc.Neg, fail)]))
    later = calc.Round()(x)
    assert later.made_at.endswith("later = calc.Round()(x)")


def test_a_place_may_be_unknown(x: Any, calc: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Everything(dict[str, bool]):
        def get(self, key: object, default: Any = None) -> Any:
            return True

    monkeypatch.setattr(source, "_internal", Everything())
    nowhere = calc.Neg()(x)
    assert nowhere.made_at is None
    assert node_note(nowhere) == "while computing Neg : Number\n  input 0: <x : Number>"
    assert pickle.loads(pickle.dumps(nowhere)).made_at is None
