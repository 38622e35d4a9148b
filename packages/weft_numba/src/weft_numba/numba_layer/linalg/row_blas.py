"""Products and quotients of matrices whose rows are contiguous, in place, by BLAS.

BLAS reads columns, so that it sees each matrix transposed: sides and halves are exchanged here.
Each routine is called at one place of a module, by a function of our own.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value

from weft_numba.numba_layer.linalg import blas
from weft_numba.numba_layer.linalg.blas import I32, I64
from weft_numba.numba_layer.linalg.lapack import at_least_one
from weft_numba.numba_layer.linalg.matrices import Matrix, element, local_function, number, parts

__all__ = ["Blocks", "blocks", "by_triangle", "columns_from", "multiply", "rows_from"]

_ZERO: Final = I64(0)
_OTHER: Final = {"L": "R", "R": "L"}


class Blocks(NamedTuple):
    """A matrix cut after as many rows as columns."""

    corner: Matrix
    right: Matrix
    below: Matrix


def blocks(builder: IRBuilder, x: Matrix, size: Value) -> Blocks:
    """The square corner of `x` with so many rows, what is right of it, and what is below it."""
    down, along = builder.sub(x.rows, size), builder.sub(x.columns, size)
    return Blocks(
        x._replace(rows=size, columns=size),
        x._replace(data=x.at(builder, _ZERO, size), rows=size, columns=along),
        x._replace(data=x.at(builder, size, _ZERO), rows=down, columns=size),
    )


def columns_from(builder: IRBuilder, x: Matrix, count: Value) -> tuple[Matrix, Matrix]:
    """So many columns of `x`, and those after them."""
    rest = builder.sub(x.columns, count)
    return x._replace(columns=count), x._replace(data=x.at(builder, _ZERO, count), columns=rest)


def rows_from(builder: IRBuilder, x: Matrix, count: Value) -> tuple[Matrix, Matrix]:
    """So many rows of `x`, and those after them."""
    rest = builder.sub(x.rows, count)
    return x._replace(rows=count), x._replace(data=x.at(builder, count, _ZERO), rows=rest)


def multiply(
    builder: IRBuilder,
    flags: str,
    factor: float,
    a: Matrix,
    b: Matrix,
    share: float,
    c: Matrix,
) -> None:
    """Replace c by `factor` a b + `share` c. The flags of a and b: N, or C for the adjoint."""
    dtype = c.dtype
    parameters = [ir.IntType(8)(ord(flag)) for flag in flags]
    parameters += [c.rows, c.columns, a.rows if flags[0] == "C" else a.columns]
    parameters += [number(dtype, factor), a.data, a.down, b.data, b.down]
    parameters += [number(dtype, share), c.data, c.down]

    def write(inside: IRBuilder, *parameters: Value) -> Value:
        of_a, of_b, m, n, k, one, x, x_down, y, y_down, other, z, z_down = parameters
        stays = inside.fcmp_ordered("==", parts(inside, other)[0], _real_one(dtype))
        stays = inside.and_(stays, inside.icmp_signed("==", k, _ZERO))
        with inside.if_then(inside.not_(inside.or_(stays, _is_empty(inside, m, n)))):
            leading = [_leading(inside, dtype, down) for down in (x_down, y_down, z_down)]
            read = y, leading[1], x, leading[0]
            written = other, z, leading[2]
            blas.call(inside, dtype, "gemm", of_b, of_a, n, m, k, one, *read, *written)
        return I32(0)

    local_function(builder, f"weft_row_gemm_{dtype}", parameters, write)


def by_triangle(builder: IRBuilder, name: str, flags: str, a: Matrix, b: Matrix) -> None:
    """Replace b by its product with a triangular matrix, or with the inverse of one.

    `name`: "trmm" or "trsm". `flags`: on which side of b it is, L or R; which half of a counts, L
    or U; N for a, C for its adjoint; U for ones on the diagonal, N for what is there.
    """
    dtype, (side, half, *others) = b.dtype, list(flags)
    exchanged = _OTHER[side], "U" if half == "L" else "L", *others
    parameters = [ir.IntType(8)(ord(flag)) for flag in exchanged]
    parameters += [b.columns, b.rows, a.data, a.down, b.data, b.down]

    def write(inside: IRBuilder, *parameters: Value) -> Value:
        *own, columns, rows, x, x_down, y, y_down = parameters
        with inside.if_then(inside.not_(_is_empty(inside, rows, columns))):
            leading = [_leading(inside, dtype, down) for down in (x_down, y_down)]
            read = number(dtype, 1.0), x, leading[0], y, leading[1]
            blas.call(inside, dtype, name, *own, columns, rows, *read)
        return I32(0)

    local_function(builder, f"weft_row_{name}_{dtype}", parameters, write)


def _is_empty(builder: IRBuilder, rows: Value, columns: Value) -> Value:
    """Whether there are no numbers: calls of BLAS in vain would be most of what small ones take."""
    return builder.icmp_signed("==", builder.mul(rows, columns), _ZERO)


def _real_one(dtype: str) -> Value:
    kind = element(dtype)
    return (kind.element if isinstance(kind, ir.ArrayType) else kind)(1.0)


def _leading(builder: IRBuilder, dtype: str, down: Value) -> Value:
    size = I64(Matrix(dtype, *[None] * 5).size)
    return at_least_one(builder, builder.sdiv(down, size))
