"""Lengths of axes: found without computing the tensors that have them."""

from __future__ import annotations

from typing import Any

from weft_graph import Each, Item, Rule, rule
from weft_rewrites.dsl.conditions import has
from weft_rewrites.dsl.equation import equation, letter
from weft_rewrites.dsl.result import Result
from weft_tensor import (
    Cast,
    Dim,
    Elemwise,
    Length,
    SumTo,
    TensorType,
    TensorVariable,
    constant,
    facts,
    sum_to,
)
from weft_tensor.extend import (
    Slice,
    SliceLength,
    as_size,
    broadcast_length,
    inferred_shapes,
    length_of,
    length_of_part,
    same_size,
)

__all__ = ["of_elementwise", "rules"]

x = letter("x")
SIZE = frozenset({"int64"})
_ADD, _BROADCAST = Elemwise("add"), Elemwise("broadcast_length")
_STEPS = 8
_LOOKED_AT = 32


@rule(Length, name="length by name")
def _named(node: Result[Length]) -> TensorVariable | None:
    """One step towards the inputs: what has an axis of the same name has that length."""
    (x,) = node.inputs
    length = x.type.shape[node.op.axis]
    if not isinstance(length, Dim):
        return None
    for v in x.inputs:
        if type(v.type) is TensorType and length in v.type.shape:
            return Length(v.type.shape.index(length))(v)
    return None


@rule(Length, name="length of an elementwise function")
def of_elementwise(node: Result[Length]) -> TensorVariable | None:
    """A few steps at once towards the inputs, through functions of one tensor and scalars."""
    return _nearer(node)


def _nearer(length: Result[Length]) -> TensorVariable:
    """The same length, of a tensor nearer to the inputs if there is one."""
    x = _source(length.inputs[0])
    return length if x is length.inputs[0] else length_of(x, length.op.axis)


def _source(x: TensorVariable) -> TensorVariable:
    """A tensor of the shape of `x`, which is computed of it and scalars; perhaps `x` itself."""
    for _ in range(_STEPS):
        if type(x.op) not in (Cast, Elemwise):
            break
        tensors = [v for v in x.inputs if v.type.shape]
        if len(tensors) != 1:
            break
        (x,) = tensors
    return x


@rule(Length, name="length by infer_shape")
def _inferred(node: Result[Length]) -> TensorVariable | None:
    """One step towards the inputs: the lengths of what the tensor is made of."""
    (x,) = node.inputs
    if type(x.op) is Elemwise:
        return _of_operands(x, node.op.axis - x.ndim)
    whole, place = (x.inputs[0], x.op.index) if type(x.op) is Item else (x, 0)
    shapes = inferred_shapes(whole)
    if shapes is None:
        return None
    length: Any = as_size(shapes[place][node.op.axis])
    return _nearer(length) if type(length.op) is Length else length


def _of_operands(x: TensorVariable, axis: int) -> TensorVariable:
    """The length of one axis, counted from the last, of an elementwise function."""
    total: Any = None
    for v in x.inputs:
        shape = v.type.shape
        length = shape[axis] if len(shape) >= -axis else 1
        if length == 1:
            continue
        if isinstance(length, int):
            return constant(length, "int64")
        own = length_of(_source(v), len(shape) + axis)
        if total is None:
            total = own
        elif not same_size(total, own):
            total = broadcast_length(total, own)
    return constant(1, "int64") if total is None else total


_ALL_BUT_ONE = (Slice(1, None, None), Slice(None, -1, None))


def _left_out(part: Slice) -> int | None:
    """How many elements at both ends a slice leaves out, if there are so many; None for others."""
    begin, end = part.start or 0, part.stop
    if isinstance(begin, str) or isinstance(end, str) or part.step not in (None, 1):
        return None
    if begin < 0 or (end is not None and end >= 0):
        return None
    return begin - (end or 0)


def _all_but(*parts: Slice) -> Any:
    """The slice that leaves out, at the beginning, what all of these do; None if one does not."""
    numbers = [n for n in map(_left_out, parts) if n is not None]
    return Slice(sum(numbers), None, None) if len(numbers) == len(parts) else None


def _other_side(part: Slice) -> Slice | None:
    """What takes the elements that a slice from or to a place leaves; None for other slices."""
    begin, end, step = part
    is_side = step is None and (begin is None) != (end is None)
    return Slice(end, begin, None) if is_side else None


@rule(_ADD, over=SliceLength, name="length before a place and from there on")
def _both_sides(node: TensorVariable) -> TensorVariable | None:
    one, other = node.inputs
    if type(one.op) is not SliceLength or type(other.op) is not SliceLength:
        return None
    fits = one.inputs == other.inputs and _other_side(one.op.part) == other.op.part
    return one.inputs[0] if fits else None


@rule(SliceLength, over=SliceLength, name="length of as many as a slice of the axis takes")
def _as_many(node: Result[SliceLength]) -> TensorVariable | None:
    """So many from the beginning on, or all but so many."""
    size, *places = node.inputs
    many = places[0] if places else size
    if type(many.op) is not SliceLength or many.inputs[0] is not size:
        return None
    begin, end, step = node.op.part
    if step not in (None, 1):
        return None
    if begin in (None, 0):
        return many if len(places) == 1 else None
    rest = _other_side(many.op.part)
    to_the_end = end is None or places[-1] is size
    return SliceLength(rest)(*many.inputs) if rest and to_the_end else None


@rule(SliceLength, name="length of a part of a sum of lengths")
def _part(node: Result[SliceLength]) -> TensorVariable | None:
    """Of a block that is cut out of those that it was joined to."""
    return length_of_part(node.op.part, node.inputs, lambda n: has(n, facts.nonnegative))


@rule(_BROADCAST, name="broadcast_length of what is broadcast already")
def _broadcast_within(node: TensorVariable) -> TensorVariable | None:
    """One of both, if all lengths that the other is of are among its own."""
    one, other = node.inputs
    own, others = _all_broadcast(one), _all_broadcast(other)
    if own is None or others is None:
        return None
    if others <= own:
        return one
    return other if own <= others else None


def _all_broadcast(length: TensorVariable) -> set[TensorVariable] | None:
    """What `length` is the broadcast of; itself if it is none. None if that takes long to see."""
    seen, open_ = set[TensorVariable](), [length]
    while open_:
        n = open_.pop()
        if n not in seen:
            seen.add(n)
            open_ += n.inputs if n.op == _BROADCAST else ()
        if len(seen) > _LOOKED_AT:
            return None
    return {n for n in seen if n.op != _BROADCAST}


@rule(SumTo, name="sum_to decided by types")
def _sum_to(node: TensorVariable) -> TensorVariable:
    x, *lengths = node.inputs
    return sum_to(x, lengths)


rules: tuple[Rule, ...] = (
    equation(
        Each(Length, "length")(x),
        lambda length, x: constant(x.type.shape[length.axis], "int64"),
        of=None,
        when=lambda length, x: isinstance(x.type.shape[length.axis], int),
        name="length that the type knows",
    ),
    of_elementwise,
    _named,
    _inferred,
    equation(
        Each(SliceLength, "part")(x + 1),
        lambda x: x,
        of=SIZE,
        when=lambda part, x: part.part in _ALL_BUT_ONE and has(x, facts.nonnegative),
        name="length of all but the first, or all but the last",
    ),
    equation(
        Each(SliceLength, "part")(x),
        lambda part, x: SliceLength(_all_but(part.part))(x),
        of=SIZE,
        when=lambda part, x: _all_but(part.part) not in (None, part.part),
        name="length of all but some: which these are does not matter",
    ),
    equation(
        Each(SliceLength, "part")(Each(SliceLength, "whole")(x)),
        lambda part, whole, x: SliceLength(_all_but(part.part, whole.part))(x),
        of=SIZE,
        when=lambda part, whole, x: _all_but(part.part, whole.part) is not None,
        name="length of all but some of all but some",
    ),
    _both_sides,
    _as_many,
    _part,
    _sum_to,
    _broadcast_within,
    equation(broadcast_length(x, 1), x, of=SIZE, name="broadcast_length(n, 1) = n"),
    equation(broadcast_length(1, x), x, of=SIZE, name="broadcast_length(1, n) = n"),
)
"""All of them."""
