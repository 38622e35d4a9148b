"""Statistics of rules, and the keywords that watch rewriting."""

from __future__ import annotations

import pickle
import webbrowser
from pathlib import Path
from typing import Any
from urllib.parse import urlparse
from urllib.request import url2pathname

import pytest

from weft_graph import (
    FunctionGraph,
    Log,
    Mode,
    Rule,
    RuleBook,
    Stats,
    Trace,
    VerificationError,
    function,
    rewrite_graph,
    wildcard,
)


@pytest.fixture
def book(calc: Any) -> RuleBook:
    a = wildcard("a", calc.NumberVariable)
    return RuleBook(
        "algebra",
        [
            Rule(a * 1, a, name="one"),
            Rule(a * a, calc.Power(2)(a), name="square"),
            Rule(a + 0, a, name="zero"),
        ],
    )


@pytest.fixture
def graph(x: Any, y: Any, book: RuleBook) -> FunctionGraph:
    return FunctionGraph([x, y], [(x * y) * (x * y) + x * 1])


def test_attempts_and_hits_are_counted(graph: FunctionGraph, book: RuleBook) -> None:
    with Stats() as stats:
        rewrite_graph(graph, [book])
    seen = {c.name: (c.attempts, c.hits) for c in stats.counts}
    assert seen == {"one": (1, 1), "square": (2, 1)}
    assert stats.of("zero").attempts == 0
    assert all(c.seconds > 0 for c in stats.counts)
    assert [p.name for p in stats] == ["algebra"]


def test_the_table_starts_with_what_took_longest(graph: FunctionGraph, book: RuleBook) -> None:
    with Stats() as stats:
        rewrite_graph(graph, [book])
        rewrite_graph(graph, [book])
    stats.of("square").seconds, stats.of("one").seconds = 0.003, 0.001
    assert str(stats).splitlines()[:4] == [
        "      ms  share  tries  hits  rule",
        "   3.000  75.0%      4     2  square",
        "   1.000  25.0%      2     2  one",
        "",
    ]


def test_keywords_print(
    graph: FunctionGraph, book: RuleBook, x: Any, y: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    result = rewrite_graph(graph, [book], trace=True, stats=True, verify={x: 2, y: 3})
    printed = capsys.readouterr().out
    assert "  square: Mul(Mul(x, y), Mul(x, y)) → Power(exponent=2)(Mul(x, y))" in printed
    assert "tries  hits  rule" in printed
    assert result == rewrite_graph(graph, [book])
    assert capsys.readouterr().out == ""


def test_keywords_of_a_function(
    graph: FunctionGraph, book: RuleBook, x: Any, y: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    trace, stats = Trace(), Stats()
    mode = Mode("py", books=[book])
    f = function([x, y], graph.outputs, mode=mode, trace=trace, verify={x: 2, y: 3}, stats=stats)
    assert f.log is trace
    assert [p.name for p in trace] == ["build", "algebra", "link for py"]
    assert [p.name for p in trace.traced] == ["algebra"]
    assert stats.of("square").hits == 1
    assert capsys.readouterr().out == ""
    loaded = pickle.loads(pickle.dumps(function([x], x, mode=mode, trace=trace)))
    assert type(loaded.log) is Log
    assert loaded.log[-1].name == "link for py"


def test_an_error_prints_the_trace_that_led_to_it(
    x: Any, calc: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = RuleBook("b", [Rule(calc.Neg, lambda node: node.inputs[0], name="wrong")])
    with pytest.raises(VerificationError, match="rule wrong"):
        rewrite_graph(FunctionGraph([x], [-x]), [wrong], trace=True, verify={x: 1})
    assert "wrong: Neg(x) → x" in capsys.readouterr().out


def test_a_browser_is_shown_the_page(
    graph: FunctionGraph, book: RuleBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    rewrite_graph(graph, [book], trace="browser")
    (address,) = opened
    path = Path(url2pathname(urlparse(address).path))
    assert "algebra: square" in path.read_text(encoding="utf-8")
    path.unlink()
    path.parent.rmdir()


@pytest.mark.parametrize(
    ("keyword", "message"),
    [
        ("trace", "trace must be True, False, 'browser' or a Trace, not 3"),
        ("verify", "verify must be True, False or a dict of inputs' values, not 3"),
        ("stats", "stats must be True, False or a Stats, not 3"),
    ],
)
def test_keywords_of_another_kind(keyword: str, message: str, graph: FunctionGraph) -> None:
    wanted: dict[str, Any] = {keyword: 3}
    with pytest.raises(TypeError, match=message):
        rewrite_graph(graph, [], **wanted)


def test_a_watcher_is_told_once_of_what_it_watches_twice(
    graph: FunctionGraph, book: RuleBook
) -> None:
    with Trace() as trace:
        rewrite_graph(graph, [book], trace=trace)
        rewrite_graph(graph, [book])
    assert [p.name for p in trace] == ["algebra", "algebra"]
