"""What is known of values: rules, implications, assumptions; over numbers of the tests' own."""

from __future__ import annotations

import gc
import pickle
from collections.abc import Iterator
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest

from weft_graph import (
    Constant,
    Fact,
    FunctionGraph,
    Mode,
    Rule,
    RuleBook,
    Type,
    ask,
    assume,
    constant,
    digest,
    dprint,
    function,
    grad,
    print_value,
    pushforward,
    rewrite_graph,
    stop_gradient,
)
from weft_graph.extend import Assumed, drop_assumptions
from weft_graph.ops.barrier import Barrier
from weft_graph.rewriting import facts as engine

LENGTH = 100_000


@pytest.fixture
def judged(calc: Any) -> Iterator[Any]:
    """Facts about signs, with rules for the calculus of the tests; withdrawn at the end."""
    before = dict(engine._facts)
    at_least = Fact("at_least_zero", "It is not less than 0.")
    above = Fact("above_zero", "It is more than 0.", implies=[at_least])
    below = Fact("below_zero", "It is less than 0.", excludes=[at_least])

    @above.register(calc.Number)
    def constant_above(x: Any, ask: Any) -> bool | None:
        return x.op.value > 0 if type(x.op) is Constant else None

    @below.register(calc.Number)
    def constant_below(x: Any, ask: Any) -> bool | None:
        return x.op.value < 0 if type(x.op) is Constant else None

    for fact in (above, at_least):

        @fact.register(calc.Add)
        def sum_of_such(x: Any, ask: Any, fact: Fact = fact) -> bool | None:
            return all(ask(v, fact) for v in x.inputs) or None

    @above.register(calc.Neg)
    def above_negated(x: Any, ask: Any) -> bool | None:
        answer: bool | None = ask(x.inputs[0], below)
        return answer

    @below.register(calc.Neg)
    def below_negated(x: Any, ask: Any) -> bool | None:
        answer: bool | None = ask(x.inputs[0], above)
        return answer

    yield SimpleNamespace(at_least=at_least, above=above, below=below)
    engine._facts.clear()
    engine._facts.update(before)


def test_three_answers(judged: Any, calc: Any, x: Any) -> None:
    one = constant(calc.Number(), 1)
    assert ask(one, judged.above) is True
    assert ask(-one, judged.above) is False
    assert ask(x, judged.above) is None


def test_what_is_implied_and_excluded(judged: Any, calc: Any) -> None:
    one = constant(calc.Number(), 1)
    assert ask(one, judged.at_least) is True
    assert ask(one, judged.below) is False
    assert ask(-one, judged.at_least) is False
    assert ask(-one, judged.above) is False


def test_facts_by_name(judged: Any, calc: Any) -> None:
    assert ask(constant(calc.Number(), 1), "above_zero") is True
    with pytest.raises(TypeError, match=r"no fact 'odd'; there are .*above_zero"):
        ask(constant(calc.Number(), 1), "odd")


def test_assuming(judged: Any, x: Any, y: Any) -> None:
    a = assume(x, above_zero=True)
    assert a.type is x.type
    assert ask(a, judged.above) is True
    assert ask(a, judged.at_least) is True
    assert ask(a, judged.below) is False
    assert ask(x, judged.above) is None
    assert ask(a + a, judged.above) is True
    assert ask(a + y, judged.above) is None
    assert ask(assume(x, at_least_zero=False), judged.above) is False


def test_assuming_the_same_is_the_same(judged: Any, x: Any) -> None:
    a = assume(x, above_zero=True)
    assert assume(x, above_zero=True) is a
    assert assume(a, above_zero=True) is a
    assert assume(a, at_least_zero=True) is a
    assert assume(x, above_zero=True, at_least_zero=True) is not x


def test_identities_are_seen_through(judged: Any, x: Any) -> None:
    a = assume(x, above_zero=True)
    assert ask(a.named("a"), judged.at_least) is True
    assert ask(stop_gradient(a), judged.at_least) is True
    assert ask(print_value(a), judged.at_least) is True
    assert ask(Barrier()(a, x), judged.at_least) is True
    assert ask(assume(a, below_zero=False), judged.above) is True


def test_contradictions(judged: Any, x: Any) -> None:
    a = -assume(x, above_zero=True)
    with pytest.raises(ValueError, match=r"assume above_zero=True of <.*known to be below_zero"):
        assume(a, above_zero=True)
    with pytest.raises(ValueError, match=r"below_zero=False of .* known to be below_zero"):
        assume(a, below_zero=False)
    with pytest.raises(ValueError, match=r"above_zero=True and at_least_zero=False: .* implies"):
        assume(x, above_zero=True, at_least_zero=False)
    with pytest.raises(ValueError, match=r"below_zero=True and above_zero=True: .* excludes"):
        assume(x, below_zero=True, above_zero=True)
    with pytest.raises(ValueError, match="it was made at line"):
        assume(a, above_zero=True)


def test_bad_assumptions(judged: Any, x: Any) -> None:
    with pytest.raises(TypeError, match="no fact 'odd'"):
        assume(x, odd=True)
    with pytest.raises(TypeError, match="above_zero must be True or False, not 1"):
        assume(x, above_zero=1)  # type: ignore[arg-type]  # that is the point
    with pytest.raises(TypeError, match="takes a Variable, not 3"):
        assume(3, above_zero=True)
    with pytest.raises(TypeError, match="needs facts"):
        assume(x)


def test_facts_about_a_type(x: Any, judged: Any) -> None:
    class Text(Type):
        pass

    short = Fact("short", "It has few letters.", about=Text)
    assert ask(assume(Text()("t"), short=True), short) is True
    with pytest.raises(TypeError, match="short is a fact about Text, not about <x"):
        assume(x, short=True)


def test_names_of_facts(judged: Any) -> None:
    with pytest.raises(ValueError, match=r"a fact above_zero already \(It is more than 0"):
        Fact("above_zero", "Again.")
    with pytest.raises(ValueError, match="identifier, not 'not positive'"):
        Fact("not positive", "It can't be a keyword.")


def test_a_rule_that_asks_about_its_own_node(judged: Any, calc: Any, x: Any, y: Any) -> None:
    judged.at_least.register(calc.Mul)(lambda node, ask: ask(node, judged.at_least))
    with pytest.raises(RecursionError, match="rules of at_least_zero ask in a circle about"):
        ask(x * y, judged.at_least)


def test_registering_later_counts(judged: Any, calc: Any, x: Any, y: Any) -> None:
    product = (x + y) * (x + y)
    assert ask(product, judged.above) is None
    judged.above.register(calc.Mul)(lambda node, ask: True)
    assert ask(product, judged.above) is True


def test_an_op_comes_before_its_class(judged: Any, calc: Any, x: Any, y: Any) -> None:
    judged.above.register(calc.Mul)(lambda node, ask: False)
    judged.above.register(calc.Mul())(lambda node, ask: True)
    assert ask(x * y, judged.above) is True


@pytest.mark.cases(0)
def test_long_chains(judged: Any, x: Any) -> None:
    v = a = assume(x, above_zero=True)
    for _ in range(LENGTH):
        v = v + a
    assert ask(v, judged.at_least) is True
    w = x
    for _ in range(LENGTH):
        w = -w
    assert ask(w, judged.above) is None


def test_many_threads(judged: Any, x: Any) -> None:
    a = v = assume(x, above_zero=True)
    for _ in range(2_000):
        v = v + a
    answers: list[Any] = []
    threads = [Thread(target=lambda: answers.append(ask(v, judged.above))) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [True] * 16


def test_memory_is_returned(judged: Any, x: Any) -> None:
    gc.freeze()  # what others left is neither searched nor counted
    before = len(engine._answers)
    v = x
    for _ in range(100):
        v = -v
    assert ask(v, judged.above) is None
    assert len(engine._answers) > before + 90
    del v
    gc.collect()
    assert len(engine._answers) <= before + 1


def test_what_is_assumed_is_left_out(judged: Any, calc: Any, x: Any) -> None:
    a = assume(x, above_zero=True)
    graph = FunctionGraph([x], [-(a + a)])
    assert drop_assumptions(graph).outputs == (-(x + x),)
    assert rewrite_graph(graph, []).outputs == (-(x + x),)
    compiled = function([x], -(a + a), mode=Mode("py", books=[]))
    assert compiled(2) == -4
    assert "ssume" not in compiled.source


def test_rules_rely_on_it(judged: Any, calc: Any, x: Any, y: Any) -> None:
    known_above = Rule(
        calc.Mul,
        lambda node: node.inputs[0],
        when=lambda node: ask(node.inputs[0], judged.above) is True,
        name="for the test",
    )
    book = RuleBook("signs", [known_above])
    a = assume(x, above_zero=True)
    graph = FunctionGraph([x, y], [(a + a) * y + x * y])
    assert rewrite_graph(graph, [book]).outputs == ((x + x) + x * y,)


def test_what_stood_behind_an_assumption_meets_rules(judged: Any, calc: Any, x: Any) -> None:
    twice = Rule(calc.Neg, lambda node: node.inputs[0].inputs[0], over=calc.Neg, name="--")
    graph = FunctionGraph([x], [-assume(-x, above_zero=True)])
    assert rewrite_graph(graph, [RuleBook("negations", [twice])]).outputs == (x,)


def test_an_assumed_input(judged: Any, calc: Any, x: Any) -> None:
    a = assume(x, above_zero=True)
    drop = Rule(
        calc.Neg,
        lambda node: node.inputs[0],
        when=lambda node: ask(node.inputs[0], judged.above) is True,
        name="for the test",
    )
    mode = Mode("py", books=[RuleBook("signs", [drop])])
    assert function([a], -a, mode=mode)(3) == 3


def test_what_is_assumed_of_an_input_leaves_it_its_name(judged: Any, calc: Any, x: Any) -> None:
    a = assume(x, above_zero=True)
    assert a.name == x.name is not None
    assert function([a], -a, mode=Mode("py", books=[]))(**{x.name: 3}) == -3
    assert assume(-x, above_zero=True).name is None


def test_derivatives(judged: Any, calc: Any, x: Any) -> None:
    a = assume(x, above_zero=True)
    slope = grad(a * a, x)
    assert function([x], slope, mode=Mode("py", books=[]))(3.0) == 6.0
    (tangent,) = pushforward([-a], [x], [x])
    assert function([x], tangent, mode=Mode("py", books=[]))(3.0) == -3.0


def test_printing(judged: Any, x: Any, capsys: Any) -> None:
    a = assume(x, below_zero=False, at_least_zero=True)
    assert str(a) == "assume[at_least_zero, not below_zero]"
    dprint(-a)
    assert str(a) in capsys.readouterr().out


def test_pickling_and_digest(judged: Any, x: Any) -> None:
    a = assume(x, above_zero=True)
    again = pickle.loads(pickle.dumps(a))
    assert again.op is a.op
    assert ask(again, judged.above) is True
    assert pickle.loads(pickle.dumps(judged.above)) is judged.above
    assert digest([a], [x]) != digest([x], [x])
    assert digest([a], [x]) != digest([assume(x, below_zero=True)], [x])
    assert a.op is Assumed((("above_zero", True),))
