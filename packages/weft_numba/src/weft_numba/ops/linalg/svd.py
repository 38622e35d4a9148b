"""Singular values and cofactors as machine code; what they are good for, `weft_tensor` says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba.core import cgutils

from weft_numba.numba_layer import blas
from weft_numba.numba_layer.blas import I32, I64, LONGEST
from weft_numba.numba_layer.matrices import (
    Matrix,
    Memory,
    contiguous,
    copy,
    joined,
    number,
    parts,
    product,
    scaled,
)
from weft_numba.ops.linalg.elimination import LARGEST, eliminate
from weft_numba.ops.linalg.lu_uses import (
    at_least_one,
    by_llvm,
    factors_of,
    informed,
    sign_and_log,
    sign_and_log_by,
    size_of,
)

__all__ = ["write_cofactors", "write_svd"]

_ZERO: Final = I64(0)
_ONE: Final = I64(1)
_FINE: Final = I32(0)
_BLOCK: Final = 64
"""How many columns LAPACK works on at once: what it needs memory for."""


def write_svd(
    builder: Any,
    memory: Memory,
    lengths: dict[str, Any],
    given: list[Matrix],
    left: Any,
    values: Any,
    right: Any,
) -> None:
    """By gesdd; NaN for what is not finite."""
    (x,) = given
    n = x.rows
    failed = _decomposed(builder, memory, x, left, values, right)
    with builder.if_then(failed, likely=False):
        real = str(np.finfo(x.dtype).dtype)
        for dtype, data, rows in ((x.dtype, left, n), (real, values, _ONE), (x.dtype, right, n)):
            _fill_nan(builder, contiguous(builder, dtype, data, rows, n))


def _decomposed(builder: Any, memory: Memory, x: Matrix, left: Any, values: Any, right: Any) -> Any:
    """Put u, s and v there; gives whether that failed.

    LAPACK sees the transpose, so that what it calls v is u, by columns.
    """
    n = x.rows
    work = memory.matrix(x.dtype, n, n)
    copy(builder, x, work)
    failed = cgutils.alloca_once_value(builder, builder.not_(_is_finite(builder, work)))
    with builder.if_then(builder.not_(builder.load(failed))):
        square, apart = builder.mul(n, n), at_least_one(builder, n)
        is_complex = "complex" in x.dtype
        size = _counted(builder, square, n, 1 if is_complex else 4)
        arguments = ["A", n, n, work.data, apart, values, right, apart, left, apart]
        arguments += [memory.take(size, x.size), size]
        if is_complex:
            arguments.append(memory.take(_counted(builder, square, n, 5), x.size // 2))
        arguments.append(memory.take(_counted(builder, _ZERO, n, 0), 4))
        status = informed(builder, x.dtype, "gesdd", *arguments)
        builder.store(builder.icmp_signed("!=", status, _FINE), failed)
    return builder.load(failed)


def _counted(builder: Any, square: Any, n: Any, times: int) -> Any:
    """So many squares and a few rows more: no less than LAPACK wants."""
    some = builder.add(builder.mul(square, I64(times)), builder.mul(n, I64(8)))
    size = builder.add(some, I64(8))
    return builder.select(builder.icmp_signed("<", size, I64(LONGEST)), size, I64(LONGEST))


def write_cofactors(
    builder: Any, memory: Memory, lengths: dict[str, Any], given: list[Matrix], result: Any
) -> None:
    """By the inverse, or by singular values where the determinant is no normal number."""
    (x,) = given
    found = contiguous(builder, x.dtype, result, x.rows, x.rows)
    det = cgutils.alloca_once(builder, number(x.dtype, 1.0).type)
    builder.store(number(x.dtype, 0.0), det)
    if "complex" not in x.dtype:
        with builder.if_then(builder.icmp_signed("<=", x.rows, I64(LARGEST))):
            eliminate(builder, x.transposed(), None, found, det)
    with builder.if_then(_is_unusual(builder, x.dtype, det)):
        _by_factors(builder, memory, x, found, det)
    with builder.if_else(_is_unusual(builder, x.dtype, det), likely=False) as (unusual, regular):
        with unusual:
            _by_singular_values(builder, memory, x, found)
        with regular:
            factor = builder.load(det)
            _replace(builder, found, lambda value, j: product(builder, value, factor))


def _by_factors(builder: Any, memory: Memory, x: Matrix, target: Matrix, det: Any) -> None:
    """The inverse of the transpose, and the determinant."""
    n = x.rows
    exchanged, info = factors_of(builder, memory, x.transposed(), target)
    sign, log = sign_and_log_by(builder, target, exchanged, info)
    builder.store(scaled(builder, sign, by_llvm(builder, "exp", log)), det)
    with builder.if_then(builder.not_(_is_unusual(builder, x.dtype, det))):
        count = at_least_one(builder, builder.mul(n, I64(_BLOCK)))
        space = memory.take(count, x.size)
        arguments = n, target.data, at_least_one(builder, n), exchanged, space, count
        informed(builder, x.dtype, "getri", *arguments)


def _is_unusual(builder: Any, dtype: str, det: Any) -> Any:
    """Whether the determinant is smaller or larger than normal numbers; not so NaN."""
    size = size_of(builder, builder.load(det))
    tiny = builder.fcmp_ordered("<", size, size.type(float(np.finfo(dtype).tiny)))
    return builder.or_(tiny, builder.fcmp_ordered("==", size, size.type(float("inf"))))


def _by_singular_values(builder: Any, memory: Memory, x: Matrix, target: Matrix) -> None:
    n = x.rows
    u, v = memory.matrix(x.dtype, n, n), memory.matrix(x.dtype, n, n)
    real = str(np.finfo(x.dtype).dtype)
    s, others = memory.matrix(real, _ONE, n), memory.matrix(real, _ONE, n)
    failed = _decomposed(builder, memory, x, u.data, s.data, v.data)
    with builder.if_else(failed, likely=False) as (without, with_them):
        with without:
            _fill_nan(builder, target)
        with with_them:
            (left, _), (right, _) = (sign_and_log(builder, memory, m) for m in (u, v))
            _products_of_others(builder, s, others)
            _replace(
                builder, u, lambda value, j: scaled(builder, value, others.get(builder, _ZERO, j))
            )
            apart = at_least_one(builder, n)
            read = number(x.dtype, 1.0), v.data, apart, u.data, apart
            written = number(x.dtype, 0.0), target.data, apart
            blas.call(builder, x.dtype, "gemm", "N", "N", n, n, n, *read, *written)
            sign = product(builder, left, right)
            _replace(
                builder, target, lambda value, j: product(builder, sign, _conj(builder, value))
            )


def _products_of_others(builder: Any, s: Matrix, target: Matrix) -> None:
    """For each number, the product of those before it and after it."""
    one = number(s.dtype, 1.0)
    last = builder.sub(s.columns, _ONE)
    for is_forward in (True, False):
        total = cgutils.alloca_once(builder, one.type)
        builder.store(one, total)
        with cgutils.for_range(builder, s.columns) as step:
            i = step.index if is_forward else builder.sub(last, step.index)
            so_far = builder.load(total)
            found = so_far
            if not is_forward:
                found = builder.fmul(target.get(builder, _ZERO, i), so_far)
            target.put(builder, _ZERO, i, found)
            builder.store(builder.fmul(so_far, s.get(builder, _ZERO, i)), total)


def _replace(builder: Any, x: Matrix, change: Callable[[Any, Any], Any]) -> None:
    """Each element by what `change` gives for it and its column."""
    with cgutils.for_range(builder, x.rows) as row, cgutils.for_range(builder, x.columns) as column:
        i, j = row.index, column.index
        x.put(builder, i, j, change(x.get(builder, i, j), j))


def _conj(builder: Any, value: Any) -> Any:
    pieces = parts(builder, value)
    if len(pieces) == 1:
        return value
    return joined(builder, value.type, [pieces[0], builder.fneg(pieces[1])])


def _fill_nan(builder: Any, x: Matrix) -> None:
    kind = number(x.dtype, 0.0).type
    pieces = kind.count if isinstance(kind, ir.ArrayType) else 1
    real = kind.element if pieces > 1 else kind
    nan = joined(builder, kind, [real(float("nan"))] * pieces)
    _replace(builder, x, lambda value, j: nan)


def _is_finite(builder: Any, x: Matrix) -> Any:
    """Whether all elements are: then each less itself is 0, and so is the sum."""
    real = parts(builder, number(x.dtype, 0.0))[0].type
    total = cgutils.alloca_once(builder, real)
    builder.store(real(0.0), total)
    with cgutils.for_range(builder, x.rows) as row, cgutils.for_range(builder, x.columns) as column:
        for part in parts(builder, x.get(builder, row.index, column.index)):
            nothing = builder.fsub(part, part)
            builder.store(builder.fadd(builder.load(total), nothing), total)
    return builder.fcmp_ordered("==", builder.load(total), real(0.0))
