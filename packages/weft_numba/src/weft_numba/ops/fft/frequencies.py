"""Shifts of frequencies in Numba."""

from __future__ import annotations

from typing import Any

from numba.core.dispatcher import Dispatcher

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled, indices, nest
from weft_numba.numba_layer.new_array import new_array
from weft_tensor import FFTShift

__all__ = ["numba_funcify_fftshift"]


@numba_funcify.register(FFTShift)
def numba_funcify_fftshift(op: FFTShift, *, node: Any, **kwargs: object) -> Dispatcher:
    """Each element to its place, in one pass."""
    ndim = node.type.ndim
    dtype = "bool_" if node.type.dtype == "bool" else node.type.dtype
    here = indices(ndim)
    there = [*here[: op.axis], "at", *here[op.axis + 1 :]]
    lines = [
        "def lowered(x):",
        f"    n = x.shape[{op.axis}]",
        f"    first = {'n // 2' if op.inverse else '(n + 1) // 2'}",
        f"    out = new_array(x.shape, {dtype})",
        *nest(
            [f"x.shape[{axis}]" for axis in range(ndim)],
            [
                f"at = i{op.axis} + first",
                "at -= n if at >= n else 0",
                f"out[{', '.join(here)}] = x[{', '.join(there)}]",
            ],
        ),
        "    return out",
    ]
    return compiled("\n".join(lines) + "\n", new_array=new_array)
