"""The discrete Riccati equation in Numba, by doubling."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.numba_layer.linalg.batched_matrix import MatrixOperation, Part, callable_operation
from weft_numba.numba_layer.linalg.blas import I32, I64
from weft_numba.numba_layer.linalg.lapack import at_least_one, by_columns, informed, is_finite
from weft_numba.numba_layer.linalg.matrices import Matrix, Memory, contiguous, copy
from weft_numba.ops.matrices.exponential import combine, largest_sum, multiply
from weft_tensor import Riccati, TensorVariable

__all__ = ["write_riccati"]

_ONE: Final = I64(1)
_FINE: Final = I32(0)
_STEPS: Final = 60


def write_riccati(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
) -> Value:
    """Steps until the solution changes no more; gives 1 if that takes too many."""
    dtype, n = inputs[0].dtype, lengths["n"]
    a, g, h = (by_columns(builder, memory, x) for x in inputs)
    inner, of_a, of_g, half, change = (memory.matrix(dtype, n, n) for _ in range(5))
    ipiv, apart = memory.take(n, 4), at_least_one(builder, n)
    count = cgutils.alloca_once(builder, I64)
    builder.store(I64(0), count)
    status = cgutils.alloca_once(builder, I32)
    builder.store(I32(1), status)
    step, done = (builder.append_basic_block(name) for name in ("step", "done"))
    builder.branch(step)
    builder.position_at_end(step)
    multiply(builder, g, h, inner)
    combine(builder, inner, [inner], [1.0], 1.0)
    copy(builder, a, of_a)
    copy(builder, g, of_g)
    informed(builder, dtype, "getrf", n, n, inner.data, apart, ipiv)
    for right in (of_a, of_g):
        arguments = "N", n, n, inner.data, apart, ipiv, right.data, apart
        informed(builder, dtype, "getrs", *arguments)
    multiply(builder, h, of_a, half)
    multiply(builder, a, half, change, "CN")
    combine(builder, h, [h, change], [1.0, 1.0], 0.0)
    multiply(builder, a, of_g, half)
    multiply(builder, half, a, of_g, "NC")
    combine(builder, g, [g, of_g], [1.0, 1.0], 0.0)
    multiply(builder, a, of_a, half)
    copy(builder, half, a)
    size, left = largest_sum(builder, h), largest_sum(builder, change)
    limit = builder.fmul(size, size.type(float(np.finfo(dtype).eps)))
    converged = builder.and_(builder.fcmp_ordered("<=", left, limit), is_finite(builder, h))
    builder.store(builder.select(converged, _FINE, I32(1)), status)
    builder.store(builder.add(builder.load(count), _ONE), count)
    enough = builder.icmp_signed(">=", builder.load(count), I64(_STEPS))
    builder.cbranch(builder.or_(converged, enough), done, step)
    builder.position_at_end(done)
    copy(builder, h.transposed(), contiguous(builder, dtype, result, n, n))
    return builder.load(status)


@numba_funcify.register(Riccati)
def numba_funcify_riccati(
    op: Riccati, *, node: TensorVariable, parallel: bool = False, **kwargs: object
) -> Any:
    """By doubling."""
    part = Part("nn", node.type.dtype)
    failure = "solve_discrete_are: no stable solution was found"
    return callable_operation(
        MatrixOperation(
            "riccati", (part,) * 3, (part,), write_riccati, failure, "", "nnn", 1, parallel
        )
    )
