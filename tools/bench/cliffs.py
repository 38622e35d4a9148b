"""Ordinary expressions, and how much longer than their best peers ours take.

`python -m tools.bench.cliffs [WORD ...]` times those of `CASES` whose names have one of the
words, peers in turns in one process with one thread on one core, and prints the worst first: ours
on Numba over the best of the others, ours on JAX over `jax.jit`, and why it is more than it should
be. All give contiguous results, as ours are.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tools.bench.cliff_cases import CLIFFS, Cliff
from tools.bench.cliff_groups import GROUPS, GROUPS_BY_HAND
from tools.bench.cliff_loops import BY_HAND
from tools.bench.cliff_models import MODELS
from tools.bench.cliff_reasons import REASONS
from tools.bench.cliff_sciences import SCIENCES, SCIENCES_BY_HAND
from tools.bench.cliff_steps import STEPS, STEPS_BY_HAND
from tools.bench.functions import Names
from tools.bench.fused import FAST
from tools.bench.runner import environment, schedule
from tools.bench.workload import PEERS, aligned, difference, jitted

CASES = {**CLIFFS, **MODELS, **SCIENCES, **STEPS, **GROUPS}
LOOPS = {**BY_HAND, **SCIENCES_BY_HAND, **STEPS_BY_HAND, **GROUPS_BY_HAND}
ROUNDS, SPENT = 7, 0.02  # turns of each peer, and their seconds at most
LIMITS = {"weft-numba": 1.3, "weft-jax": 1.15}
RTOL = {"float32": 1e-3, "complex64": 1e-3}


def by_numpy(case: Cliff) -> Callable[..., Any] | None:
    of = partial(case.of, Names(np))
    if case.slope:
        return None
    if np.asarray(of(*case.data())).flags.c_contiguous:
        return of
    return lambda *values: np.ascontiguousarray(of(*values))


def by_numba(case: Cliff) -> Callable[..., Any] | None:
    import numba

    loops = LOOPS.get(next(name for name, one in CASES.items() if one is case))
    return loops and numba.njit(loops, fastmath=FAST)


def by_jax(case: Cliff) -> Callable[..., Any]:
    import jax

    of = partial(case.of, Names(jax.numpy))
    return jitted(jax.grad(of) if case.slope else of)


def by_weft(mode: str, case: Cliff) -> Callable[..., Any]:
    import weft.tensor as wt

    xs: list[Any] = [
        wt.tensor(f"x{k}", str(v.dtype), (None,) * v.ndim)
        for k, v in enumerate(map(np.asarray, case.data()))
    ]
    found = case.of(wt, *xs)
    return wt.function(xs, wt.grad(found, xs[0]) if case.slope else found, mode=mode)


MAKERS: Mapping[str, Callable[[Cliff], Callable[..., Any] | None]] = {
    "numpy": by_numpy,
    "numba": by_numba,
    "jax": by_jax,
    "weft-numba": partial(by_weft, "numba"),
    "weft-jax": partial(by_weft, "jax"),
}


class Measured(NamedTuple):
    """Microseconds of a call, and seconds of compiling, by peer."""

    calls: dict[str, float]
    compiles: dict[str, float]

    def worst(self) -> float:
        """The largest share of its limit that one of ours takes."""
        return max(self.ratio(ours) / limit for ours, limit in LIMITS.items())

    def ratio(self, ours: str) -> float:
        """Our time over the best of its peers'."""
        alike = "jax" in self.calls and ours == "weft-jax"
        peers = ["jax"] if alike else [peer for peer in self.calls if peer not in LIMITS]
        return self.calls[ours] / min(self.calls[peer] for peer in peers)


def measured(case: Cliff) -> Measured:
    """Compile for all peers, compare the results, and time calls in turns."""
    data = aligned(case.data())
    calls: dict[str, Callable[..., Any]] = {}
    compiles: dict[str, float] = {}
    first: Any = None
    for peer, make in MAKERS.items():
        with PEERS[peer].precision():
            start = time.perf_counter()
            made = None if peer in case.unknown else make(case)
            if made is None:
                continue
            result = made(*data)
        compiles[peer], calls[peer] = time.perf_counter() - start, made
        rtol = RTOL.get(str(np.asarray(result).dtype), 1e-8)
        if first is None:
            first = result
        elif problem := difference(result, first, rtol):
            raise ValueError(f"{peer}: {problem}")
    best = dict.fromkeys(calls, np.inf)
    for _ in range(ROUNDS):
        for peer, call in calls.items():
            with PEERS[peer].precision():
                best[peer] = min(best[peer], shortest(call, data))
    return Measured({peer: t * 1e6 for peer, t in best.items()}, compiles)


def shortest(call: Callable[..., Any], data: tuple[Any, ...]) -> float:
    """Seconds of the shortest of some calls."""
    best, end = np.inf, time.perf_counter() + SPENT
    while True:
        start = time.perf_counter()
        call(*data)
        now = time.perf_counter()
        best = min(best, now - start)
        if now > end:
            return best


def main(words: Sequence[str]) -> None:
    found: dict[str, Measured] = {}
    for peer in MAKERS:
        PEERS[peer].wake()
    for name, case in CASES.items():
        if not words or any(word in name for word in words):
            try:
                found[name] = measured(case)
            except Exception as error:
                print(f"{name}: {type(error).__name__}: {str(error)[:200]}")
    for name, one in sorted(found.items(), key=lambda pair: -pair[1].worst()):
        ratios = "  ".join(f"{ours} {one.ratio(ours):6.2f}" for ours in LIMITS)
        times = "  ".join(f"{peer} {t:10.1f}" for peer, t in one.calls.items())
        compiled = "  ".join(f"{one.compiles[ours]:.2f}" for ours in LIMITS)
        print(f"{name:28} {ratios}  µs: {times}  compile s: {compiled}")
        for ours, why in REASONS.get(name, {}).items():
            print(f"{'':28} {ours}: {why}")
    for ours in LIMITS:
        mean = np.exp(np.mean([np.log(one.ratio(ours)) for one in found.values()]))
        print(f"{ours}: geometric mean {mean:.2f}")


def in_a_process(module: str, words: Sequence[str]) -> int:
    """Run a module's `main` where nothing was imported yet, with empty caches, on one core."""
    with tempfile.TemporaryDirectory() as caches:
        start = f"import sys; from {module} import main; main(sys.argv[1:])"
        run = subprocess.Popen(
            [sys.executable, "-c", start, *words], env=os.environ | environment(Path(caches))
        )
        if sys.platform == "linux":
            schedule(run.pid, {max(os.sched_getaffinity(0))})
        return run.wait()


if __name__ == "__main__":
    sys.exit(in_a_process("tools.bench.cliffs", sys.argv[1:]))
