"""Workloads on long chains: every stage must take time in proportion, and give memory back."""

from __future__ import annotations

import copy
import gc
import io
import itertools
import pickle
import time
import tracemalloc
from collections.abc import Callable

from tools.bench.graphs import chain
from tools.bench.workload import Workload

LENGTHS = (10_000, 100_000)


def stages(steps: int) -> Callable[[], Callable[[], dict[str, float]]]:
    """A chain from its beginning to its end: µs per step for each stage."""

    def prepare() -> Callable[[], dict[str, float]]:
        import weft.tensor as wt
        from weft_graph import digest

        def call() -> dict[str, float]:
            marks = [("", time.process_time())]

            def mark(stage: str) -> None:
                marks.append((stage, time.process_time()))

            x = wt.dscalar("x")
            y = chain(x, wt.tanh, steps)
            mark("build")
            slope = wt.grad(y, x)
            mark("gradient")
            graph = wt.FunctionGraph([x], [y, slope])
            mark("graph")
            rewritten = wt.rewrite_graph(graph)
            mark("rewrite")
            digest(y)
            mark("digest")
            text = io.StringIO()
            wt.dprint(y, file=text)
            mark("dprint")
            loaded = pickle.loads(pickle.dumps(y))
            mark("pickle")
            copied = copy.deepcopy(graph)
            mark("copy")
            f = wt.function([x], [y, slope], mode=wt.Mode("py", books=[]))
            mark("compile")
            f(0.5)
            mark("call")
            del f, slope, y, graph, rewritten, loaded, copied, text
            mark("free")
            pairs = itertools.pairwise(marks)
            return {stage: (now - then) * 1e6 / steps for (_, then), (stage, now) in pairs}

        return call

    return prepare


def memory() -> Callable[[], dict[str, float]]:
    """Bytes per node of a chain: while it lives, and what remains afterwards."""
    import weft.tensor as wt

    steps = LENGTHS[-1]
    chain(wt.dscalar("x"), wt.tanh, 10)  # what is made once, and kept

    def call() -> dict[str, float]:
        gc.collect()
        tracemalloc.start()
        y = chain(wt.dscalar("x"), wt.tanh, steps)
        held, _ = tracemalloc.get_traced_memory()
        del y
        left, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        nodes = 3 * steps
        return {"alive": held / nodes, "after its end": left / nodes}

    return call


WORKLOADS = (
    *(
        Workload(
            f"chain-{steps}",
            f"y = tanh(y * 1.01 + 0.5), {steps:,} times: every stage",
            {"weft": stages(steps)},
            unit="µs per step",
            quick=steps == LENGTHS[0],
            group="graphs",
        )
        for steps in LENGTHS
    ),
    Workload(
        "memory",
        f"y = tanh(y * 1.01 + 0.5), {LENGTHS[-1]:,} times: bytes per node",
        {"weft": memory},
        unit="bytes per node",
        group="graphs",
    ),
)
