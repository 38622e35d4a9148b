"""Conversion of dtypes in Numba."""

from __future__ import annotations

from typing import Any

from weft_graph import Variable
from weft_numba.dispatch import numba_funcify
from weft_numba.source import compiled
from weft_tensor import Cast

__all__ = ["numba_funcify_cast"]


@numba_funcify.register(Cast)
def numba_funcify_cast(op: Cast, *, node: Variable, **kwargs: Any) -> Any:
    """`astype` for arrays, a conversion for scalars."""
    x: Any = node.inputs[0].type
    part = ".real" if x.dtype.startswith("complex") and not op.dtype.startswith("complex") else ""
    if op.dtype == "bool" or not x.ndim:
        scalar = "x != 0" if op.dtype == "bool" else f"{op.dtype}(x{part})"
        if not x.ndim:
            return compiled(f"def lowered(x):\n    return {scalar}\n")
        return compiled("def lowered(x):\n    return x != 0\n")
    return compiled(f"def lowered(x):\n    return x{part}.astype({op.dtype})\n")
