"""From a graph to a short program: loop nests of many Ops each, and calls of what is left.

Nodes that are computed at every point of the same space go into the same kernel if nothing
outside has to be computed between them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from weft_graph import FunctionGraph, Variable
from weft_numba.analysis.levels import is_light, levels
from weft_numba.analysis.uses import Plan
from weft_numba.fusion.kernel_builder import Builder
from weft_numba.fusion.numbering import Fused, Pack
from weft_numba.ir.axis_keys import Space
from weft_numba.ir.llvm_writer import number
from weft_numba.llvm.scalar.table import goes_by_number
from weft_numba.lowering.dispatch import uses_builtin_lowering
from weft_tensor import Compress, Pointwise, Scan
from weft_tensor.extend import Stack

__all__ = ["Fused", "Pack", "Step", "fuse", "fused"]

LARGEST: Final = 120
"""More statements than this make a second kernel: compile time stays linear."""
LARGEST_BY_NUMBER: Final = 600
"""The same where functions with loops are called: they are shorter to compile in one kernel."""
MANY_STATEMENTS: Final = 150
"""To so many there is one such function at least then."""
CHEAP: Final = 6
"""Values that take no more operations than this are computed again, not stored."""
PACKED: Final = 4
"""So many values that only kernels read share one array: calls with few arguments compile fast."""

Step = Fused | Variable
"""A kernel, or a node to call a function for."""

_Key = tuple[int, Space, int]
"""A kernel: level, space, and which one of these."""


def fuse(graph: FunctionGraph, *, assume: bool = False) -> list[Step]:
    """The steps that compute `graph`, in an order in which they can be done.

    `assume`: take unknown lengths that meet for equal, as `narrowed` does.

    >>> import weft_tensor as wt
    >>> x = wt.vector("x")
    >>> (step,) = fuse(FunctionGraph([x], [wt.sum(wt.exp(x) + 1)]))
    >>> [s.name for s in step.kernel.statements], step.kernel.results[0].how
    (['exp', 'literal', 'add'], 'sum')
    """
    return fused(Plan(graph, assume=assume))


def fused(plan: Plan) -> list[Step]:
    """The same, of a graph that has been looked through."""
    level = levels(
        plan.nodes,
        plan.iteration_space,
        lambda v: [
            (r.variable, not r.table and r.variable not in plan.collected) for r in plan.read[v]
        ],
        plan.together,
        frozenset(v for v in plan.nodes if v in plan.outputs or v in plan.collected),
    )
    kernels: dict[_Key, list[Variable]] = {}
    sizes: dict[tuple[int, Space], int] = {}
    by_number = _places_by_number(plan, level) if len(plan.nodes) > LARGEST else set()
    order: list[tuple[int, int, Any]] = []
    for v in plan.nodes:
        if v not in plan.iteration_space:
            order.append((level[v], 0 if is_light(v, plan.iteration_space) else 2, v))
            continue
        place = level[v], plan.iteration_space[v]
        sizes[place] = sizes.get(place, 0) + 1
        alone = isinstance(plan.kind(v), Compress | Scan)  # other loops are faster without
        largest = LARGEST_BY_NUMBER if place in by_number else LARGEST
        key = (*place, -1 if alone else sizes[place] // largest)
        if key not in kernels:
            order.append(
                (level[v], 2 + alone if plan.iteration_space[v] else 1, key)
            )  # its inputs go first
        kernels.setdefault(key, []).append(v)
    order.sort(key=lambda entry: entry[:2])
    part_of = {v: key for key, members in kernels.items() for v in members}
    results = _stored(plan, part_of)
    stacks = _stacks(plan, part_of, results)
    packed = _packed(plan, kernels, results, stacks)
    steps: list[Step] = []
    for _, _, what in order:
        if isinstance(what, Variable):
            if what not in stacks.values():
                steps.append(what)
            continue
        step = Builder(plan, kernels[what], what[1], results, packed).fused()
        if step is not None:
            steps.append(step)
    return steps


def _places_by_number(plan: Plan, level: Mapping[Any, int]) -> set[tuple[int, Space]]:
    """Levels and spaces at which many functions with loops are called.

    A kernel with one of them computes number by number: the rest of a model is faster without.
    """

    def is_one(v: Any) -> bool:
        kind = plan.kind(v)
        name = kind.of if isinstance(kind, Pointwise) else None
        return isinstance(name, str) and goes_by_number(name, number(v.dtype).kind)

    places = {v: (level[v], space) for v, space in plan.iteration_space.items() if v in level}
    statements, calls = Counter(places.values()), Counter(places[v] for v in places if is_one(v))
    return {place for place, count in calls.items() if count * MANY_STATEMENTS >= statements[place]}


def _stored(plan: Plan, part_of: Mapping[Variable, _Key]) -> set[Variable]:
    """Values of kernels that are needed outside of these."""
    results = {v for v in plan.outputs if v in part_of}
    for v in plan.nodes:
        for r in plan.read[v]:
            i = r.variable
            if i not in part_of or part_of[i] == part_of.get(v):
                continue
            if not (plan.together(i, v) and plan.cost[i] <= CHEAP):
                results.add(i)
    return results


def _stacks(
    plan: Plan, part_of: Mapping[Variable, _Key], results: set[Variable]
) -> dict[tuple[_Key, str], Variable]:
    """The stacks of which a kernel computes all parts, for nothing else: one of a dtype each."""
    stacks: dict[tuple[_Key, str], Variable] = {}
    users = Counter(r.variable for v in plan.nodes for r in plan.read[v])
    for v in plan.nodes:
        if not isinstance(v.op, Stack) or not uses_builtin_lowering(v.op):
            continue
        keys = {(part_of.get(i), _dtype(i)) for i in v.inputs}
        key, dtype = next(iter(keys))
        if len(keys) > 1 or key is None or not key[1] or dtype != _dtype(v):
            continue
        if all(
            users[i] == 1 and i in results and i not in plan.outputs and i not in plan.collected
            for i in v.inputs
        ):
            stacks.setdefault((key, dtype), v)
    return stacks


def _packed(
    plan: Plan,
    kernels: Mapping[_Key, Sequence[Variable]],
    results: set[Variable],
    stacks: Mapping[tuple[_Key, str], Variable],
) -> dict[Variable, tuple[Pack | Variable, int]]:
    """The values that are stored in one array with others, and where in it."""
    alone = set(plan.outputs)
    for v in plan.nodes:
        alone.update(r.variable for r in plan.read[v] if r.table)
    places: dict[Variable, tuple[Pack | Variable, int]] = {
        i: (stack, slot) for stack in stacks.values() for slot, i in enumerate(stack.inputs)
    }
    for key, members in kernels.items():
        groups: dict[str, list[Variable]] = {}
        for v in members if key[1] else ():
            if (key, _dtype(v)) in stacks:
                continue
            if v in results and v not in alone and v not in plan.collected:
                groups.setdefault(_dtype(v), []).append(v)
        for group in groups.values():
            if len(group) >= PACKED:
                pack = Pack(group)
                places.update({v: (pack, slot) for slot, v in enumerate(group)})
    return places


def _dtype(v: Any) -> str:
    dtype: str = v.dtype
    return dtype
