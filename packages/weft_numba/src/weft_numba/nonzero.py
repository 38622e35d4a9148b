"""The positions of true elements in Numba: one pass over the mask."""

from __future__ import annotations

from typing import Any

from weft_graph import Variable
from weft_numba.dispatch import numba_funcify
from weft_numba.source import compiled, indices, nest
from weft_tensor import Nonzero

__all__ = ["numba_funcify_nonzero"]


@numba_funcify.register(Nonzero)
def numba_funcify_nonzero(op: Nonzero, *, node: Variable, **kwargs: Any) -> Any:
    """Writes the positions one behind another."""
    mask: Any = node.inputs[0].type
    axes = indices(mask.ndim)
    lines = ["def lowered(mask, count" + ", n" * (len(node.inputs) - 2) + "):"]
    if len(node.inputs) == 3:
        message = f"axis {op.axis} of the boolean mask has another length than what it indexes"
        lines += [
            f"    if n != mask.shape[{op.axis}]:",
            f"        raise IndexError({message!r})",
        ]
    lines += ["    out = np.empty(count, int64)", "    k = 0"]
    body = [
        f"if mask[{', '.join(axes)}]:",
        "    if k < count:",
        f"        out[k] = i{op.axis}",
        "    k += 1",
    ]
    lines += nest([f"mask.shape[{a}]" for a in range(mask.ndim)], body)
    lines += [
        "    if k != count:",
        "        raise ValueError('the mask has another number of true elements')",
        "    return out",
    ]
    return compiled("\n".join(lines) + "\n")
