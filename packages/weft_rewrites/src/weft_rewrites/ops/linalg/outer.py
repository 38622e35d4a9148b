"""Products of columns and rows, element by element: so they fuse with what takes them.

This comes last: other rules look for matrix products.
"""

from __future__ import annotations

from weft_graph import Rule, rule
from weft_tensor import Matmul, TensorVariable

__all__ = ["rules"]


@rule(Matmul, name="column @ row = column * row", may_change="zero sign")
def _outer(node: TensorVariable) -> TensorVariable | None:
    a, b = node.inputs
    if min(a.ndim, b.ndim) < 2 or node.type.numpy_dtype.kind != "f":
        return None
    return a * b if a.type.shape[-1] == b.type.shape[-2] == 1 else None


rules: tuple[Rule, ...] = (_outer,)
"""All of them."""
