"""States as they are before each step, where loops keep them for that alone.

A kept state is its first value and what each step gives, which XLA joins by a copy of all of
them, and of which what comes before each step is another. `jax.lax.scan` gives that by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from weft_graph import Apply, FunctionGraph, Item, OpFromGraph, Variable, replace
from weft_tensor import Gather, Recurrence
from weft_tensor.extend import Slice, applied, kind_of

__all__ = ["states_before_steps"]

_FULL: Final = Slice(None, None, None)


def states_before_steps(graph: FunctionGraph) -> FunctionGraph:
    """`graph`, in which states that are read before steps, or last, are no longer kept.

    >>> from weft_tensor import scalar
    >>> x = scalar("x")
    >>> square = OpFromGraph([x], [x * x], inline=False)
    >>> states = Recurrence(square, 0, (True,), False, False, None)(3, x)
    >>> graph = FunctionGraph([x], [states[:-1].sum(), states[-1]])
    >>> [v.op.kept for v in states_before_steps(graph).nodes if isinstance(v.op, Recurrence)]
    [(False,)]
    """
    if Recurrence not in graph.op_classes:
        return graph
    new_of: dict[Variable, Variable] = {}
    for v in graph.nodes:
        reads = _reads(v, graph) if type(v.op) is Recurrence and any(v.op.kept) else {}
        if reads:
            new_of |= _without_keeping(v, replace(v.inputs, new_of), reads)
    return graph.with_outputs(replace(graph.outputs, new_of, graph.inputs)) if new_of else graph


def _reads(v: Any, graph: FunctionGraph) -> dict[int, list[Any]]:
    """By the numbers of states of the loop `v`, what reads no more of them than can be given."""
    before = Slice(1, None, None) if v.op.backwards else Slice(None, -1, None)
    last = 0 if v.op.backwards else -1
    reads_of: dict[int, list[Any]] = {}
    for k, whole in _results(v, graph).items():
        reads: list[Any] = [user for user, _ in graph.users[whole]]
        if (
            k < len(v.op.kept)
            and v.op.kept[k]
            and whole not in graph.outputs
            and {(*_entries(u), None)[0] for u in reads} - {last} == {before}
        ):
            reads_of[k] = reads
    return reads_of


def _results(v: Any, graph: FunctionGraph) -> dict[int, Any]:
    """Those results of a loop that are used, by their numbers; none if it is used as a tuple."""
    if len(v.op.body.graph.outputs) == 1:
        return {0: v}
    users: list[Any] = [user for user, _ in graph.users[v]]
    if v in graph.outputs or any(type(user.op) is not Item for user in users):
        return {}
    return {user.op.index: user for user in users}


def _without_keeping(v: Any, inputs: Sequence[Any], reads: dict[int, list[Any]]) -> dict[Any, Any]:
    """What takes the places of results of the loop, and of what reads the states."""
    op = v.op
    graph = op.body.graph
    states = op.parts(graph.inputs).states
    outputs = [*graph.outputs, *[states[k] for k in reads]]
    body = OpFromGraph(graph.inputs, outputs, op.body.name, inline=False)
    kept = tuple([is_kept and k not in reads for k, is_kept in enumerate(op.kept)])
    new = Recurrence(body, op.length, kept, op.backwards, op.conditional, op.most)
    results = Apply.of(applied(new, tuple(inputs), v.place)).outputs
    old = Apply.of(v).outputs
    new_of: dict[Any, Any] = {o: results[k] for k, o in enumerate(old) if k not in reads}
    for (k, readers), rows in zip(reads.items(), results[len(old) :], strict=True):
        for u in readers:
            first, *rest = _entries(u)
            is_last = not isinstance(first, Slice)
            new_of[u] = _part(results[k], rest) if is_last else _part(rows, [_FULL, *rest])
    return new_of


def _entries(v: Any) -> tuple[Any, ...]:
    """Where in its input the elements of `v` stand, by numbers and slices; none if by others."""
    kind = kind_of(v)
    if not isinstance(kind, Gather) or callable(kind.at) or len(v.inputs) > 1:
        return ()
    return kind.at


def _part(x: Any, entries: Sequence[Any]) -> Any:
    if all(e == _FULL for e in entries):
        return x
    return x[tuple([slice(*e) if isinstance(e, Slice) else e for e in entries])]
