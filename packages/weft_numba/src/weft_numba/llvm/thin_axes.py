"""Kernels whose innermost axis turns out to have length 1: a loop of one step is no loop to be in.

Only the call tells. So short kernels have a second nest, without that axis, for arrays such as
columns: what the machine does to begin and end a loop takes longer than a step in it.
"""

from __future__ import annotations

from typing import Final

from weft_numba.ir.kernel import Kernel
from weft_numba.llvm.scatter_address import INDICES

__all__ = ["can_be_thin", "thin"]

_SHORT: Final = 8
"""Kernels of more statements than this take as long for each point as a loop of one step."""


def can_be_thin(kernel: Kernel) -> bool:
    """Whether there should be a nest for the case that the innermost axis has length 1.

    >>> can_be_thin(Kernel((), (), (), ()))
    False
    """
    inner = kernel.ndim - 1
    return (
        kernel.ndim > 1
        and kernel.lengths[inner].known is None
        and len(kernel.statements) <= _SHORT
        and not any(o.table for o in kernel.operands)
        and not any(r.scatters or r.compresses or r.accumulates for r in kernel.results)
        and not any(s.name in INDICES for s in kernel.statements)
    )


def thin(kernel: Kernel) -> Kernel:
    """The same kernel without its innermost axis, whose length is 1."""
    inner = kernel.ndim - 1
    operands = [
        o._replace(view=o.view[:inner], extent=o.extent[:inner]) if o.ndim else o
        for o in kernel.operands
    ]
    results = [r._replace(kept=tuple([a for a in r.kept if a != inner])) for r in kernel.results]
    return kernel._replace(
        lengths=kernel.lengths[:inner], operands=tuple(operands), results=tuple(results)
    )
