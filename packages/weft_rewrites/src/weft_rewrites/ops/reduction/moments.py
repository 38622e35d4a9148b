"""Variances that cancel as they are written."""

from __future__ import annotations

from math import prod

from weft_graph import Constant, Rule, rule
from weft_rewrites.ops.linalg.identity import are_equal
from weft_rewrites.ops.shape.axes import expanded
from weft_tensor import Cast, Elemwise, Sum, TensorVariable, square
from weft_tensor.extend import lengths_of

__all__ = ["rules"]

_SUB, _DIV, _SQUARE = map(Elemwise, ("sub", "true_div", "square"))


@rule(
    _SUB,
    over=_DIV,
    name="mean(x²) - mean(x)² = mean((x - mean(x))²)",
    may_change=("rounding", "domain"),
)
def _variance(node: TensorVariable) -> TensorVariable | None:
    second, first = node.inputs
    if second.op is not _DIV or first.op is not _SQUARE or first.inputs[0].op is not _DIV:
        return None
    (mean,) = first.inputs
    squares, total = second.inputs[0], mean.inputs[0]
    if (
        type(total.op) is not Sum
        or squares.op is not total.op
        or mean.inputs[1] is not second.inputs[1]
    ):
        return None
    (x,) = total.inputs
    if squares.inputs[0].op is not _SQUARE or squares.inputs[0].inputs[0] is not x:
        return None
    if not _is_count(second.inputs[1], x, total.op.axis):
        return None
    return total.op(square(x - expanded(mean, list(total.op.axis)))) / second.inputs[1]


def _is_count(n: TensorVariable, x: TensorVariable, axes: tuple[int, ...]) -> bool:
    """Whether `n` is known to be how many elements of `x` there are over these axes."""
    if type(n.op) is Constant:
        known = [k for a in axes if isinstance(k := x.type.shape[a], int)]
        return not n.ndim and len(known) == len(axes) and bool(n.op.value == prod(known))
    if type(n.op) is not Cast or len(axes) != 1:
        return False
    return are_equal(n.inputs[0], lengths_of(x)[axes[0]])


rules: tuple[Rule, ...] = (_variance,)
"""All of them."""
