"""Eigenvalues of any matrices in Numba: LAPACK's geev, of numbers of about 1.

Some of its builds return the eigenvalues of the matrix that they have scaled, where numbers are
below 1e-138 or above 1e138 (1e-12 and 1e12 of 32 bits): SciPy 1.17's.
"""

from __future__ import annotations

from typing import Any, Final

from llvmlite.ir import DoubleType, IRBuilder, Value
from numba.core import cgutils

from weft_numba.numba_layer.linalg.blas import I32, I64
from weft_numba.numba_layer.linalg.lapack import (
    at_least_one,
    by_columns,
    informed,
    is_finite,
    real_size,
    room,
)
from weft_numba.numba_layer.linalg.matrices import (
    Matrix,
    Memory,
    contiguous,
    copy,
    element,
    joined,
    number,
    parts,
    scaled,
)
from weft_numba.numba_layer.linalg.registration import register_matrix
from weft_tensor import Eig, Eigvals

__all__ = ["write_eig"]

_ZERO: Final = I64(0)
_ONE: Final = I64(1)
_BLOCK: Final = 64
_COMPLEX: Final = {"float32": "complex64", "float64": "complex128"}


def write_eig(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    values: Value,
    vectors: Value | None = None,
) -> Value:
    """By geev, of a scaled copy by columns; of a real matrix, its real results become complex."""
    (x,) = inputs
    n, is_complex = x.rows, "complex" in x.dtype
    apart = at_least_one(builder, n)
    work = by_columns(builder, memory, x)
    right = memory.matrix(x.dtype, n, n)
    real = [memory.matrix(x.dtype, _ONE, n) for _ in range(0 if is_complex else 2)]
    size = room(builder, (_BLOCK, n, _ONE))
    space = memory.take(size, x.size)
    reals = [memory.take(builder.mul(n, I64(2)), real_size(x.dtype))] if is_complex else []
    status = cgutils.alloca_once_value(builder, I32(1))
    with builder.if_then(is_finite(builder, work)):
        size_of_all = _power_of_two(builder, work)
        _multiply(builder, work, builder.fdiv(size_of_all.type(1.0), size_of_all))
        flags = "N", "N" if vectors is None else "V"
        outputs = [values] if is_complex else [m.data for m in real]
        arguments = [*flags, n, work.data, apart, *outputs, right.data, apart, right.data, apart]
        arguments += [space, size, *reals]
        builder.store(informed(builder, x.dtype, "geev", *arguments), status)
        for part in [contiguous(builder, x.dtype, values, _ONE, n)] if is_complex else real:
            _multiply(builder, part, size_of_all)
        if is_complex and vectors is not None:
            target = contiguous(builder, x.dtype, vectors, n, n)
            copy(builder, right.transposed(), target)
        elif not is_complex:
            _join(builder, x.dtype, real, right, values, vectors)
    return builder.load(status)


def _power_of_two(builder: IRBuilder, x: Matrix) -> Value:
    """The one at or below the largest part of an element; 1 where that is 0, or subnormal."""
    kind = parts(builder, number(x.dtype, 0.0))[0].type
    largest = cgutils.alloca_once_value(builder, kind(0.0))
    builder.store(kind(0.0), largest)
    with cgutils.for_range(builder, x.rows) as row, cgutils.for_range(builder, x.columns) as column:
        for part in parts(builder, x.get(builder, row.index, column.index)):
            negative = builder.fcmp_ordered("<", part, kind(0.0))
            size, so_far = builder.select(negative, builder.fneg(part), part), builder.load(largest)
            larger = builder.fcmp_ordered(">", size, so_far)
            builder.store(builder.select(larger, size, so_far), largest)
    bits, fraction = (I64, 52) if isinstance(kind, DoubleType) else (I32, 23)
    exponent = builder.lshr(builder.bitcast(builder.load(largest), bits), bits(fraction))
    power = builder.bitcast(builder.shl(exponent, bits(fraction)), kind)
    return builder.select(builder.icmp_signed("==", exponent, bits(0)), kind(1.0), power)


def _multiply(builder: IRBuilder, x: Matrix, factor: Value) -> None:
    with cgutils.for_range(builder, x.rows) as row, cgutils.for_range(builder, x.columns) as column:
        place = row.index, column.index
        x.put(builder, *place, scaled(builder, x.get(builder, *place), factor))


def _join(
    builder: IRBuilder,
    dtype: str,
    parts: list[Matrix],
    right: Matrix,
    values: Value,
    vectors: Value | None,
) -> None:
    """Of a pair of values, two columns are the real and the imaginary part of the first vector."""
    n, name = right.rows, _COMPLEX[dtype]
    kind, zero = element(name), element(dtype)(0.0)
    _, imaginary = parts
    target = contiguous(builder, name, values, _ONE, n)
    with cgutils.for_range(builder, n) as column:
        j = column.index
        pieces = [part.get(builder, _ZERO, j) for part in parts]
        target.put(builder, _ZERO, j, joined(builder, kind, pieces))
    if vectors is None:
        return
    with cgutils.for_range(builder, n) as column:
        j = column.index
        sign = imaginary.get(builder, _ZERO, j)
        second = builder.fcmp_ordered("<", sign, zero)
        first = builder.fcmp_ordered(">", sign, zero)
        of_real = builder.select(second, builder.sub(j, _ONE), j)
        of_imaginary = builder.select(first, builder.add(j, _ONE), j)
        whole = contiguous(builder, name, vectors, n, n)
        with cgutils.for_range(builder, n) as row:
            i = row.index
            part = right.get(builder, of_imaginary, i)
            part = builder.select(second, builder.fneg(part), builder.select(first, part, zero))
            value = joined(builder, kind, [right.get(builder, of_real, i), part])
            whole.put(builder, i, j, value)


def _described(op: Any) -> tuple[str, Any, str]:
    return str(op), write_eig, "nn n nn" if type(op) is Eig else "nn n"


for _kind in (Eig, Eigvals):
    register_matrix(_kind, _described, "Eigenvalues did not converge, or the matrix is not finite")
