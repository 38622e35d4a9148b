"""All books leave prints and checks where they are, and run them once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import CheckAndRaise, FunctionGraph, Print, assume, function, grad, rewrite_graph

x = wt.vector("x")
BACKENDS = pytest.mark.parametrize("mode", ["py", "numba", "jax"])


def count(outputs: list[Any], kind: type) -> int:
    graph = rewrite_graph(FunctionGraph(outputs=outputs))
    return sum(isinstance(v.op, kind) for v in graph.nodes)


@BACKENDS
def test_a_constant_is_printed_at_every_call(mode: str, capsys: Any) -> None:
    f = function([x], x + wt.print_value(wt.constant(2.0), "two"), mode=mode)
    assert capsys.readouterr().out == ""
    for _repetition in range(2):
        assert f([1.0]) == [3.0]
        assert capsys.readouterr().out == "two 2.0\n"


@BACKENDS
def test_a_print_in_the_midst_of_a_model_prints_once(mode: str, capsys: Any) -> None:
    mu = wt.print_value(wt.exp(x), "mu", attrs=["shape"])
    cost = (-((x - mu) ** 2) / 2 + wt.log(mu) - wt.log(1 + mu)).sum()
    f = function([x], [cost, grad(cost, x), mu], mode=mode)
    f([0.0, 1.0])
    assert capsys.readouterr().out == "mu shape = (2,)\n"


def test_prints_and_checks_are_neither_folded_nor_doubled() -> None:
    shown = wt.print_value(wt.exp(x))
    outputs = [wt.log(shown), (shown * 1.0 + shown - shown).sum(), shown.sum() * 2.0]
    assert count(outputs, Print) == 1
    checked = wt.check_and_raise(wt.exp(x), x > 0)
    assert count([wt.log(checked), (checked / checked).sum() + checked.sum()], CheckAndRaise) == 1
    failing = wt.check_and_raise(wt.constant(1.0), wt.constant(False))
    assert count([failing + x], CheckAndRaise) == 1
    assert count([wt.check_and_raise(wt.constant(1.0), wt.constant(True)) + x], CheckAndRaise) == 0


def test_facts_reach_rules_through_a_check() -> None:
    positive = wt.assert_op(assume(x, positive=True), x > 0)
    f = function([x], wt.abs(positive), mode="py")
    assert f([1.0]) == [1.0]
    assert "abs" not in f.source
    with pytest.raises(AssertionError, match="an assertion of the graph"):
        f([-1.0])


@BACKENDS
def test_a_failing_check_is_raised_at_the_call_not_while_compiling(mode: str) -> None:
    failing = wt.check_and_raise(wt.constant(np.ones(2)), wt.constant(False), KeyError, "no")
    f = function([x], failing + x, mode=mode)
    with pytest.raises(KeyError, match="no"):
        f([1.0, 2.0])
