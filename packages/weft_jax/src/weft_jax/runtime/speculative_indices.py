"""The strategy of speculation: indices are taken for positive and within bounds until one is not.

A negative index counts from the end. To add the length where it is negative takes XLA a kernel,
half as long again to compile as an update needs by itself, and passes over the indices at each
call, though hardly anybody has negative ones there. One look at the indices is needed anyway.
Benchmark `scatter`: compiled in 32 ms in place of 65, 173 µs a call in place of 190. Of 1,000
rows, 300 are read in 66 µs in place of 83.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import jax

from weft_graph import CheckAndRaise, Constant, FunctionGraph, Variable
from weft_graph.extend import remake, renewed
from weft_jax.analysis.integer_ranges import IntegerRanges, Range
from weft_jax.analysis.printing import prints
from weft_jax.analysis.static_values import Plan
from weft_jax.compile.compile_stats import Specialised
from weft_jax.compile.tracing import Run
from weft_jax.runtime.call import Call, Variant
from weft_jax.runtime.granted_ranges import Granted, sources_of
from weft_jax.runtime.runtime_checks import MispredictedError
from weft_tensor import BroadcastTo, Index, IndexUpdate, Pointwise
from weft_tensor.extend import ARRAY, Slice, kind_of

__all__ = ["Speculation", "indexed_axes", "speculative", "with_speculation"]


def indexed_axes(entries: Sequence[Any]) -> list[int]:
    """The axes along which index arrays say where to read or update, if all others are full.

    >>> import weft_tensor as wt
    >>> x, k = wt.matrix(), wt.vector(dtype="int64")
    >>> [indexed_axes(y.op.entries) for y in (x[:, k], x[k, k], x[1:, k])]
    [[1], [0, 1], []]
    """
    axes = [axis for axis, e in enumerate(entries) if e == ARRAY]
    are_plain = all(e == ARRAY or (isinstance(e, Slice) and e.is_full) for e in entries)
    return axes if are_plain else []


def speculative(plan: Plan) -> Plan | None:
    """`plan`, in which indices are taken for positive and within bounds; None if there are none.

    A length that reaches to the largest index, and to `n` at least, is taken for `n`. Inputs that
    no such length depends on are as they are.
    """
    graph = plan.graph
    if graph.op_classes.isdisjoint([Index, IndexUpdate]) or prints(graph):
        return None
    sizes = list(plan.sizes)
    for k, (length, size) in enumerate(zip(plan.sizes, graph.inputs, strict=False)):
        least, counted = _least(length), _counted(graph.nodes, size)
        if least is not None and any(_is_reached(length, least, v) for v in counted):
            sizes[k] = least
    new_of: dict[Variable, Variable] = {v: v for v in graph.inputs}
    has_indices = False
    for v in graph.order:
        if v in new_of:
            continue
        new: Any = renewed(v, new_of)
        places = _places(v)
        if not all(isinstance(i.op, Constant) for i in places):
            has_indices = True
            granted = [
                new_of[i]
                if isinstance(i.op, Constant)
                else Granted()(new_of[i], *sources_of(new_of[i]))
                for i in places
            ]
            new = remake(new, (*new.inputs[: -len(places)], *granted))
        new_of[v] = new
    if not has_indices:
        return None
    outputs = [new_of[v] for v in graph.outputs]
    numbers = frozenset([new_of[v] for v in plan.numbers if v in new_of])
    return plan._replace(graph=graph.with_outputs(outputs), sizes=tuple(sizes), numbers=numbers)


def _places(v: Variable) -> tuple[Variable, ...]:
    """The index arrays of what reads or updates at nothing but these."""
    if not isinstance(v.op, Index | IndexUpdate) or not indexed_axes(v.op.entries):
        return ()
    return v.inputs[1 if isinstance(v.op, Index) else 2 :]


def _counted(nodes: Sequence[Variable], size: Variable) -> list[Variable]:
    """The indices at which arrays of so many equal numbers are updated."""
    return [
        v.inputs[2]
        for v in nodes
        if isinstance(v.op, IndexUpdate) and v.op.entries == (ARRAY,)
        if isinstance(v.inputs[0].op, BroadcastTo) and v.inputs[0].inputs[1:] == (size,)
    ]


def _least(length: Variable) -> Variable | None:
    """The constant that a length is at least."""
    kind = kind_of(length)
    if not isinstance(kind, Pointwise) or kind.of != "maximum":
        return None
    return next((v for v in length.inputs if isinstance(v.op, Constant)), None)


def _is_reached(length: Variable, least: Any, places: Variable) -> bool:
    """Whether a length is the least it can be, without an error, if all places are below that."""
    ranges = IntegerRanges({places: Range(0, int(least.op.value) - 1)}, {})
    rest = [v for v in length.inputs if v is not least]
    for v in rest:
        conditions: Sequence[Any] = ()
        if isinstance(v.op, CheckAndRaise):
            v, *conditions = v.inputs
        limits = ranges.of(v)
        if limits is None or limits.greatest > least.op.value:
            return False
        if not all(map(ranges.holds, conditions)):
            return False
    return True


def with_speculation(call: Call) -> Variant | None:
    """For any values, until an index is not what it was taken for: one computed in vain.

    XLA looks at indices of NumPy whose elements or rows are read, which takes the host longer: of
    100,000, in two threads, 127 µs a call in place of 200. The host looks at those of columns,
    since XLA turns these in a pass of its own where there is another result; at those of what is
    updated alone, which then compiles in 32 ms in place of 76; and at those of JAX, once, so that
    it need not wait for results.
    """
    plan = speculative(call.plan)
    if plan is None:
        return None
    run, _ = call.tracer.program(plan)
    others = [strategy for strategy in call.strategies if strategy is not with_speculation]
    width = len(plan.sizes)
    jit = partial(Specialised, width=width) if width else jax.jit

    def speculation(host_looks: bool) -> Speculation:
        tracer = replace(call.tracer, host_looks=host_looks)
        traced = tracer.traced(plan, run, speculates=True)
        inner = replace(
            call, plan=plan, tracer=tracer, run_steps=run, traced=traced, jit=jit, strategies=others
        )
        return Speculation(inner.run())

    by_jax = speculation(host_looks=True)
    by_host = speculation(host_looks=False) if _reads_rows(plan.graph) else by_jax
    return Variant(
        "(speculated := (speculation := by_host if on_host else by_jax).run) is not None",
        [
            "try:",
            f"    return speculated({', '.join(call.names)})",
            "except MispredictedError:",
            "    speculation.run = None",
        ],
        {"by_host": by_host, "by_jax": by_jax, "MispredictedError": MispredictedError},
        is_whole=True,
    )


def _reads_rows(graph: FunctionGraph) -> bool:
    """Whether indices say where to read, always along the first axis."""
    reads = [indexed_axes(v.op.entries) for v in graph.nodes if isinstance(v.op, Index)]
    firsts = {axes[0] for axes in reads if axes}
    return firsts == {0}


@dataclass
class Speculation:
    """What is called until it meets an index that is not what it was taken for."""

    run: Run | None
