"""Parts of results that nobody needs whole: only the parts are computed.

A pass, because it has to know all users: what is needed whole as well is computed anyway.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from weft_graph import CheckAndRaise, FunctionGraph
from weft_graph.extend import Changes, renewed
from weft_rewrites.dsl.conditions import keeps_lengths
from weft_rewrites.ops.linalg.identity import are_equal
from weft_rewrites.ops.shape.reading import part_of
from weft_tensor import Cast, Elemwise, Index, Matmul, Sum, TensorVariable
from weft_tensor.extend import ARRAY, NEW, Slice, length_of

__all__ = ["lift_indices", "lift_places"]

_FULL: Final = Slice(None, None, None)
_PASSING: Final = (Elemwise, Cast, CheckAndRaise)
"""Ops whose results at a place are of their operands at that place."""
_CHEAP: Final = 4
"""What takes so many operations, none of them a costly one, is computed again for each part."""
_FEW: Final = 8
"""The parts of a result that take the place of it are no more."""


def lift_indices(graph: FunctionGraph) -> FunctionGraph:
    """`graph` with indices and slices taken of the operands, where nobody needs the whole result.

    >>> import weft_tensor as wt
    >>> x = wt.vector("x")
    >>> (part,) = lift_indices(FunctionGraph([x], [wt.exp(2 * x)[3]])).outputs
    >>> part is wt.exp(2 * x[3])
    True
    """
    if Index not in graph.op_classes:
        return graph
    return _lifted(graph, _with_cheap(graph))


def lift_places(graph: FunctionGraph) -> FunctionGraph:
    """`graph` with places taken of the operands, where nobody needs more than a few places.

    >>> import weft_tensor as wt
    >>> x = wt.vector("x", shape=(2,))
    >>> y = wt.exp(2 * x)
    >>> (ratio,) = lift_places(FunctionGraph([x], [y[0] / y[1]])).outputs
    >>> ratio is wt.exp(2 * x[0]) / wt.exp(2 * x[1])
    True
    """
    return _lifted(graph, _needs(graph)) if Index in graph.op_classes else graph


def _lifted(graph: FunctionGraph, uses: Counter[Any]) -> FunctionGraph:
    moving = {v for v in graph.nodes if type(v.op) is Index and _may_move(v, uses)}
    if not moving:
        return graph
    new_of = Changes()
    parts: dict[Any, Any] = {}
    for v in graph.above(moving):
        new_of[v] = _moved(v, uses, new_of, parts) if v in moving else renewed(v, new_of)
    return FunctionGraph(graph.inputs, [new_of[v] for v in graph.outputs])


def _with_cheap(graph: FunctionGraph) -> Counter[Any]:
    """The uses, 1 of what only parts are needed of, and computed faster than it is stored."""
    uses, price = graph.use_counts, dict[Any, int]()
    alone = Counter[Any](uses)
    nodes: Sequence[Any] = graph.nodes
    parts = {v: v.inputs[0] for v in nodes if _is_part(v)}
    read_in_parts = Counter(parts.values())
    for v in nodes:
        if type(v.op) not in (Elemwise, Cast) or (type(v.op) is Elemwise and v.op.scalar.cost > 1):
            continue
        read = [parts.get(x, x) for x in v.inputs]
        price[v] = 1 + sum([price.get(x, 0) for x in read if alone[x] == 1])
        if 1 < uses[v] <= _FEW and price[v] <= _CHEAP and read_in_parts[v] == uses[v]:
            alone[v] = 1
            alone.update(x for x in _below(v, uses) if x not in price)
    return alone


def _below(v: Any, uses: Mapping[Any, int]) -> Iterator[Any]:
    """What is there for `v` alone."""
    stack = [v]
    while stack:
        for x in stack.pop().inputs:
            if uses[x] == 1:
                yield x
                if type(x.op) in (Elemwise, Cast):
                    stack.append(x)


def _needs(graph: FunctionGraph) -> Counter[Any]:
    """How many need what: 1 where only a few places of one axis are needed, by however many."""
    uses: Counter[Any] = Counter(graph.use_counts)
    needed: dict[Any, set[tuple[int, int]] | None] = dict.fromkeys(graph.outputs)
    order: Sequence[Any] = graph.order
    for v in reversed(order):
        own = needed.get(v)
        few = own and len(own) <= _FEW and len({axis for axis, _ in own}) == 1
        if own and few and (type(v.op) in _PASSING or _takes_few(v, own)):
            uses[v] = 1
        else:
            own = None
        place = _place(v) if type(v.op) is Index else None
        if place is None and own is None:  # most
            needed.update(dict.fromkeys(v.inputs))
            continue
        for x in set(v.inputs):
            places = place
            if places is None and own and type(v.op) in _PASSING and _are_as_long(x, v, own):
                places = own
            before = needed.setdefault(x, set())
            needed[x] = None if before is None or places is None else before | places
    return uses


def _place(v: Any) -> set[tuple[int, int]] | None:
    """The axis of which `v` takes one place, and which; None for anything else."""
    if len(v.inputs) > 1 or v.op.lifted:
        return None
    chosen: list[Any] = [(a, e) for a, e in enumerate(v.op.entries) if e != _FULL]
    return {chosen[0]} if len(chosen) == 1 and type(chosen[0][1]) is int else None


def _are_as_long(x: TensorVariable, y: TensorVariable, places: set[tuple[int, int]]) -> bool:
    """Whether both are equally long along the axis of some places."""
    if x.ndim != y.ndim:
        return False
    ((axis, _), *_) = places
    return are_equal(length_of(x, axis), length_of(y, axis))


def _takes_few(v: Any, places: set[tuple[int, int]]) -> bool:
    """Whether `v` is rows, looked up by an array, of which no more than some columns are needed."""
    ((axis, _), *_) = places
    return _are_rows(v) and axis >= v.inputs[1].ndim


def _are_rows(v: Any) -> bool:
    """Whether `v` is rows that an array says."""
    return type(v.op) is Index and v.op.entries == (ARRAY, *[_FULL] * (v.inputs[0].ndim - 1))


def _may_move(v: Any, uses: Counter[Any]) -> bool:
    """Whether `v` takes a part of a result that is there for nothing else."""
    if not _is_part(v) or uses[v.inputs[0]] > 1:
        return False
    whole = _checked_before(v.inputs[0])
    if whole is not v.inputs[0] and uses[v.inputs[0].inputs[0]] > 1:
        return False
    return type(whole.op) in (Elemwise, Cast, Sum, Matmul) or (
        _are_rows(whole) and all(e == _FULL for e in v.op.entries[: whole.inputs[1].ndim])
    )


def _checked_before(v: Any) -> Any:
    """What is checked when it has been computed, but checked before."""
    if type(v.op) is not CheckAndRaise or not (
        type(v.inputs[0].op) in _PASSING or _are_rows(v.inputs[0])
    ):
        return v
    inner, *conditions = v.inputs
    first, *rest = inner.inputs
    return inner.op(v.op(first, *conditions), *rest)


def _is_part(v: Any) -> bool:
    """Whether `v` is some elements, at places that are known."""
    if type(v.op) is not Index or len(v.inputs) > 1 or v.op.lifted:
        return False
    entries = v.op.entries
    return ARRAY not in entries and NEW not in entries and any(e != _FULL for e in entries)


def _moved(v: Any, uses: Counter[Any], new_of: Mapping[Any, Any], results: dict[Any, Any]) -> Any:
    """The same over parts, of parts as far down as can be; `results` has what was made of these."""
    stack = [v]
    operands: dict[Any, Sequence[Any] | None] = {}
    while stack:
        part = stack[-1]
        if part in results:
            stack.pop()
            continue
        if part not in operands:
            operands[part] = _parts(part) if _may_move(part, uses) else None
        wanted = operands[part]
        if wanted is None:
            results[part] = renewed(part, new_of)
            continue
        pending = [
            w
            for w in wanted
            if w not in results
            and type(w.op) is Index
            and (w.inputs[0] in uses or type(w.inputs[0].op) is CheckAndRaise)
        ]
        if pending:
            stack += pending
            continue
        inputs = [results[w] if w in results else new_of[w] for w in wanted]
        op = _op_of_part(part)
        new: Any = op(*inputs)
        results[part] = new if keeps_lengths(part.type, new.type) else renewed(part, new_of)
    return results[v]


def _parts(v: Any) -> Sequence[TensorVariable] | None:
    """The operands that give the part `v`; None if they are not known."""
    whole, entries = _checked_before(v.inputs[0]), v.op.entries
    if _are_rows(whole):
        return whole.inputs
    if type(whole.op) is Sum:
        kept = iter(entries)
        axes = whole.op.axis
        inner = [_FULL if a in axes else next(kept) for a in range(whole.inputs[0].ndim)]
        return [Index(tuple(inner))(*whole.inputs)]
    if type(whole.op) is Matmul:
        left, right = whole.inputs
        if left.ndim != 2 or right.ndim > 2:
            return None
        rows = left if entries[0] == _FULL else Index((entries[0], _FULL))(left)
        if right.ndim == 1 or entries[1] == _FULL:
            return [rows, right]
        return [rows, Index((_FULL, entries[1]))(right)]
    parts = []
    for w in whole.inputs:
        part = _of_operand(w, whole, v.op)
        if part is None:
            return None
        parts.append(part)
    return parts


def _op_of_part(v: Any) -> Any:
    whole = _checked_before(v.inputs[0])
    if _are_rows(whole):
        return Index((ARRAY, *v.op.entries[whole.inputs[1].ndim :]))
    if type(whole.op) is not Sum:
        return whole.op
    kept = iter(v.op.entries)
    places, place = [], 0
    for a in range(whole.inputs[0].ndim):
        if a in whole.op.axis:
            places.append(place)
            place += 1
        else:
            place += type(next(kept)) is not int
    return Sum(tuple(places))


def _of_operand(w: TensorVariable, whole: TensorVariable, part: Index) -> TensorVariable | None:
    """The part of an operand that goes into this part of the result."""
    front = whole.ndim - w.ndim
    is_alone = all(v is w or not v.ndim for v in whole.inputs)
    chosen: list[Any] = []
    for a, e in enumerate(part.entries[front:]):
        if e == _FULL:
            chosen.append(e)
        elif w.type.shape[a] == 1 and whole.type.shape[front + a] != 1:
            chosen.append(0 if type(e) is int else _FULL)
        elif is_alone or are_equal(length_of(w, a), length_of(whole, front + a)):
            chosen.append(e)
        else:
            return None
    if all(e == _FULL for e in chosen):
        return w
    entries = tuple(chosen)
    return part_of(part if entries == part.entries else Index(entries), w)
