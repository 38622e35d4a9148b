"""A graph cut into segments, for backends that can't run all of it as one program.

A linker says at which stage each node runs, the nodes of odd stages in Python. `cut` makes a
graph of each stage, and `chain` the function that runs these one after another.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from weft_graph.core.constant import Constant
from weft_graph.core.function_graph import FunctionGraph
from weft_graph.core.nodes import Variable
from weft_graph.core.toposort import toposort
from weft_graph.core.traversal import renewed
from weft_graph.linking.compile_request import CompiledGraph
from weft_graph.linking.entry import agreement, call_under
from weft_graph.linking.program import Program

__all__ = ["PythonFallbackWarning", "Segment", "chain", "cut", "is_cut"]


class PythonFallbackWarning(UserWarning):
    """An Op that a backend has no implementation of runs in Python."""

    __module__ = "weft_graph"


class Segment(NamedTuple):
    """A part of a graph, and where its inputs come from and its outputs go to."""

    graph: FunctionGraph
    by_python: bool
    inputs: tuple[Variable, ...]
    """The variables of the whole graph that its inputs stand for."""
    outputs: tuple[Variable, ...]
    """The variables of the whole graph that its outputs stand for."""


def cut(
    graph: FunctionGraph,
    stages: Mapping[Variable, int],
    repeated: Collection[Variable] = frozenset(),
) -> list[Segment]:
    """`graph` in segments, in the order in which they run.

    `stages` says for every node when it runs: not before those that it needs, and in Python
    where the number is odd. The nodes in `repeated` are computed in each stage that needs them.

    >>> from weft_graph import Op, Type
    >>> class Step(Op):
    ...     def infer(self, x):
    ...         return x
    >>> x = Type()("x")
    >>> y = Step()(x)
    >>> z = Step()(y)
    >>> first, second = cut(FunctionGraph([x], [z]), {y: 0, z: 1})
    >>> first.outputs == second.inputs == (y,), second.by_python
    (True, True)
    """
    inputs = set(graph.inputs)
    results = [v for v in graph.inputs if v.inputs]
    by_stage: dict[int, list[Variable]] = {}
    for v in graph.nodes:
        by_stage.setdefault(stages[v], []).append(v)

    def crosses(v: Variable) -> bool:
        return v not in inputs and type(v.op) is not Constant and v not in repeated

    needs = {
        stage: _needed(nodes, stages, stage, crosses) for stage, nodes in sorted(by_stage.items())
    }
    leaving: dict[int, dict[Variable, None]] = {stage: {} for stage in by_stage}
    for v in [v for variables in needs.values() for v in variables]:
        leaving[stages[v]][v] = None
    for v in graph.outputs:
        if v not in inputs and type(v.op) is not Constant:
            leaving[stages[v]][v] = None
    return [
        _segment(stage, tuple(leaving[stage]), inputs, {*needs[stage], *results})
        for stage in sorted(by_stage)
        if leaving[stage]
    ]


def is_cut(graph: FunctionGraph, segments: Sequence[Segment]) -> bool:
    """Whether `segments` are anything but the whole `graph`, compiled as it is.

    >>> from weft_graph import Type
    >>> graph = FunctionGraph([Type()("x")], [])
    >>> is_cut(graph, [Segment(graph, False, graph.inputs, ())]), is_cut(graph, cut(graph, {}))
    (False, True)
    """
    return len(segments) != 1 or segments[0].graph is not graph


def _needed(
    nodes: Iterable[Variable],
    stages: Mapping[Variable, int],
    stage: int,
    crosses: Callable[[Variable], bool],
) -> dict[Variable, None]:
    """What `nodes` of `stage` take from earlier stages, through what is computed again."""
    needs: dict[Variable, None] = {}
    visits: set[Variable] = set()
    todo = [i for v in nodes for i in v.inputs]
    while todo:
        v = todo.pop()
        if v in visits or v not in stages or stages[v] == stage:
            continue
        visits.add(v)
        if crosses(v):
            needs[v] = None
        else:
            todo.extend(v.inputs)
    return needs


def _segment(
    stage: int, outputs: tuple[Variable, ...], roots: set[Variable], exports: set[Variable]
) -> Segment:
    """The graph of `outputs`, over inputs in place of what other stages compute."""
    stand_ins: dict[Variable, Variable] = {}
    copies: dict[Variable, Variable] = {}
    for v in toposort(outputs, exports):
        if v in roots:
            stand_ins[v] = copies[v] = v
        elif v in exports:
            stand_ins[v] = copies[v] = v.type(v.name or "value")
        else:
            copies[v] = renewed(v, copies)
    results = [copies[v] for v in outputs]
    return Segment(
        FunctionGraph(stand_ins.values(), results), stage % 2 == 1, tuple(stand_ins), outputs
    )


def chain(
    graph: FunctionGraph, segments: Sequence[Segment], linked: Sequence[CompiledGraph]
) -> tuple[Callable[..., Any], Program]:
    """The function that runs the `segments` of `graph`, which were `linked`, one by one.

    Named lengths of what Python has computed are compared before compiled code relies on them.
    """
    names = {v: f"x{k}" for k, v in enumerate(graph.inputs)}
    program = Program("run", names.values())
    namespace = program.namespace
    from_python: set[Variable] = set()
    for k, (segment, function) in enumerate(zip(segments, linked, strict=True)):
        namespace |= {
            f"segment{k}": function.run,
            f"others{k}": function.others,
            f"rescue{k}": function.rescue,
        }
        places = [names[v] for v in segment.inputs]
        program.add("try:")
        if not segment.by_python and not from_python.isdisjoint(segment.inputs):
            for line in agreement(zip(segment.inputs, places, strict=True), namespace):
                program.add(line)
        for v in segment.outputs:
            names[v] = f"v{len(names)}"
        results = "".join(f"{names[v]}, " for v in segment.outputs)
        call = call_under(function.conditions, places, f"segment{k}", f"others{k}")
        program.add(f"{results}= {call}", depth=2)
        for i, (v, finish) in enumerate(zip(segment.outputs, function.finish, strict=True)):
            if finish is not None:
                namespace[f"finish{k}_{i}"] = finish
                program.add(f"{names[v]} = finish{k}_{i}({names[v]})", depth=2)
        program.add("except Exception as error:")
        program.add(f"rescue{k}({', '.join(['error', *places])})", depth=2)
        program.add("raise", depth=2)
        if segment.by_python:
            from_python.update(segment.outputs)
    for k, v in enumerate(graph.outputs):
        if v not in names:
            assert isinstance(v.op, Constant)
            namespace[f"c{k}"] = v.op.value
            names[v] = f"c{k}"
    program.add(f"return ({''.join(names[v] + ', ' for v in graph.outputs)})")
    return program.load(), program
