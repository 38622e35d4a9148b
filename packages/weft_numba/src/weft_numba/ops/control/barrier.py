"""Barriers in Numba, which computes nodes in their order and merges none."""

from __future__ import annotations

from numba.core.dispatcher import Dispatcher

from weft_graph import Variable
from weft_graph.extend import Barrier
from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled

__all__ = ["numba_funcify_barrier"]


@numba_funcify.register(Barrier)
def numba_funcify_barrier(op: Barrier, *, node: Variable, **kwargs: object) -> Dispatcher:
    """The first argument."""
    others = "".join(f", x{k}" for k in range(1, len(node.inputs)))
    return compiled(f"def lowered(x0{others}):\n    return x0\n")
