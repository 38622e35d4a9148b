"""Products of columns and rows, element by element: so they fuse with what takes them.

This comes last: other rules look for matrix products.
"""

from __future__ import annotations

from weft_graph import Rule
from weft_rewrites.dsl.equation import equation, letter
from weft_tensor import Matmul, TensorVariable

__all__ = ["rules"]


def _are_thin(a: TensorVariable, b: TensorVariable) -> bool:
    return min(a.ndim, b.ndim) > 1 and a.type.shape[-1] == b.type.shape[-2] == 1


a, b = letter("a"), letter("b")
rules: tuple[Rule, ...] = (
    equation(
        Matmul()(a, b),
        a * b,
        when=_are_thin,
        name="column @ row = column * row",
        may_change="zero sign",
    ),
)
"""All of them."""
