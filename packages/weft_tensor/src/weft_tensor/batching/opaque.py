"""Rules of Ops without a kind: shapes, order, products and linear algebra."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft_graph import Apply
from weft_graph.extend import apply
from weft_tensor.batching.kinds import check_lengths
from weft_tensor.batching.node import (
    aligned,
    batch_length,
    by_map,
    is_batched,
    repeated,
    vectorize_node,
)
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.stack import Stack
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.comparison import eq
from weft_tensor.ops.fft.cosines import EvensFirst
from weft_tensor.ops.fft.frequencies import FFTShift
from weft_tensor.ops.fft.transforms import IRFFT
from weft_tensor.ops.indexing.choices import where
from weft_tensor.ops.indexing.order_statistics import OrderStatistics
from weft_tensor.ops.indexing.searchsorted import SearchSorted
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.linalg.lu import PivotToPermutations
from weft_tensor.ops.linalg.matmul import Matmul
from weft_tensor.ops.linalg.square import FloatingOp, SlopeOp
from weft_tensor.ops.nn.conv import Conv
from weft_tensor.ops.products.convolution import SlidingDot
from weft_tensor.ops.reduction.axis_function import AxisFunction
from weft_tensor.ops.shape.concatenate import Concatenate
from weft_tensor.ops.shape.length import Length, lengths_of, static_length
from weft_tensor.ops.shape.reshape import Reshape, expand_dims, ravel, reshape, squeeze
from weft_tensor.ops.shape.transpose import matrix_transpose, moveaxis
from weft_tensor.ops.signal.linear_filter import LinearFilter

__all__: list[str] = []


@vectorize_node.register
def _length(op: Length, node: Apply, inputs: Sequence[Any]) -> TensorVariable:
    return lengths_of(inputs[0])[op.axis + 1]


@vectorize_node.register
def _reshape(op: Reshape, node: Apply, inputs: Sequence[Any]) -> TensorVariable:
    check_lengths(node, inputs, 1)
    x, *lengths = inputs
    return reshape(x, (batch_length(node, inputs), *lengths))


@vectorize_node.register
def _concatenate(op: Concatenate, node: Apply, inputs: Sequence[Any]) -> TensorVariable:
    return Concatenate(op.axis + 1)(*_all_repeated(node, inputs))


@vectorize_node.register
def _stack(op: Stack, node: Apply, inputs: Sequence[Any]) -> TensorVariable:
    result: Any = apply(op, tuple(_all_repeated(node, inputs)))
    return moveaxis(result, 0, 1)


def _all_repeated(node: Apply, inputs: Sequence[Any]) -> list[TensorVariable]:
    n = batch_length(node, inputs)
    return [repeated(v, old, n) for v, old in zip(inputs, node.inputs, strict=True)]


@vectorize_node.register
def _axis_function(op: AxisFunction, node: Apply, inputs: Sequence[Any]) -> TensorVariable:
    return type(op)(op.axis + 1)(*inputs)


@vectorize_node.register
def _order_statistics(op: OrderStatistics, node: Apply, inputs: Sequence[Any]) -> Any:
    if is_batched(inputs[1], node.inputs[1]):
        return by_map(op, node, inputs)
    return op(*inputs)


@vectorize_node.register
def _searchsorted(op: SearchSorted, node: Apply, inputs: Sequence[Any]) -> Any:
    a, v = inputs
    if is_batched(a, node.inputs[0]):
        return by_map(op, node, inputs)
    return reshape(op(a, ravel(v)), lengths_of(v))


@vectorize_node.register
def _sliding_dot(op: SlidingDot, node: Apply, inputs: Sequence[Any]) -> TensorVariable:
    """Of places to begin that differ, each takes its own of all products."""
    check_lengths(node, inputs, 3)
    n = batch_length(node, inputs)
    x, y = [repeated(v, old, n) for v, old in zip(inputs[:2], node.inputs[:2], strict=True)]
    start, count = inputs[2:]
    if not is_batched(start, node.inputs[2]):
        return op(x, y, start, count)
    end = lengths_of(x)[-1] + lengths_of(y)[-1]
    places = expand_dims(start, 1) + arange(count)
    places = where((places < 0) | (places > end), end, places)  # where a zero is
    wide = expand_dims(places, tuple(range(1, x.ndim - 1)))
    return take_along_axis(op(x, y, as_tensor(0), end + 1), wide, axis=-1)


@vectorize_node.register
def _linear_filter(op: LinearFilter, node: Apply, inputs: Sequence[Any]) -> Any:
    """More vectors, if the factors are the same for all."""
    if any(is_batched(v, o) for v, o in zip(inputs[:2], node.inputs[:2], strict=True)):
        return by_map(op, node, inputs)
    n = batch_length(node, inputs)
    rows = [repeated(v, o, n) for v, o in zip(inputs[2:], node.inputs[2:], strict=True)]
    return op(*inputs[:2], *rows)


@vectorize_node.register
def _conv(op: Conv, node: Apply, inputs: Sequence[Any]) -> Any:
    """More examples, if the kernels are the same for all; else more groups."""
    (x, w, *places), (old_x, old_w, *old) = inputs, node.inputs
    if any(is_batched(v, o) for v, o in zip(places, old, strict=True)):
        return by_map(op, node, inputs)
    n, x = batch_length(node, inputs), repeated(x, old_x, batch_length(node, inputs))
    _, examples, channels, *space = lengths_of(x)
    if not is_batched(w, old_w):
        result = op(reshape(x, (n * examples, channels, *space)), w, *places)
        return reshape(result, (n, examples, *lengths_of(result)[1:]))
    apart = reshape(moveaxis(x, 0, 1), (examples, n * channels, *space))
    _, results, *own = lengths_of(w)
    many = static_length(n)
    groups = op.groups * many if isinstance(many, int) else 0
    if not groups and op.groups:
        fits = eq(channels, own[0] * op.groups)
        w = check_and_raise(w, fits, ValueError, "conv: kernels of other channels than the values")
    by_group = Conv(op.strides, op.dilation, op.spread, groups)
    result = by_group(apart, reshape(w, (n * results, *own)), *places)
    return moveaxis(reshape(result, (examples, n, results, *lengths_of(result)[2:])), 1, 0)


@vectorize_node.register
def _fftshift(op: FFTShift, node: Apply, inputs: Sequence[Any]) -> Any:
    return FFTShift(op.axis + 1, op.inverse)(*inputs)


@vectorize_node.register
def _evens_first(op: EvensFirst, node: Apply, inputs: Sequence[Any]) -> Any:
    return op(*inputs)


@vectorize_node.register
def _irfft(op: IRFFT, node: Apply, inputs: Sequence[Any]) -> Any:
    if is_batched(inputs[1], node.inputs[1]):
        return by_map(op, node, inputs)
    return op(*inputs)


@vectorize_node.register(FloatingOp)
@vectorize_node.register(PivotToPermutations)
def _stacks(op: Any, node: Apply, inputs: Sequence[Any]) -> Any:
    """What takes stacks of matrices, which broadcast, takes one more."""
    old: Sequence[Any] = node.inputs
    ndim = max([v.ndim for v in old])
    rest = [aligned(v, o, ndim) for v, o in zip(inputs, old, strict=True)]
    return op.make_node(*rest).outputs


@vectorize_node.register
def _slope(op: SlopeOp, node: Apply, inputs: Sequence[Any]) -> Any:
    return op(*_all_repeated(node, inputs))


@vectorize_node.register
def _matmul(op: Matmul, node: Apply, inputs: Sequence[Any]) -> TensorVariable:
    old: Any = node.inputs
    (a, b), (old_a, old_b) = inputs, old
    of_a, of_b = is_batched(a, old_a), is_batched(b, old_b)
    if of_b and not of_a and old_b.ndim == 1 and old_a.ndim <= 2:
        return op(b, matrix_transpose(a) if a.ndim == 2 else a)
    if of_a and not of_b and old_a.ndim == 1 and old_b.ndim <= 2:
        return op(a, b)
    row, column = of_a and old_a.ndim == 1, of_b and old_b.ndim == 1
    a = expand_dims(a, 1) if row else a
    b = expand_dims(b, 2) if column else b
    ndim = max(old_a.ndim, old_b.ndim, 2)
    a, b = _stack_of(a, of_a, ndim + 1), _stack_of(b, of_b, ndim + 1)
    result = op(a, b)
    axes = [result.ndim - 2] * row + [result.ndim - 1] * column
    return squeeze(result, tuple(axes)) if axes else result


def _stack_of(x: Any, of_batch: bool, ndim: int) -> TensorVariable:
    """`x`, if it is of the batch, with `ndim` axes: new ones behind the leading one."""
    return expand_dims(x, tuple(range(1, 1 + ndim - x.ndim))) if of_batch and x.ndim < ndim else x
