"""Small systems of equations: Gauss's elimination with whole vectors of numbers.

Each row of [a | b] takes up whole vectors in memory on the stack, with zeros behind its end.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.numba_layer.linalg.blas import I32, I64, POINTER
from weft_numba.numba_layer.linalg.matrices import Matrix, copy, element, spread

__all__ = ["LARGEST", "WIDEST", "eliminate"]

LARGEST: Final = 16
"""The most unknowns."""
WIDEST: Final = 48
"""The most right sides."""
_LANES: Final = 8
_WIDTH: Final = LARGEST + WIDEST
_ZERO: Final = I64(0)
_ONE: Final = I64(1)


def eliminate(
    builder: IRBuilder, a: Matrix, b: Matrix | None, x: Matrix, determinant: Value | None = None
) -> Value:
    """Solve a x = b for x, b the identity if it is None; gives 0, or 1 if a is singular.

    The determinant of a, the product of what is divided by, is put where `determinant` says.
    """
    work = _Elimination(builder, a, x.columns)
    if b is None:
        work.begin_with_ones()
    else:
        copy(builder, b, work.solution)
    return work.solved(x, determinant)


class _Elimination:
    """Writes the steps for one system."""

    def __init__(self, builder: IRBuilder, a: Matrix, columns: Value) -> None:
        self.builder = builder
        self.count = a.rows
        self.vector = ir.VectorType(element(a.dtype), _LANES)
        self.right_side = self._whole(a.rows)
        self.end = builder.add(self.right_side, self._whole(columns))
        with builder.goto_entry_block():
            memory = builder.alloca(element(a.dtype), LARGEST * _WIDTH)
        memory.align = 64
        place = builder.bitcast(memory, POINTER)
        down, right = I64(_WIDTH * a.size), I64(a.size)
        self.work = Matrix(a.dtype, place, a.rows, a.rows, down, right)
        with cgutils.for_range(builder, a.rows) as row, self._vectors(_ZERO) as j:
            self.work.put(builder, row.index, j, ir.Constant(self.vector, None))
        copy(builder, a, self.work)
        self.solution = self.work._replace(
            data=self.work.at(builder, _ZERO, self.right_side), columns=columns
        )

    def begin_with_ones(self) -> None:
        """Make the right side the identity."""
        one = element(self.work.dtype)(1.0)
        with cgutils.for_range(self.builder, self.count) as row:
            self.solution.put(self.builder, row.index, row.index, one)

    def solved(self, x: Matrix, determinant: Value | None = None) -> Value:
        """All steps, and the solution in x."""
        builder, work = self.builder, self.work
        status = cgutils.alloca_once(builder, I32)
        builder.store(I32(0), status)
        if determinant is not None:
            builder.store(element(work.dtype)(1.0), determinant)
        with cgutils.for_range(builder, self.count) as step:
            j = step.index
            other = self._pivot(j)
            self._exchange(j, other)
            pivot = work.get(builder, j, j)
            if determinant is not None:
                product = builder.fmul(builder.load(determinant), pivot)
                moved = builder.icmp_signed("!=", j, other)
                builder.store(builder.select(moved, builder.fneg(product), product), determinant)
            zero = builder.fcmp_ordered("==", pivot, pivot.type(0.0))
            builder.store(builder.or_(builder.load(status), builder.zext(zero, I32)), status)
            with self._rows(builder.add(j, _ONE), self.count) as i:
                factor = builder.fdiv(work.get(builder, i, j), pivot)
                self._subtract(i, factor, j, self._chunk(j))
        last = builder.sub(self.count, _ONE)
        with cgutils.for_range(builder, self.count) as step:
            j = builder.sub(last, step.index)
            divisor = spread(builder, work.get(builder, j, j), _LANES)
            with self._vectors(self.right_side) as c:
                row = builder.fdiv(work.get(builder, j, c, self.vector), divisor)
                work.put(builder, j, c, row)
            with self._rows(_ZERO, j) as i:
                self._subtract(i, work.get(builder, i, j), j, self.right_side)
        copy(builder, self.solution, x)
        if determinant is not None:  # NaN by now if one was 0
            singular = builder.icmp_signed("!=", builder.load(status), I32(0))
            value = builder.load(determinant)
            builder.store(builder.select(singular, value.type(0.0), value), determinant)
        return builder.load(status)

    def _whole(self, n: Value) -> Value:
        """The length of whole vectors for `n` numbers."""
        return self._chunk(self.builder.add(n, I64(_LANES - 1)))

    def _chunk(self, j: Value) -> Value:
        """Where the vector begins in which column j is."""
        return self.builder.and_(j, I64(-_LANES))

    @contextmanager
    def _rows(self, start: Value, stop: Value) -> Iterator[Value]:
        with cgutils.for_range_slice(self.builder, start, stop, _ONE) as (i, _):
            yield i

    @contextmanager
    def _vectors(self, start: Value) -> Iterator[Value]:
        with cgutils.for_range_slice(self.builder, start, self.end, I64(_LANES)) as (j, _):
            yield j

    def _pivot(self, j: Value) -> Value:
        """The row, from j on, of the largest number in column j."""
        builder = self.builder
        first = self._magnitude(j, j)
        largest, place = cgutils.alloca_once(builder, first.type), cgutils.alloca_once(builder, I64)
        builder.store(first, largest)
        builder.store(j, place)
        with self._rows(builder.add(j, _ONE), self.count) as i:
            value, so_far = self._magnitude(i, j), builder.load(largest)
            larger = builder.fcmp_ordered(">", value, so_far)
            builder.store(builder.select(larger, value, so_far), largest)
            builder.store(builder.select(larger, i, builder.load(place)), place)
        return builder.load(place)

    def _magnitude(self, i: Value, j: Value) -> Value:
        value = self.work.get(self.builder, i, j)
        fabs = self.builder.module.declare_intrinsic("llvm.fabs", [value.type])
        return self.builder.call(fabs, [value])

    def _exchange(self, i: Value, other: Value) -> None:
        """Exchange two rows, from column i on."""
        builder, work = self.builder, self.work
        with (
            builder.if_then(builder.icmp_signed("!=", i, other)),
            self._vectors(self._chunk(i)) as c,
        ):
            one, two = (work.get(builder, row, c, self.vector) for row in (i, other))
            work.put(builder, i, c, two)
            work.put(builder, other, c, one)

    def _subtract(self, i: Value, factor: Value, j: Value, start: Value) -> None:
        """Take a multiple of row j from row i, from a column on."""
        builder, work = self.builder, self.work
        factors = spread(builder, factor, _LANES)
        with self._vectors(start) as c:
            row, above = (work.get(builder, r, c, self.vector) for r in (i, j))
            product = builder.fmul(factors, above, flags=["contract"])
            work.put(builder, i, c, builder.fsub(row, product, flags=["contract"]))
