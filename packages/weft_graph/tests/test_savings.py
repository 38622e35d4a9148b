"""What rules saved, from the log of a function, a trace and in words."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from weft_graph import FunctionGraph, Mode, Rule, RuleBook, Trace, explain, function, wildcard


@pytest.fixture
def dear(calc: Any) -> Any:
    """An Op that costs as much as ten others."""
    return type("Dear", (calc.Neg,), {"cost": lambda self, node: 10.0})()


@pytest.fixture
def mode(calc: Any, dear: Any) -> Mode:
    a = wildcard("a", calc.NumberVariable)
    rules = [
        Rule(dear(a), -a, name="cheaper"),
        Rule(calc.Neg()(-a), a, name="twice"),
        Rule(a * 1, a, name="one"),
        Rule(calc.Power(2)(a), calc.Reciprocal()(calc.Reciprocal()(a * a)), name="dearer"),
    ]
    return Mode("py", books=[RuleBook("book", rules)])


def by_name(savings: Any) -> dict[str, tuple[int, float]]:
    return {s.name: (s.times, s.cost) for s in savings}


def test_a_log_says_what_each_rule_saved(x: Any, y: Any, calc: Any, dear: Any, mode: Mode) -> None:
    cost = dear(x) + calc.Neg()(-y) + calc.Power(2)(y)
    f = function([x, y], cost, mode=mode)
    savings = f.log.savings
    assert by_name(savings) == {"cheaper": (1, 9.0), "twice": (1, 2.0), "dearer": (1, -2.0)}
    assert (savings.before, savings.after) == (15.0, 6.0)
    assert str(savings).splitlines()[1].split() == ["9", "1", "cheaper"]
    assert str(savings).splitlines()[-1].split() == ["9", "of", "15", "in", "all"]


def test_what_others_need_is_not_saved_by_both(x: Any, dear: Any, mode: Mode) -> None:
    shared = x * x
    with Trace() as trace:
        function([x], [dear(shared), shared * 1], mode=mode)
    assert by_name(trace.savings) == {"cheaper": (1, 9.0), "one": (1, 1.0)}
    assert (trace.savings.before, trace.savings.after) == (12.0, 2.0)


def test_a_pass_saves_what_the_whole_graph_loses(x: Any) -> None:
    def without_signs(graph: FunctionGraph) -> FunctionGraph:
        return graph.with_outputs([v.inputs[0] for v in graph.outputs])

    f = function([x], [-x, -(x * x)], mode=Mode("py", books=[without_signs]))
    assert by_name(f.log.savings) == {"without_signs": (1, 2.0)}


def test_nothing_was_saved(x: Any, mode: Mode) -> None:
    savings = function([x], x * x, mode=mode).log.savings
    assert not savings
    assert savings.before == savings.after == 1.0
    assert not Trace().savings


def test_a_function_that_was_pickled_says_that_it_does_not_know(x: Any) -> None:
    f = pickle.loads(pickle.dumps(function([x], x, mode="py")))
    with pytest.raises(ValueError, match="known in the process that compiled"):
        _ = f.log.savings


def test_it_is_told_in_words(x: Any, calc: Any, dear: Any, mode: Mode, capsys: Any) -> None:
    explain(dear(x) + calc.Power(2)(x), mode)
    text = "Of a cost of 12, 5 is left: cheaper saves 9, dearer adds 2."
    assert text in capsys.readouterr().out.splitlines()
