"""Lengths in Numba."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft_numba.lowering.dispatch import EXPRESSIONS, numba_funcify
from weft_numba.lowering.njit_source import compiled
from weft_tensor import Length

__all__ = ["numba_funcify_length"]


@numba_funcify.register(Length)
def numba_funcify_length(op: Length, **kwargs: object) -> Any:
    """From the array's shape."""
    return compiled(f"def lowered(x):\n    return {_expression(op, ['x'])}\n")


def _expression(op: Length, names: Sequence[str]) -> str:
    return f"{names[0]}.shape[{op.axis}]"


EXPRESSIONS[Length] = _expression
