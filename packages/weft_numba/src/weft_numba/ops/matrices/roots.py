"""Square roots and logarithms of matrices in Numba: of the triangular factor of a Schur form.

Roots are those of Björck and Hammarling, A Schur method for the square root of a matrix (1983).
Logarithms: of so many roots that little is left of the matrix but the identity, by a rational
function, which is a quadrature (Higham, Functions of Matrices, 2008, section 11.4).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.numba_layer.linalg.blas import I32, I64
from weft_numba.numba_layer.linalg.complex_numbers import difference, quotient, root
from weft_numba.numba_layer.linalg.matrices import (
    Matrix,
    Memory,
    contiguous,
    copy,
    element,
    is_zero,
    joined,
    local_function,
    number,
    parts,
    product,
    scaled,
)
from weft_numba.numba_layer.linalg.registration import register_matrix
from weft_numba.ops.linalg.schur import schur_form
from weft_numba.ops.linalg.svd import fill_nan
from weft_numba.ops.matrices.exponential import multiply
from weft_tensor import Logm, Sqrtm

__all__ = ["write_function"]

_ZERO: Final = I64(0)
_ONE: Final = I64(1)
_FINE: Final = I32(0)
_NODES: Final = 8
"""So many are exact to double precision where what is left has a norm of at most 0.25."""
_NEAR: Final = 0.25
_ROOTS: Final = 100
_WHOLE: Final = {"float32": "complex64", "float64": "complex128"}

Compute = Callable[[IRBuilder, Memory, Matrix], None]


def write_function(
    compute: Compute,
    floor: float,
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
) -> None:
    """A function of a matrix by one of triangular ones, which `compute` writes, in their place.

    NaN where the matrix is not finite, or a real one has no real result: imaginary parts that
    are small beside that, or `floor`, are errors of rounding.
    """
    (x,) = inputs
    dtype, n = _WHOLE.get(x.dtype, x.dtype), x.rows
    target = contiguous(builder, x.dtype, result, n, n)
    work, z, half = (memory.matrix(dtype, n, n) for _ in range(3))
    triangle = work.transposed()
    with cgutils.for_range(builder, n) as row, cgutils.for_range(builder, n) as column:
        i, j = row.index, column.index
        value = x.get(builder, i, j)
        pieces = [*parts(builder, value), number(x.dtype, 0.0)][:2]
        triangle.put(builder, i, j, joined(builder, element(dtype), pieces))
    status = schur_form(builder, memory, work, z)
    with builder.if_else(builder.icmp_signed("==", status, _FINE)) as (fine, failed):
        with failed:
            fill_nan(builder, target)
        with fine:
            compute(builder, memory, triangle)
            multiply(builder, z, work, half)
            multiply(builder, half, z, work, "NC")
            if dtype == x.dtype:
                copy(builder, triangle, target)
            else:
                _put_real(builder, triangle, target, floor)


def _put_real(builder: IRBuilder, source: Matrix, target: Matrix, floor: float) -> None:
    """The real parts, or NaN if others are too large."""
    limit = float(np.sqrt(np.finfo(target.dtype).eps))
    kind = element(target.dtype)
    largest = [cgutils.alloca_once(builder, kind) for _ in range(2)]
    for slot, least in zip(largest, (floor, 0.0), strict=True):
        builder.store(kind(least), slot)
    absolute = builder.module.declare_intrinsic("llvm.fabs", [kind])
    with (
        cgutils.for_range(builder, source.rows) as row,
        cgutils.for_range(builder, source.columns) as column,
    ):
        i, j = row.index, column.index
        pieces = parts(builder, source.get(builder, i, j))
        target.put(builder, i, j, pieces[0])
        for slot, piece in zip(largest, pieces, strict=True):
            size, high = builder.call(absolute, [piece]), builder.load(slot)
            builder.store(builder.select(builder.fcmp_ordered(">", size, high), size, high), slot)
    size, imaginary = (builder.load(slot) for slot in largest)
    small = builder.fcmp_ordered("<=", imaginary, builder.fmul(size, kind(limit)))
    with builder.if_then(builder.not_(small), likely=False):
        fill_nan(builder, target)


def _write_root(builder: IRBuilder, memory: Memory, t: Matrix) -> None:
    """Column by column: what multiplies to an element is known but for one term."""
    rest = cgutils.alloca_once(builder, element(t.dtype))
    with cgutils.for_range(builder, t.rows) as column:
        j = column.index
        t.put(builder, j, j, root(builder, t.get(builder, j, j)))
        with cgutils.for_range(builder, j) as step:
            i = builder.sub(builder.sub(j, _ONE), step.index)
            builder.store(t.get(builder, i, j), rest)
            with cgutils.for_range_slice(builder, builder.add(i, _ONE), j, _ONE) as (k, _):
                term = product(builder, t.get(builder, i, k), t.get(builder, k, j))
                builder.store(difference(builder, builder.load(rest), term), rest)
            value = builder.load(rest)
            other = scaled(builder, t.get(builder, j, j), element(_real(t))(-1.0))
            ratio = quotient(builder, value, difference(builder, t.get(builder, i, i), other))
            t.put(builder, i, j, builder.select(is_zero(builder, value), value, ratio))


def _real(t: Matrix) -> str:
    return {"complex64": "float32", "complex128": "float64"}[t.dtype]


def _write_logarithm(builder: IRBuilder, memory: Memory, t: Matrix) -> None:
    kind, n = element(_real(t)), t.rows
    times = cgutils.alloca_once(builder, kind)
    builder.store(kind(1.0), times)
    count = cgutils.alloca_once(builder, I64)
    builder.store(_ZERO, count)
    test, body, done = (builder.append_basic_block(name) for name in ("test", "root", "done"))
    builder.branch(test)
    builder.position_at_end(test)
    far = builder.fcmp_ordered(">", _distance(builder, t), kind(_NEAR))
    more = builder.icmp_signed("<", builder.load(count), I64(_ROOTS))
    builder.cbranch(builder.and_(far, more), body, done)
    builder.position_at_end(body)
    _write_root(builder, memory, t)
    builder.store(builder.fmul(builder.load(times), kind(2.0)), times)
    builder.store(builder.add(builder.load(count), _ONE), count)
    builder.branch(test)
    builder.position_at_end(done)
    endless = builder.select(far, kind(np.nan), builder.load(times))  # of a singular matrix
    builder.store(endless, times)
    one = number(t.dtype, 1.0)
    with cgutils.for_range(builder, n) as row:
        i = row.index
        t.put(builder, i, i, difference(builder, t.get(builder, i, i), one))
    logarithm, column = memory.matrix(t.dtype, n, n), memory.matrix(t.dtype, _ONE, n)
    size = builder.mul(builder.mul(n, n), I64(t.size))
    cgutils.memset(builder, logarithm.data, size, 0)
    for point, weight in zip(*np.polynomial.legendre.leggauss(_NODES), strict=True):
        at, by = kind(float(point + 1) / 2), builder.fmul(builder.load(times), kind(weight / 2))
        name = f"weft_logarithm_{t.dtype}"
        arguments = [t.data, logarithm.data, column.data, n, at, by]
        local_function(builder, name, arguments, partial(_write_node, t.dtype))
    copy(builder, logarithm, t.transposed())


def _write_node(
    dtype: str,
    builder: IRBuilder,
    data: Value,
    total: Value,
    scratch: Value,
    n: Value,
    point: Value,
    weight: Value,
) -> Value:
    """Add (1 + x t)⁻¹ t, times a weight, column by column; all by columns."""
    t, result = (contiguous(builder, dtype, v, n, n).transposed() for v in (data, total))
    column = contiguous(builder, dtype, scratch, _ONE, n)
    minus = builder.fneg(point)
    one, rest = number(dtype, 1.0), cgutils.alloca_once(builder, element(dtype))
    with cgutils.for_range(builder, n) as outer:
        j = outer.index
        after = builder.add(j, _ONE)
        with cgutils.for_range(builder, after) as step:
            i = builder.sub(j, step.index)
            builder.store(t.get(builder, i, j), rest)
            with cgutils.for_range_slice(builder, builder.add(i, _ONE), after, _ONE) as (k, _):
                term = product(builder, t.get(builder, i, k), column.get(builder, _ZERO, k))
                less = scaled(builder, term, point)
                builder.store(difference(builder, builder.load(rest), less), rest)
            below = difference(builder, one, scaled(builder, t.get(builder, i, i), minus))
            value = quotient(builder, builder.load(rest), below)
            column.put(builder, _ZERO, i, value)
            more = scaled(builder, value, builder.fneg(weight))
            result.put(builder, i, j, difference(builder, result.get(builder, i, j), more))
    return _FINE


def _distance(builder: IRBuilder, t: Matrix) -> Value:
    """The greatest sum of a column of the triangle less the identity, by parts."""
    kind = element(_real(t))
    largest, total = (cgutils.alloca_once(builder, kind) for _ in range(2))
    builder.store(kind(0.0), largest)
    absolute = builder.module.declare_intrinsic("llvm.fabs", [kind])
    with cgutils.for_range(builder, t.rows) as column:
        j = column.index
        builder.store(kind(0.0), total)
        with cgutils.for_range(builder, builder.add(j, _ONE)) as row:
            i = row.index
            same = builder.select(builder.icmp_signed("==", i, j), kind(1.0), kind(0.0))
            real, imaginary = parts(builder, t.get(builder, i, j))
            for piece in (builder.fsub(real, same), imaginary):
                size = builder.call(absolute, [piece])
                builder.store(builder.fadd(builder.load(total), size), total)
        high, value = builder.load(largest), builder.load(total)
        more = builder.fcmp_ordered(">", value, high)
        builder.store(builder.select(more, value, high), largest)
    return builder.load(largest)


_SQRTM: Final = partial(write_function, _write_root, 0.0)
_LOGM: Final = partial(write_function, _write_logarithm, 1.0)
register_matrix(Sqrtm, lambda op: ("sqrtm", _SQRTM, "nn nn"), "")
register_matrix(Logm, lambda op: ("logm", _LOGM, "nn nn"), "")
