"""The process of one peer and one workload; `runner` starts it and talks to it in lines of JSON.

It says what preparing took and whether the result is right; then, for every line it is sent,
what a call took in one more round.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any, TextIO

from tools.bench.catalogue import WORKLOADS
from tools.bench.workload import PEERS, Prepared, Workload, aligned, difference

ROUND = 0.02


class Clock:
    """Wall and CPU seconds since it was made."""

    def __init__(self) -> None:
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def read(self) -> dict[str, float]:
        """Return the seconds of both kinds."""
        wall, cpu = time.perf_counter(), time.process_time()
        return {"wall": wall - self.wall, "cpu": cpu - self.cpu}


def expected(workload: Workload, values: tuple[Any, ...]) -> Any:
    """Return the right result, or None if nothing says what it is."""
    if workload.expected is not None or workload.reference is None:
        return workload.expected
    with PEERS[workload.reference].precision():
        prepared = workload.peers[workload.reference]()
        return (prepared.call if isinstance(prepared, Prepared) else prepared)(*values)


def prepare(peer: str, workload: Workload) -> tuple[Callable[..., Any], dict[str, Any]]:
    """Return what is timed, and the report on preparing it."""
    values = aligned(workload.data())
    clock = Clock()
    PEERS[peer].wake()
    report: dict[str, Any] = {"wake": clock.read()}
    gc.collect()  # else chance says who searches what imports have left
    bytearray(5000)  # and who asks for memory first: then glibc joins what was given back
    clock = Clock()
    made = workload.peers[peer]()
    prepared = made if isinstance(made, Prepared) else Prepared(made)
    result = prepared.call(*values)
    report["compile"] = clock.read()
    report["memory"] = peak_memory()
    report["nodes"] = prepared.nodes or workload.units
    if isinstance(result, dict):
        report["stages"] = result
    elif (right := expected(workload, values)) is not None:
        report["wrong"] = difference(prepared.value(result), right, workload.rtol)
    return partial(prepared.call, *values), report


def peak_memory() -> int:
    """Return the most memory that this process has had, in bytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def repeat(call: Callable[[], Any], count: int) -> dict[str, Any]:
    """Return what one of `count` calls takes, and the stages that a call itself has timed."""
    gc.collect()
    result = None
    rounds = range(count)
    clock = Clock()
    for _ in rounds:
        result = None  # what is still alive need not be made again: graphs are interned
        result = call()
    report: dict[str, Any] = {kind: seconds / count for kind, seconds in clock.read().items()}
    return report | ({"stages": result} if isinstance(result, dict) else {})


def serve(peer: str, workload: Workload, requests: TextIO, answers: TextIO) -> None:
    """Prepare, then time one round for every line."""

    def answer(report: dict[str, Any]) -> None:
        print(json.dumps(report), file=answers, flush=True)

    try:
        call, report = prepare(peer, workload)
    except Exception as error:
        text = f"{type(error).__name__}: {error}".splitlines()
        answer({"error": text[0]})
        raise
    answer(report)
    count = 1
    for _ in requests:
        timing = repeat(call, count)
        count = max(count, min(10_000, int(ROUND / max(timing["wall"], 1e-9))))
        answer(timing)


if __name__ == "__main__":
    # What libraries print must not come between the lines of JSON.
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    serve(sys.argv[1], WORKLOADS[sys.argv[2]], sys.stdin, channel)
