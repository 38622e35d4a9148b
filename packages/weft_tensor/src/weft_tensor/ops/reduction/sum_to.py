"""Cotangents: the reverse of broadcasting is to sum over the axes that were stretched.

And that of choosing is 0 for what was not chosen, whatever its slope is there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weft_graph import Constant
from weft_tensor.build.applied import applied
from weft_tensor.build.kinds import Pointwise, SumOver
from weft_tensor.build.op import Cotangents, Examples, TensorOp, Tensors, Value, kind_of
from weft_tensor.build.variable import Size, TensorVariable
from weft_tensor.ops.reduction.base import Sum
from weft_tensor.ops.shape.length import (
    as_operands,
    as_size,
    has_lengths,
    lengths_of,
    static_length,
)
from weft_tensor.types.symbolic_dims import Length
from weft_tensor.types.tensor_type import TensorType

__all__ = ["SumTo", "choice_in", "sum_to", "sum_to_shape_of", "without_stack"]


class SumTo(TensorOp):
    """Sum the first input over the axes on which the lengths that follow are 1 and its are not.

    Inputs are a tensor and one int64 scalar per axis of it.
    """

    view_of = (0,)
    linear = slice(1)
    primitive = True
    facts = (
        "nonnegative if nonnegative; nonpositive if nonpositive; integer if integer; "
        "no_negative_zero if no_negative_zero; "
        "not_nan if not_nan nonnegative or not_nan nonpositive"
    )

    def infer(self, *types: TensorType) -> TensorType:
        """Of unknown lengths: the call decides."""
        x, *lengths = types
        if len(lengths) != x.ndim:
            raise ValueError(f"sum_to needs {x.ndim} lengths, got {len(lengths)}")
        return TensorType(x.dtype, [None] * x.ndim)

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.sum` over the axes that differ."""
        x, *lengths = values
        axes = tuple(i for i, n in enumerate(lengths) if n == 1 and x.shape[i] != 1)
        return np.sum(x, axis=axes, keepdims=True, dtype=x.dtype) if axes else x

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """The cotangent, broadcast back."""
        x, *lengths = inputs
        return [cotangents[0].broadcast_to(x.shape), *([None] * len(lengths))]

    def kind(self, *inputs: TensorVariable) -> SumOver:
        """Over what the call tells."""
        return SumOver()

    @classmethod
    def examples(cls) -> Examples:
        """Over one axis, over both, over none."""
        x = np.arange(6.0).reshape(2, 3)
        return [(cls(), [x, *map(np.int64, s)]) for s in ((1, 3), (2, 1), (1, 1), (2, 3))]

    def __str__(self) -> str:
        return "sum_to"


_sum_to = SumTo()


def sum_to(x: TensorVariable, lengths: Sequence[Size]) -> TensorVariable:
    """`x` summed so that its shape is `lengths`, which broadcast to the shape of `x`.

    What the types know is decided here; only the rest is left to the call.
    """
    extra = x.ndim - len(lengths)
    if extra:
        x = Sum(tuple(range(extra)))(x)
    ones = [
        axis
        for axis, (length, own) in enumerate(zip(lengths, x.type.shape, strict=True))
        if own != 1 and static_length(length) == 1
    ]
    if ones:
        x = Sum(tuple(ones))(x).expand_dims(tuple(ones))
    if has_lengths(x, lengths):
        return x
    return applied(_sum_to, (x, *map(as_size, lengths)))


def without_stack(g: TensorVariable, x: TensorVariable) -> TensorVariable:
    """`g`, summed over the axes of a stack along which `x`, of the same matrices, was repeated."""
    if g.ndim == x.ndim <= 2:
        return g
    return sum_to(g, (*lengths_of(x)[:-2], *lengths_of(g)[-2:]) if x.ndim > 1 else lengths_of(x))


def sum_to_shape_of(g: TensorVariable, x: TensorVariable, inputs: Tensors) -> TensorVariable:
    """The cotangent `g` of a broadcast result as that of the input `x`, in its dtype.

    Axes of `x` that the other `inputs` can't have stretched are left alone.
    """
    if g.type is x.type and None not in x.type.shape:
        return g
    if g.ndim == x.ndim and all(v is x or not v.ndim for v in inputs):
        return g.astype(x.dtype)  # numbers stretch nothing
    target: list[Size] = list(lengths_of(x))
    offset = g.ndim - x.ndim
    for axis, length in enumerate(x.type.shape):
        if length == 1:
            continue
        others = [_length_behind(v, x.ndim - axis) for v in inputs if v is not x]
        if all(other in (1, length) and other is not None for other in others):
            target[axis] = lengths_of(g)[axis + offset]
    return sum_to(g.astype(x.dtype), target)


def _length_behind(v: TensorVariable, behind: int) -> Length:
    """The length of the axis that is number `behind` from the end; 1 where there is none."""
    return v.type.shape[-behind] if behind <= v.ndim else 1


def choice_in(g: Any) -> tuple[Any, Callable[[Any], Any]]:
    """What a cotangent is where it is not 0 by choice, and the same choice of something else.

    >>> from weft_tensor import vector, where
    >>> x, g = vector("x"), vector("g")
    >>> inside, chosen = choice_in(where(x > 0, g, 0))
    >>> inside is g, chosen(g * x).eval({x: [-1.0, 2.0], g: [1.0, 1.0]})
    (True, array([0., 2.]))
    """
    whole, lengths = g, list(g.inputs[1:]) if isinstance(g.op, SumTo) else []
    while isinstance(whole.op, SumTo):
        whole = whole.inputs[0]
    choice = _choice(whole)
    if choice is None:
        return g, lambda part: part
    mask, inside = choice

    def chosen(part: Any) -> Any:
        further = _choice(part)
        both, value = (mask, part) if further is None else (mask & further[0], further[1])
        result = applied(whole.op, as_operands((both, value, 0)))
        return sum_to(result, lengths) if lengths else result

    return inside, chosen


def _choice(g: Any) -> tuple[Any, Any] | None:
    """Where it is not 0 by choice, and what it is there."""
    kind = kind_of(g)
    if not isinstance(kind, Pointwise) or kind.of != "where" or g.inputs[0].dtype != "bool":
        return None
    condition, x, y = g.inputs
    if _is_zero(y):
        return condition, x
    return (~condition, y) if _is_zero(x) else None


def _is_zero(v: Any) -> bool:
    return isinstance(v.op, Constant) and not v.op.value.any()
