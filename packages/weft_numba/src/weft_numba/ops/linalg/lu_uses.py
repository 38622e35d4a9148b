"""What the LU factors of a matrix are good for: systems, inverses, determinants.

LAPACK reads memory by columns, where our rows are: it makes the factors of the transpose.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from llvmlite import ir
from numba.core import cgutils

from weft_numba.numba_layer import blas
from weft_numba.numba_layer.blas import I32, I64
from weft_numba.numba_layer.matrices import (
    Laid,
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
from weft_numba.ops.linalg.elimination import LARGEST, WIDEST, eliminate

__all__ = [
    "at_least_one",
    "by_llvm",
    "divide",
    "factors_of",
    "informed",
    "sign_and_log",
    "sign_and_log_by",
    "size_of",
    "write_det",
    "write_inverse",
    "write_slogdet",
    "write_solve",
]

_ZERO: Final = I64(0)
_ONE: Final = I64(1)
_FINE: Final = I32(0)
_BLOCK: Final = 64
"""How many columns LAPACK works on at once: what it needs memory for."""


def at_least_one(builder: Any, n: Any) -> Any:
    """The length, or 1 where it is 0: what LAPACK calls a leading dimension."""
    return builder.select(builder.icmp_signed(">", n, _ONE), n, _ONE)


def informed(builder: Any, dtype: str, name: str, *arguments: Any) -> Any:
    """A call of LAPACK; gives what it says of its success, 0 for the best."""
    info = cgutils.alloca_once_value(builder, _FINE)
    builder.store(_FINE, info)
    blas.call(builder, dtype, name, *arguments, builder.bitcast(info, blas.POINTER))
    return builder.load(info)


def divide(builder: Any, x: Matrix, a: Laid, half: Any, diagonal: str) -> None:
    """Solve a y = x for y, which replaces x: by columns, that is yᵀ aᵀ = xᵀ.

    `half` says which half of a's memory counts, by columns: "L" or "U"; `diagonal` is "U" if
    there are ones on the diagonal.
    """
    with builder.if_else(builder.icmp_signed("==", x.columns, _ONE)) as (vector, matrix):
        with vector:
            flags = half, a.flag(builder, "T", "N"), diagonal
            blas.call(builder, x.dtype, "trsv", *flags, x.rows, *a[::2], x.data, _ONE)
        with matrix:
            sides = "R", half, a.flag(builder, "N", "T"), diagonal
            factor = x.columns, x.rows, number(x.dtype, 1.0)
            apart = at_least_one(builder, x.columns)
            blas.call(builder, x.dtype, "trsm", *sides, *factor, *a[::2], x.data, apart)


def factors_of(builder: Any, memory: Memory, x: Matrix, work: Matrix) -> tuple[Any, Any]:
    """Put the factors of xᵀ, by columns, into `work`; gives the exchanged rows, and info."""
    exchanged = memory.take(x.rows, 4)
    copy(builder, x, work)
    leading = at_least_one(builder, x.rows)
    arguments = x.rows, x.rows, work.data, leading, exchanged
    return exchanged, informed(builder, x.dtype, "getrf", *arguments)


def _other(builder: Any, exchanged: Any, i: Any) -> Any:
    """The row that row i was exchanged with: itself, or a later one."""
    places = builder.bitcast(exchanged, I32.as_pointer())
    return builder.sub(builder.sext(builder.load(builder.gep(places, [i])), I64), _ONE)


def write_solve(
    builder: Any, memory: Memory, lengths: dict[str, Any], given: list[Matrix], result: Any
) -> Any:
    """The solution of a x = b: by elimination where it is small, else by LAPACK's factors."""
    a, b = given
    x = contiguous(builder, b.dtype, result, lengths["n"], lengths["k"])
    return _small_or_large(builder, a, b, x, lambda: _solved(builder, memory, a, b, x))


def _small_or_large(
    builder: Any, a: Matrix, b: Matrix | None, x: Matrix, large: Callable[[], Any]
) -> Any:
    """By elimination if a and x are small and real, else by what `large` writes."""
    if "complex" in a.dtype:
        return large()
    few = builder.icmp_signed("<=", a.rows, I64(LARGEST))
    narrow = builder.icmp_signed("<=", x.columns, I64(WIDEST))
    status = cgutils.alloca_once(builder, I32)
    with builder.if_else(builder.and_(few, narrow)) as (by_elimination, by_factors):
        with by_elimination:
            builder.store(eliminate(builder, a, b, x), status)
        with by_factors:
            builder.store(large(), status)
    return builder.load(status)


def _solved(builder: Any, memory: Memory, a: Matrix, b: Matrix, x: Matrix) -> Any:
    """With aᵀ = P L U: solve xᵀ P L U = bᵀ."""
    work = memory.matrix(a.dtype, a.rows, a.rows)
    exchanged, info = factors_of(builder, memory, a, work)
    with builder.if_then(builder.icmp_signed("==", info, _FINE)):
        copy(builder, b, x)
        found = Laid(work.data, ir.IntType(1)(1), at_least_one(builder, a.rows))
        divide(builder, x, found, "U", "N")
        divide(builder, x, found, "L", "U")
        last = builder.sub(a.rows, _ONE)
        with cgutils.for_range(builder, a.rows) as row:
            i = builder.sub(last, row.index)
            other = _other(builder, exchanged, i)
            with builder.if_then(builder.icmp_signed("!=", i, other)):
                _exchange(builder, x, i, other)
    return info


def _exchange(builder: Any, x: Matrix, i: Any, other: Any) -> None:
    with cgutils.for_range(builder, x.columns) as column:
        j = column.index
        one, two = x.get(builder, i, j), x.get(builder, other, j)
        x.put(builder, i, j, two)
        x.put(builder, other, j, one)


def write_inverse(
    builder: Any, memory: Memory, lengths: dict[str, Any], given: list[Matrix], result: Any
) -> Any:
    """The inverse: by elimination where it is small, else by LAPACK's factors."""
    (x,) = given
    inverse = contiguous(builder, x.dtype, result, x.rows, x.rows)
    return _small_or_large(
        builder, x, None, inverse, lambda: _inverted(builder, memory, x, inverse)
    )


def _inverted(builder: Any, memory: Memory, x: Matrix, inverse: Matrix) -> Any:
    """By getri: the inverse of the transpose is the transpose of the inverse."""
    n = x.rows
    size = at_least_one(builder, builder.mul(n, I64(_BLOCK)))
    space = memory.take(size, x.size)
    exchanged, info = factors_of(builder, memory, x, inverse)
    with builder.if_then(builder.icmp_signed("==", info, _FINE)):
        arguments = n, inverse.data, at_least_one(builder, n), exchanged, space, size
        informed(builder, x.dtype, "getri", *arguments)
    return info


def write_slogdet(
    builder: Any,
    memory: Memory,
    lengths: dict[str, Any],
    given: list[Matrix],
    sign: Any,
    log: Any,
) -> None:
    """The sign and the logarithm of the size of the determinant."""
    (x,) = given
    found, total = sign_and_log(builder, memory, x)
    for value, place in ((found, sign), (total, log)):
        builder.store(value, builder.bitcast(place, value.type.as_pointer()), align=1)


def write_det(
    builder: Any, memory: Memory, lengths: dict[str, Any], given: list[Matrix], result: Any
) -> None:
    """The determinant from its sign and logarithm, as NumPy: no product on the way overflows."""
    (x,) = given
    sign, log = sign_and_log(builder, memory, x)
    value = scaled(builder, sign, by_llvm(builder, "exp", log))
    builder.store(value, builder.bitcast(result, value.type.as_pointer()), align=1)


def sign_and_log(builder: Any, memory: Memory, x: Matrix) -> tuple[Any, Any]:
    """Those of the determinant, from the diagonal of U and the number of exchanges."""
    work = memory.matrix(x.dtype, x.rows, x.rows)
    return sign_and_log_by(builder, work, *factors_of(builder, memory, x, work))


def sign_and_log_by(builder: Any, work: Matrix, exchanged: Any, info: Any) -> tuple[Any, Any]:
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
        size = size_of(builder, value)
        direction = _direction(builder, value, size)
        moved = builder.icmp_signed("!=", _other(builder, exchanged, i), i)
        turn = builder.select(moved, real(-1.0), real(1.0))
        so_far = scaled(builder, builder.load(sign), turn)
        builder.store(product(builder, so_far, direction), sign)
        builder.store(builder.fadd(builder.load(log), by_llvm(builder, "log", size)), log)
    singular = builder.icmp_signed("!=", info, _FINE)
    none = ir.Constant(one.type, None)
    found = builder.select(singular, none, builder.load(sign))
    return found, builder.select(singular, real(float("-inf")), builder.load(log))


def size_of(builder: Any, value: Any) -> Any:
    """The absolute value."""
    pieces = parts(builder, value)
    if len(pieces) == 1:
        return by_llvm(builder, "fabs", value)
    double = ir.DoubleType()
    kind = ir.FunctionType(double, [double, double])
    hypot = cgutils.get_or_insert_function(builder.module, kind, "hypot")
    narrow = pieces[0].type != double
    wide = [builder.fpext(p, double) if narrow else p for p in pieces]
    size = builder.call(hypot, wide)
    return builder.fptrunc(size, pieces[0].type) if narrow else size


def _direction(builder: Any, value: Any, size: Any) -> Any:
    """The number divided by its absolute value; 1 or -1 for a real one."""
    pieces = parts(builder, value)
    if len(pieces) > 1:
        return joined(builder, value.type, [builder.fdiv(p, size) for p in pieces])
    negative = builder.fcmp_ordered("<", value, value.type(0.0))
    return builder.select(negative, value.type(-1.0), value.type(1.0))


def by_llvm(builder: Any, name: str, x: Any) -> Any:
    """A function of one number that LLVM has itself, as "exp"."""
    return builder.call(builder.module.declare_intrinsic(f"llvm.{name}", [x.type]), [x])
