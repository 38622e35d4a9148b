"""What is done with small real matrices, step by step without a loop.

The elements are numbers, or vectors of those of several matrices. So there are no branches: rows
are exchanged by choosing, and bits say where a result is right; elsewhere it means nothing.
"""

from __future__ import annotations

from itertools import product
from typing import Any, Final

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.ir.vector_math import variants
from weft_numba.numba_layer.linalg.blas import I32

__all__ = [
    "Elements",
    "cholesky",
    "cofactors",
    "determinant",
    "inverse",
    "sign_and_logarithm",
    "solution",
    "triangular_solution",
]

Elements = list[list[Any]]
"""A matrix as rows."""
_BIT: Final = ir.IntType(1)
_NORMAL: Final = I32(1 << 3 | 1 << 8)
"""What LLVM's is.fpclass calls normal numbers: below zero, or above it."""


def solution(builder: IRBuilder, a: Elements, b: Elements) -> tuple[list[Elements], Value]:
    """The x for which a x = b, by Gauss's elimination with pivots."""
    n = len(a)
    rows, _ = _eliminated(builder, [[*one, *other] for one, other in zip(a, b, strict=True)])
    right = None
    for j in reversed(range(n)):
        right = _both(builder, right, _is_normal(builder, rows[j][j]))
        inverse = builder.fdiv(_constant(rows[j][j], 1.0), rows[j][j])
        rows[j][n:] = [builder.fmul(x, inverse) for x in rows[j][n:]]
        for i in range(j):
            rows[i][n:] = _less(builder, rows[i][n:], rows[i][j], rows[j][n:])
    return [[row[n:] for row in rows]], right


def triangular_solution(
    builder: IRBuilder, a: Elements, b: Elements, lower: Value, unit: Value
) -> tuple[list[Elements], Value]:
    """The x for which a x = b, where `lower` says which half of a counts; upwards if not."""
    n = len(a)
    a = _chosen(builder, lower, a, [row[::-1] for row in reversed(a)])
    b = _chosen(builder, lower, b, b[::-1])
    right = None
    for j in range(n):
        pivot = builder.select(unit, _constant(a[j][j], 1.0), a[j][j])
        right = _both(builder, right, _is_normal(builder, pivot))
        b[j] = [builder.fdiv(x, pivot) for x in b[j]]
        for i in range(j + 1, n):
            b[i] = _less(builder, b[i], a[i][j], b[j])
    return [_chosen(builder, lower, b, b[::-1])], right


def inverse(builder: IRBuilder, a: Elements) -> tuple[list[Elements], Value]:
    """The inverse."""
    ones = [[_constant(x, float(i == j)) for j, x in enumerate(row)] for i, row in enumerate(a)]
    return solution(builder, a, ones)


def determinant(builder: IRBuilder, a: Elements) -> tuple[list[Elements], Value]:
    """The product of the pivots, right where none of its factors' products is beyond range."""
    rows, odd = _eliminated(builder, a)
    det = rows[0][0]
    right = _is_normal(builder, det)
    for j in range(1, len(a)):
        det = builder.fmul(det, rows[j][j])
        right = builder.and_(right, _is_normal(builder, det))
    if odd is not None:
        det = builder.select(odd, builder.fneg(det), det)
    return [[[det]]], right


def sign_and_logarithm(builder: IRBuilder, a: Elements) -> tuple[list[Elements], Value]:
    """The sign, and the logarithm of the size, of the determinant."""
    [[[det]]], right = determinant(builder, a)
    one = _constant(det, 1.0)
    sign = _intrinsic(builder, "copysign", one, det)
    return [[[sign]], [[_logarithm(builder, _intrinsic(builder, "fabs", det))]]], right


def cofactors(builder: IRBuilder, a: Elements) -> tuple[list[Elements], Value]:
    """Those of a matrix of up to 3 rows, right where all are finite."""
    n = len(a)
    found = [[_cofactor(builder, a, i, j) for j in range(n)] for i in range(n)]
    zero = total = _constant(a[0][0], 0.0)
    for i, j in product(range(n), repeat=2):
        total = builder.fadd(total, builder.fmul(found[i][j], zero))
    return [found], builder.fcmp_ordered("==", total, zero)


def cholesky(builder: IRBuilder, a: Elements) -> tuple[list[Elements], Value]:
    """The lower factor, from the lower half."""
    n, right = len(a), None
    factor = [[_constant(x, 0.0) for x in row] for row in a]
    for j in range(n):
        column = [a[i][j] for i in range(j, n)]
        for k in range(j):
            column = _less(builder, column, factor[j][k], [factor[i][k] for i in range(j, n)])
        positive = builder.fcmp_ordered(">", column[0], _constant(column[0], 0.0))
        right = _both(builder, right, positive)
        factor[j][j] = _intrinsic(builder, "sqrt", column[0])
        inverse = builder.fdiv(_constant(column[0], 1.0), factor[j][j])
        for i in range(j + 1, n):
            factor[i][j] = builder.fmul(column[i - j], inverse)
    return [factor], right


def _logarithm(builder: IRBuilder, x: Value) -> Value:
    """The logarithm, by the C library's function of vectors of that length if it has one."""
    if isinstance(x.type, ir.VectorType):
        lanes, bits = x.type.count, 32 if x.type.element == ir.FloatType() else 64
        for variant in variants("log", 1, bits):
            if variant.lanes == lanes and not variant.convention:
                kind = ir.FunctionType(x.type, [x.type])
                function = cgutils.get_or_insert_function(builder.module, kind, variant.name)
                return builder.call(function, [x])
    return _intrinsic(builder, "log", x)


def _eliminated(builder: IRBuilder, rows: Elements) -> tuple[Elements, Value]:
    """An upper triangle, and whether an odd number of rows were exchanged for it."""
    rows, n = [*map(list, rows)], len(rows)
    odd: Any = None
    for j in range(n):
        size = _intrinsic(builder, "fabs", rows[j][j])
        for i in range(j + 1, n):
            other = _intrinsic(builder, "fabs", rows[i][j])
            larger = builder.fcmp_ordered(">", other, size)
            size = builder.select(larger, other, size)
            both = [*zip(rows[j][j:], rows[i][j:], strict=True)]
            rows[j][j:] = [builder.select(larger, b, a) for a, b in both]
            rows[i][j:] = [builder.select(larger, a, b) for a, b in both]
            odd = larger if odd is None else builder.xor(odd, larger)
        inverse = builder.fdiv(_constant(size, 1.0), rows[j][j])
        for i in range(j + 1, n):
            factor = builder.fmul(rows[i][j], inverse)
            rows[i][j + 1 :] = _less(builder, rows[i][j + 1 :], factor, rows[j][j + 1 :])
    return rows, odd


def _cofactor(builder: IRBuilder, a: Elements, i: int, j: int) -> Value:
    """The determinant of what is in other rows and columns, with its sign."""
    if len(a) == 1:
        return _constant(a[0][0], 1.0)
    if len(a) == 2:
        value = a[1 - i][1 - j]
        return builder.fneg(value) if i != j else value
    (p, q), (r, s) = ([a[(i + d) % 3][(j + e) % 3] for e in (1, 2)] for d in (1, 2))
    return builder.fsub(builder.fmul(p, s), builder.fmul(q, r))


def _less(builder: IRBuilder, row: list[Any], factor: Value, other: list[Any]) -> list[Any]:
    """A row less a multiple of another."""
    flags = ["contract"]
    products = [builder.fmul(factor, x, flags=flags) for x in other]
    return [builder.fsub(x, y, flags=flags) for x, y in zip(row, products, strict=True)]


def _is_normal(builder: IRBuilder, x: Value) -> Value:
    """Whether the number is neither too small for all its digits nor infinite, or NaN."""
    bits = getattr(x.type, "count", None)
    kind = ir.VectorType(_BIT, bits) if bits else _BIT
    function = _declared(builder, "is.fpclass", ir.FunctionType(kind, [x.type, I32]))
    return builder.call(function, [x, _NORMAL])


def _chosen(builder: IRBuilder, condition: Value, one: Elements, other: Elements) -> Elements:
    return [
        [builder.select(condition, x, y) for x, y in zip(*rows, strict=True)]
        for rows in zip(one, other, strict=True)
    ]


def _both(builder: IRBuilder, one: Value | None, other: Value) -> Value:
    return other if one is None else builder.and_(one, other)


def _constant(like: Value, value: float) -> Value:
    """A number of the type of another one, or as many as that has."""
    kind = like.type
    return kind([value] * kind.count) if isinstance(kind, ir.VectorType) else kind(value)


def _intrinsic(builder: IRBuilder, name: str, *xs: Value) -> Value:
    """A function that LLVM has itself, as "sqrt"."""
    kind = xs[0].type
    return builder.call(_declared(builder, name, ir.FunctionType(kind, [kind] * len(xs))), xs)


def _declared(builder: IRBuilder, name: str, type_: ir.FunctionType) -> Value:
    kind = type_.args[0]
    lanes = f"v{kind.count}" if isinstance(kind, ir.VectorType) else ""
    suffix = lanes + getattr(kind, "element", kind).intrinsic_name
    return cgutils.get_or_insert_function(builder.module, type_, f"llvm.{name}.{suffix}")
