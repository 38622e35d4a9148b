"""Rules of Ops that hold graphs, choose, or pass a value on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, compress
from typing import Any, NamedTuple

from weft_graph import Apply, CheckAndRaise, OpFromGraph
from weft_graph.extend import Derivative, Identity
from weft_tensor.batching.node import (
    aligned,
    batch_length,
    batched,
    is_batched,
    refuse,
    repeated,
    vectorize_node,
)
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.control.ifelse import IfElse
from weft_tensor.ops.control.map import Map
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.parallel.sharding import Shard
from weft_tensor.ops.reduction.base import Sum
from weft_tensor.ops.reduction.standard import all as all_of
from weft_tensor.ops.shape.length import lengths_of, same_size
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.symbolic_dims import provably_differ
from weft_tensor.types.tensor_type import TensorType

__all__: list[str] = []


@vectorize_node.register
def _identity(op: Identity, node: Apply, inputs: Sequence[Any]) -> Any:
    return op.make_node(*inputs).outputs


@vectorize_node.register
def _check(op: CheckAndRaise, node: Apply, inputs: Sequence[Any]) -> Any:
    """It raises where a condition does not hold for one of the elements."""
    x, *conditions = inputs
    old = node.inputs[1:]
    holding = [all_of(c) if is_batched(c, o) else c for c, o in zip(conditions, old, strict=True)]
    return op.make_node(x, *holding).outputs


@vectorize_node.register
def _shard(op: Shard, node: Apply, inputs: Sequence[Any]) -> Any:
    return Shard(((), *op.spec))(*inputs)


@vectorize_node.register
def _ifelse(op: IfElse, node: Apply, inputs: Sequence[Any]) -> Any:
    """Both sides, then `where`, if the condition is of the batch."""
    condition, *values = inputs
    old: Sequence[Any] = node.inputs[1:]
    n = batch_length(node, inputs)
    k = op.n_outs
    pairs = list(zip(values[:k], values[k:], strict=True))
    olds = list(zip(old[:k], old[k:], strict=True))
    if is_batched(condition, node.inputs[0]):
        return [
            _chosen(node, aligned(condition, node.inputs[0], then.ndim), pair, (then, other))
            for pair, (then, other) in zip(pairs, olds, strict=True)
        ]
    for i, (pair, own) in enumerate(zip(pairs, olds, strict=True)):
        if any(map(is_batched, pair, own)):
            pairs[i] = tuple([repeated(v, o, n) for v, o in zip(pair, own, strict=True)])
    return op.make_node(condition, *[p[0] for p in pairs], *[p[1] for p in pairs]).outputs


def _chosen(node: Apply, condition: Any, pair: Sequence[Any], old: Sequence[Any]) -> TensorVariable:
    """One of a pair of values, where both must be of one shape."""
    then, other = old
    if any(map(provably_differ, then.type.shape, other.type.shape)):
        what = f"the cases are of shapes {then.type.shape} and {other.type.shape}"
        refuse(node, what, "Give both cases the same shape.")
    x, y = pair
    message = f"{node.op}: both cases must be of one shape, as the condition is batched"
    rank = then.type.ndim
    for m, n in zip(lengths_of(x)[x.ndim - rank :], lengths_of(y)[y.ndim - rank :], strict=True):
        if not same_size(m, n):
            x = check_and_raise(x, eq(m, n), ValueError, message)
    return where(condition, x, y)


@vectorize_node.register
def _map(op: Map, node: Apply, inputs: Sequence[Any]) -> Any:
    """The body gets the axis: the map goes along the same elements as before."""
    flags = tuple([is_batched(v, old) for v, old in zip(inputs, node.inputs, strict=True)])
    lengths = [v.type.shape[0] if flag else None for v, flag in zip(inputs, flags, strict=True)]
    values = [
        moveaxis(v, 1, 0) if is_mapped and flag else v
        for v, is_mapped, flag in zip(inputs, op.mapped, flags, strict=True)
    ]
    results = op.with_body(_with_axis(op.body, flags, lengths)).make_node(*values).outputs
    return [
        v if is_summed else moveaxis(v, 0, 1)
        for v, is_summed in zip(results, op.summed, strict=True)
    ]


@vectorize_node.register
def _graph(op: OpFromGraph, node: Apply, inputs: Sequence[Any]) -> Any:
    flags = tuple([is_batched(v, old) for v, old in zip(inputs, node.inputs, strict=True)])
    lengths = [v.type.shape[0] if flag else None for v, flag in zip(inputs, flags, strict=True)]
    return _with_axis(op, flags, lengths).make_node(*inputs).outputs


def _with_axis(op: OpFromGraph, flags: tuple[bool, ...], lengths: Sequence[Any]) -> OpFromGraph:
    """The Op of a graph whose inputs have the axis where a flag says so, and all results do."""
    old_inputs, old_outputs = op.graph.inputs, op.graph.outputs
    kinds: list[Any] = [v.type for v in old_inputs]
    inputs = [
        TensorType(kind.dtype, (n, *kind.shape))() if flag else kind()
        for kind, flag, n in zip(kinds, flags, lengths, strict=True)
    ]
    n = _length(inputs, flags)
    results = batched(old_outputs, dict(zip(old_inputs, inputs, strict=True)))
    outputs = [repeated(v, old, n) for v, old in zip(results, old_outputs, strict=True)]
    if op.backward is None and op.forward is None:
        return type(op)(inputs, outputs, op.name, inline=op.inlined)
    types = tuple(kinds), tuple([v.type for v in old_outputs])
    backward: Any = op.backward and _Pullback(op.backward, *types, flags)
    forward: Any = op.forward and _Pushforward(op.forward, *types, flags)
    return OpFromGraph(inputs, outputs, op.name, backward, forward, inline=op.inlined)


def _length(inputs: Sequence[Any], flags: Sequence[bool]) -> TensorVariable:
    return lengths_of(next(compress(inputs, flags)))[0]


class _Pullback(NamedTuple):
    """A derivative that a user gave, for a batch; equal ones are the same."""

    of: Derivative
    inputs: tuple[Any, ...]
    """The types of what it is for."""
    outputs: tuple[Any, ...]
    flags: tuple[bool, ...]
    """Which inputs are batched."""

    def __call__(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        """Of inputs that are the same for all elements, the sum over these."""
        n = _length(inputs, self.flags)
        results = _of_batch(self, (inputs, outputs, cotangents), (*self[1:3], self.outputs))
        return [
            slope
            if slope is None or flag == (slope.ndim > kind.ndim)
            else repeated(slope, kind(), n)
            if flag
            else Sum((0,))(slope).astype(kind.dtype)
            for slope, kind, flag in zip(results, self.inputs, self.flags, strict=True)
        ]


class _Pushforward(NamedTuple):
    """The same of tangents."""

    of: Derivative
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    flags: tuple[bool, ...]

    def __call__(
        self, inputs: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]
    ) -> Sequence[Any]:
        """One for each element."""
        n = _length(inputs, self.flags)
        results = _of_batch(self, (inputs, outputs, tangents), (*self[1:3], self.inputs))
        return [
            slope if slope is None else repeated(slope, kind(), n)
            for slope, kind in zip(results, self.outputs, strict=True)
        ]


def _of_batch(
    derivative: Any, groups: Sequence[Sequence[Any]], types: Sequence[Sequence[Any]]
) -> list[Any]:
    """What `derivative` gives, by variables that are batched; None where that is so."""
    old = [
        [None if v is None else kind() for v, kind in zip(values, kinds, strict=True)]
        for values, kinds in zip(groups, types, strict=True)
    ]
    slopes = [None if v is None else as_tensor(v) for v in derivative.of(*old)]
    pairs = zip(chain(*old), chain(*groups), strict=True)
    new = {o: v for o, v in pairs if o is not None}
    results = iter(batched([v for v in slopes if v is not None], new))
    return [None if v is None else next(results) for v in slopes]
