"""The exponential of matrices in Numba: scaling and squaring of a rational function.

That is Padé's approximant of degree 13, exact to double precision for matrices whose sums of
columns are at most 5.37 (Higham, The scaling and squaring method for the matrix exponential
revisited, 2005), 4.74 if the derivative is wanted, too (Al-Mohy and Higham, Computing the Fréchet
derivative of the matrix exponential, 2009).
"""

from __future__ import annotations

from functools import partial, reduce
from typing import Any, Final

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.numba_layer.linalg import row_blas
from weft_numba.numba_layer.linalg.blas import I32, I64
from weft_numba.numba_layer.linalg.lapack import at_least_one, informed, is_finite, real_size
from weft_numba.numba_layer.linalg.matrices import (
    Matrix,
    Memory,
    contiguous,
    copy,
    element,
    local_function,
    parts,
)
from weft_numba.numba_layer.linalg.registration import register_matrix
from weft_numba.numba_layer.linalg.row_blas import columns_from
from weft_tensor import Expm, ExpmFrechet
from weft_tensor.extend import EXPM_FRECHET_LARGEST, EXPM_LARGEST, EXPM_PADE

__all__ = ["combine", "largest_sum", "multiply", "write_expm"]

_ZERO: Final = I64(0)
_ONE: Final = I64(1)
_BUFFERS: Final = 7


def write_expm(
    count: int,
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
) -> None:
    """Of `count` square matrices beside each other: x, and the direction of a derivative.

    By columns, in which the matrix is its transpose, as all of its functions are.
    """
    (x,) = inputs
    dtype, n, width = x.dtype, x.rows, x.columns
    wrong = builder.icmp_signed("!=", width, builder.mul(n, I64(count)))
    with builder.if_then(wrong, likely=False):
        memory.leave(I32(1))
    size = builder.mul(builder.mul(n, width), I64(_BUFFERS))
    work, pivots = memory.take(size, x.size), memory.take(n, 4)
    whole = contiguous(builder, dtype, work, n, width)
    copy(builder, x, whole)
    name = f"weft_exponential_{dtype}"
    local_function(builder, name, [work, pivots, n, width], partial(_write_exponential, dtype))
    copy(builder, whole, contiguous(builder, dtype, result, n, width))


def _write_exponential(
    dtype: str, builder: IRBuilder, work: Value, pivots: Value, n: Value, width: Value
) -> Value:
    """Replace the first of the matrices, of so many columns, that lie in `work`; others are spare.

    What stands right of its square is the direction of a derivative, and becomes that.
    """
    first = contiguous(builder, dtype, work, n, width)
    size = builder.mul(n, first.down)
    a, two, four, six, odd, even, spare = (
        first._replace(data=builder.gep(work, [builder.mul(I64(k), size)])) for k in range(_BUFFERS)
    )
    squarings = _scale(builder, a)
    for one, factor, power in ((a, a, two), (two, two, four), (four, two, six)):
        _multiply_dual(builder, one, factor, power)
    powers, b = [six, four, two], EXPM_PADE
    combine(builder, spare, powers, [b[13], b[11], b[9]])
    _multiply_dual(builder, six, spare, odd)
    combine(builder, odd, [odd, *powers], [1.0, b[7], b[5], b[3]], b[1])
    _multiply_dual(builder, a, odd, spare)
    combine(builder, odd, powers, [b[12], b[10], b[8]])
    _multiply_dual(builder, six, odd, even)
    combine(builder, even, [even, *powers], [1.0, b[6], b[4], b[2]], b[0])
    combine(builder, two, [even, spare], [1.0, -1.0])
    combine(builder, a, [even, spare], [1.0, 1.0])
    _divide(builder, a, two, pivots)
    with cgutils.for_range(builder, squarings):
        _multiply_dual(builder, a, a, six)
        copy(builder, six, a)
    return I32(0)


def _divide(builder: IRBuilder, a: Matrix, b: Matrix, pivots: Value) -> None:
    """a b⁻¹ in the place of a; b is lost. By columns, as LAPACK sees them, b stands left."""
    dtype, n, apart = a.dtype, a.rows, at_least_one(builder, a.columns)
    (value, change), (_, change_of_b) = (columns_from(builder, x, n) for x in (a, b))
    informed(builder, dtype, "getrf", n, n, b.data, apart, pivots)
    for half in (value, change):
        if half is change:
            row_blas.multiply(builder, "NN", -1.0, value, change_of_b, 1.0, change)
        arguments = "N", n, half.columns, b.data, apart, pivots, half.data, apart
        informed(builder, dtype, "getrs", *arguments)


def _multiply_dual(builder: IRBuilder, a: Matrix, b: Matrix, target: Matrix) -> None:
    """The product of squares with what stands right of them: that changes by the rule of Leibniz.

    By columns, all are transposed; as they commute, their order does not matter.
    """

    def write(inside: IRBuilder, *parameters: Value) -> Value:
        *places, n, width = parameters
        x, y, z = (contiguous(inside, a.dtype, place, n, width) for place in places)
        (value, change), (_, product) = (columns_from(inside, v, n) for v in (x, z))
        row_blas.multiply(inside, "NN", 1.0, value, y, 0.0, z)
        square = y._replace(columns=n)
        row_blas.multiply(inside, "NN", 1.0, change, square, 1.0, product)
        return I32(0)

    arguments = [a.data, b.data, target.data, a.rows, a.columns]
    local_function(builder, f"weft_multiply_dual_{a.dtype}", arguments, write)


def multiply(builder: IRBuilder, a: Matrix, b: Matrix, target: Matrix, flags: str = "NN") -> None:
    """The product of square matrices by columns, or of their adjoints, where a flag is "C"."""
    row_blas.multiply(builder, flags[::-1], 1.0, b, a, 0.0, target)  # by rows, all are transposed


def combine(
    builder: IRBuilder,
    target: Matrix,
    matrices: list[Matrix],
    factors: list[Any],
    on_diagonal: float = 0.0,
) -> None:
    """The sum of at most 4 matrices times factors, and a number on the diagonal.

    All are contiguous. An odd number of them is one less than there is code for: the last counts
    nothing once more.
    """
    kind = _real(target)
    if len(matrices) % 2:
        matrices, factors = [*matrices, matrices[-1]], [*factors, 0.0]
    numbers = [f if isinstance(f, Value) else kind(f) for f in [*factors, on_diagonal]]
    pieces = I64(target.size // real_size(target.dtype))
    width = builder.mul(target.columns, pieces)
    arguments = [target.data, *(x.data for x in matrices), *numbers]
    arguments += [builder.mul(target.rows, width), target.rows, builder.add(width, pieces)]
    name = f"weft_combine_{len(matrices)}_{target.dtype}"
    local_function(builder, name, arguments, partial(_write_sum, kind, len(matrices)))


def _write_sum(kind: Any, terms: int, builder: IRBuilder, to: Value, *parameters: Value) -> Value:
    sources, factors = parameters[:terms], parameters[terms : 2 * terms]
    on_diagonal, count, rows, apart = parameters[2 * terms :]
    place, *places = (builder.bitcast(p, kind.as_pointer()) for p in (to, *sources))
    with cgutils.for_range(builder, count) as loop:
        values = [builder.load(builder.gep(p, [loop.index]), align=1) for p in places]
        products = map(builder.fmul, values, factors)
        builder.store(reduce(builder.fadd, products), builder.gep(place, [loop.index]), align=1)
    with cgutils.for_range(builder, rows) as loop:
        at = builder.gep(place, [builder.mul(loop.index, apart)])
        builder.store(builder.fadd(builder.load(at, align=1), on_diagonal), at, align=1)
    return I32(0)


def _scale(builder: IRBuilder, a: Matrix) -> Value:
    """Halve the matrix until its square is small enough; gives how often.

    What is not finite becomes NaN, all of it.
    """
    kind, (square, change) = _real(a), columns_from(builder, a, a.rows)
    fine = is_finite(builder, a)
    size = builder.select(fine, largest_sum(builder, square), kind(0.0))
    alone = builder.icmp_signed("==", change.columns, _ZERO)
    limit = builder.select(alone, kind(EXPM_LARGEST), kind(EXPM_FRECHET_LARGEST))
    count = cgutils.alloca_once_value(builder, _ZERO)
    factor = cgutils.alloca_once_value(builder, kind(1.0))
    test, body, done = (builder.append_basic_block(name) for name in ("test", "half", "done"))
    builder.branch(test)
    builder.position_at_end(test)
    scaled_size = builder.fmul(size, builder.load(factor))
    builder.cbranch(builder.fcmp_ordered(">", scaled_size, limit), body, done)
    builder.position_at_end(body)
    builder.store(builder.fmul(builder.load(factor), kind(0.5)), factor)
    builder.store(builder.add(builder.load(count), _ONE), count)
    builder.branch(test)
    builder.position_at_end(done)
    combine(builder, a, [a], [builder.select(fine, builder.load(factor), kind(float("nan")))])
    return builder.load(count)


def _real(a: Matrix) -> Any:
    kind = element(a.dtype)
    return kind.element if isinstance(kind, ir.ArrayType) else kind


def largest_sum(builder: IRBuilder, a: Matrix) -> Value:
    """At least the greatest sum of absolute values in a row, of parts if they are complex."""
    largest = cgutils.alloca_once(builder, _real(a))
    arguments = [*a[1:], largest]
    local_function(builder, f"weft_largest_sum_{a.dtype}", arguments, partial(_write_largest, a))
    return builder.load(largest)


def _write_largest(like: Matrix, builder: IRBuilder, *parameters: Value) -> Value:
    *fields, largest = parameters
    a, kind = Matrix(like.dtype, *fields), _real(like)
    total = cgutils.alloca_once(builder, kind)
    builder.store(kind(0.0), largest)
    absolute = builder.module.declare_intrinsic("llvm.fabs", [kind])
    with cgutils.for_range(builder, a.rows) as row:
        builder.store(kind(0.0), total)
        with cgutils.for_range(builder, a.columns) as column:
            for part in parts(builder, a.get(builder, row.index, column.index)):
                size = builder.call(absolute, [part])
                builder.store(builder.fadd(builder.load(total), size), total)
        high, value = builder.load(largest), builder.load(total)
        more = builder.fcmp_ordered(">", value, high)
        builder.store(builder.select(more, value, high), largest)
    return I32(0)


_ALONE: Final = partial(write_expm, 1)
_WITH_CHANGE: Final = partial(write_expm, 2)
_SHAPES: Final = "a direction has the shape of the matrices"
register_matrix(Expm, lambda op: ("expm", _ALONE, "nn nn"), "")
register_matrix(ExpmFrechet, lambda op: ("expm_frechet", _WITH_CHANGE, "nw nw"), _SHAPES)
