"""Repeating elements: left out where broadcasting does it anyway, else done last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from math import prod
from typing import Any

import numpy as np

from weft_graph import Each, Rule, rule
from weft_rewrites.dsl.conditions import keeps_lengths, nonnegative
from weft_rewrites.dsl.equation import equation, letter, literal, others
from weft_rewrites.ops.shape.axes import expanded
from weft_tensor import (
    BroadcastTo,
    Cast,
    Elemwise,
    ExpandDims,
    IndexUpdate,
    Max,
    Min,
    Prod,
    Sum,
    TensorVariable,
    constant,
)
from weft_tensor.extend import (
    AxisReduction,
    Tensors,
    has_lengths,
    is_length_of,
    same_size,
    static_length,
)

__all__ = ["ends_in", "rules", "without_front"]

_STEPS = 8
_BROADCAST = BroadcastTo()


def without_front(v: Any) -> TensorVariable:
    """`v` without new axes in front, which broadcasting adds by itself."""
    axes = v.op.axis
    front = 0
    while front < len(axes) and axes[front] == front:
        front += 1
    return expanded(v.inputs[0], [a - front for a in axes[front:]]) if front else v


@rule(Elemwise, over=ExpandDims, name="elementwise function of new axes in front")
def _front_axes(node: TensorVariable) -> TensorVariable | None:
    inputs = node.inputs
    for v in inputs:
        if type(v.op) is ExpandDims:
            break
    else:
        return None
    shorter = [without_front(v) if type(v.op) is ExpandDims else v for v in inputs]
    if max(v.ndim for v in shorter) < node.ndim:
        return None
    new = node.op(*shorter)
    return new if new is not node and keeps_lengths(node.type, new.type) else None


@rule(Elemwise, over=BroadcastTo, name="elementwise function of what broadcasts by itself")
def _dropped(node: TensorVariable) -> TensorVariable | None:
    """An operand need not be repeated to a shape that another operand has."""
    inputs = node.inputs
    if len(inputs) == 1:
        return None
    for place, v in enumerate(inputs):
        if type(v.op) is not BroadcastTo:
            continue
        sizes = v.inputs[1:]
        if any(ends_in(w, sizes) for w in _others(inputs, place)):
            new = node.op(*inputs[:place], v.inputs[0], *inputs[place + 1 :])
            if keeps_lengths(node.type, new.type):
                return new
    return None


def _others(inputs: Tensors, place: int) -> Iterator[TensorVariable]:
    return (w for at, w in enumerate(inputs) if at != place)


def ends_in(v: TensorVariable, sizes: Sequence[TensorVariable]) -> bool:
    """Whether the last axes of `v` provably have the lengths `sizes`, as a few steps tell."""
    if v.ndim < len(sizes):
        return False
    for _ in range(_STEPS):
        if type(v.op) is BroadcastTo:
            is_end = all(map(same_size, v.inputs[1 + v.ndim - len(sizes) :], sizes))
        else:
            is_end = all(map(is_length_of, repeat(v), range(v.ndim - len(sizes), v.ndim), sizes))
        if is_end:
            return True
        tensors = [w for w in v.inputs if w.ndim] if type(v.op) is Elemwise else []
        if type(v.op) is IndexUpdate:
            tensors = [v.inputs[0]]
        if len(tensors) != 1:
            return False
        (v,) = tensors
    return False


@rule(Elemwise, over=BroadcastTo, name="elementwise function of repeated elements")
def _repeated_last(node: TensorVariable) -> TensorVariable | None:
    """Elements that are repeated are computed once."""
    sizes = None
    for v in node.inputs:
        if type(v.op) is BroadcastTo:
            if sizes is not None and v.inputs[1:] != sizes:
                return None
            sizes = v.inputs[1:]
        elif any(n != 1 for n in v.type.shape):
            return None
    if sizes is None or len(sizes) < node.ndim:
        return None
    small = node.op(*[v.inputs[0] if type(v.op) is BroadcastTo else v for v in node.inputs])
    new = _BROADCAST(small, *sizes)
    return new if keeps_lengths(node.type, new.type) else None


def _is_summand(f: Sum, c: Any, n: Tensors) -> bool:
    """Whether all of a repeated number is summed, finite so that it may be repeated 0 times.

    Lengths must be known not to be negative, as the check goes with what is repeated.
    """
    is_whole = len(f.axis) == len(n) and not c.ndim
    return is_whole and bool(np.isfinite(c.op.value)) and all(nonnegative(_number(k)) for k in n)


def _sum_of_number(node: TensorVariable, c: TensorVariable, n: Tensors) -> TensorVariable:
    total = c.astype(node.dtype)
    for size in n:
        if static_length(size) != 1:
            total = total * _number(size).astype(node.dtype)
    return total


def _is_repeated(f: AxisReduction, x: TensorVariable, n: Tensors) -> bool:
    """Whether a number, repeated so often as is known and at least once, is reduced to one."""
    return all(map(_known, n)) and not x.ndim and len(f.axis) == len(n)


def _count(n: Tensors) -> int:
    return prod(map(_known, n))


def _known(size: TensorVariable) -> int:
    """A length; 0 if it is not known."""
    length = static_length(size)
    return length if isinstance(length, int) else 0


def _number(size: TensorVariable) -> TensorVariable:
    length = static_length(size)
    return constant(length, "int64") if isinstance(length, int) else size


x, c, n, gone = letter("x"), literal("c"), others("n"), others("gone")
rules: tuple[Rule, ...] = (
    equation(
        BroadcastTo()(x, n),
        x,
        of=None,
        when=lambda x, n: has_lengths(x, n),
        name="broadcast_to the same shape",
    ),
    equation(
        BroadcastTo()(BroadcastTo()(x, gone), n),
        BroadcastTo()(x, n),
        of=None,
        name="broadcast_to of broadcast_to",
    ),
    equation(
        BroadcastTo()(Each(ExpandDims, "f")(x), n),
        lambda f, x, n: _BROADCAST(without_front(f(x)), *n),
        of=None,
        when=lambda f: f.axis[:1] == (0,),
        name="broadcast_to of new axes in front",
    ),
    _front_axes,
    _repeated_last,
    _dropped,
    equation(
        Each(Cast, "f")(BroadcastTo()(x, n)),
        BroadcastTo()(Each(Cast, "f")(x), n),
        of=None,
        name="cast of repeated elements",
    ),
    equation(
        Each(Sum, "f")(BroadcastTo()(c, n)),
        _sum_of_number,
        of=None,
        when=_is_summand,
        name="sum of a repeated number",
    ),
    *(
        equation(
            Each(kind, "f")(BroadcastTo()(x, n)),
            right,
            when=_is_repeated,
            name=f"{kind.__name__.lower()}(full(n, x)) = {shown}",
            may_change=may_change,
        )
        for kind, right, shown, may_change in (
            (Sum, lambda x, n: x * _count(n), "n * x", "rounding"),
            (Prod, lambda x, n: x ** float(_count(n)), "x ** n", "rounding"),
            (Max, lambda x: x, "x", ""),
            (Min, lambda x: x, "x", ""),
        )
    ),
)
"""All of them."""
