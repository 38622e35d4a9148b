"""Watchers are told of what happens in their block and their thread, and of nothing else."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from threading import Thread
from typing import Any

import pytest

from weft_graph import (
    FunctionGraph,
    Log,
    Phase,
    Rule,
    RuleBook,
    Trace,
    Variable,
    Watcher,
    rewrite,
    rewrite_graph,
    wildcard,
)


@pytest.fixture
def book(calc: Any) -> RuleBook:
    a = wildcard("a", calc.NumberVariable)
    return RuleBook("algebra", [Rule(a * 1, a, name="one")])


class Told(Watcher):
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def begin(self, phase: str, graph: FunctionGraph) -> None:
        self.heard.append(f"begin {phase} {len(graph)}")

    def tried(self, rule: Rule, node: Variable, new: Variable | None, seconds: float) -> None:
        self.heard.append(f"{rule.name} on {node} made {new}")

    def end(self, phase: str, graph: FunctionGraph, seconds: float) -> None:
        self.heard.append(f"end {phase} {len(graph)}")

    def renamed(self, stand_ins: Mapping[Variable, Variable]) -> None:
        self.heard.append(f"renamed {len(stand_ins)}")


def test_what_a_watcher_is_told(x: Any, y: Any, book: RuleBook) -> None:
    middle = -x
    with Told() as told:
        rewrite_graph(FunctionGraph([middle, y], [middle * 1 * y]), [book])
    assert told.heard == [
        "renamed 1",
        "begin algebra 2",
        "one on Mul made input",
        "end algebra 1",
    ]


def test_other_threads_are_not_watched(x: Any, book: RuleBook) -> None:
    with Trace() as trace:
        thread = Thread(target=rewrite, args=([x * 1], book))
        thread.start()
        thread.join()
    assert len(trace) == 0


def test_an_error_ends_the_block(x: Any, book: RuleBook) -> None:
    told = Told()
    with pytest.raises(RuntimeError, match="stop"), told:
        raise RuntimeError("stop")
    rewrite([x * 1], book)
    assert told.heard == []


def test_a_memo_is_filled_whoever_watches(x: Any, book: RuleBook) -> None:
    memo: dict[Any, Any] = {}
    with Told():
        rewrite([x * 1], book, memo)
    assert memo[x * 1] is x
    with Told() as told:
        rewrite([x * 1], book, memo)
    assert told.heard == ["begin algebra 1", "end algebra 0"]


def test_a_log_is_a_sequence_that_pickles() -> None:
    log = Log([Phase("a", 0.001, 2), Phase("b", 0.002, 1)])
    assert [p.name for p in log[::-1]] == ["b", "a"]
    assert repr(log[0]) == "Phase('a', 0.001, 2)"
    assert str(pickle.loads(pickle.dumps(log))) == str(log)
