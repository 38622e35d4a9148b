"""Shifts of frequencies in Numba."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite.ir import IRBuilder, Value

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.numba_layer.permuted_axis import permuted
from weft_tensor import FFTShift

__all__ = ["numba_funcify_fftshift"]


@numba_funcify.register(FFTShift)
def numba_funcify_fftshift(op: FFTShift, **kwargs: object) -> Callable[..., object]:
    """Each element to its place, in one pass."""
    return permuted(str(op), op.axis, _unshifted if op.inverse else _shifted)


def _shifted(builder: IRBuilder, k: Value, n: Value) -> Value:
    return _ahead(builder, k, n, builder.ashr(builder.add(n, n.type(1)), n.type(1)))


def _unshifted(builder: IRBuilder, k: Value, n: Value) -> Value:
    return _ahead(builder, k, n, builder.ashr(n, n.type(1)))


def _ahead(builder: IRBuilder, k: Value, n: Value, first: Value) -> Value:
    at = builder.add(k, first)
    return builder.select(builder.icmp_signed(">=", at, n), builder.sub(at, n), at)
