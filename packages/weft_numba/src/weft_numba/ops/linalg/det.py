"""Determinants and cofactors in Numba: from LU factors, or from singular values."""

from __future__ import annotations

from typing import Final

import numpy as np
from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.numba_layer.linalg import blas
from weft_numba.numba_layer.linalg.blas import I32, I64
from weft_numba.numba_layer.linalg.elimination import LARGEST, eliminate
from weft_numba.numba_layer.linalg.lapack import (
    at_least_one,
    exchanged_with,
    factors_of,
    invert_factors,
)
from weft_numba.numba_layer.linalg.matrices import (
    Matrix,
    Memory,
    contiguous,
    joined,
    number,
    parts,
    product,
    scaled,
)
from weft_numba.numba_layer.linalg.registration import register_square
from weft_numba.numba_layer.linalg.unrolled import (
    Elements,
    cofactors,
    determinant,
    sign_and_logarithm,
)
from weft_numba.ops.linalg.svd import decompose, fill_nan, replace
from weft_tensor import Cofactors, Det, SlogDet

__all__ = ["write_cofactors", "write_det", "write_slogdet"]

_ZERO: Final = I64(0)
_ONE: Final = I64(1)
_FINE: Final = I32(0)
_SMALL: Final = (2, 3)


def write_slogdet(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    sign: Value,
    log: Value,
) -> None:
    """The sign and the logarithm of the size of the determinant."""
    (x,) = inputs
    direction, total = _sign_and_log(builder, memory, x)
    for value, place in ((direction, sign), (total, log)):
        builder.store(value, builder.bitcast(place, value.type.as_pointer()), align=1)


def write_det(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
) -> None:
    """The determinant from its sign and logarithm, as NumPy: no product on the way overflows.

    Of small matrices, it is the product, if that is a normal number.
    """
    (x,) = inputs
    det = builder.bitcast(result, number(x.dtype, 0.0).type.as_pointer())
    builder.store(number(x.dtype, 0.0), det, align=1)
    if "complex" not in x.dtype:
        for n in _SMALL:
            with builder.if_then(builder.icmp_signed("==", x.rows, I64(n))):
                [[[value]]], right = determinant(builder, _elements(builder, x, n))
                builder.store(value, det, align=1)
                with builder.if_then(right):
                    builder.ret(_FINE)
    sign, log = _sign_and_log(builder, memory, x)
    builder.store(scaled(builder, sign, _by_llvm(builder, "exp", log)), det, align=1)


def _elements(builder: IRBuilder, x: Matrix, n: int) -> Elements:
    """Those of a matrix of so many rows."""
    return [[x.get(builder, I64(i), I64(j)) for j in range(n)] for i in range(n)]


def _sign_and_log(builder: IRBuilder, memory: Memory, x: Matrix) -> tuple[Value, Value]:
    """Those of the determinant, from the diagonal of U and the number of exchanges."""
    work = memory.matrix(x.dtype, x.rows, x.rows)
    return _sign_and_log_by(builder, work, *factors_of(builder, memory, x, work))


def _sign_and_log_by(
    builder: IRBuilder, work: Matrix, ipiv: Value, info: Value
) -> tuple[Value, Value]:
    """The same from the factors, as `factors_of` makes them."""
    one = number(work.dtype, 1.0)
    real = parts(builder, one)[0].type
    sign = cgutils.alloca_once(builder, one.type)
    builder.store(one, sign)
    log = cgutils.alloca_once(builder, real)
    builder.store(real(0.0), log)
    with cgutils.for_range(builder, work.rows) as row:
        i = row.index
        value = work.get(builder, i, i)
        size = _size_of(builder, value)
        direction = _direction(builder, value, size)
        is_swap = builder.icmp_signed("!=", exchanged_with(builder, ipiv, i), i)
        turn = builder.select(is_swap, real(-1.0), real(1.0))
        so_far = scaled(builder, builder.load(sign), turn)
        builder.store(product(builder, so_far, direction), sign)
        builder.store(builder.fadd(builder.load(log), _by_llvm(builder, "log", size)), log)
    singular = builder.icmp_signed("!=", info, _FINE)
    none = ir.Constant(one.type, None)
    result = builder.select(singular, none, builder.load(sign))
    return result, builder.select(singular, real(float("-inf")), builder.load(log))


def _size_of(builder: IRBuilder, value: Value) -> Value:
    """The absolute value."""
    pieces = parts(builder, value)
    if len(pieces) == 1:
        return _by_llvm(builder, "fabs", value)
    double = ir.DoubleType()
    kind = ir.FunctionType(double, [double, double])
    hypot = cgutils.get_or_insert_function(builder.module, kind, "hypot")
    narrow = pieces[0].type != double
    wide = [builder.fpext(p, double) if narrow else p for p in pieces]
    size = builder.call(hypot, wide)
    return builder.fptrunc(size, pieces[0].type) if narrow else size


def _direction(builder: IRBuilder, value: Value, size: Value) -> Value:
    """The number divided by its absolute value; 1 or -1 for a real one."""
    pieces = parts(builder, value)
    if len(pieces) > 1:
        return joined(builder, value.type, [builder.fdiv(p, size) for p in pieces])
    negative = builder.fcmp_ordered("<", value, value.type(0.0))
    return builder.select(negative, value.type(-1.0), value.type(1.0))


def _by_llvm(builder: IRBuilder, name: str, x: Value) -> Value:
    """A function of one number that LLVM has itself, as "exp"."""
    return builder.call(builder.module.declare_intrinsic(f"llvm.{name}", [x.type]), [x])


def write_cofactors(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
) -> None:
    """By the inverse, or by singular values where the determinant is no normal number.

    Of small matrices, by determinants of smaller ones, if these are finite.
    """
    (x,) = inputs
    target = contiguous(builder, x.dtype, result, x.rows, x.rows)
    if "complex" not in x.dtype:
        for n in _SMALL:
            with builder.if_then(builder.icmp_signed("==", x.rows, I64(n))):
                _put_minors(builder, x, target, n)
    det = cgutils.alloca_once(builder, number(x.dtype, 1.0).type)
    builder.store(number(x.dtype, 0.0), det)
    if "complex" not in x.dtype:
        with builder.if_then(builder.icmp_signed("<=", x.rows, I64(LARGEST))):
            eliminate(builder, x.transposed(), None, target, det)
    with builder.if_then(_is_unusual(builder, x.dtype, builder.load(det))):
        _by_factors(builder, memory, x, target, det)
    with builder.if_else(_is_unusual(builder, x.dtype, builder.load(det)), likely=False) as (
        unusual,
        regular,
    ):
        with unusual:
            _by_singular_values(builder, memory, x, target)
        with regular:
            factor = builder.load(det)
            replace(builder, target, lambda value, j: product(builder, value, factor))


def _put_minors(builder: IRBuilder, x: Matrix, target: Matrix, n: int) -> None:
    """Put the cofactors of a matrix of 2 or 3 rows there, and return if all are finite."""
    [values], right = cofactors(builder, _elements(builder, x, n))
    for i, j in np.ndindex(n, n):
        target.put(builder, I64(i), I64(j), values[i][j])
    with builder.if_then(right):
        builder.ret(_FINE)


def _by_factors(builder: IRBuilder, memory: Memory, x: Matrix, target: Matrix, det: Value) -> None:
    """The inverse of the transpose, and the determinant."""
    ipiv, info = factors_of(builder, memory, x.transposed(), target)
    sign, log = _sign_and_log_by(builder, target, ipiv, info)
    builder.store(scaled(builder, sign, _by_llvm(builder, "exp", log)), det)
    with builder.if_then(builder.not_(_is_unusual(builder, x.dtype, builder.load(det)))):
        invert_factors(builder, memory, target, ipiv)


def _is_unusual(builder: IRBuilder, dtype: str, det: Value) -> Value:
    """Whether the determinant is smaller or larger than normal numbers; not so NaN."""
    size = _size_of(builder, det)
    tiny = builder.fcmp_ordered("<", size, size.type(float(np.finfo(dtype).tiny)))
    return builder.or_(tiny, builder.fcmp_ordered("==", size, size.type(float("inf"))))


def _by_singular_values(builder: IRBuilder, memory: Memory, x: Matrix, target: Matrix) -> None:
    n = x.rows
    u, v = memory.matrix(x.dtype, n, n), memory.matrix(x.dtype, n, n)
    real = str(np.finfo(x.dtype).dtype)
    s, others = memory.matrix(real, _ONE, n), memory.matrix(real, _ONE, n)
    status = decompose(builder, memory, x, "A", s.data, u, v)
    failed = builder.icmp_signed("!=", status, _FINE)
    with builder.if_else(failed, likely=False) as (without, with_them):
        with without:
            fill_nan(builder, target)
        with with_them:
            (left, _), (right, _) = (_sign_and_log(builder, memory, m) for m in (u, v))
            _products_of_others(builder, s, others)
            by_column = u.transposed()
            replace(
                builder,
                by_column,
                lambda value, j: scaled(builder, value, others.get(builder, _ZERO, j)),
            )
            apart = at_least_one(builder, n)
            read = number(x.dtype, 1.0), v.data, apart, u.data, apart
            output = number(x.dtype, 0.0), target.data, apart
            blas.call(builder, x.dtype, "gemm", "T", "T", n, n, n, *read, *output)
            sign = product(builder, left, right)
            replace(builder, target, lambda value, j: product(builder, sign, _conj(builder, value)))


def _products_of_others(builder: IRBuilder, s: Matrix, target: Matrix) -> None:
    """For each number, the product of those before it and after it."""
    one = number(s.dtype, 1.0)
    last = builder.sub(s.columns, _ONE)
    for is_forward in (True, False):
        total = cgutils.alloca_once(builder, one.type)
        builder.store(one, total)
        with cgutils.for_range(builder, s.columns) as step:
            i = step.index if is_forward else builder.sub(last, step.index)
            so_far = builder.load(total)
            value = so_far
            if not is_forward:
                value = builder.fmul(target.get(builder, _ZERO, i), so_far)
            target.put(builder, _ZERO, i, value)
            builder.store(builder.fmul(so_far, s.get(builder, _ZERO, i)), total)


def _conj(builder: IRBuilder, value: Value) -> Value:
    pieces = parts(builder, value)
    if len(pieces) == 1:
        return value
    return joined(builder, value.type, [pieces[0], builder.fneg(pieces[1])])


register_square(Det, "det", write_det, ("",), small=determinant)
register_square(SlogDet, "slogdet", write_slogdet, ("", ""), small=sign_and_logarithm)
register_square(Cofactors, "cofactors", write_cofactors, ("nn",), small=cofactors, most=3)
