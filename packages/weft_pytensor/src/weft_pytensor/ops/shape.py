"""Shapes, axes, joins and what makes arrays."""

from __future__ import annotations

from typing import Any

import weft_tensor as wt
from weft_graph import Constant, graph_inputs
from weft_pytensor.convert.table import register_names


def sizes_of(shape: Any, count: int) -> list[Any]:
    """The elements of a vector of lengths: numbers where they are known, since -1 means more."""
    if isinstance(shape.op, Constant):
        return [int(n) for n in shape.op.value]
    if type(shape.op) is wt.Concatenate and all(v.type.shape == (1,) for v in shape.inputs):
        return [_known(v.inputs[0] if type(v.op) is wt.ExpandDims else v) for v in shape.inputs]
    return [shape[k] for k in range(count)]


def _known(v: Any) -> Any:
    """A number, where it is a constant."""
    if not isinstance(v.op, Constant):
        return v if v.ndim == 0 else v[0]
    return int(v.op.value.item())


def axis_of(v: Any) -> int:
    """An axis, which depends on no input, as a number."""
    if isinstance(v, int):
        return v
    if graph_inputs([v]):
        raise TypeError(f"from_pytensor: the axis {v} is a variable; Weft needs a number")
    return int(v.eval())


@register_names("DimShuffle")
def dimshuffle(op: Any, x: Any) -> Any:
    """Axes in another order, new ones and dropped ones."""
    return wt.dimshuffle(x, *op.new_order)


@register_names("Shape")
def shape(op: Any, x: Any) -> Any:
    """The lengths as a vector."""
    return wt.stack(x.shape) if x.ndim else wt.zeros((0,), dtype="int64")


@register_names("Shape_i")
def length(op: Any, x: Any) -> Any:
    """One length."""
    return x.shape[op.i]


@register_names("SpecifyShape")
def specify_shape(op: Any, x: Any, *lengths: Any) -> Any:
    """What the lengths have to be."""
    return wt.specify_shape(x, *lengths)


@register_names("Reshape")
def reshape(op: Any, x: Any, shape: Any) -> Any:
    """The elements in another shape."""
    return wt.reshape(x, sizes_of(shape, op.ndim))


@register_names("JoinDims")
def join_axes(op: Any, x: Any) -> Any:
    """Several axes as one."""
    first, last = op.start_axis, op.start_axis + op.n_axes
    lengths = list(x.shape)
    joined = lengths[first:last]
    if not joined:
        return wt.expand_dims(x, first)
    return wt.reshape(x, [*lengths[:first], wt.prod(wt.stack(joined)), *lengths[last:]])


@register_names("SplitDims")
def split_axis(op: Any, x: Any, shape: Any) -> Any:
    """One axis as several."""
    count = shape.type.shape[0]
    lengths = list(x.shape)
    lengths[op.axis : op.axis + 1] = sizes_of(shape, count)
    return wt.reshape(x, lengths)


@register_names("Alloc")
def alloc(op: Any, value: Any, *lengths: Any) -> Any:
    """A value in a larger shape."""
    return wt.alloc(value, *lengths)


@register_names("AllocEmpty")
def empty(op: Any, *lengths: Any) -> Any:
    """Memory, whose elements nobody reads."""
    return wt.zeros(lengths, dtype=op.dtype)


@register_names("MakeVector")
def make_vector(op: Any, *elements: Any) -> Any:
    """Numbers as a vector."""
    if not elements:
        return wt.zeros((0,), dtype=op.dtype)
    return wt.stack([v.astype(op.dtype) for v in elements])


@register_names("ARange")
def arange(op: Any, start: Any, stop: Any, step: Any) -> Any:
    """A range."""
    return wt.arange(start, stop, step, dtype=op.dtype)


@register_names("Eye")
def eye(op: Any, n: Any, m: Any, k: Any) -> Any:
    """Ones on a diagonal."""
    return wt.eye(n, m, k, dtype=op.dtype)


@register_names("Join")
def join(op: Any, *inputs: Any) -> Any:
    """Arrays along an axis, which is the first input or known to the Op."""
    axis, *arrays = (op.axis, *inputs) if hasattr(op, "axis") else inputs
    return wt.concatenate(arrays, axis_of(axis))


@register_names("Split")
def split(op: Any, x: Any, *rest: Any) -> Any:
    """Parts along an axis, of lengths that are given."""
    axis, sizes = (op.axis, *rest) if hasattr(op, "axis") else rest
    return wt.split(x, axis=axis_of(axis), splits_size=sizes, n_splits=op.len_splits)


@register_names(
    *("ScalarFromTensor", "TensorFromScalar", "ViewOp", "DeepCopyOp", "CpuContiguous"),
    *("TypeCastingOp", "OutputGuard", "SpecifyAssumptions"),
)
def same(op: Any, x: Any) -> Any:
    """What is a matter of PyTensor's types and memory alone."""
    return x


@register_names("ExtractDiag")
def diagonal(op: Any, x: Any) -> Any:
    """A diagonal."""
    return wt.diagonal(x, op.offset, op.axis1, op.axis2)


@register_names("Repeat")
def repeat(op: Any, x: Any, repeats: Any) -> Any:
    """Elements several times."""
    return wt.repeat(x, repeats, op.axis)


@register_names("FillDiagonal")
def fill_diagonal(op: Any, x: Any, value: Any) -> Any:
    """Another diagonal."""
    return wt.fill_diagonal(x, value)


@register_names("UnravelIndex")
def unravel_index(op: Any, places: Any, shape: Any) -> Any:
    """Indices of elements in C order."""
    return wt.unravel_index(places, sizes_of(shape, shape.type.shape[0]), op.order)


@register_names("RavelMultiIndex")
def ravel_multi_index(op: Any, *inputs: Any) -> Any:
    """Where elements are in C order."""
    *indices, shape = inputs
    return wt.ravel_multi_index(indices, sizes_of(shape, len(indices)), op.mode, op.order)
