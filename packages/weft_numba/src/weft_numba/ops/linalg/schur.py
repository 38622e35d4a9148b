"""Schur and Hessenberg forms in Numba: LAPACK's gees and gehrd, and gges for pairs."""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.numba_layer.linalg.batched_matrix import MatrixOperation, Part, callable_operation
from weft_numba.numba_layer.linalg.blas import I32, I64, POINTER
from weft_numba.numba_layer.linalg.lapack import (
    at_least_one,
    by_columns,
    informed,
    is_finite,
    real_size,
    room,
)
from weft_numba.numba_layer.linalg.matrices import Matrix, Memory, contiguous, copy, shorter
from weft_numba.numba_layer.linalg.registration import register_matrix
from weft_tensor import QZ, Hessenberg, Schur, TensorVariable

__all__ = ["schur_form", "write_hessenberg", "write_qz", "write_schur"]

_ONE: Final = I64(1)
_BLOCK: Final = 64
_NULL: Final = ir.Constant(POINTER, None)
_FAILURE: Final = "Schur form not found: array must not have NaN or inf"


def schur_form(builder: IRBuilder, memory: Memory, work: Matrix, vectors: Matrix) -> Value:
    """Put the triangular factor in the place of `work`, and z there, both by columns."""
    n, is_complex = work.rows, "complex" in work.dtype
    apart = at_least_one(builder, n)
    status = cgutils.alloca_once_value(builder, I32(1))
    values = memory.take(builder.mul(n, I64(2)), work.size)
    size = room(builder, (_BLOCK, n, _ONE))
    space, flags = memory.take(size, work.size), memory.take(n, 4)
    reals = [memory.take(n, real_size(work.dtype))] if is_complex else []
    count = memory.take(_ONE, 4)
    imaginary = builder.gep(values, [builder.mul(n, I64(work.size))])
    eigenvalues = [values] if is_complex else [values, imaginary]
    with builder.if_then(is_finite(builder, work)):
        arguments = ["V", "N", _NULL, n, work.data, apart, count, *eigenvalues]
        arguments += [vectors.data, apart, space, size, *reals, flags]
        builder.store(informed(builder, work.dtype, "gees", *arguments), status)
    return builder.load(status)


def write_schur(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    triangle: Value,
    vectors: Value,
) -> Value:
    """By gees, of a copy by columns."""
    (x,) = inputs
    n = x.rows
    work, unitary = by_columns(builder, memory, x), memory.matrix(x.dtype, n, n)
    status = schur_form(builder, memory, work, unitary)
    for source, target in ((work, triangle), (unitary, vectors)):
        copy(builder, source.transposed(), contiguous(builder, x.dtype, target, n, n))
    return status


register_matrix(Schur, lambda op: ("schur", write_schur, "nn nn nn"), _FAILURE)


def write_hessenberg(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    form: Value,
    vectors: Value,
) -> None:
    """By gehrd, of a copy by columns, whose reflections orghr multiplies."""
    (x,) = inputs
    n = x.rows
    work = by_columns(builder, memory, x)
    apart, size = at_least_one(builder, n), room(builder, (_BLOCK, n, _ONE))
    factors, space = memory.take(n, x.size), memory.take(size, x.size)
    small = builder.icmp_signed("<", n, I64(3))
    end = builder.select(small, shorter(builder, n, _ONE), n)  # SciPy leaves two rows as they are
    arguments = n, _ONE, end, work.data, apart, factors, space, size
    informed(builder, x.dtype, "gehrd", *arguments)
    first = contiguous(builder, x.dtype, form, n, n)
    copy(builder, work.transposed(), first)
    name = "unghr" if "complex" in x.dtype else "orghr"
    informed(builder, x.dtype, name, *arguments)
    copy(builder, work.transposed(), contiguous(builder, x.dtype, vectors, n, n))
    with cgutils.for_range(builder, n) as row:
        i = row.index
        few = builder.icmp_signed("<", i, _ONE)
        count = builder.select(few, I64(0), builder.sub(i, _ONE))
        bytes_ = builder.mul(count, I64(x.size))
        cgutils.memset(builder, first.at(builder, i, I64(0)), bytes_, 0)


register_matrix(Hessenberg, lambda op: ("hessenberg", write_hessenberg, "nn nn nn"), "")


def write_qz(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    *results: Value,
) -> Value:
    """By gges, of copies by columns."""
    x, n = inputs[0], inputs[0].rows
    is_complex = "complex" in x.dtype
    apart = at_least_one(builder, n)
    a, b = (by_columns(builder, memory, v) for v in inputs)
    q, z = (memory.matrix(x.dtype, n, n) for _ in range(2))
    values = [memory.take(n, x.size) for _ in range(2 if is_complex else 3)]
    size = room(builder, (_BLOCK, n, _ONE), (1, I64(16), _ONE))
    space, flags, count = memory.take(size, x.size), memory.take(n, 4), memory.take(_ONE, 4)
    reals = [memory.take(room(builder, (8, n, _ONE)), real_size(x.dtype))] if is_complex else []
    status = cgutils.alloca_once_value(builder, I32(1))
    finite = builder.and_(is_finite(builder, a), is_finite(builder, b))
    with builder.if_then(finite):
        arguments = ["V", "V", "N", _NULL, n, a.data, apart, b.data, apart, count, *values]
        arguments += [q.data, apart, z.data, apart, space, size, *reals, flags]
        builder.store(informed(builder, x.dtype, "gges", *arguments), status)
    for source, target in zip((a, b, q, z), results, strict=True):
        copy(builder, source.transposed(), contiguous(builder, x.dtype, target, n, n))
    return builder.load(status)


@numba_funcify.register(QZ)
def numba_funcify_qz(
    op: QZ, *, node: TensorVariable, parallel: bool = False, **kwargs: object
) -> Any:
    """LAPACK's gges."""
    part = Part("nn", node.inputs[0].dtype)
    failure = "qz: " + _FAILURE.replace("Schur", "QZ")
    return callable_operation(
        MatrixOperation("qz", (part,) * 2, (part,) * 4, write_qz, failure, "", "nnn", 4, parallel)
    )
