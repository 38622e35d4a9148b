"""What is the negative of what, in the form that rules give it."""

from __future__ import annotations

from typing import Any

from weft_graph import Constant, Rule
from weft_rewrites.dsl.equation import FLOATS
from weft_rewrites.dsl.notation import written
from weft_tensor import Elemwise, TensorVariable, constant

__all__ = ["is_opposite", "negated", "opposites"]

_MUL, _NEG, _SUB = Elemwise("mul"), Elemwise("neg"), Elemwise("sub")


def negated(z: TensorVariable) -> TensorVariable:
    """-z in the form that the other rules give it.

    >>> from weft_tensor import scalar
    >>> x, y = scalar("x"), scalar("y")
    >>> negated(x - y) is y - x, negated(-x) is x
    (True, True)
    """
    if z.op is _NEG:
        return z.inputs[0]
    if z.op is _SUB:
        return z.inputs[1] - z.inputs[0]
    if z.op is _MUL:
        for v, other in (z.inputs, z.inputs[::-1]):
            if type(v.op) is Constant and not v.ndim:
                c = constant(-v.op.value, v.dtype)
                return c * other if v is z.inputs[0] else other * c
    return -z


def is_opposite(z: TensorVariable, w: TensorVariable) -> bool:
    """Whether `w` is -z in that form, which need not be made to tell.

    >>> from weft_tensor import scalar
    >>> x, y = scalar("x"), scalar("y")
    >>> is_opposite(x - y, y - x), is_opposite(x, -x), is_opposite(x, y)
    (True, True, False)
    """
    if z.op is _NEG:
        return w is z.inputs[0]
    if z.op is _SUB:
        return w.op is _SUB and w.inputs[0] is z.inputs[1] and w.inputs[1] is z.inputs[0]
    if w.op is _MUL:
        return z.op is _MUL and w is negated(z)
    return w.op is _NEG and w.inputs[0] is z


def opposites(left: Any, right: Any, *, may_change: str = "") -> Rule:
    """A rule between real tensors, where the letter y stands for -x.

    >>> import weft_tensor as wt
    >>> from weft_rewrites.dsl.equation import letter
    >>> x, y, v = letter("x"), letter("y"), wt.vector("v")
    >>> even = opposites(wt.exp(x) + wt.exp(y), 2 * wt.cosh(x), may_change="rounding")
    >>> even(wt.exp(3 * v) + wt.exp(-3 * v)) is 2 * wt.cosh(3 * v)
    True
    """
    name = f"{written(left)} = {written(right)} where y = -x"
    return Rule(left, right, when=_are_opposite, name=name, may_change=may_change.split(", "))


def _are_opposite(node: TensorVariable, x: TensorVariable, y: TensorVariable) -> bool:
    dtype = node.dtype
    if not x.dtype == y.dtype == dtype or dtype not in FLOATS:
        return False
    (c, u), (d, v) = _scaled(x), _scaled(y)
    return (u is v and c == -d) or negated(x) is y or negated(y) is x


def _scaled(z: TensorVariable) -> tuple[float, TensorVariable]:
    """A number and what it multiplies, on whichever side."""
    if z.op is _NEG:
        return -1.0, z.inputs[0]
    if z.op is _MUL:
        for v, other in (z.inputs, z.inputs[::-1]):
            if type(v.op) is Constant and not v.ndim:
                return float(v.op.value), other
    return 1.0, z
