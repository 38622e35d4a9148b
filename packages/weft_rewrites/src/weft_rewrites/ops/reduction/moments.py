"""Variances that cancel as they are written."""

from __future__ import annotations

from math import prod

from weft_graph import Constant, Each, Rule
from weft_rewrites.dsl.equation import equation, letter
from weft_rewrites.ops.linalg.identity import are_equal
from weft_rewrites.ops.shape.axes import expanded
from weft_tensor import Cast, Sum, TensorVariable, square
from weft_tensor.extend import lengths_of

__all__ = ["rules"]


def _is_count(f: Sum, n: TensorVariable, x: TensorVariable) -> bool:
    """Whether `n` is known to be how many elements of `x` are summed up."""
    axes = f.axis
    if type(n.op) is Constant:
        lengths = [k for a in axes if isinstance(k := x.type.shape[a], int)]
        return not n.ndim and len(lengths) == len(axes) and bool(n.op.value == prod(lengths))
    if type(n.op) is not Cast or len(axes) != 1:
        return False
    return are_equal(n.inputs[0], lengths_of(x)[axes[0]])


def _variance(f: Sum, n: TensorVariable, x: TensorVariable) -> TensorVariable:
    return f(square(x - expanded(f(x) / n, list(f.axis)))) / n


n, x = letter("n"), letter("x")
_TOTAL = Each(Sum, "f")
rules: tuple[Rule, ...] = (
    equation(
        _TOTAL(square(x)) / n - square(_TOTAL(x) / n),
        _variance,
        when=_is_count,
        name="mean(x²) - mean(x)² = mean((x - mean(x))²)",
        may_change="rounding, domain",
    ),
)
"""All of them."""
