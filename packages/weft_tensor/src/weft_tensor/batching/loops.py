"""Loops that carry states, for whole batches: one loop, whose states get the axis."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Any, NamedTuple

from weft_graph import Apply, OpFromGraph
from weft_tensor.batching.node import (
    batch_length,
    batched,
    is_batched,
    refuse,
    repeated,
    vectorize_node,
)
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.recurrence import Recurrence
from weft_tensor.ops.creation.creation import zeros
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.reduction.standard import any as any_of
from weft_tensor.ops.reduction.standard import max as max_of
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.tensor_type import TensorType

__all__: list[str] = []

_STEPS = "it makes as many steps as a value says that differs"
_REMEDY = (
    "Make as many steps as any element needs, and keep by `where` the states of those that are "
    "done; or take the derivative of the batch in place of a batch of derivatives."
)


@vectorize_node.register
def _recurrence(op: Recurrence, node: Apply, inputs: Sequence[Any]) -> Any:
    """The states that differ get the axis; elements that are done wait for the others."""
    steps, *values = inputs
    pairs = list(zip(inputs, node.inputs, strict=True))
    many, *flags = [is_batched(v, old) for v, old in pairs]
    n = batch_length(node, inputs)
    length = next(v.type.shape[0] for v, old in pairs if is_batched(v, old))
    stacked = any(op.kept) or len(op.body.graph.outputs) > len(op.kept) + op.conditional
    if many and (op.length or stacked):
        refuse(node, _STEPS, _REMEDY)
    body = _Body.of(op, flags, length)
    if many or (op.conditional and body.flags_of_outputs[-1]):
        for k in range(op.length, op.length + len(op.kept)):
            flags[k] = True
        return _until_all_are_done(op, _Body.of(op, flags, length), steps, values, node, n)
    outputs = [
        repeated(v, old, body.n(n)) if k < len(op.kept) and body.moving(k) else v
        for k, (v, old) in enumerate(zip(body.outputs, body.olds, strict=True))
    ]
    arguments = _arguments(op, body, values, node, n)
    whole = op.with_body(OpFromGraph(body.inputs, outputs, op.body.name, inline=False))
    results: Sequence[Any] = whole.make_node(steps, *arguments).outputs
    olds: Sequence[Any] = node.outputs
    rows = [*op.kept, *[not op.conditional] * (len(results) - len(op.kept))]
    return [
        moveaxis(v, 0, 1) if of_steps and is_batched(v, old) else v
        for v, old, of_steps in zip(results, olds, rows, strict=True)
    ]


class _Body(NamedTuple):
    """A body, of which what differs between elements of the batch has the axis."""

    op: Recurrence
    inputs: Sequence[Any]
    outputs: Sequence[Any]
    flags: Sequence[bool]
    """Which inputs have the axis."""

    @classmethod
    def of(cls, op: Recurrence, flags: Sequence[bool], length: Any) -> _Body:
        """The body for inputs that have the axis where a flag says so, and states that get it."""
        graph = op.body.graph
        kinds: list[Any] = [v.type for v in graph.inputs]
        flags = list(flags)
        while True:
            inputs = [
                TensorType(kind.dtype, (length, *kind.shape))() if flag else kind()
                for kind, flag in zip(kinds, flags, strict=True)
            ]
            outputs = batched(graph.outputs, dict(zip(graph.inputs, inputs, strict=True)))
            body = cls(op, inputs, outputs, flags)
            more = [
                op.length + k
                for k in range(len(op.kept))
                if body.flags_of_outputs[k] and not body.moving(k)
            ]
            if not more:
                return body
            for k in more:
                flags[k] = True

    @property
    def olds(self) -> Sequence[Any]:
        """The results of the body as it was."""
        return self.op.body.graph.outputs

    @property
    def flags_of_outputs(self) -> list[bool]:
        """Which results have the axis."""
        return [is_batched(v, old) for v, old in zip(self.outputs, self.olds, strict=True)]

    def moving(self, k: int) -> bool:
        """Whether a state has the axis."""
        return self.flags[self.op.length + k]

    def n(self, n: TensorVariable) -> Any:
        """The length of the axis, as the body knows it."""
        return next((v.shape[0] for v in compress(self.inputs, self.flags)), n)


def _arguments(
    op: Recurrence, body: _Body, values: Sequence[Any], node: Apply, n: TensorVariable
) -> list[Any]:
    """What the loop takes: elements along the first axis, and the batch behind that."""
    arguments = []
    for k, (v, old) in enumerate(zip(values, node.inputs[1:], strict=True)):
        whole = repeated(v, old, n) if body.flags[k] else v
        arguments.append(moveaxis(whole, 1, 0) if k < op.length and body.flags[k] else whole)
    return arguments


def _until_all_are_done(
    op: Recurrence,
    body: _Body,
    steps: TensorVariable,
    values: Sequence[Any],
    node: Apply,
    n: TensorVariable,
) -> list[Any]:
    """A loop that ends when no element goes on; each has its own number of steps."""
    count = len(op.kept)
    batch = body.inputs[op.length].type.shape[:1] if count else (None,)
    going, counts = TensorType("bool", batch)(), TensorType("int64", batch)()
    limit = steps.type()
    sequences, states, others = op.parts(body.inputs)
    nexts = [
        where(expand_dims(going, tuple(range(1, old.ndim))), new, old)
        for new, old in zip(body.outputs[:count], states, strict=True)
    ]
    after = counts + going
    goes_on = going & (after < limit)
    if op.conditional:
        goes_on = goes_on & body.outputs[-1]
    whole = Recurrence(
        OpFromGraph(
            [*sequences, *states, going, counts, *others, limit],
            [*nexts, goes_on, after, any_of(goes_on)],
            op.body.name,
            inline=False,
        ),
        op.length,
        (False,) * (count + 2),
        False,
        True,
        op.most,
    )
    arguments = op.parts(_arguments(op, body, values, node, n))
    most = steps if not steps.ndim else max_of(concatenate([steps, [0]]))
    start = broadcast_to(steps > 0, (n,))
    results: Sequence[Any] = whole.make_node(
        most,
        *[*arguments.sequences, *arguments.states],
        *[start, zeros((n,), "int64"), *arguments.others, steps],
    ).outputs
    return [*results[:count], *[results[count + 1]] * op.conditional]
