"""Where the time of a call goes."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

from weft_graph.core.constant import Constant
from weft_graph.core.function_graph import FunctionGraph
from weft_graph.core.nodes import Item
from weft_graph.linking.compiled_function import Timing
from weft_graph.linking.python_linker import py_funcify

__all__ = ["Profile", "profile"]


class Profile:
    """Times per step; prints as a table, slowest first.

    >>> from weft_graph import Type
    >>> node = Type()("x").named("a")
    >>> found = Profile([Timing((node,), 3e-6), Timing((node, node), 1e-6)])
    >>> print(found)
            µs  share  node
          3.00  75.0%  Named(name='a') : Type  (line ...)
          1.00  25.0%  2 Named(name='a') : Type  (line ...)
    """

    def __init__(self, timings: Sequence[Timing]) -> None:
        self.timings = tuple(sorted(timings, key=lambda t: -t.seconds))

    @property
    def seconds(self) -> float:
        """The time of all steps."""
        return sum(t.seconds for t in self.timings)

    def by_op(self) -> dict[str, float]:
        """Seconds per Op, or per Ops that are computed together, slowest first."""
        seconds: dict[str, float] = {}
        for timing in self.timings:
            seconds[timing.ops] = seconds.get(timing.ops, 0.0) + timing.seconds
        return dict(sorted(seconds.items(), key=lambda item: -item[1]))

    def __str__(self) -> str:
        total = self.seconds or 1.0
        lines = [f"{'µs':>10} {'share':>6}  node"]
        for timing in self.timings:
            seconds = timing.seconds
            row = f"{seconds * 1e6:10.2f} {seconds / total:6.1%}  {timing.ops} : {timing.node.type}"
            places = [f"({place})" for place in timing.places]
            if len(places) == 1:
                lines.append(f"{row}  {places[0]}")
            else:
                lines += [row, *(f"{'':19}{place}" for place in places)]
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
    results = dict(zip(graph.inputs, values, strict=True))
    timings = []
    for v in graph.order:
        if v in results:
            continue
        if isinstance(v.op, Constant):
            results[v] = v.op.value
            continue
        compute = v.op.impl if type(v.op) is Item else py_funcify(v.op, node=v)
        arguments = [results[i] for i in v.inputs]
        best = float("inf")
        for _ in range(repeat):
            start = perf_counter()
            results[v] = compute(*arguments)
            best = min(best, perf_counter() - start)
        if type(v.op) is not Item:
            timings.append(Timing((v,), best))
    return Profile(timings)
