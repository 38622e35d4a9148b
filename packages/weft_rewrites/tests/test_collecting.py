"""Sums and products of any number of parts: equal ones are collected."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, Mode, RuleBook, assume, function, rewrite_graph
from weft_graph.extend import changes_by
from weft_rewrites import books
from weft_rewrites.ops.elementwise.collecting import collect

INPUTS = [wt.vector("X"), wt.vector("Y"), wt.scalar("S"), wt.scalar("T")]
X, Y, S, T = (assume(v, finite=True, nonzero=True) for v in INPUTS)

COLLECTED: list[tuple[Any, str]] = [
    (2 * X + 3 * X, "mul"),
    (X + X + X, "mul"),
    (S + T - S, ""),
    (X - 2 * Y - X, "mul"),
    (X - X, ""),
    (X / X, ""),
    (X * S / S, ""),
    (X * Y / Y, ""),
    (X**2 / X, ""),
    ((2 * X) * (3 * Y), "mul mul"),
    ((X / 2) / 3, "true_div"),
    ((X + 1) + (Y + 2), "add add"),
    (wt.exp(X) * wt.exp(Y), "add exp"),
    (wt.exp(X) / wt.exp(Y), "exp sub"),
    (X * Y / (S * X), "true_div"),
    ((1.0 + X) - (3.0 + Y), "add add sub"),
    (1e-200 * X * (1e-200 * Y), "mul mul mul"),
]


def pointwise(graph: FunctionGraph) -> str:
    return " ".join(sorted(str(v.op) for v in graph.nodes if isinstance(v.op, wt.Elemwise)))


@pytest.mark.parametrize(("expression", "left"), COLLECTED)
def test_equal_parts_are_collected(expression: Any, left: str) -> None:
    graph = FunctionGraph(INPUTS, [expression])
    short = rewrite_graph(graph, books)
    assert pointwise(short).replace("broadcast_length", "").split() == left.split()
    long, short_one = np.array([0.3, -1.2, 2.5]), np.array([0.7])
    for given in ([long, short_one, 1.5, -0.4], [short_one, long, 1.5, -0.4]):
        plain = function(graph.inputs, graph.outputs, mode=Mode("py", books=[]))(*given)
        found = function(graph.inputs, graph.outputs, mode="py")(*given)
        np.testing.assert_allclose(found[0], plain[0], rtol=1e-12)


def test_what_is_needed_elsewhere_stays_whole() -> None:
    total = X + Y
    graph = FunctionGraph([X, Y], [total - X, total])
    assert rewrite_graph(graph, books).outputs[0].inputs == (total, X)


def test_ten_thousand_terms_are_read_once() -> None:
    letters = [wt.scalar(f"v{i}") for i in range(50)]
    total: Any = letters[0]
    for k in range(10_000):
        total = total + (1 + k % 7) * letters[k % 50]
    short = collect(FunctionGraph(letters, [total]))
    assert len(short) < 150
    (value,) = function(letters, short.outputs, mode=Mode("py", books=[]))(*range(50))
    assert value == sum((1 + k % 7) * (k % 50) for k in range(10_000))


def test_an_exact_mode_changes_nothing_but_rounding() -> None:
    exact = Mode("py", exact=True)
    for part in exact.books:
        changes = [r.may_change for r in part] if isinstance(part, RuleBook) else [changes_by(part)]
        assert frozenset().union(*changes) <= {"rounding"}
    assert collect not in exact.books
    assert len(function([X, Y], X * Y / Y, mode=exact).graph) == 2
