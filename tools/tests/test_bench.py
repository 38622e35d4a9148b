"""The benchmark command measures, compares results, and survives peers that fail."""

import gc
import json
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from rich.console import Console

import weft.tensor as wt
from tools.bench.__main__ import chosen, main, parse
from tools.bench.catalogue import WORKLOADS
from tools.bench.imports import ImportCost, import_judgements, measure_imports
from tools.bench.models import MODELS
from tools.bench.report import (
    comparisons,
    imports_table,
    number,
    over,
    results_table,
    stages,
)
from tools.bench.runner import PeerFailed, PeerProcess, Result, measure, ratios, take_turns
from tools.bench.tracing import growth
from tools.bench.worker import prepare, repeat
from tools.bench.workload import LINE, PEERS, Workload, aligned, difference


def text(table: Any) -> str:
    console = Console(width=200)
    with console.capture() as capture:
        console.print(table)
    return capture.get()


@pytest.fixture(autouse=True)
def frozen() -> None:
    """Before it measures, the bench collects what is garbage: it need not search other tests'."""
    gc.freeze()


@pytest.fixture
def broken_pytensor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "modules" / "pytensor.py"
    module.parent.mkdir()
    module.write_text("raise ImportError('PyTensor is not here')\n")
    monkeypatch.setenv("PYTHONPATH", str(module.parent))


@pytest.mark.cases(0)
@pytest.mark.usefixtures("broken_pytensor")
def test_command_shows_tables_and_writes_json_also_if_a_peer_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "results.json"
    peers = "weft-py,pytensor-numba,numpy"
    assert main(["scalar", "--quick", "--rounds", "2", "--peers", peers, "--json", str(file)]) == 0
    shown = capsys.readouterr().out
    found = json.loads(file.read_text(encoding="utf-8"))["scalar"]
    assert list(found) == ["weft-py", "pytensor-numba", "numpy"]
    for peer in ("weft-py", "numpy"):
        assert found[peer]["error"] == found[peer]["wrong"] == ""
        assert len(found[peer]["rounds"]) == 2
        assert 0.0 < found[peer]["seconds"] < 1.0
        assert found[peer]["compile"] > 0.0
    assert found["pytensor-numba"]["error"] == "ImportError: PyTensor is not here"
    assert found["pytensor-numba"]["seconds"] is None
    assert "PyTensor is not here" in shown
    assert "weft-py / numpy" in shown


@pytest.mark.cases(0)
def test_second_processes_and_second_starts_are_timed_on_request() -> None:
    (result,) = measure(WORKLOADS["scalar"], ["numpy"], rounds=2, again=True, starts=2)
    assert result.error == ""
    assert len(result.rounds) == 2
    assert len(result.compiles) >= 2
    assert result.again is not None
    assert "again ms" in text(results_table(WORKLOADS["scalar"], [result]))


def test_peer_that_does_not_answer_is_ended(tmp_path: Path) -> None:
    with PeerProcess("numpy", "scalar", tmp_path, limit=0.01) as process:
        with pytest.raises(PeerFailed, match="no answer after 0 s"):
            process.ask()
        with pytest.raises(PeerFailed, match="no answer"):
            process.ask("round")


def test_last_words_of_a_process_that_ends_are_its_error(tmp_path: Path) -> None:
    with (
        PeerProcess("numpy", "no such workload", tmp_path, limit=100.0) as process,
        pytest.raises(PeerFailed, match="KeyError: 'no such workload'"),
    ):
        process.ask()


class FakeProcess(PeerProcess):
    def __init__(self, answers: list[dict[str, Any]]) -> None:
        self.answers = answers

    def ask(self, request: str = "") -> dict[str, Any]:
        if not self.answers:
            raise PeerFailed("it broke")
        return self.answers.pop(0)


def test_turns_leave_out_whoever_has_failed_or_used_its_budget_up() -> None:
    failed, slow = Result("numba"), Result("jax", rounds=[{"wall": 20.0, "cpu": 20.0}])
    one = {"wall": 1.0, "cpu": 1.0}
    take_turns([(FakeProcess([one]), failed), (FakeProcess([one]), slow)], 3, budget=10.0)
    assert (len(failed.rounds), failed.error) == (1, "it broke")
    assert len(slow.rounds) == 1


def test_short_calls_are_judged_by_the_wall_clock_and_long_ones_by_the_cpu() -> None:
    short = Result("jax", rounds=[{"wall": 1e-3, "cpu": 9e-4}, {"wall": 1.5e-3, "cpu": 8e-4}])
    long = Result("numba", rounds=[{"wall": 1.0, "cpu": 0.5}, {"wall": 2.0, "cpu": 0.4}])
    assert (short.seconds, long.seconds) == (1e-3, 0.4)
    assert ratios([short, long]) == {"jax": 1.0, "numba": 400.0}


def test_wrong_results_are_named_and_do_not_compete() -> None:
    wrong = Result("jax", wrong="result 0 is wrong by 1", rounds=[{"wall": 1e-6, "cpu": 1e-6}])
    right = Result("numpy", rounds=[{"wall": 1e-3, "cpu": 1e-3}])
    assert ratios([wrong, right]) == {"numpy": 1.0}
    assert "WRONG: result 0 is wrong by 1" in text(
        results_table(WORKLOADS["scalar"], [wrong, right])
    )


@pytest.mark.parametrize(
    ("found", "right", "says"),
    [
        (1.0, 1.0, None),
        ([1.0], 1.0, "result 0 has the shape (1,), not ()"),
        ([1.0], [1.0, 2.0], "1 results, not 2"),
        ([1.0, 2.0 + 1e-12], (1.0, 2.0), None),
        (1.1, 1.0, "result 0 is wrong by 0.1"),
        (float("nan"), 1.0, "result 0 is wrong by nan"),
    ],
)
def test_difference(found: Any, right: Any, says: str | None) -> None:
    assert difference(found, right, 1e-8) == says


def test_no_peer_has_luck_with_where_arrays_are() -> None:
    given = (np.arange(7.0), np.arange(6).reshape(2, 3)[:, 1:], np.array(1.5), 3)
    found = aligned(given)
    for before, after in zip(given, found, strict=True):
        np.testing.assert_array_equal(after, before, strict=True)
    assert found[3] == 3
    assert not any(v.ctypes.data % LINE for v in found if isinstance(v, np.ndarray))


def test_worker_reports_a_wrong_result_and_stages() -> None:
    def wrong() -> Callable[[], dict[str, float]]:
        return lambda: {"build": 1.0}

    call, report = prepare("weft", Workload("w", "", {"weft": wrong}))
    assert report["stages"] == call() == {"build": 1.0}
    _, report = prepare("weft", Workload("w", "", {"weft": lambda: lambda: 2.0}, expected=3.0))
    assert report["wrong"] == "result 0 is wrong by 1"


@pytest.mark.cases(0)
@pytest.mark.parametrize("peer", ["weft-py", "weft-numba", "weft-jax", "jax", "numba"])
@pytest.mark.parametrize("name", ["scalars", "breast-cancer", "scatter"])
def test_peers_agree_with_numpy(name: str, peer: str) -> None:
    (result,) = measure(WORKLOADS[name], [peer], rounds=0)
    assert (result.error, result.wrong) == ("", "")


@pytest.mark.cases(0)
@pytest.mark.parametrize("peer", ["weft-py", "jax", "numba"])
@pytest.mark.parametrize(
    "name", ["radon", "solve", "mask", "sizes", "gp", "mlp", "chain-300", "normals"]
)
def test_other_peers_agree_with_numpy(name: str, peer: str) -> None:
    (result,) = measure(WORKLOADS[name], [peer], rounds=0)
    assert (result.error, result.wrong) == ("", "")


@pytest.mark.cases(0)
@pytest.mark.parametrize("peer", ["weft-py", "jax"])
def test_forty_densities(peer: str) -> None:
    (result,) = measure(WORKLOADS["model-1500"], [peer], rounds=0)
    assert (result.error, result.wrong) == ("", "")


@pytest.mark.cases(0)
def test_two_threads_are_asked_for_and_timed() -> None:
    (result,) = measure(WORKLOADS["threads"], ["weft-numba"], rounds=1)
    assert (result.error, result.wrong) == ("", "")
    assert result.figures["two / one"] > 0.0


@pytest.mark.cases(0)
def test_a_graph_in_pieces_is_timed() -> None:
    (result,) = measure(WORKLOADS["split"], ["weft-jax"], rounds=1)
    assert (result.error, result.wrong) == ("", "")
    assert set(result.figures) >= {"whole", "3 pieces", "per split"}


def test_more_starts_tell_more_where_times_differ() -> None:
    assert not Result("jax", compiles=[0.03]).is_unsure
    assert Result("jax", compiles=[0.03, 0.04]).is_unsure
    assert not Result("jax", compiles=[0.03, 0.04] * 50).is_unsure
    assert not Result("numpy", compiles=[1e-6, 1e-5]).is_unsure


@pytest.mark.cases(0)
@pytest.mark.parametrize("name", ["build", "gradient"])
def test_graphs(name: str) -> None:
    (result,) = measure(WORKLOADS[name], ["weft"], rounds=1)
    assert (result.error, result.wrong) == ("", "")
    assert result.seconds is not None


@pytest.mark.cases(0)
@pytest.mark.parametrize("peer", ["weft-jax", "jax"])
def test_tracing(peer: str) -> None:
    (result,) = measure(WORKLOADS["trace"], [peer], rounds=1)
    assert (result.error, result.wrong) == ("", "")
    assert result.seconds is not None


def test_growth_is_the_ratio_of_two_times_per_step() -> None:
    found = growth(lambda steps: sum(range(1_000 * steps)), 100, 1_000)()
    assert list(found) == ["100 steps", "1,000 steps", "large / small"]
    assert found["large / small"] == found["1,000 steps"] / found["100 steps"]


@pytest.mark.cases(0)
@pytest.mark.parametrize("model", list(MODELS))
def test_densities_are_right_and_small_and_large_ones_are_rewritten(model: str) -> None:
    small, large = (
        workload for name, workload in WORKLOADS.items() if name.startswith(model + "-")
    )
    (result,) = measure(small, ["weft"], rounds=1)
    assert (result.error, result.wrong) == ("", "")
    assert 300 < result.nodes < 1_100
    assert large.name in WORKLOADS


def test_density_of_a_regression_is_that_of_normal_numbers() -> None:
    made = MODELS["regression"](wt, 1)
    f = wt.function([*made.data, *made.parameters], made.value, mode="py")
    X, y, a, b, log_s = np.ones((2, 1)), np.array([1.0, 3.0]), 0.5, np.array([0.5]), 0.0
    normal = scipy.stats.norm.logpdf
    expected = normal(y, 1.0, 1.0).sum() + normal(b, 0.0, 2.5).sum() + normal(a, 0.0, 10.0)
    assert f(X, y, a, b, log_s) == pytest.approx(expected - np.log(1.04))


@pytest.mark.cases(0)
def test_long_chains_give_memory_back() -> None:
    (result,) = measure(WORKLOADS["memory"], ["weft"], rounds=0)
    assert result.error == ""
    assert result.stages["alive"] < 600
    assert result.stages["after its end"] < 0.2 * result.stages["alive"]


def test_nothing_is_alive_from_one_call_to_the_next() -> None:
    alive: list[weakref.ref[set[int]]] = []

    def call() -> set[int]:
        assert all(made() is None for made in alive)
        result = {1}
        alive.append(weakref.ref(result))
        return result

    repeat(call, 3)
    assert len(alive) == 3


def test_difference_from_numpy_is_told_in_microseconds() -> None:
    weft = Result("weft-py", rounds=[{"wall": 2.5e-6, "cpu": 2.5e-6}])
    numpy = Result("numpy", rounds=[{"wall": 1e-6, "cpu": 1e-6}])
    assert comparisons([weft, numpy]) == (
        "weft-py / numpy = 2.50 (1/0.40), weft-py - numpy = 1.50 µs"
    )


def test_stages_are_the_best_of_all_rounds() -> None:
    rounds = [{"wall": 1.0, "cpu": 1.0, "stages": {"a": 2.0, "b": 3.0}}]
    rounds += [{"wall": 1.0, "cpu": 1.0, "stages": {"a": 1.0, "b": 4.0}}]
    assert stages(Result("weft", rounds=rounds)) == "weft, s: a 1.00, b 3.00"


@pytest.mark.cases(0)
def test_imports_are_measured_and_failures_shown() -> None:
    statements = (
        "pass",
        "import weft_graph",
        "import no_such_module",
        "import time; time.sleep(9)",
    )
    empty, graph, missing, slow = measure_imports(2, 5.0, statements)
    assert empty.wall is not None
    assert graph.wall is not None
    assert graph.cpu is not None
    assert empty.wall < graph.wall < 5.0
    assert 0.0 < graph.cpu < 5.0
    assert len(over(graph, empty)) == 2
    assert missing.error == "ModuleNotFoundError: No module named 'no_such_module'"
    assert slow.error == "no end after 5 s"
    assert "no_such_module" in text(imports_table([empty, graph, missing, slow]))
    assert json.dumps(missing.as_json())


@pytest.mark.parametrize(("cpu", "verdict"), [(0.05, "holds"), (0.09, "MISSED")])
def test_the_import_of_the_core_is_judged_by_the_cpu(cpu: float, verdict: str) -> None:
    empty = ImportCost("pass", walls=[0.02], cpus=[0.01])
    graph = ImportCost("import weft_graph", walls=[0.2], cpus=[cpu])
    (judged,) = import_judgements([empty, graph])
    assert judged.verdict == verdict
    broken = ImportCost("import weft_graph", error="it broke")
    (judged,) = import_judgements([empty, broken])
    assert (judged.verdict, judged.problem) == ("MISSED", "it broke")


def test_numbers_have_three_digits() -> None:
    assert [number(s, 1e6) for s in (1.234e-6, 45.67e-6, 0.0012345)] == ["1.23", "45.7", "1,234"]


def test_every_workload_has_known_peers_and_a_reference() -> None:
    alone = ("threads", "threads-nogil", "map-threads", "split", "chains-batched")
    for name, workload in WORKLOADS.items():
        assert set(workload.peers) <= set(PEERS)
        assert workload.group == "graphs" or workload.reference or name in alone


def test_command_line_chooses_and_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    assert chosen(parse([])) == ["imports", *WORKLOADS]
    assert "mlp" not in chosen(parse(["--quick"]))
    assert chosen(parse(["--quick", "mlp", "mlp"])) == ["mlp"]
    for arguments, complaint in ((["nonsense"], "workload"), (["--peers", "nobody"], "peer")):
        with pytest.raises(SystemExit):
            parse(arguments)
        assert f"no such {complaint}" in capsys.readouterr().err
