"""Branches in Numba."""

from __future__ import annotations

from typing import Any

from weft_graph import Variable
from weft_numba.dispatch import numba_funcify
from weft_numba.source import compiled
from weft_tensor import IfElse

__all__ = ["numba_funcify_ifelse"]


@numba_funcify.register(IfElse)
def numba_funcify_ifelse(op: IfElse, *, node: Variable, **kwargs: Any) -> Any:
    """One of two tuples."""
    n = op.n_outs
    names = [f"x{k}" for k in range(2 * n)]
    # Arrays of different layouts can't be results of one function: all are made contiguous.
    types: list[Any] = [v.type for v in node.inputs[1:]]
    given = [
        f"np.ascontiguousarray({name})" if t.ndim else name
        for name, t in zip(names, types, strict=True)
    ]
    halves = [given[:n], given[n:]]
    results = [half[0] if n == 1 else f"({', '.join(half)})" for half in halves]
    return compiled(
        f"def lowered(condition, {', '.join(names)}):\n"
        f"    if condition:\n        return {results[0]}\n    return {results[1]}\n"
    )
