"""Orders of elements that cosine transforms need, in Numba."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite.ir import IntType, IRBuilder, Value

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.numba_layer.permuted_axis import permuted
from weft_tensor import EvensFirst

__all__ = ["numba_funcify_evens_first"]


@numba_funcify.register(EvensFirst)
def numba_funcify_evens_first(op: EvensFirst, **kwargs: object) -> Callable[..., object]:
    """Each element to its place, in one pass."""
    return permuted(str(op), -1, _back if op.inverse else _forth)


def _forth(builder: IRBuilder, k: Value, n: Value) -> Value:
    """2 k, or as far from the end, which is 2 n - 1."""
    twice = builder.add(k, k)
    other = builder.sub(builder.sub(builder.add(n, n), n.type(1)), twice)
    return builder.select(builder.icmp_signed("<", twice, n), twice, other)


def _back(builder: IRBuilder, k: Value, n: Value) -> Value:
    half, one = builder.ashr(k, n.type(1)), n.type(1)
    is_odd = builder.trunc(k, IntType(1))
    return builder.select(is_odd, builder.sub(builder.sub(n, half), one), half)
