"""Riccati equations in Numba, by doubling."""

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
from weft_numba.ops.matrices.sylvester import inverted
from weft_tensor import ClosedLoop, ContinuousRiccati, Riccati, TensorVariable

__all__ = ["write_closed", "write_continuous", "write_riccati"]

_ONE: Final = I64(1)
_FINE: Final = I32(0)
_STEPS: Final = 60
_SINGULAR: Final = "solve: the matrix is singular"


def write_riccati(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
) -> Value:
    """Of copies by columns."""
    a, g, h = (by_columns(builder, memory, x) for x in inputs)
    return _double(builder, memory, a, g, h, result)


def write_continuous(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
) -> Value:
    """As `ContinuousRiccati.expansion`, by columns."""
    n, dtype = lengths["n"], inputs[0].dtype
    a, g, h = (by_columns(builder, memory, x) for x in inputs)
    moved, back, of_g, inner, half, ones = (memory.matrix(dtype, n, n) for _ in range(6))
    first, *others = (largest_sum(builder, x) for x in (a, g, h))
    root = builder.module.declare_intrinsic("llvm.sqrt", [first.type])
    second = builder.call(root, [builder.fmul(*others)])
    larger = builder.select(builder.fcmp_ordered(">", first, second), first, second)
    shift = builder.fmul(larger, larger.type(1.1))
    twice = builder.fadd(shift, shift)
    combine(builder, ones, [a], [0.0], 1.0)
    combine(builder, moved, [a, ones], [1.0, builder.fneg(shift)])
    inverted(builder, memory, moved, back)
    multiply(builder, back, g, of_g)
    multiply(builder, of_g, h, half, "CN")
    combine(builder, half, [moved, half], [1.0, 1.0])
    inverted(builder, memory, half, inner)
    multiply(builder, h, back, half)
    multiply(builder, inner, half, h, "CN")
    multiply(builder, of_g, inner, g, "NC")
    for x in (g, h):
        combine(builder, x, [x], [twice])
    combine(builder, a, [inner], [twice], 1.0)
    return _double(builder, memory, a, g, h, result)


def _double(
    builder: IRBuilder, memory: Memory, a: Matrix, g: Matrix, h: Matrix, result: Value
) -> Value:
    """Steps until the solution changes no more; gives 1 if that takes too many."""
    dtype, n = a.dtype, a.rows
    inner, of_a, of_g, half, change = (memory.matrix(dtype, n, n) for _ in range(5))
    pivots = memory.take(n, 4)
    count = cgutils.alloca_once(builder, I64)
    builder.store(I64(0), count)
    status = cgutils.alloca_once(builder, I32)
    builder.store(I32(1), status)
    step, done = (builder.append_basic_block(name) for name in ("step", "done"))
    builder.branch(step)
    builder.position_at_end(step)
    copy(builder, a, of_a)
    copy(builder, g, of_g)
    _divide(builder, pivots, g, h, inner, [of_a, of_g])
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


def write_closed(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
) -> Value:
    """By columns."""
    dtype, n = inputs[0].dtype, lengths["n"]
    a, g, x = (by_columns(builder, memory, v) for v in inputs)
    inner = memory.matrix(dtype, n, n)
    info = _divide(builder, memory.take(n, 4), g, x, inner, [a])
    copy(builder, a.transposed(), contiguous(builder, dtype, result, n, n))
    return info


def _divide(
    builder: IRBuilder, pivots: Value, g: Matrix, x: Matrix, inner: Matrix, rights: list[Matrix]
) -> Value:
    """(1 + g x)⁻¹ times matrices, in their place; gives LAPACK's info."""
    n, dtype = g.rows, g.dtype
    apart = at_least_one(builder, n)
    multiply(builder, g, x, inner)
    combine(builder, inner, [inner], [1.0], 1.0)
    info = informed(builder, dtype, "getrf", n, n, inner.data, apart, pivots)
    for right in rights:
        arguments = "N", n, n, inner.data, apart, pivots, right.data, apart
        informed(builder, dtype, "getrs", *arguments)
    return info


@numba_funcify.register(ClosedLoop)
def numba_funcify_closed_loop(
    op: ClosedLoop, *, node: TensorVariable, parallel: bool = False, **kwargs: object
) -> Any:
    """By LAPACK."""
    part = Part("nn", node.type.dtype)
    return callable_operation(
        MatrixOperation(
            "closed_loop", (part,) * 3, (part,), write_closed, _SINGULAR, "", "nnn", 4, parallel
        )
    )


@numba_funcify.register(ContinuousRiccati)
@numba_funcify.register(Riccati)
def numba_funcify_riccati(
    op: ContinuousRiccati | Riccati,
    *,
    node: TensorVariable,
    parallel: bool = False,
    **kwargs: object,
) -> Any:
    """By doubling."""
    part = Part("nn", node.type.dtype)
    continuous = isinstance(op, ContinuousRiccati)
    write = write_continuous if continuous else write_riccati
    name = "solve_continuous_are" if continuous else "solve_discrete_are"
    failure = f"{name}: no stable solution was found"
    return callable_operation(
        MatrixOperation(str(op), (part,) * 3, (part,), write, failure, "", "nnn", 1, parallel)
    )
