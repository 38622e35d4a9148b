"""Bounds compare what was measured, and say what is missed."""

import json
from math import inf

import pytest
from rich.console import Console

from tools.bench.bounds import Bound, bounds_table, judge, lines, usual
from tools.bench.catalogue import WORKLOADS
from tools.bench.runner import Result, judgements
from tools.bench.workload import PEERS, Workload

FIGURES = {
    "weft-numba": {"call": 3e-6, "compile": 0.2, "again": 0.05, "memory": 5e8, "compiles": 0.0},
    "numba": {"call": 2e-6, "compile": 1.0},
}


@pytest.mark.parametrize(
    ("bound", "says"),
    [
        (Bound("weft-numba", "numba", 1.2), "call / numba = 1.5, limit 1.2: MISSED"),
        (Bound("weft-numba", "numba", 1.5), "call / numba = 1.5, limit 1.5: holds"),
        (Bound("weft-numba", "numba", 1.0, 2e-6), "call - numba = 1, limit 2 µs: holds"),
        (Bound("weft-numba", "numba", 1.0, 5e-7), "call - numba = 1, limit 0.5 µs: MISSED"),
        (Bound("weft-numba", plus=0.06, figure="again"), "again = 50, limit 60 ms: holds"),
        (Bound("weft-numba", plus=4e8, figure="memory"), "memory = 500, limit 400 MB: MISSED"),
        (Bound("weft-numba", "numba", 0.1, figure="compile"), "compile / numba = 0.2, limit 0.1: "),
        (Bound("weft-numba", figure="compiles"), "compiles = 0, limit 0: holds"),
    ],
)
def test_bounds_on_ratios_differences_and_amounts(bound: Bound, says: str) -> None:
    (line,) = lines(judge("w", [bound], FIGURES, {}))
    assert line.startswith(f"weft-numba: {says}")


def test_bounds_of_peers_that_did_not_run_are_left_out() -> None:
    bounds = [Bound("weft-numba", "jax", 1.0), Bound("weft-jax", plus=1.0)]
    assert judge("w", bounds, FIGURES, {}) == []


def test_what_weft_cannot_do_is_missed_and_what_others_cannot_do_is_not_measured() -> None:
    bound = Bound("weft-numba", "numba", 1.0)
    (missed,) = judge("w", [bound], {}, {"weft-numba": "it broke", "numba": "so did it"})
    assert (missed.verdict, missed.found, missed.problem) == ("MISSED", inf, "it broke")
    (open_,) = judge("w", [bound], FIGURES, {"numba": "no answer"})
    (line,) = lines([open_])
    assert line == "weft-numba: call / numba: not measured (numba: no answer)"
    assert (open_.holds, open_.verdict, open_.problem) == (None, "not measured", "numba: no answer")


def test_table_counts_and_shows_what_is_missed_last() -> None:
    bounds = [Bound("weft-numba", "numba", 1.0), Bound("weft-numba", "numba", 2.0)]
    judged = judge("w", bounds, FIGURES, {})
    console = Console(width=200)
    with console.capture() as capture:
        console.print(bounds_table(judged))
    shown = capture.get()
    assert "1 of 2 hold, 1 are missed" in shown
    assert shown.index("holds") < shown.index("MISSED")
    assert json.loads(json.dumps([j.as_json() for j in judged]))[0]["verdict"] == "MISSED"


def test_results_that_are_wrong_miss_their_bounds() -> None:
    workload = Workload("w", "", {}, bounds=(Bound("weft-numba", plus=1.0),))
    (judged,) = judgements(workload, [Result("weft-numba", wrong="by 1")])
    assert (judged.verdict, judged.problem) == ("MISSED", "by 1")


def test_every_bound_is_on_peers_of_its_workload() -> None:
    for workload in WORKLOADS.values():
        for bound in workload.bounds:
            assert {bound.peer, bound.against or bound.peer} <= set(workload.peers) & set(PEERS)


def test_most_workloads_are_bounded_by_hand_written_numba_and_by_jax() -> None:
    against = {bound.against for bound in usual(numba=1.2)}
    assert against == {"", "numba", "pytensor-numba", "jax"}
    assert {w.name for w in WORKLOADS.values() if w.group == "calls" and not w.bounds} == {
        "addition",
        "ten",
    }
