"""Singular values in Numba: LAPACK's gesdd, rotations for small matrices."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.numba_layer.linalg.batched_matrix import MatrixOperation, Part, callable_operation
from weft_numba.numba_layer.linalg.blas import I32, I64
from weft_numba.numba_layer.linalg.complex_numbers import conjugate, difference, over, total
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
    by_rows,
    contiguous,
    copy,
    element,
    joined,
    number,
    parts,
    scaled,
    shorter,
)
from weft_numba.numba_layer.linalg.registration import register_matrix
from weft_numba.numba_layer.linalg.rotations import Rows, place_of, turned
from weft_numba.numba_layer.linalg.row_blas import columns_from, multiply, rows_from
from weft_numba.numba_layer.linalg.row_writer import are_few
from weft_tensor import SVD, SingularValues, SVDSlope, TensorVariable

__all__ = [
    "decompose",
    "fill_nan",
    "numba_funcify_svd_slope",
    "replace",
    "write_svd",
    "write_values",
]

_ZERO: Final = I64(0)
_ONE: Final = I64(1)
_BLOCK: Final = 64


def write_svd(
    full: bool,
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    left: Value,
    values: Value,
    right: Value,
) -> Value:
    """By rotations where that is faster, else by gesdd."""
    (x,) = inputs
    status = cgutils.alloca_once_value(builder, I32(1))
    if "complex" not in x.dtype:
        few = are_few(builder, x)
        if full:
            few = builder.and_(few, builder.icmp_signed("==", x.rows, x.columns))
        with builder.if_then(few):
            builder.store(_by_rotations(builder, x, left, values, right), status)
    with builder.if_then(builder.icmp_signed("!=", builder.load(status), I32(0))):
        builder.store(_by_lapack(full, builder, memory, x, left, values, right), status)
    return builder.load(status)


def _by_rotations(builder: IRBuilder, x: Matrix, left: Value, values: Value, right: Value) -> Value:
    """Of the rows, or the columns where they are fewer; gives 0 if that worked."""
    s = shorter(builder, x.rows, x.columns)
    wide = builder.icmp_signed("<=", x.rows, x.columns)
    other = x.transposed()
    y = x._replace(
        rows=s,
        columns=builder.select(wide, x.columns, x.rows),
        down=builder.select(wide, x.down, other.down),
        right=builder.select(wide, x.right, other.right),
    )
    rows, status = turned(builder, y)
    u = contiguous(builder, x.dtype, left, x.rows, s).transposed()
    v = contiguous(builder, x.dtype, right, s, x.columns)
    numbers = contiguous(builder, x.dtype, values, I64(1), s)
    root = builder.module.declare_intrinsic("llvm.sqrt", [element(x.dtype)])
    with (
        builder.if_then(builder.icmp_signed("==", status, I32(0))),
        cgutils.for_range(builder, s) as row,
    ):
        i = row.index
        place = place_of(builder, rows, i)
        value = builder.call(root, [rows.numbers.get(builder, _ZERO, i)])
        numbers.put(builder, _ZERO, place, value)
        with builder.if_else(wide) as (by_rows, by_columns):
            for case, (one, two) in ((by_rows, (v, u)), (by_columns, (u, v))):
                with case:
                    _put_row(builder, rows, i, value, one, two, place)
    return status


def _put_row(
    builder: IRBuilder, rows: Rows, i: Value, value: Value, y: Matrix, x: Matrix, place: Value
) -> None:
    """The row of y, over its length, and that of x."""
    for source, target in ((rows.y, y), (rows.x, x)):
        with cgutils.for_range(builder, source.columns) as column:
            number = source.get(builder, i, column.index)
            if source is rows.y:
                number = builder.fdiv(number, value)
            target.put(builder, place, column.index, number)


def _by_lapack(
    full: bool,
    builder: IRBuilder,
    memory: Memory,
    x: Matrix,
    left: Value,
    values: Value,
    right: Value,
) -> Value:
    """By gesdd; identities where there are no values."""
    m, n = x.rows, x.columns
    s = shorter(builder, m, n)
    columns, rows = (m, n) if full else (s, s)
    u, v = memory.matrix(x.dtype, columns, m), memory.matrix(x.dtype, n, rows)
    targets = (
        contiguous(builder, x.dtype, left, m, columns),
        contiguous(builder, x.dtype, right, rows, n),
    )
    status = decompose(builder, memory, x, "A" if full else "S", values, u, v)
    with builder.if_else(builder.icmp_signed("==", s, _ZERO), likely=False) as (empty, usual):
        with empty:
            for target in targets:
                _put_identity(builder, target)
        with usual:
            for source, target in zip((u, v), targets, strict=True):
                copy(builder, source.transposed(), target)
    return status


def write_values(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    values: Value,
) -> Value:
    """By gesdd, without vectors."""
    nothing = memory.matrix(inputs[0].dtype, _ZERO, _ZERO)
    return decompose(builder, memory, inputs[0], "N", values, nothing, nothing)


def decompose(
    builder: IRBuilder,
    memory: Memory,
    x: Matrix,
    job: str,
    values: Value,
    left: Matrix,
    right: Matrix,
) -> Value:
    """Put the values there, and u and v by columns; gives whether that failed: not 0."""
    m, n = x.rows, x.columns
    work = by_columns(builder, memory, x)
    status = cgutils.alloca_once_value(builder, I32(1))
    with builder.if_then(is_finite(builder, work)):
        short = shorter(builder, m, n)
        long = builder.sub(builder.add(m, n), short)
        is_complex = "complex" in x.dtype
        size = room(builder, (4, short, short), (8, short, _ONE), (_BLOCK, long, _ONE))
        arguments = [job, m, n, work.data, at_least_one(builder, m), values]
        for data, apart in ((left.data, m), (right.data, right.columns)):
            arguments += [data, at_least_one(builder, apart)]
        arguments += [memory.take(size, x.size), size]
        if is_complex:
            reals = room(builder, (5, short, short), (2, short, long), (8, short, _ONE))
            arguments.append(memory.take(reals, real_size(x.dtype)))
        arguments.append(memory.take(room(builder, (8, short, _ONE)), 4))
        builder.store(informed(builder, x.dtype, "gesdd", *arguments), status)
    return builder.load(status)


def _put_identity(builder: IRBuilder, x: Matrix) -> None:
    size = builder.mul(builder.mul(x.rows, x.columns), I64(x.size))
    cgutils.memset(builder, x.data, size, 0)
    with cgutils.for_range(builder, shorter(builder, x.rows, x.columns)) as row:
        x.put(builder, row.index, row.index, number(x.dtype, 1.0))


def replace(builder: IRBuilder, x: Matrix, change: Callable[[Any, Any], Any]) -> None:
    """Each element by what `change` gives for it and its column."""
    with cgutils.for_range(builder, x.rows) as row, cgutils.for_range(builder, x.columns) as column:
        i, j = row.index, column.index
        x.put(builder, i, j, change(x.get(builder, i, j), j))


def fill_nan(builder: IRBuilder, x: Matrix) -> None:
    """NaN for each element."""
    kind = number(x.dtype, 0.0).type
    pieces = kind.count if isinstance(kind, ir.ArrayType) else 1
    real = kind.element if pieces > 1 else kind
    nan = joined(builder, kind, [real(float("nan"))] * pieces)
    replace(builder, x, lambda value, j: nan)


def write_slope(
    full: bool,
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
) -> None:
    """As `SVDSlope.expansion`, by BLAS's products."""
    u, s, v, gu, gs, gv = inputs
    u, v, gu, gv = (by_rows(builder, memory, x) for x in (u, v, gu, gv))
    k, m, n = s.rows, u.rows, v.columns
    (left, beside), (by_left, by_beside) = (columns_from(builder, x, k) for x in (u, gu))
    (right, under), (by_right, by_under) = (rows_from(builder, x, k) for x in (v, gv))
    forth, back = memory.matrix(u.dtype, m, k), memory.matrix(u.dtype, k, n)
    copy(builder, by_left, forth)
    copy(builder, by_right, back)
    if full:
        overlap = memory.matrix(u.dtype, by_beside.columns, k)
        multiply(builder, "CN", 1.0, by_beside, left, 0.0, overlap)
        multiply(builder, "NN", -1.0, beside, overlap, 1.0, forth)
        overlap = memory.matrix(u.dtype, k, by_under.rows)
        multiply(builder, "NC", 1.0, right, by_under, 0.0, overlap)
        multiply(builder, "NN", -1.0, overlap, under, 1.0, back)
    x, y, middle = (memory.matrix(u.dtype, k, k) for _ in range(3))
    multiply(builder, "CN", 1.0, left, forth, 0.0, x)
    multiply(builder, "NC", 1.0, right, back, 0.0, y)
    _put_turns(builder, x, y, s, gs, middle)
    target = contiguous(builder, u.dtype, result, m, n)
    tall, wide = (builder.icmp_signed("<", k, length) for length in (m, n))
    with builder.if_else(wide) as (there, nothing):
        with there:
            multiply(builder, "CN", -1.0, y, right, 1.0, back)
            _divide(builder, back, s, rows=True)
            multiply(builder, "NN", 1.0, middle, right, 1.0, back)
        with nothing:
            multiply(builder, "NN", 1.0, middle, right, 0.0, back)
    multiply(builder, "NN", 1.0, left, back, 0.0, target)
    with builder.if_then(tall):
        multiply(builder, "NN", -1.0, left, x, 1.0, forth)
        _divide(builder, forth, s, rows=False)
        multiply(builder, "NN", 1.0, forth, right, 1.0, target)


def _put_turns(
    builder: IRBuilder, x: Matrix, y: Matrix, s: Matrix, gs: Matrix, middle: Matrix
) -> None:
    """What is symmetric over the differences of values, the other over their sums; gs between."""
    zero = I64(0)
    with (
        cgutils.for_range(builder, middle.rows) as row,
        cgutils.for_range(builder, middle.rows) as column,
    ):
        i, j = row.index, column.index
        a, b = (
            difference(builder, v.get(builder, i, j), conjugate(builder, v.get(builder, j, i)))
            for v in (x, y)
        )
        one, other = s.get(builder, i, zero), s.get(builder, j, zero)
        half, same = one.type(0.5), builder.icmp_signed("==", i, j)
        together = scaled(builder, total(builder, a, b), half)
        apart = scaled(builder, difference(builder, a, b), half)
        apart = over(builder, apart, builder.fadd(one, other))
        together = over(builder, together, builder.fsub(other, one), same)
        real = gs.get(builder, i, zero)
        on_it = joined(builder, a.type, [real, real.type(0.0)][: len(parts(builder, a))])
        turn = builder.select(same, on_it, together)
        middle.put(builder, i, j, total(builder, turn, apart))


def _divide(builder: IRBuilder, x: Matrix, s: Matrix, *, rows: bool) -> None:
    """Divide rows, or columns, by the values; 0 by 0 is 0."""
    with cgutils.for_range(builder, x.rows) as row, cgutils.for_range(builder, x.columns) as column:
        i, j = row.index, column.index
        value = s.get(builder, i if rows else j, I64(0))
        x.put(builder, i, j, over(builder, x.get(builder, i, j), value))


def _described(op: SVD) -> tuple[str, partial[Value], str]:
    full = op.full_matrices
    name = "svd" if full else "svd_reduced"
    return name, partial(write_svd, full), "mn mm s nn" if full else "mn ms s sn"


@numba_funcify.register(SVDSlope)
def numba_funcify_svd_slope(op: SVDSlope, *, node: TensorVariable, **kwargs: object) -> Any:
    """BLAS's products."""
    u, s = (x.type.dtype for x in node.inputs[:2])
    letters = ("mm", "so", "nn") if op.full_matrices else ("ms", "so", "sn")
    parts = tuple(Part(*pair) for pair in zip(letters * 2, (u, s, u) * 2, strict=True))
    name = "svd_slope" if op.full_matrices else "svd_slope_reduced"
    write = partial(write_slope, op.full_matrices)
    return callable_operation(MatrixOperation(name, parts, (Part("mn", u),), write, missing="o"))


_FAILURE: Final = "SVD did not converge"
register_matrix(SVD, _described, _FAILURE)
register_matrix(SingularValues, lambda op: ("svdvals", write_values, "mn s"), _FAILURE)
