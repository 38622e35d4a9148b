"""The rule of each kind of Op: what it is where inputs have one leading axis more."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Any

from weft_graph import Apply
from weft_tensor.batching.node import (
    aligned,
    batch_length,
    batched,
    by_map,
    is_batched,
    refuse,
    vectorize_node,
)
from weft_tensor.build.kinds import (
    Compress,
    Cut,
    Pointwise,
    Reduction,
    Scan,
    SumOver,
    View,
)
from weft_tensor.build.op import TensorOp
from weft_tensor.build.variable import TensorVariable
from weft_tensor.front.expansions import expand
from weft_tensor.ops.creation.creation import Arange
from weft_tensor.ops.creation.iota import Iota
from weft_tensor.ops.indexing.nonzero import Nonzero
from weft_tensor.ops.reduction.sum_to import SumTo
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.types.axes import Axes, as_axes

__all__ = ["check_lengths", "vectorize_kind"]

LENGTHS = "lengths that it is given differ"
_SAME = "Give it lengths that are the same for all elements: take the longest, and mask the rest"


@singledispatch
def vectorize_kind(kind: Any, op: TensorOp, node: Apply, inputs: Sequence[Any]) -> Any:
    """As `vectorize_node`, for an Op of this `kind`; NotImplemented if the kind has no rule."""
    return NotImplemented


@vectorize_node.register
def _tensor_op(op: TensorOp, node: Apply, inputs: Sequence[Any]) -> Any:
    kind = op.kind(*node.inputs)
    result: Any = NotImplemented
    if kind is not None:
        result = vectorize_kind(kind, op, node, inputs)
    if result is NotImplemented and not op.primitive:
        expansion = op.expanded(*node.inputs)
        if expansion is not None:
            return batched([expansion], dict(zip(node.inputs, inputs, strict=True)))
    return by_map(op, node, inputs) if result is NotImplemented else result


def check_lengths(node: Apply, inputs: Sequence[Any], first: int = 0) -> None:
    """Raise ValueError if one of the lengths, inputs from `first` on, is batched."""
    pairs = zip(inputs[first:], node.inputs[first:], strict=True)
    if any(is_batched(v, old) for v, old in pairs):
        refuse(node, LENGTHS, f"{_SAME}.")


def _all_aligned(node: Apply, inputs: Sequence[Any]) -> list[TensorVariable]:
    """Inputs that broadcast as before, behind the leading axis."""
    old: Sequence[Any] = node.inputs
    ndim = max([v.ndim for v in (*old, *node.outputs)])
    return [aligned(v, o, ndim) for v, o in zip(inputs, old, strict=True)]


def _promised(result: TensorVariable, node: Apply) -> TensorVariable:
    """`result` in the dtype that the Op gives."""
    (old,) = node.outputs
    kind: Any = old.type
    return result.astype(kind.dtype)


@vectorize_kind.register
def _pointwise(kind: Pointwise, op: TensorOp, node: Apply, inputs: Sequence[Any]) -> Any:
    if isinstance(op, (Iota, Arange)):
        check_lengths(node, inputs)
    if not kind.positions and (op.primitive or op.defines_by_kind("infer_from")):
        return op(*_all_aligned(node, inputs))
    result = _promised(expand(kind, op, node.inputs), node)
    return batched([result], dict(zip(node.inputs, inputs, strict=True)))


@vectorize_kind.register
def _cut(kind: Cut, op: TensorOp, node: Apply, inputs: Sequence[Any]) -> TensorVariable:
    return kind.of(*inputs) if kind.part.has_known_step else NotImplemented


@vectorize_kind.register
def _reduction(kind: Reduction, op: TensorOp, node: Apply, inputs: Sequence[Any]) -> TensorVariable:
    rest, axes = _within(node, inputs, kind.axis)
    return _promised(expand(kind._replace(axis=axes), op, rest), node)


@vectorize_kind.register
def _scan(kind: Scan, op: TensorOp, node: Apply, inputs: Sequence[Any]) -> TensorVariable:
    rest, (axis,) = _within(node, inputs, kind.axis)
    return _promised(expand(kind._replace(axis=axis), op, rest), node)


def _within(node: Apply, inputs: Sequence[Any], axis: Axes) -> tuple[list[Any], tuple[int, ...]]:
    """Inputs that broadcast as before, and where `axis` is behind the leading one."""
    old: Sequence[Any] = node.inputs
    ndim = max([v.ndim for v in old])
    rest = [aligned(v, o, ndim) for v, o in zip(inputs, old, strict=True)]
    return rest, tuple([a + 1 for a in as_axes(axis, ndim)])


@vectorize_kind.register
def _view(kind: View, op: TensorOp, node: Apply, inputs: Sequence[Any]) -> Any:
    x, *lengths = inputs
    if kind.stretched:
        check_lengths(node, inputs, 1)
        lengths = [batch_length(node, inputs), *lengths]
    axes = (0, *[None if a is None else a + 1 for a in kind.axes])
    return expand(kind._replace(axes=axes), op, (x, *lengths))


@vectorize_kind.register
def _sum_over(kind: SumOver, op: TensorOp, node: Apply, inputs: Sequence[Any]) -> TensorVariable:
    check_lengths(node, inputs, 1)
    return SumTo()(inputs[0], batch_length(node, inputs), *inputs[1:])


@vectorize_kind.register
def _compress(kind: Compress, op: TensorOp, node: Apply, inputs: Sequence[Any]) -> TensorVariable:
    """All masks as one, if as many elements are true in each."""
    pairs = list(zip(inputs[1:], node.inputs[1:], strict=True))
    if kind.axis is None or any(is_batched(v, old) for v, old in pairs):
        remedy = "Use `where` in the place of a mask: it keeps all elements."
        refuse(node, "it chooses as many elements as a mask has that are true", remedy)
    batch, (mask, count, *lengths) = batch_length(node, inputs), inputs
    places = Nonzero(kind.axis + 1)(mask, count * batch, *lengths)
    return reshape(places, (batch, count))
