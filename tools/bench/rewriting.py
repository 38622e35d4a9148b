"""Workloads on rewriting: log-densities with gradients, growing graphs, growing books."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable
from typing import Any

from tools.bench.models import MODELS
from tools.bench.workload import Prepared, Workload

BLOCKS = {
    "regression": (5, 150),
    "hierarchical": (5, 40),
    "mixture": (5, 20),
    "mvn": (5, 20),
}
GROWING = (15, 150, 1_500)
BOOK_SIZES = (30, 300)


def density_weft(model: str, blocks: int) -> Any:
    """The value and the gradients of a model, as Weft's graph."""
    import weft.tensor as wt

    made = MODELS[model](wt, blocks)
    outputs = [made.value, *wt.grad(made.value, made.parameters)]
    return wt.FunctionGraph([*made.data, *made.parameters], outputs)


def rewrite_weft(model: str, blocks: int) -> Callable[[], Prepared]:
    def prepare() -> Prepared:
        from weft_graph import Mode, rewrite_graph

        graph = density_weft(model, blocks)
        books = Mode("py").books
        return Prepared(lambda: rewrite_graph(graph, books), nodes=len(graph))

    return prepare


def rewrite_pytensor(model: str, blocks: int) -> Callable[[], Prepared]:
    """The same in PyTensor, without fusing and reusing memory: Weft leaves these to linkers."""

    def prepare() -> Prepared:
        import pytensor
        import pytensor.tensor as pt
        from pytensor.compile.mode import get_mode
        from pytensor.graph.fg import FunctionGraph
        from pytensor.graph.traversal import applys_between

        sys.setrecursionlimit(100_000)  # PyTensor's gradient recurses over the graph
        made = MODELS[model](pt, blocks)
        inputs = [*made.data, *made.parameters]
        outputs = [made.value, *pytensor.grad(made.value, made.parameters)]
        rewriter = get_mode("NUMBA").excluding("fusion", "inplace").optimizer
        return Prepared(
            lambda: rewriter.rewrite(FunctionGraph(inputs, outputs)),
            nodes=sum(1 for _ in applys_between(inputs, outputs)),
        )

    return prepare


def per_node(graph: Any, books: Any) -> float:
    """Microseconds per node for rewriting, often enough that small graphs are timed as well."""
    from weft_graph import rewrite_graph

    times = max(1, 50_000 // len(graph))
    start = time.process_time()
    for _ in range(times):
        rewrite_graph(graph, books)
    return (time.process_time() - start) * 1e6 / len(graph) / times


def growing() -> Callable[[], dict[str, float]]:
    """Rewriting of regressions of more and more nodes."""
    from weft_graph import Mode

    graphs = [density_weft("regression", blocks) for blocks in GROWING]
    books = Mode("py").books

    def call() -> dict[str, float]:
        return {f"{len(graph):,} nodes": per_node(graph, books) for graph in graphs}

    return call


def unmatched(count: int) -> Any:
    """A book of rules for functions that a regression has, inside functions it has not."""
    import weft.tensor as wt
    from weft_graph import Rule, RuleBook, wildcard

    x, y = (wildcard(name, kind=wt.TensorVariable) for name in "xy")
    outer = (wt.add, wt.sub, wt.mul, wt.true_div)
    inner = (wt.square, wt.log, wt.exp, wt.neg, wt.reciprocal)
    third = (wt.tan, wt.sinh, wt.cosh, wt.tanh, wt.erf, wt.erfc, wt.sin, wt.cos)
    fourth = (wt.arcsin, wt.arctan, wt.arcsinh)
    lefts = [o(i(t(f(x))), y) for f, t, i, o in itertools.product(fourth, third, inner, outer)]
    return RuleBook("unmatched", [Rule(left, x + y, name=str(left)) for left in lefts[:count]])


def longer_books() -> Callable[[], dict[str, float]]:
    """Rewriting with few rules and with many, none of which changes anything."""
    graph = density_weft("regression", GROWING[0])
    books = [unmatched(count) for count in BOOK_SIZES]

    def call() -> dict[str, float]:
        return {f"{len(book)} rules": per_node(graph, [book]) for book in books}

    return call


def densities() -> list[Workload]:
    """A small and a large workload for every model."""
    return [
        Workload(
            f"{model}-{blocks}",
            f"all books over the log-density and gradients of a {model} model, {blocks} blocks",
            {"weft": rewrite_weft(model, blocks), "pytensor": rewrite_pytensor(model, blocks)},
            quick=blocks == 5,
            group="graphs",
        )
        for model in MODELS
        for blocks in BLOCKS[model]
    ]


WORKLOADS = (
    *densities(),
    Workload(
        "growing",
        "all books over regressions of more and more nodes",
        {"weft": growing},
        unit="µs per node",
        quick=False,
        group="graphs",
    ),
    Workload(
        "longer-books",
        "books of few and of many rules, none of which applies",
        {"weft": longer_books},
        unit="µs per node",
        group="graphs",
    ),
)
