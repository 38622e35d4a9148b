"""Rules are tried only in graphs that contain what they need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest

import weft_tensor as wt
from weft_graph import (
    Each,
    Form,
    FunctionGraph,
    Rule,
    Variable,
    Watcher,
    grad,
    rewrite_graph,
    toposort,
)
from weft_rewrites import books

x = wt.vector("x")
s, t = wt.scalar("s"), wt.scalar("t")
A = wt.matrix("A")
_MIXTURE = wt.log((wt.exp(s) * wt.exp(-((x - t) ** 2) / 2) + wt.exp(-wt.abs(x))).sum()) + x[0]
_NORMAL = ((wt.linalg.cholesky(A @ A.T + wt.eye(3)) @ x) ** 2).sum() - wt.log(s)
_TAIL = "log of a product with erfc"
_ERFC = wt.Elemwise("erfc")
_LOOKED_FOR: dict[str, list[Any]] = {
    "reduction of windows": [wt.Arange],
    "windows times a vector": [wt.Arange],
    "exponential of a square and erfc in a product": [_ERFC],
    "exponential of a square and erfc in a quotient": [_ERFC],
    _TAIL: [_ERFC],
}
"""What rules that are functions look for."""


class _Tries(Watcher):
    """What was tried, and what of it although the graph had never contained a part of it."""

    def __init__(self) -> None:
        self.kinds: set[Any] = set()
        self.names: set[str] = set()
        self.vain: set[str] = set()

    def see(self, variables: Iterable[Variable]) -> None:
        for v in variables:
            self.kinds.update((v.op, *type(v.op).__mro__))

    def begin(self, phase: str, graph: FunctionGraph) -> None:
        self.kinds.clear()
        self.see(graph.order)

    def tried(self, rule: Rule, node: Variable, new: Variable | None, seconds: float) -> None:
        self.see([node])
        self.names.add(rule.name)
        if any(map(self.kinds.isdisjoint, _parts(rule))):
            self.vain.add(rule.name)
        if new is not None:
            self.see(toposort([new]))


def _parts(rule: Rule) -> list[Sequence[Any]]:
    """Of each of these, one is in the graph where the rule applies."""
    parts: list[Sequence[Any]] = [rule.over] if rule.over else []
    parts += [_LOOKED_FOR[rule.name]] if rule.name in _LOOKED_FOR else []
    todo = [rule.left] if isinstance(rule.left, Variable) else []
    for part in todo:
        if part.inputs and not isinstance(part.op, Form):
            parts.append([part.op.op_class if isinstance(part.op, Each) else part.op])
            todo += part.inputs
    return parts


@pytest.mark.parametrize(
    "outputs",
    [
        [_MIXTURE, *grad(_MIXTURE, [x, s, t])],
        [_NORMAL, *grad(_NORMAL, [x, s, A])],
        [wt.stack([x, x, x, wt.exp(x), -x, x]), wt.broadcast_to(x, (2, 3, 4, 5, 6))],
    ],
    ids=["mixture", "normal", "many inputs"],
)
def test_what_a_graph_does_not_contain_is_not_looked_for(outputs: list[Any]) -> None:
    with _Tries() as tries:
        rewrite_graph(FunctionGraph(outputs=outputs), books)
    assert tries.names
    assert tries.vain == set()
    assert _TAIL not in tries.names


def test_what_rules_bring_in_is_looked_for() -> None:
    with _Tries() as tries:
        result = rewrite_graph(FunctionGraph(outputs=[wt.log(1 - wt.erf(x))]), books).outputs
    assert tries.vain == set()
    assert _TAIL in tries.names
    assert result == (wt.logerfc(x),)
