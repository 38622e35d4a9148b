"""Where the time of a call goes."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any, NamedTuple

from weft_graph.graph import FunctionGraph
from weft_graph.nodes import Constant, Item, Variable
from weft_graph.python_linker import py_funcify

__all__ = ["Profile", "Timing", "profile"]


class Timing(NamedTuple):
    """The time that one node takes, in seconds per call."""

    node: Variable
    seconds: float


class Profile:
    """Times per node; prints as a table, slowest first."""

    def __init__(self, timings: Sequence[Timing]) -> None:
        self.timings = tuple(sorted(timings, key=lambda t: -t.seconds))

    @property
    def seconds(self) -> float:
        """The time of all nodes."""
        return sum(t.seconds for t in self.timings)

    def by_op(self) -> dict[str, float]:
        """Seconds per class of Op, slowest first."""
        found: dict[str, float] = {}
        for node, seconds in self.timings:
            found[str(node.op)] = found.get(str(node.op), 0.0) + seconds
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def __str__(self) -> str:
        total = self.seconds or 1.0
        lines = [f"{'µs':>10} {'share':>6}  node"]
        for node, seconds in self.timings:
            where = f"  ({node.made_at})" if node.made_at else ""
            share = seconds / total
            lines.append(f"{seconds * 1e6:10.2f} {share:6.1%}  {node.op} : {node.type}{where}")
        return "\n".join(lines)


def profile(graph: FunctionGraph, values: Sequence[Any], repeat: int = 10) -> Profile:
    """Time each node of `graph` on its own, with the Python implementations.

    `values` are those of the inputs. Each time is the best of `repeat` runs.

    >>> from weft_graph import Op, Type
    >>> class Twice(Op):
    ...     def infer(self, x):
    ...         return x
    ...     def impl(self, x):
    ...         return x + x
    >>> x = Type()("x")
    >>> [str(t.node.op) for t in profile(FunctionGraph([x], [Twice()(x)]), [1]).timings]
    ['Twice']
    """
    known = dict(zip(graph.inputs, values, strict=True))
    timings = []
    for v in graph.order:
        if v in known:
            continue
        if isinstance(v.op, Constant):
            known[v] = v.op.value
            continue
        compute = v.op.impl if type(v.op) is Item else py_funcify(v.op, node=v)
        arguments = [known[i] for i in v.inputs]
        best = float("inf")
        for _ in range(repeat):
            start = perf_counter()
            known[v] = compute(*arguments)
            best = min(best, perf_counter() - start)
        if type(v.op) is not Item:
            timings.append(Timing(v, best))
    return Profile(timings)
