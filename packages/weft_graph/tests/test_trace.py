"""Traces: what they record and print, that they replay, and their page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft_graph import (
    FunctionGraph,
    Mode,
    Rule,
    RuleBook,
    Trace,
    any_constant,
    function,
    rewrite,
    rewrite_graph,
    wildcard,
)
from weft_graph.rewriting.rule import RewriteError


def twice(v: Any) -> Any:
    negative = -v
    return -negative


@pytest.fixture(scope="module")
def book(calc: Any) -> RuleBook:
    """Rules that change no value."""
    a, b = (wildcard(name, calc.NumberVariable) for name in "ab")
    c = any_constant("c", calc.NumberVariable)
    return RuleBook(
        "algebra",
        [
            Rule(twice(a), a, name="two signs"),
            Rule(-a * b, -(a * b), name="sign out"),
            Rule(a * 1, a, name="one"),
            Rule(a + 0, a, name="zero"),
            Rule(a * a, calc.Power(2)(a), name="square"),
            Rule(-c, lambda c: calc.number(-c.op.value), name="fold"),
        ],
    )


def mirrored(graph: FunctionGraph) -> FunctionGraph:
    """A pass."""
    return FunctionGraph(graph.inputs, [twice(v) for v in graph.outputs])


@given(data=st.data())
def test_a_trace_replays(data: st.DataObject, calc: Any, book: RuleBook) -> None:
    x, y = calc.Number()("x"), calc.Number()("y")
    made = [x, y, calc.number(1), calc.number(0)]
    for _ in range(data.draw(st.integers(1, 20))):
        a, b = (data.draw(st.sampled_from(made[-6:])) for _ in range(2))
        kinds = (a + b, a * b, -a, (-b).named("named"), *calc.SumAndProduct()(a, b))
        made.append(data.draw(st.sampled_from(kinds)))
    graph = FunctionGraph([x, y], made[-3:])
    with Trace() as trace:
        result = rewrite_graph(graph, [book, mirrored, book])
    assert trace.replay() == list(result.outputs)
    assert trace[-1].nodes == len(result)


def test_a_trace_prints_a_line_for_each_change(x: Any, y: Any, calc: Any, book: RuleBook) -> None:
    product = calc.Mul()(calc.Neg()(x), calc.Add()(y, 0))
    with Trace() as trace:
        rewrite_graph(FunctionGraph([x, y], [product.named("p")]), [book, RuleBook("idle", [])])
    lines = str(trace).splitlines()
    assert lines[:2] == ["drop_names: 4 → 3 nodes", "algebra: 2 steps, 3 → 2 nodes"]
    assert lines[2].startswith("  zero: Add(y, 0) → y   (line ")
    assert "of test_trace.py" in lines[2]
    assert "product = calc.Mul()" in lines[2]
    assert lines[3].startswith("  sign out: Mul(Neg(x), y) → Neg(Mul(x, y))   (line ")
    assert [p.name for p in trace] == ["drop_names", "algebra", "idle"]
    assert [change.rule.name for change in trace.changes] == ["zero", "sign out"]


def test_a_trace_of_rules_that_go_round_shows_how(x: Any, y: Any, calc: Any) -> None:
    a, b = (wildcard(name, calc.NumberVariable) for name in "ab")
    swap = RuleBook("swap", [Rule(a + b, lambda a, b: calc.Add()(b, a), name="swap")])
    with Trace() as trace, pytest.raises(RewriteError, match="swap go round"):
        rewrite([x + y], swap)
    assert str(trace).count("  swap: Add(") == 2


def test_several_graphs_in_one_trace(x: Any, y: Any, book: RuleBook) -> None:
    with Trace() as trace:
        rewrite_graph(FunctionGraph([x], [twice(x)]), [book])
        (last,) = rewrite([y * 1 * y], book)
    assert trace.replay() == [last]
    assert [phase.follows for phase in trace.traced] == [False, False]


def test_only_the_block_is_traced_and_traces_nest(x: Any, book: RuleBook) -> None:
    graph = FunctionGraph([x], [twice(x)])
    with Trace() as outer:
        with Trace() as inner:
            rewrite_graph(graph, [book])
        rewrite_graph(graph, [book])
    rewrite_graph(graph, [book])
    assert (len(inner), len(outer)) == (1, 2)


def test_what_a_pass_rewrites_inside_is_part_of_the_pass(x: Any, book: RuleBook) -> None:
    def whole(graph: FunctionGraph) -> FunctionGraph:
        return FunctionGraph(graph.inputs, rewrite(graph.outputs, book))

    with Trace() as trace:
        rewrite_graph(FunctionGraph([x], [twice(x)]), [whole])
    assert str(trace) == "whole: 2 → 0 nodes"
    assert trace.replay() == [x]


def test_a_function_tells_its_phases_in_its_log(x: Any, book: RuleBook) -> None:
    with Trace() as trace:
        f = function([x], twice(x), mode=Mode("py", books=[book]))
    assert [p.name for p in f.log] == ["build", "algebra", "link for py"]
    assert [p.nodes for p in f.log] == [2, 0, 0]
    assert [p.name for p in trace] == ["algebra"]
    assert "link for py" in str(f.log)


def pieces(page: str) -> list[str]:
    return re.findall("<template>.*?</template>", page, re.DOTALL)


def test_the_page_shows_every_step(x: Any, y: Any, book: RuleBook, tmp_path: Path) -> None:
    with Trace() as trace:
        rewrite_graph(FunctionGraph([x, y], [-x * (y + 0)]), [book, mirrored])
    page = trace.to_html(tmp_path / "trace.html")
    assert (tmp_path / "trace.html").read_text(encoding="utf-8") == page
    steps = pieces(page)
    titles = [re.findall("<h2>(.*?)</h2>", step)[0] for step in steps]
    assert titles == ["algebra: zero", "algebra: sign out", "mirrored: mirrored"]
    assert all(step.count("<svg") == 2 for step in steps)
    assert "Mul(Neg(x), y)" in steps[1]
    marked = re.findall(r'fill="#fde68a"[^>]*/><text[^>]*>(\w+)<', steps[1])
    assert marked == ["Neg", "Mul", "Mul", "Neg"]
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")


@pytest.mark.cases(0)
def test_the_page_of_a_large_graph_stays_small(x: Any, y: Any, book: RuleBook) -> None:
    total = x
    for step in range(2000):
        total = total * -y if step % 2 else total + float(step)
    with Trace() as trace:
        rewrite_graph(FunctionGraph([x, y], [total]), [book])
    page = trace.to_html()
    steps = pieces(page)
    assert len(steps) > 1000
    assert 100 < sum("<svg" in step for step in steps) < 1000
    assert max(step.count("<rect") for step in steps) < 150
    assert all('fill="#fde68a"' in step for step in steps if "<svg" in step)
    assert len(page) < 20_000_000


def test_the_page_of_nothing() -> None:
    assert "No rule applied." in Trace().to_html()
