"""Transposes in Numba."""

from __future__ import annotations

from typing import Any

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled
from weft_numba.numba_layer.views import Kept, view
from weft_tensor import Transpose

__all__ = ["numba_funcify_transpose"]


@numba_funcify.register(Transpose)
def numba_funcify_transpose(op: Transpose, **kwargs: object) -> Any:
    """A view."""
    return (
        view(tuple(map(Kept, op.axes))) if op.axes else compiled("def lowered(x):\n    return x\n")
    )
