"""One leading axis more: how a graph gets it, node after node, each by the rule of its Op."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import singledispatch
from typing import Any, NoReturn

import numpy as np

from weft_graph import Apply, Constant, Item, Op, OpFromGraph, Variable
from weft_graph.extend import remake, standing, toposort
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.map import Map
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    "aligned",
    "batch_length",
    "batched",
    "by_map",
    "is_batched",
    "refuse",
    "repeated",
    "rows_at",
    "vectorize_node",
]


@singledispatch
def vectorize_node(op: Any, node: Apply, inputs: Sequence[Any]) -> Any:
    """What the Op of `node` gives for `inputs`, some of which have one leading axis more.

    Register a function for a class of Ops with `vectorize_node.register`. Its `inputs` stand in
    the place of those of `node`; which of them are batched, `is_batched` tells, and all that are
    have the same length there. It returns a result, or a list of several: each with that leading
    axis, or without it if it is the same for all.

    By default, an Op of a kind goes by the rule of the kind, one with an expansion by that, and
    others by a `map`.
    """
    return by_map(op, node, inputs)


def is_batched(v: Variable, old: Variable) -> bool:
    """Whether `v`, which stands in the place of `old`, has an axis more.

    >>> from weft_tensor import matrix, vector
    >>> is_batched(matrix(), vector()), is_batched(vector(), vector())
    (True, False)
    """
    return _rank(v) > _rank(old)


def _rank(v: Variable) -> int:
    return v.type.ndim if isinstance(v.type, TensorType) else 0


def _dtype(v: Variable) -> str | None:
    return v.type.dtype if isinstance(v.type, TensorType) else None


def batch_length(node: Apply, inputs: Sequence[Any]) -> TensorVariable:
    """How many elements the batch has, an int64 scalar."""
    pairs = zip(inputs, node.inputs, strict=True)
    return next(lengths_of(v)[0] for v, old in pairs if is_batched(v, old))


def aligned(x: Any, old: Any, ndim: int) -> Any:
    """`x`, if it is batched, with new axes behind the leading one, so that `ndim` follow that.

    So it broadcasts with others of the batch as `old`, in whose place it is, did.
    """
    missing = ndim - old.ndim
    return expand_dims(x, tuple(range(1, 1 + missing))) if missing and is_batched(x, old) else x


def rows_at(whole: Any, places: Sequence[tuple[int, ...]]) -> Any:
    """The elements of `whole` at these places: a slice, if it is known that they are one.

    >>> from weft_tensor import vector
    >>> rows_at(vector("x", shape=(5,)), [(0,), (2,), (4,)])
    <index[0:5:2] : float64[3]>
    """
    firsts, length = [place[0] for place in places], whole.type.shape[0]
    if len(places[0]) == 1 and isinstance(length, int) and 0 <= min(firsts) <= max(firsts) < length:
        evenly = range(firsts[0], firsts[-1] + 1, max(1, firsts[1] - firsts[0]))
        if firsts == list(evenly):
            part = slice(evenly.start, evenly.stop, evenly.step)
            return whole if len(evenly) == length else whole[part]
    return whole[tuple(map(np.array, zip(*places, strict=True)))]


def repeated(x: Any, old: Any, n: Any) -> Any:
    """`x`, if it is not batched, for each of the `n` elements."""
    return x if is_batched(x, old) else broadcast_to(x, (n, *lengths_of(x)))


def refuse(node: Apply, what: str, remedy: str) -> NoReturn:
    """Say that `node` can't be batched, as lengths depend on values that differ."""
    origin = f", made at {node.node.made_at}," if node.node.made_at else ""
    raise ValueError(
        f"{node.op}{origin} can't be batched: {what}, so that results would be of different "
        f"lengths for the elements of the batch. {remedy}"
    )


def by_map(op: Op, node: Apply, inputs: Sequence[Any]) -> Sequence[Variable]:
    """What the Op gives element after element: right for all Ops, and slow."""
    elements: list[Any] = []
    values: list[Any] = []
    mapped: list[bool] = []
    for v, old in zip(inputs, node.inputs, strict=True):
        more = is_batched(v, old)
        if not more and isinstance(v.op, Constant):
            elements.append(v)
            continue
        elements.append(TensorType(v.type.dtype, v.type.shape[1:])() if more else v.type())
        values.append(v)
        mapped.append(more)
    results: Sequence[Any] = op.make_node(*elements).outputs
    if any(not isinstance(v.type, TensorType) for v in results):
        raise TypeError(f"{op} can't be batched: its results are no tensors, and it has no rule")
    inner = [v for v in elements if not isinstance(v.op, Constant)]
    body = OpFromGraph(inner, results, inline=False)
    return Map(body, tuple(mapped), (False,) * len(results)).make_node(*values).outputs


def batched(outputs: Sequence[Variable], replacements: Mapping[Variable, Any]) -> list[Any]:
    """`outputs` by new variables in the places of the keys of `replacements`.

    These have the same types, or one leading axis more, which is of one length for all. What
    does not depend on such has no axis more.
    """
    new_of: dict[Variable, Any] = dict(replacements)
    several: dict[Variable, Sequence[Any]] = {}
    outer = standing.place
    try:
        for v in toposort(outputs, new_of):
            if v in new_of:
                continue
            if type(v.op) is Item and v.inputs[0] in several:
                new_of[v] = several[v.inputs[0]][v.op.index]
                continue
            inputs = tuple([new_of[i] for i in v.inputs])
            if inputs == v.inputs:
                new_of[v] = v
            elif any(is_batched(new, old) for new, old in zip(inputs, v.inputs, strict=True)):
                standing.place = v.place
                results = _results(Apply.of(v), inputs)
                if isinstance(v.type, TensorType):
                    (new_of[v],) = results
                else:
                    several[v] = new_of[v] = results
            else:
                new_of[v] = remake(v, inputs)
    finally:
        standing.place = outer
    return [new_of[v] for v in outputs]


def _results(node: Apply, inputs: Sequence[Any]) -> Sequence[Any]:
    """What the rule of the Op gives, if it is of the types that it must be of."""
    try:
        outcome = vectorize_node(node.op, node, inputs)
        results = [outcome] if isinstance(outcome, Variable) else list(outcome)
        name = type(node.op).__name__
        if len(results) != len(node.outputs):
            raise TypeError(
                f"the batching rule of {name} gives {len(results)} results in the place of "
                f"{len(node.outputs)}"
            )
        for new, old in zip(results, node.outputs, strict=True):
            if _dtype(new) != _dtype(old) or _rank(new) - _rank(old) not in (0, 1):
                raise TypeError(
                    f"the batching rule of {name} gives {new.type} in the place of {old.type}: "
                    "the same dtype, and one leading axis more, or none, is wanted"
                )
    except Exception as error:
        origin = f", made at {node.node.made_at}" if node.node.made_at else ""
        error.add_note(f"while batching {node.node!r}{origin}")
        raise
    return results
