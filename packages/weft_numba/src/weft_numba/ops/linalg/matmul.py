"""Products in Numba: BLAS for large matrices of floating numbers, loops for all others."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.lowering.dispatch import ANY_ORDER, numba_funcify
from weft_numba.lowering.njit_source import compiled
from weft_numba.numba_layer.linalg import blas
from weft_numba.numba_layer.linalg.batched_matrix import MatrixOperation, Part, callable_operation
from weft_numba.numba_layer.linalg.blas import I32, I64
from weft_numba.numba_layer.linalg.matrices import (
    Matrix,
    Memory,
    as_blas_operand,
    contiguous,
    copy,
    element,
    is_distance,
    local_function,
    number,
    spread,
)
from weft_tensor import Matmul, TensorVariable
from weft_tensor.extend import is_transpose

__all__ = ["numba_funcify_matmul"]

_FINE: Final = I32(0)
_ZERO: Final = I64(0)
_ONE: Final = I64(1)
_LANES: Final = 8
_SMALL: Final = 4096
"""Up to so many multiplications, loops over whole vectors are faster than BLAS."""
_TINY: Final = 64
"""The same for loops over numbers, one by one."""


ANY_ORDER.add(Matmul)


@numba_funcify.register(Matmul)
def numba_funcify_matmul(
    op: Matmul, *, node: TensorVariable, parallel: bool = False, **kwargs: object
) -> Any:
    """The product of two matrices, for stacks; vectors are matrices of one row or column."""
    kinds: list[Any] = [v.type for v in node.inputs]
    left, right = kinds
    dtype: str = node.type.dtype
    name = "gram" if is_transpose(*node.inputs) else "matmul"
    product = callable_operation(
        MatrixOperation(
            name,
            (Part("mk", dtype), Part("kn", dtype)),
            (Part("mn", dtype),),
            _WRITERS[name],
            missing=("m" if left.ndim == 1 else "") + ("n" if right.ndim == 1 else ""),
            work="mkn",
            pace=12,
            parallel=parallel,
        )
    )
    if left.dtype == right.dtype:
        return product
    a, b = (
        name if t.dtype == dtype else f"{name}.astype({dtype})"
        for name, t in zip("ab", kinds, strict=True)
    )
    return compiled(f"def lowered(a, b):\n    return product({a}, {b})\n", product=product)


def _write(
    name: str,
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
) -> Value:
    """Write the product of two matrices into memory that it shares with nothing."""
    a, b = inputs
    c = contiguous(builder, a.dtype, result, lengths["m"], lengths["n"])
    if blas.letter(a.dtype) is None:
        _loops(builder, a, b, c)
        return _FINE
    with builder.if_then(_is_small(builder, a, b)):
        if "complex" in a.dtype:
            _zero(builder, c)
        else:
            _loops(builder, a, b, c)
        builder.ret(_FINE)
    fields = [a.rows, a.columns, b.columns, a.data, *a[4:], b.data, *b[4:], c.data]
    write = partial(_large, name, memory.context, a.dtype)
    return local_function(builder, f"weft_large_{name}_{a.dtype}", fields, write)


_WRITERS: Final = {name: partial(_write, name) for name in ("gram", "matmul")}
"""Each one object: operations are known again by what they write."""


def _large(name: str, context: Any, dtype: str, builder: IRBuilder, *fields: Value) -> Value:
    """A function apart: small products need not look whether there is something to free."""
    memory = Memory(context, builder)
    m, k, n, data, down, right, other, below, beside, result = fields
    a, b = Matrix(dtype, data, m, k, down, right), Matrix(dtype, other, k, n, below, beside)
    by_matrices = _by_half if name == "gram" else _by_gemm
    _by_blas(builder, memory, a, b, contiguous(builder, dtype, result, m, n), by_matrices)
    return memory.end(_FINE)


def _is_small(builder: IRBuilder, a: Matrix, b: Matrix) -> Value:
    work = builder.mul(builder.mul(a.rows, a.columns), b.columns)
    if "complex" in a.dtype:
        return builder.icmp_signed("==", work, _ZERO)
    wide = builder.icmp_signed(">=", b.columns, I64(_LANES))
    limit = builder.select(wide, I64(_SMALL), I64(_TINY))
    return builder.icmp_signed("<=", work, limit)


def _zero(builder: IRBuilder, c: Matrix) -> None:
    count = builder.mul(builder.mul(c.rows, c.columns), I64(c.size))
    cgutils.memset(builder, c.data, count, 0)


def _by_blas(
    builder: IRBuilder,
    memory: Memory,
    a: Matrix,
    b: Matrix,
    c: Matrix,
    by_matrices: Callable[..., None],
) -> None:
    """As said, or by gemv where one side is a vector."""
    column = builder.icmp_signed("==", b.columns, _ONE)
    row = builder.icmp_signed("==", a.rows, _ONE)
    with builder.if_else(builder.or_(column, row)) as (vector, matrix):
        with vector:
            whole = _either(builder, column, a, b.transposed())
            _times_vector(builder, memory, whole, _either(builder, column, b, a.transposed()), c)
        with matrix:
            by_matrices(builder, memory, a, b, c)


def _by_gemm(builder: IRBuilder, memory: Memory, a: Matrix, b: Matrix, c: Matrix) -> None:
    """C's memory, by columns, is its transpose."""
    x, y = as_blas_operand(builder, memory, b), as_blas_operand(builder, memory, a)
    flags = x.flag(builder, "N", "T"), y.flag(builder, "N", "T")
    lengths = b.columns, a.rows, a.columns
    read = number(a.dtype, 1.0), x.data, x.leading, y.data, y.leading
    output = number(a.dtype, 0.0), c.data, b.columns
    blas.call(builder, a.dtype, "gemm", *flags, *lengths, *read, *output)


def _by_half(builder: IRBuilder, memory: Memory, a: Matrix, b: Matrix, c: Matrix) -> None:
    """`a` times its transpose `b`: one half of the product is the other's mirror image."""
    x = as_blas_operand(builder, memory, a)
    read = number(a.dtype, 1.0), x.data, x.leading
    output = number(a.dtype, 0.0), c.data, a.rows
    flags = "U", x.flag(builder, "T", "N")
    blas.call(builder, a.dtype, "syrk", *flags, a.rows, a.columns, *read, *output)
    with cgutils.for_range(builder, c.rows) as row, cgutils.for_range(builder, row.index) as left:
        c.put(builder, left.index, row.index, c.get(builder, row.index, left.index))


def _either(builder: IRBuilder, condition: Value, x: Matrix, y: Matrix) -> Matrix:
    fields = [builder.select(condition, p, q) for p, q in zip(x[1:], y[1:], strict=True)]
    return Matrix(x.dtype, *fields)


def _times_vector(builder: IRBuilder, memory: Memory, a: Matrix, x: Matrix, c: Matrix) -> None:
    """The product of a matrix and a matrix of one column."""
    _zero(builder, c)
    operand = as_blas_operand(builder, memory, a)
    data, apart = _vector(builder, memory, x)
    by_rows = operand.by_rows
    blas.call(
        builder,
        a.dtype,
        "gemv",
        operand.flag(builder, "T", "N"),
        *(builder.select(by_rows, a.columns, a.rows), builder.select(by_rows, a.rows, a.columns)),
        *(number(a.dtype, 1.0), operand.data, operand.leading, data, apart),
        *(number(a.dtype, 0.0), c.data, _ONE),
    )


def _vector(builder: IRBuilder, memory: Memory, x: Matrix) -> tuple[Value, Value]:
    """The address of a matrix of one column, or of a copy, and how far apart its numbers are."""
    data = cgutils.alloca_once_value(builder, x.data)
    apart = cgutils.alloca_once_value(builder, builder.sdiv(x.down, I64(x.size)))
    fits = is_distance(builder, x.down, x.size)
    with builder.if_then(builder.not_(fits), likely=False):
        own = memory.matrix(x.dtype, x.rows, _ONE)
        copy(builder, x, own)
        builder.store(own.data, data)
        builder.store(_ONE, apart)
    return builder.load(data), builder.load(apart)


def _loops(builder: IRBuilder, a: Matrix, b: Matrix, c: Matrix) -> None:
    """The product by loops: several columns at once where those of `b` are neighbours."""
    neighbours = builder.icmp_signed("==", b.right, I64(b.size))
    start: Value = _ZERO
    for lanes in (_LANES, 4):
        whole = builder.and_(b.columns, I64(-lanes))
        end = builder.select(neighbours, whole, _ZERO)
        with cgutils.for_range_slice(builder, start, end, I64(lanes)) as (j, _):
            _columns(builder, a, b, c, j, lanes)
        start = end
    with cgutils.for_range_slice(builder, start, b.columns, _ONE) as (j, _):
        _columns(builder, a, b, c, j, 1)


def _columns(builder: IRBuilder, a: Matrix, b: Matrix, c: Matrix, j: Value, lanes: int) -> None:
    """Columns j, j + 1, ... of the product."""
    one = element(a.dtype)
    kind = ir.VectorType(one, lanes) if lanes > 1 else one
    total = cgutils.alloca_once(builder, kind)
    with cgutils.for_range(builder, a.rows) as row:
        builder.store(ir.Constant(kind, None), total)
        with cgutils.for_range(builder, a.columns) as inner:
            x = spread(builder, a.get(builder, row.index, inner.index), lanes)
            y = b.get(builder, inner.index, j, kind)
            so_far = builder.load(total)
            builder.store(_added(builder, a.dtype, so_far, x, y), total)
        c.put(builder, row.index, j, builder.load(total))


def _added(builder: IRBuilder, dtype: str, total: Value, x: Value, y: Value) -> Value:
    """total + x y, where `and` multiplies and `or` adds bools."""
    if dtype == "bool":
        return builder.or_(total, builder.and_(x, y))
    if dtype.startswith("float"):
        product = builder.fmul(x, y, flags=["contract"])
        return builder.fadd(total, product, flags=["contract"])
    return builder.add(total, builder.mul(x, y))
