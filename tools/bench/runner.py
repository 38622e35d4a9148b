"""Runs workloads: one process per peer, rounds in turns, so that all peers meet the same noise."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from tools.bench.bounds import AGAIN, CALL, COMPILE, MEMORY, Judgement, judge
from tools.bench.workload import PEERS, Workload
from tools.workspace import ROOT

# Who compiles in less than this, in seconds, may do so several times: the mean counts.
FAST_START = 4.0
# Starts are up to so many times as many as asked for, until the mean's standard error is less than
# this part of it, for all who take longer than this, in seconds.
MORE_STARTS = 4
UNSURE = 0.02
NO_TIME = 1e-3
# Below this, the wall clock is the better judge: a busy machine rarely interrupts so short a call.
SHORT = 2e-3


@dataclass
class Result:
    """What one peer took for one workload, in seconds."""

    peer: str
    error: str = ""
    wrong: str = ""
    again: float | None = None
    wake: float | None = None
    memory: int | None = None
    nodes: int = 1
    compiles: list[float] = field(default_factory=list)
    rounds: list[dict[str, Any]] = field(default_factory=list)

    @property
    def compile(self) -> float | None:
        """The mean of all starts' time to compile: of CPU times, it varies less than the median."""
        return fmean(self.compiles) if self.compiles else None

    @property
    def is_unsure(self) -> bool:
        """Whether more starts would tell the time to compile better."""
        count, mean = len(self.compiles), self.compile or 0.0
        if count == 1 or mean < NO_TIME:
            return False
        return stdev(self.compiles) > UNSURE * mean * sqrt(count)

    @property
    def seconds(self) -> float | None:
        """The best round's time per call: by the wall clock if it is short, else of the CPU."""
        if not self.rounds:
            return None
        wall, cpu = (min(r[kind] for r in self.rounds) for kind in ("wall", "cpu"))
        return float(wall if wall < SHORT else cpu)

    @property
    def stages(self) -> dict[str, float]:
        """The best of each stage that a call has timed by itself."""
        timed = [r["stages"] for r in self.rounds if "stages" in r]
        return {stage: min(t[stage] for t in timed) for stage in (timed[0] if timed else ())}

    @property
    def figures(self) -> dict[str, float]:
        """What was measured, by the names that bounds use."""
        named = {
            CALL: self.seconds,
            COMPILE: self.compile,
            AGAIN: self.again,
            MEMORY: self.memory,
            **self.stages,
        }
        return {name: value for name, value in named.items() if value is not None}

    def as_json(self) -> dict[str, Any]:
        """Return all of it, as plain values."""
        derived = {"compile": self.compile, "seconds": self.seconds, "stages": self.stages}
        return {**vars(self), **derived}


class PeerFailed(Exception):
    """The process of a peer has ended, or reported an error."""


class PeerProcess:
    """The process of one peer and one workload."""

    def __init__(
        self,
        peer: str,
        workload: str,
        caches: Path,
        limit: float,
        added: Mapping[str, str] | None = None,
    ) -> None:
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed in __exit__
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tools.bench.worker", peer, workload],
            cwd=ROOT,
            env={
                **os.environ,
                **environment(caches),
                **PEERS[peer].environment,
                **(added or {}),
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
        )
        self.limit = limit
        self.late = False

    def __enter__(self) -> PeerProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """End the process, if it has not ended yet."""
        self.process.kill()
        self.process.communicate()
        self.errors.close()

    def keep_to_one_core(self) -> None:
        """Keep the process, and the threads that it will start, to one core, if the system can."""
        if sys.platform == "linux":
            schedule(self.process.pid, {max(os.sched_getaffinity(0))})

    def use_all_cores(self) -> None:
        """Give the process, and all of its threads, the cores that this one has."""
        if sys.platform == "linux":
            for task in Path(f"/proc/{self.process.pid}/task").iterdir():
                schedule(int(task.name), os.sched_getaffinity(0))

    def ask(self, request: str = "") -> dict[str, Any]:
        """Send a request, if there is one, and return the next answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        timer = threading.Timer(self.limit, self._give_up)
        timer.start()
        try:
            if request:
                print(request, file=self.process.stdin, flush=True)
            line = self.process.stdout.readline()
        except OSError:
            line = ""
        finally:
            timer.cancel()
        report: dict[str, Any] = json.loads(line) if line else {"error": self._last_words()}
        if "error" in report:
            raise PeerFailed(report["error"])
        return report

    def _give_up(self) -> None:
        self.late = True
        self.process.kill()

    def _last_words(self) -> str:
        if self.late:
            return f"no answer after {self.limit:.0f} s"
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").split("\n")
        said = [line for line in lines if line.strip()]
        return said[-1] if said else f"ended with status {self.process.wait()}"


def schedule(thread: int, cores: set[int]) -> None:
    """Give a thread these cores; threads that share a single one take long turns.

    In short turns they empty each other's caches: whether XLA's do is chance, which is a sixth of
    the time to compile.
    """
    if sys.platform == "linux":
        policy = os.SCHED_BATCH if len(cores) == 1 else os.SCHED_OTHER
        with suppress(ProcessLookupError):
            os.sched_setaffinity(thread, cores)
            os.sched_setscheduler(thread, policy, os.sched_param(0))


def environment(caches: Path) -> dict[str, str]:
    """Return what makes peers comparable: one thread, caches of their own, memory that stays.

    Whether glibc hands large blocks back, to fetch their pages anew in the next call, depends on
    what lies beside them, which is chance, and doubles the time of a call. Chance says,
    too, which of XLA's threads compiles: if each has memory of its own, one that has none yet
    takes an eighth longer.
    """
    one = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
    return {
        **dict.fromkeys((*one, "NPROC"), "1"),
        "MALLOC_ARENA_MAX": "1",
        "MALLOC_MMAP_MAX_": "0",
        "MALLOC_TRIM_THRESHOLD_": str(2**30),
        "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
        "JAX_PLATFORMS": "cpu",
        "JAX_COMPILATION_CACHE_DIR": str(caches / "jax"),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
        "NUMBA_CACHE_DIR": str(caches / "numba"),
        "PYTENSOR_FLAGS": f"base_compiledir={caches / 'pytensor'}",
        "XDG_CACHE_HOME": str(caches / "others"),
    }


def measure(
    workload: Workload,
    peers: Sequence[str],
    *,
    rounds: int,
    limit: float = 300.0,
    budget: float = 10.0,
    again: bool = False,
    starts: int = 1,
) -> list[Result]:
    """Return each peer's times; with `again`, also those of a second process, with warm caches.

    Peers prepare one after another, each for at most `limit` seconds, and `starts` times if that
    is fast: where a process has its memory is chance, which can be a tenth of a call's time, or of
    that to compile. They do so on one core: two that share their parts count more time for the
    same work. All start more often if the times of one differ. After each of the `starts` they are
    timed in turns, `rounds` times in all; one that has used `budget` seconds up is left out. Every
    other start stays on one core: where JAX hands a call to a thread of its own, chance says on
    which core that runs, which can be a third of a short call's time.
    """
    with ExitStack() as stack:
        scratch = stack.enter_context(
            tempfile.TemporaryDirectory(prefix="weft-bench-", ignore_cleanup_errors=True)
        )
        results = [Result(peer) for peer in peers]
        ready: dict[str, tuple[PeerProcess, Result]] = {}
        for turn in range(MORE_STARTS * starts):
            if turn >= starts and not any(r.is_unsure for r in results):
                break
            for result in results:
                if turn and (result.error or (result.compile or 0.0) > FAST_START):
                    continue
                if result.peer in ready:
                    ready[result.peer][0].end()
                caches = Path(scratch) / f"{result.peer}-{turn}"
                arguments = (result.peer, workload.name, caches, limit, workload.environment)
                if again:
                    with PeerProcess(*arguments) as first:
                        first.keep_to_one_core()
                        if not prepare(first, result):
                            continue
                process = stack.enter_context(PeerProcess(*arguments))
                process.keep_to_one_core()
                if prepare(process, result, again=again):
                    ready[result.peer] = (process, result)
                    if turn % 2 == 0:
                        process.use_all_cores()
            if turn >= starts:
                continue
            fine = [pair for pair in ready.values() if not pair[1].error]
            take_turns(fine, rounds * (turn + 1) // starts - rounds * turn // starts, budget)
    return results


def prepare(process: PeerProcess, result: Result, *, again: bool = False) -> bool:
    """Wait until a peer has prepared, `again` with warm caches; False if it fails."""
    try:
        report = process.ask()
    except PeerFailed as error:
        result.error = str(error)
        return False
    seconds = report["compile"]["cpu"]
    if again:
        result.again = min(seconds, result.again or seconds)
    else:
        result.compiles.append(seconds)
        result.wake = min(report["wake"]["cpu"], result.wake or report["wake"]["cpu"])
        result.memory = min(report["memory"], result.memory or report["memory"])
    result.nodes = report["nodes"]
    if "stages" in report:
        result.rounds.append(report["compile"] | {"stages": report["stages"]})
    result.wrong = report.get("wrong") or ""
    return True


def judgements(workload: Workload, results: Sequence[Result]) -> list[Judgement]:
    """Return what the workload's bounds say about its results."""
    figures = {r.peer: r.figures for r in results}
    problems = {r.peer: r.error or r.wrong for r in results if r.error or r.wrong}
    return judge(workload.name, workload.bounds, figures, problems)


def take_turns(ready: Sequence[tuple[PeerProcess, Result]], rounds: int, budget: float) -> None:
    """Time the peers in turns."""
    used = {result.peer: sum(r["wall"] for r in result.rounds) for _, result in ready}
    for _ in range(rounds):
        for process, result in ready:
            if result.error or used[result.peer] >= budget:
                continue
            start = time.perf_counter()
            try:
                result.rounds.append(process.ask("round"))
            except PeerFailed as error:
                result.error = str(error)
            used[result.peer] += time.perf_counter() - start


def ratios(results: Sequence[Result]) -> Mapping[str, float]:
    """Return each peer's time over the best one's that is right."""
    right = {r.peer: r.seconds for r in results if r.seconds and not r.error and not r.wrong}
    best = min((s for s in right.values() if s), default=None)
    return {peer: s / best for peer, s in right.items() if s and best}
