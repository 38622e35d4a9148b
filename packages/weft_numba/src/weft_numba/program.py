"""The steps of a fused graph as Python source for Numba: calls of kernels and functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from weft_graph import Constant, FunctionGraph, Item, Program, Variable, lowered
from weft_numba.fusion import Fused, Pack, fuse
from weft_numba.intrinsics import callable_kernel
from weft_tensor import Length

__all__ = ["written"]


def written(
    graph: FunctionGraph,
    funcify: Callable[[Variable], Callable[..., Any]],
    *,
    exact: bool = False,
    parallel: bool = False,
    assume: bool = False,
) -> Program:
    """The function that takes the steps of `graph` one after another."""
    place: dict[Variable | Pack, str] = {v: f"x{k}" for k, v in enumerate(graph.inputs)}
    namespace: dict[str, Any] = {}
    lines: dict[int, Variable] = {}
    groups: dict[int, tuple[Variable, ...]] = {}
    body = [f"def weft_function({', '.join(place.values())}):"]

    def read(v: Variable | Pack) -> str:
        if v not in place:
            assert isinstance(v, Variable)
            assert isinstance(v.op, Constant)
            place[v] = f"c{len(place)}"
            namespace[place[v]] = v.op.value
        return place[v]

    def called(callee: Callable[..., Any], inputs: Sequence[Variable | Pack]) -> str:
        name = f"f{len(namespace)}"
        namespace[name] = callee
        return f"{name}({', '.join(map(read, inputs))})"

    for step in fuse(graph, assume=assume):
        outputs = (step,) if isinstance(step, Variable) else step.outputs
        if isinstance(step, Fused):
            expression = called(
                callable_kernel(step.kernel, exact=exact, parallel=parallel), step.inputs
            )
        elif isinstance(step.op, Item):
            expression = f"{read(step.inputs[0])}[{step.op.index}]"
        elif isinstance(step.op, Length):
            expression = f"{read(step.inputs[0])}.shape[{step.op.axis}]"
        else:
            expression = called(lowered(step, funcify), step.inputs)
        for v in outputs:
            place[v] = f"t{len(place)}"
        body.append(f"    {', '.join(place[v] for v in outputs)} = {expression}")
        first = outputs[0]
        lines[len(body)] = first.members[0] if isinstance(first, Pack) else first
        if isinstance(step, Fused):
            groups[len(body)] = step.nodes
    body.append(f"    return ({''.join(read(v) + ', ' for v in graph.outputs)})")
    return Program("weft_function", "\n".join(body) + "\n", namespace, lines, groups)
