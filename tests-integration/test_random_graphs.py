"""What holds of every graph, on tensor expressions that hypothesis draws."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import weft.tensor as wt
from weft_graph import (
    FunctionGraph,
    Mode,
    Trace,
    digest,
    from_text,
    function,
    rewrite_graph,
    to_text,
)
from weft_testing import check_grad

INPUTS = (wt.vector("x", shape=("n",)), wt.matrix("m"), wt.scalar("s"))
POINTS = (np.array([0.51, -1.13, 1.27]), np.linspace(-0.9, 1.0, 9).reshape(3, 3), np.array(0.73))

STEPS: list[Any] = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a / (2.0 + wt.square(b)),
    lambda a, b: wt.where(a > 0.123, wt.square(a), a * b),
    lambda a, b: wt.stack([a, a * 2.0]).sum(0),
    lambda a, b: wt.tanh(a).named("t"),
    lambda a, b: wt.exp(-wt.square(a)),
    lambda a, b: wt.log(1.5 + wt.square(a)),
    lambda a, b: wt.sigmoid(a) * (1.0 - wt.sigmoid(b)),
    lambda a, b: wt.softplus(a),
    lambda a, b: a.sum(-1, keepdims=True) if a.ndim else a,
    lambda a, b: a[::-1] if a.ndim else -a,
    lambda a, b: a.T.expand_dims(0).squeeze(0),
    lambda a, b: wt.dot(a, b) if a.ndim and b.ndim else a,
    lambda a, b: wt.cumsum(a, 0) if a.ndim else wt.sin(a),
]
Program = list[tuple[int, int, int]]
"""Steps, each with the places of what it is applied to, counted from the end."""
places = st.integers(0, 4)
programs = st.lists(
    st.tuples(st.integers(0, len(STEPS) - 1), places, places), min_size=1, max_size=9
)
draws = settings(
    max_examples=min(60, settings().max_examples // 4), deadline=None, derandomize=True
)


def build(program: Program, inputs: Sequence[Any] = INPUTS) -> Any:
    """The last result of the steps; one whose operands do not fit together is left out."""
    values = list(inputs)
    for step, i, j in program:
        a, b = values[-1 - i % len(values)], values[-1 - j % len(values)]
        try:
            values.append(STEPS[step](a, b))
        except ValueError:
            continue
    return values[-1]


def graph_of(program: Program, inputs: Sequence[Any] = INPUTS) -> FunctionGraph:
    """The same as a graph."""
    return FunctionGraph(inputs, [build(program, inputs)])


def fits(program: Program) -> bool:
    """Whether also the lengths do, which `build` does not know."""
    try:
        function(INPUTS, [build(program)], mode="py", on_unused_input="ignore")(*POINTS)
    except ValueError:
        return False
    return True


def digests(given: list[Program]) -> list[str]:
    """The digests of all programs."""
    return [digest([build(program)], INPUTS) for program in given]


@pytest.mark.cases(0)
@draws
@given(programs, programs)
def test_equal_is_identical(program: Program, other: Program) -> None:
    assert build(program) is build(program)
    renamed = [v.type(f"other_{v.name}") for v in INPUTS]
    mine, again, another = graph_of(program), graph_of(program, renamed), graph_of(other)
    assert mine.nominal == again.nominal
    assert mine.digest == again.digest == pickle.loads(pickle.dumps(mine)).digest
    assert (mine.nominal == another.nominal) == (mine.digest == another.digest)


@pytest.mark.cases(0)
@settings(max_examples=3, deadline=None, derandomize=True)
@given(st.lists(programs, min_size=20, max_size=20))
def test_digests_are_the_same_in_another_process(given: list[Program]) -> None:
    code = "import json, sys, test_random_graphs as t; print(*t.digests(json.load(sys.stdin)))"
    child = subprocess.run(
        [sys.executable, "-c", code],
        cwd=os.path.dirname(__file__),
        env={**os.environ, "PYTHONHASHSEED": "7"},
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=True,
    )
    assert child.stdout.split() == digests(given)


@draws
@given(programs, st.integers(0, 30))
def test_replacing_keeps_results(program: Program, place: int) -> None:
    assume(fits(program))
    graph = graph_of(program)
    chosen = graph.order[place % len(graph.order)]
    assert graph.replace({chosen: chosen}) == graph
    stand_in = chosen.type("stand_in")
    opened = FunctionGraph([*INPUTS, stand_in], graph.outputs).replace({chosen: stand_in})
    assert opened.replace({stand_in: chosen}).outputs == graph.outputs
    plain = Mode("py", books=[])
    result, value = function(INPUTS, [*graph.outputs, chosen], mode=plain)(*POINTS)
    (same,) = function(opened.inputs, opened.outputs, mode=plain)(*POINTS, value)
    np.testing.assert_array_equal(same, result)


@draws
@given(programs)
def test_traces_replay_and_texts_evaluate_back(program: Program) -> None:
    graph, trace = graph_of(program), Trace()
    rewritten = rewrite_graph(graph, trace=trace)
    assert trace.replay() == list(rewritten.outputs)
    for known in (graph, rewritten):
        assert from_text(to_text(known), inputs=INPUTS) == known


@draws
@given(programs)
def test_both_modes_agree_with_finite_differences(program: Program) -> None:
    assume(fits(program))
    check_grad(lambda *inputs: build(program, inputs), POINTS, rtol=1e-4)
