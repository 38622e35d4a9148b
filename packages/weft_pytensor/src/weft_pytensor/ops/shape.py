"""Shapes, axes, joins and what makes arrays."""

from __future__ import annotations

from functools import lru_cache

from pytensor.graph.op import Op

import weft_tensor as wt
from weft_graph import Constant, graph_inputs
from weft_pytensor.convert.table import register_names
from weft_tensor import TensorVariable
from weft_tensor.extend import Stack, applied


def sizes_of(shape: TensorVariable, rank: int | None = None) -> list[TensorVariable | int]:
    """The elements of a vector of lengths: numbers where they are known, since -1 means more.

    Errors: TypeError if nobody knows how many there are.
    """
    if isinstance(shape.op, Constant):
        return [int(n) for n in shape.op.value]
    if type(shape.op) is Stack:
        return [_known(v) for v in shape.inputs]
    if type(shape.op) is wt.Concatenate and all(v.type.shape == (1,) for v in shape.inputs):
        return [_known(v.inputs[0] if type(v.op) is wt.ExpandDims else v) for v in shape.inputs]
    count = shape.type.shape[0] if rank is None else rank
    if not isinstance(count, int):
        raise TypeError(f"from_pytensor: the rank of what has the shape {shape} is not known")
    return [shape[k] for k in range(count)]


def _known(v: TensorVariable) -> TensorVariable | int:
    """A number, where it is a constant."""
    if not isinstance(v.op, Constant):
        return v if v.ndim == 0 else v[0]
    return int(v.op.value.item())


def axis_of(v: TensorVariable | int) -> int:
    """An axis, which depends on no input, as a number."""
    if isinstance(v, int):
        return v
    if isinstance(v.op, Constant):
        return int(v.op.value)
    if graph_inputs([v]):
        raise TypeError(f"from_pytensor: the axis {v} is a variable; Weft needs a number")
    return int(v.eval())


@register_names("DimShuffle")
def dimshuffle(op: Op, x: TensorVariable) -> TensorVariable:
    """Axes in another order, new ones and dropped ones."""
    widen = _new_axes(tuple(op.new_order), x.ndim)
    return wt.dimshuffle(x, *op.new_order) if widen is None else applied(widen, (x,))


@lru_cache(maxsize=256)
def _new_axes(order: tuple[int | str, ...], rank: int) -> wt.ExpandDims | None:
    """The Op that makes new axes, if nothing else is new."""
    kept = [a for a in order if a != "x"]
    if len(kept) == len(order) or kept != list(range(rank)):
        return None
    return wt.ExpandDims(tuple([k for k, a in enumerate(order) if a == "x"]))


@register_names("Shape")
def shape(op: Op, x: TensorVariable) -> TensorVariable:
    """The lengths as a vector."""
    return wt.stack(x.shape) if x.ndim else wt.zeros((0,), dtype="int64")


@register_names("Shape_i")
def length(op: Op, x: TensorVariable) -> TensorVariable:
    """One length."""
    return wt.as_tensor(x.shape[op.i]).astype("int64")


@register_names("SpecifyShape")
def specify_shape(op: Op, x: TensorVariable, *lengths: TensorVariable) -> TensorVariable:
    """What the lengths have to be."""
    return wt.specify_shape(x, *lengths)


@register_names("Reshape")
def reshape(op: Op, x: TensorVariable, shape: TensorVariable) -> TensorVariable:
    """The elements in another shape."""
    return wt.reshape(x, sizes_of(shape, op.ndim))


@register_names("JoinDims")
def join_axes(op: Op, x: TensorVariable) -> TensorVariable:
    """Several axes as one."""
    return wt.join_dims(x, op.start_axis, op.n_axes)


@register_names("SplitDims")
def split_axis(op: Op, x: TensorVariable, shape: TensorVariable) -> TensorVariable:
    """One axis as several."""
    return wt.split_dims(x, sizes_of(shape), op.axis)


@register_names("Alloc")
def alloc(op: Op, value: TensorVariable, *lengths: TensorVariable) -> TensorVariable:
    """A value in a larger shape."""
    return wt.alloc(value, *lengths)


@register_names("AllocEmpty")
def empty(op: Op, *lengths: TensorVariable) -> TensorVariable:
    """Memory, whose elements nobody reads."""
    return wt.zeros(lengths, dtype=op.dtype)


@register_names("MakeVector")
def make_vector(op: Op, *elements: TensorVariable) -> TensorVariable:
    """Numbers as a vector."""
    if not elements:
        return wt.zeros((0,), dtype=op.dtype)
    return wt.stack([v.astype(op.dtype) for v in elements])


@register_names("ARange")
def arange(op: Op, start: TensorVariable, stop: Op, step: TensorVariable) -> TensorVariable:
    """A range."""
    return wt.arange(start, stop, step, dtype=op.dtype)


@register_names("Eye")
def eye(op: Op, n: TensorVariable, m: TensorVariable, k: TensorVariable) -> TensorVariable:
    """Ones on a diagonal."""
    return wt.eye(n, m, k, dtype=op.dtype)


@register_names("Join")
def join(op: Op, *inputs: TensorVariable) -> TensorVariable:
    """Arrays along an axis, which is the first input or known to the Op."""
    axis, *arrays = (op.axis, *inputs) if hasattr(op, "axis") else inputs
    return wt.concatenate(arrays, axis_of(axis))


@register_names("Split")
def split(op: Op, x: TensorVariable, *rest: TensorVariable) -> list[TensorVariable]:
    """Parts along an axis, of lengths that are given."""
    axis, sizes = (op.axis, *rest) if hasattr(op, "axis") else rest
    return wt.split(x, axis=axis_of(axis), splits_size=sizes, n_splits=op.len_splits)


@register_names(
    *("ScalarFromTensor", "TensorFromScalar", "ViewOp", "DeepCopyOp", "CpuContiguous"),
    *("TypeCastingOp", "OutputGuard", "SpecifyAssumptions"),
)
def same(op: Op, x: TensorVariable) -> TensorVariable:
    """What is a matter of PyTensor's types and memory alone."""
    return x


@register_names("ExtractDiag")
def diagonal(op: Op, x: TensorVariable) -> TensorVariable:
    """A diagonal."""
    return wt.diagonal(x, op.offset, op.axis1, op.axis2)


@register_names("Repeat")
def repeat(op: Op, x: TensorVariable, repeats: TensorVariable) -> TensorVariable:
    """Elements several times."""
    return wt.repeat(x, repeats, op.axis)


@register_names("FillDiagonal")
def fill_diagonal(op: Op, x: TensorVariable, value: TensorVariable) -> TensorVariable:
    """Another diagonal."""
    return wt.fill_diagonal(x, value)


@register_names("FillDiagonalOffset")
def fill_diagonal_offset(
    op: Op, x: TensorVariable, value: TensorVariable, offset: TensorVariable
) -> TensorVariable:
    """Another diagonal beside the main one."""
    rows, columns = wt.arange(x.shape[0])[:, None], wt.arange(x.shape[1])
    return wt.where(wt.equal(columns - rows, offset), value, x)


@register_names("PermuteRowElements")
def permute(op: Op, x: TensorVariable, order: TensorVariable) -> TensorVariable:
    """Rows in other orders."""
    x, order = wt.broadcast_arrays(x, order)
    return wt.take_along_axis(x, wt.argsort(order) if op.inverse else order, -1)


@register_names("UnravelIndex")
def unravel_index(
    op: Op, places: TensorVariable, shape: TensorVariable
) -> tuple[TensorVariable, ...]:
    """Indices of elements in C order."""
    return wt.unravel_index(places, sizes_of(shape), op.order)


@register_names("RavelMultiIndex")
def ravel_multi_index(op: Op, *inputs: TensorVariable) -> TensorVariable:
    """Where elements are in C order."""
    *indices, shape = inputs
    return wt.ravel_multi_index(indices, sizes_of(shape, len(indices)), op.mode, op.order)
