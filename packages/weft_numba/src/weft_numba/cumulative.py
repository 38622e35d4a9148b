"""Sums and products so far in Numba: one pass, in the order of memory."""

from __future__ import annotations

from typing import Any

from weft_graph import Variable
from weft_numba.dispatch import numba_funcify
from weft_numba.source import compiled, indices, nest
from weft_tensor import CumProd, CumSum

__all__ = ["numba_funcify_cumulative"]


@numba_funcify.register(CumSum)
@numba_funcify.register(CumProd)
def numba_funcify_cumulative(op: Any, *, node: Variable, **kwargs: Any) -> Any:
    """Each element from the one before it along the axis."""
    out: Any = node.type
    axes = indices(out.ndim)
    here = ", ".join(axes)
    before = ", ".join(f"{i} - 1" if a == op.axis else i for a, i in enumerate(axes))
    sign = "+" if isinstance(op, CumSum) else "*"
    body = [
        f"v = {out.dtype}(x[{here}])",
        f"if i{op.axis}:",
        f"    v = {out.dtype}(out[{before}] {sign} v)",
        f"out[{here}] = v",
    ]
    lines = ["def lowered(x):", f"    out = np.empty(x.shape, {out.dtype})"]
    lines += nest([f"x.shape[{a}]" for a in range(out.ndim)], body)
    lines.append("    return out")
    return compiled("\n".join(lines) + "\n")
