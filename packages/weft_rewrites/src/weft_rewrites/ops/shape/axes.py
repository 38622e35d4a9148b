"""Axes in other orders, added, dropped, joined: chains of these become one step, or none."""

from __future__ import annotations

from typing import Final

from weft_graph import Rule, rule
from weft_rewrites.dsl.result import Result
from weft_tensor import (
    Cast,
    Elemwise,
    ExpandDims,
    Index,
    Matmul,
    Reshape,
    Squeeze,
    TensorVariable,
    Transpose,
)
from weft_tensor.extend import ARRAY, NEW, Slice, Stack, has_lengths

__all__ = ["expanded", "rules", "squeezed", "through_new_axes"]


_SWAPPED: Final = Transpose((1, 0))


def expanded(x: TensorVariable, axes: list[int]) -> TensorVariable:
    """`x` with new axes at the places `axes`; itself if there are none."""
    return ExpandDims(tuple(sorted(axes)))(x) if axes else x


def squeezed(x: TensorVariable, axes: list[int]) -> TensorVariable:
    """`x` without the axes `axes`; itself if there are none."""
    return Squeeze(tuple(sorted(axes)))(x) if axes else x


def through_new_axes(
    dropped: tuple[int, ...], new: tuple[int, ...], ndim: int
) -> tuple[list[int], list[int]]:
    """Dropping axes after adding some, the other way round.

    Of a tensor with new axes at `new`, `ndim` in all, the axes `dropped` are dropped. The
    same comes of dropping the first list of axes and then adding the second.

    >>> through_new_axes((0, 2), (0, 3), 4)
    ([1], [1])
    """
    old = [a for a in range(ndim) if a not in new]
    kept = [a for a in range(ndim) if a not in dropped]
    return (
        [place for place, a in enumerate(old) if a in dropped],
        [place for place, a in enumerate(kept) if a in new],
    )


@rule(Transpose, over=Transpose, name="transpose of a transpose")
def _transpose_of_transpose(node: Result[Transpose]) -> TensorVariable | None:
    (mid,) = node.inputs
    if type(mid.op) is not Transpose:
        return None
    return mid.inputs[0].transpose([mid.op.axes[a] for a in node.op.axes])


@rule(Matmul, over=Transpose, name="product of a transposed matrix and a vector")
def _transposed_times_vector(node: TensorVariable) -> TensorVariable | None:
    """The vector on the other side: nothing has to be copied into another order."""
    a, b = node.inputs
    if (a.ndim, b.ndim) == (2, 1) and a.op == _SWAPPED:
        return node.op(b, a.inputs[0])
    if (a.ndim, b.ndim) == (1, 2) and b.op == _SWAPPED:
        return node.op(b.inputs[0], a)
    return None


@rule(Transpose, name="transpose that keeps the order")
def _idle_transpose(node: Result[Transpose]) -> TensorVariable | None:
    axes = node.op.axes
    return node.inputs[0] if axes == tuple(range(len(axes))) else None


@rule(ExpandDims, name="no new axes")
def _idle_expand_dims(node: Result[ExpandDims]) -> TensorVariable | None:
    return None if node.op.axis else node.inputs[0]


@rule(ExpandDims, over=ExpandDims, name="expand_dims of expand_dims")
def _expand_dims_of_expand_dims(node: Result[ExpandDims]) -> TensorVariable | None:
    (mid,) = node.inputs
    if type(mid.op) is not ExpandDims:
        return None
    outer = node.op.axis
    places = [a for a in range(node.ndim) if a not in outer]
    return expanded(mid.inputs[0], [*outer, *(places[a] for a in mid.op.axis)])


@rule(ExpandDims, over=Squeeze, name="expand_dims of squeeze")
def _expand_dims_of_squeeze(node: Result[ExpandDims]) -> TensorVariable | None:
    (mid,) = node.inputs
    if type(mid.op) is not Squeeze or mid.op.axis != node.op.axis:
        return None
    (x,) = mid.inputs
    return x if all(x.type.shape[a] == 1 for a in mid.op.axis) else None


@rule(Squeeze, name="no axes to squeeze")
def _idle_squeeze(node: Result[Squeeze]) -> TensorVariable | None:
    return None if node.op.axis else node.inputs[0]


@rule(Squeeze, over=Squeeze, name="squeeze of squeeze")
def _squeeze_of_squeeze(node: Result[Squeeze]) -> TensorVariable | None:
    (mid,) = node.inputs
    if type(mid.op) is not Squeeze:
        return None
    (x,) = mid.inputs
    places = [a for a in range(x.ndim) if a not in mid.op.axis]
    return squeezed(x, [*mid.op.axis, *(places[a] for a in node.op.axis)])


@rule(Squeeze, over=ExpandDims, name="squeeze of expand_dims")
def _squeeze_of_expand_dims(node: Result[Squeeze]) -> TensorVariable | None:
    (mid,) = node.inputs
    if type(mid.op) is not ExpandDims:
        return None
    dropped, new = through_new_axes(node.op.axis, mid.op.axis, mid.ndim)
    return expanded(squeezed(mid.inputs[0], dropped), new)


@rule(Reshape, over=(Reshape, ExpandDims, Squeeze), name="reshape of reshape")
def _reshape_of_reshape(node: TensorVariable) -> TensorVariable | None:
    mid, *lengths = node.inputs
    if type(mid.op) not in (Reshape, ExpandDims, Squeeze):
        return None
    return Reshape()(mid.inputs[0], *lengths)


@rule(Reshape, name="reshape to the same shape")
def _idle_reshape(node: TensorVariable) -> TensorVariable | None:
    x, *lengths = node.inputs
    return x if has_lengths(x, lengths) else None


@rule(Index, name="index that takes everything")
def _idle_index(node: Result[Index]) -> TensorVariable | None:
    if not all(isinstance(e, Slice) and e.is_full for e in node.op.entries):
        return None
    return node.inputs[0]


@rule(Index, name="new axes by indexing")
def _new_axes(node: Result[Index]) -> TensorVariable | None:
    """x[:, None, 0] is x[:, 0] with a new axis."""
    entries = node.op.entries
    if NEW not in entries or ARRAY in entries:
        return None
    axes = [e for e in entries if e == NEW or isinstance(e, Slice)]
    new = [place for place, e in enumerate(axes) if e == NEW]
    return expanded(Index(tuple(e for e in entries if e != NEW))(*node.inputs), new)


@rule(Index, over=Stack, name="element of a stack")
def _element_of_stack(node: Result[Index]) -> TensorVariable | None:
    mid = node.inputs[0]
    if type(mid.op) is not Stack:
        return None
    first, *others = node.op.entries
    if type(first) is not int or not all(isinstance(e, Slice) and e.is_full for e in others):
        return None
    return mid.inputs[first].astype(node.dtype)


@rule(Elemwise, over=ExpandDims, name="function of expand_dims")
def _function_of_expand_dims(node: TensorVariable) -> TensorVariable | None:
    """New axes are added last, to the result of a function of one variable."""
    if len(node.inputs) != 1 or type(node.inputs[0].op) is not ExpandDims:
        return None
    (mid,) = node.inputs
    return mid.op(node.op(mid.inputs[0]))


@rule(Cast, over=ExpandDims, name="cast of expand_dims")
def _cast_of_expand_dims(node: TensorVariable) -> TensorVariable | None:
    (mid,) = node.inputs
    return mid.op(node.op(mid.inputs[0])) if type(mid.op) is ExpandDims else None


rules: tuple[Rule, ...] = (
    _transposed_times_vector,
    _idle_transpose,
    _transpose_of_transpose,
    _idle_expand_dims,
    _expand_dims_of_expand_dims,
    _expand_dims_of_squeeze,
    _idle_squeeze,
    _squeeze_of_squeeze,
    _squeeze_of_expand_dims,
    _idle_reshape,
    _reshape_of_reshape,
    _idle_index,
    _new_axes,
    _element_of_stack,
    _function_of_expand_dims,
    _cast_of_expand_dims,
)
"""All of them."""
