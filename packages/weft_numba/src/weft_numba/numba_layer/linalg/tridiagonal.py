"""Eigenvectors of small real symmetric matrices: reflections to three diagonals, then rotations.

The reflections are Householder's, the rotations those of the implicit QL method with Wilkinson's
shifts, begun at the end where numbers are smaller (Parlett, The Symmetric Eigenvalue Problem, 1998,
chapters 7 and 8; Golub and Van Loan, Matrix Computations, 2013, section 8.3). Which rows are
reflected first, which end the rotations begin at, the signs of both and the order of equal values
are LAPACK's: so the signs of vectors are, too. A matrix is in memory twice, in both halves, and
vectors are rows: then all but what the angles need is done by whole rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import numpy as np
from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.numba_layer.linalg.blas import I32, I64
from weft_numba.numba_layer.linalg.matrices import Matrix, contiguous, local_function
from weft_numba.numba_layer.linalg.row_writer import LANES, RowWriter, rows_of_zeros

__all__ = ["eigenvectors"]

_ZERO: Final = I64(0)
_ONE: Final = I64(1)
_FAILED: Final = I32(1)
_SWEEPS: Final = 30
"""The most of them for each row."""
_NOTHING: Final = {"float32": 1e-36, "float64": 1e-290}
"""Squares below these are nothing beside those that `refuse` lets through."""


def eigenvectors(
    builder: IRBuilder, x: Matrix, lower: bool, values: Value, vectors: Value
) -> Value:
    """Put both of the matrix that is in one half of `x` there; gives 0 if that worked."""
    name = f"weft_eigen_{'lower' if lower else 'upper'}_{x.dtype}"
    arguments = [x.data, x.down, x.right, x.rows, values, vectors]
    return local_function(builder, name, arguments, partial(_write, x.dtype, lower))


def _write(
    dtype: str,
    lower: bool,
    builder: IRBuilder,
    data: Value,
    down: Value,
    right: Value,
    n: Value,
    values: Value,
    vectors: Value,
) -> Value:
    x = Matrix(dtype, data, n, n, down, right)
    target = contiguous(builder, dtype, vectors, n, n)
    if not lower:  # the same from the last row up
        turned = _from_below(builder, x).transposed()
        x, target = _from_below(builder, turned).transposed(), _from_below(builder, target)
    work = _Eigenvectors(builder, dtype, n, lower)
    work.take(x)
    work.reflect()
    work.rotate()
    work.put(contiguous(builder, dtype, values, _ONE, n), target)
    return I32(0)


def _from_below(builder: IRBuilder, x: Matrix) -> Matrix:
    """The same rows, the last one first."""
    last = x.at(builder, builder.sub(x.rows, _ONE), _ZERO)
    return x._replace(data=last, down=builder.neg(x.down))


class _Eigenvectors(RowWriter):
    """Writes all steps."""

    def __init__(self, builder: IRBuilder, dtype: str, n: Value, lower: bool) -> None:
        super().__init__(builder, dtype)
        self.n = n
        self.lower = lower
        self.last = builder.sub(n, _ONE)
        self.matrix, self.vectors = (rows_of_zeros(builder, dtype, n, n) for _ in range(2))
        self.basis = self.vectors if lower else _from_below(builder, self.vectors)
        self.numbers = rows_of_zeros(builder, dtype, I64(4), n)
        """Rows: the diagonal; what is beside it, from 1 on; a reflection; what it changes."""
        self.sweeps = cgutils.alloca_once(builder, I64)
        self.precision = float(np.finfo(dtype).eps) / 2
        self.nothing = _NOTHING[dtype]

    def take(self, x: Matrix) -> None:
        """Both halves from the lower one; give up where numbers are too small or too large."""
        builder = self.builder
        with cgutils.for_range(builder, self.n) as row:
            i = row.index
            self.basis.put(builder, i, i, self.kind(1.0))
            with cgutils.for_range(builder, builder.add(i, _ONE)) as column:
                j = column.index
                number = x.get(builder, i, j)
                self.matrix.put(builder, i, j, number)
                self.matrix.put(builder, j, i, number)
        total = self.slot(self.kind)
        with cgutils.for_range(builder, self.n) as row:
            square = self.dot(self.matrix, row.index, row.index)
            builder.store(builder.fadd(builder.load(total), square), total)
        self.refuse(builder.load(total))

    def reflect(self) -> None:
        """Leave three diagonals, in `numbers`; the rows of vectors are what does it."""
        builder, lower = self.builder, self.lower
        with cgutils.for_range(builder, self.n) as row:
            k = row.index
            place = k if lower else builder.sub(self.last, k)
            self._put(0, place, self.matrix.get(builder, k, k))
            with builder.if_then(builder.icmp_signed("<", k, self.last)):
                beside = self._reflect(k)
                self._put(1, builder.add(k, _ONE) if lower else place, beside)

    def _reflect(self, k: Value) -> Value:
        """Zeros behind the number beside the diagonal; gives that number."""
        builder = self.builder
        second = builder.add(k, _ONE)
        first = self.matrix.get(builder, k, second)
        beside = cgutils.alloca_once_value(builder, first)
        total = self.slot(self.vector)
        with self.chunks(self.n) as j:
            rest = self._behind(second, j, self.matrix.get(builder, k, j, self.vector))
            square = builder.fmul(rest, rest)
            builder.store(builder.fadd(builder.load(total), square), total)
        rest = self.sum(builder.load(total))
        with builder.if_then(builder.fcmp_ordered(">", rest, self.kind(self.nothing))):
            whole = self.call("sqrt", builder.fadd(builder.fmul(first, first), rest))
            beta = builder.fneg(self.call("copysign", whole, first))
            scale = builder.fdiv(builder.fsub(beta, first), beta)
            factor = builder.fdiv(self.kind(1.0), builder.fsub(first, beta))
            with self.chunks(self.n) as j:
                row = builder.fmul(self.matrix.get(builder, k, j, self.vector), self.all(factor))
                self.numbers.put(builder, I64(2), j, self._behind(second, j, row))
            self._put(2, second, self.kind(1.0))
            self._reflect_rest(k, scale)
            self._combine(self.basis, k)
            self._subtract(self.basis, k, [(2, 3, scale)])
            builder.store(beta, beside)
        return builder.load(beside)

    def _reflect_rest(self, k: Value, scale: Value) -> None:
        """Apply a reflection to the rows and columns behind k."""
        builder = self.builder
        self._combine(self.matrix, k)
        overlap = self.dot(self.numbers, I64(2), I64(3))
        half = builder.fmul(builder.fmul(scale, scale), overlap)
        half = builder.fmul(half, self.kind(-0.5))
        with self.chunks(self.n) as j:
            own, other = (self.numbers.get(builder, I64(r), j, self.vector) for r in (2, 3))
            change = builder.fmul(other, self.all(scale))
            change = builder.fadd(change, builder.fmul(own, self.all(half)))
            self.numbers.put(builder, I64(3), j, self._behind(k, j, change))
        self._subtract(self.matrix, k, [(2, 3, None), (3, 2, None)])

    def _behind(self, k: Value, j: Value, row: Value) -> Value:
        """The numbers of a row from column j on, zeros instead of those up to column k."""
        builder = self.builder
        lanes = ir.Constant(ir.VectorType(I64, LANES), list(range(LANES)))
        behind = builder.icmp_signed(">", lanes, self.all(builder.sub(k, j)))
        return builder.select(behind, row, ir.Constant(self.vector, None))

    def _combine(self, x: Matrix, k: Value) -> None:
        """The sum of rows behind k, times the numbers of the reflection."""
        builder = self.builder
        total = self.slot(self.vector)
        with self.chunks(self.n) as j:
            builder.store(ir.Constant(self.vector, None), total)
            with self._rows(k) as i:
                factor = self.all(self._get(2, i))
                row = builder.fmul(factor, x.get(builder, i, j, self.vector), flags=["contract"])
                builder.store(builder.fadd(builder.load(total), row, flags=["contract"]), total)
            self.numbers.put(builder, I64(3), j, builder.load(total))

    def _subtract(self, x: Matrix, k: Value, products: list[tuple[int, int, Any]]) -> None:
        """Take from rows behind k a row of `numbers` times their number in another one."""
        builder = self.builder
        with self.chunks(self.n) as j, self._rows(k) as i:
            row = x.get(builder, i, j, self.vector)
            for factors, of, scale in products:
                factor = self._get(factors, i)
                if scale is not None:
                    factor = builder.fmul(factor, scale)
                whole = self.numbers.get(builder, I64(of), j, self.vector)
                change = builder.fmul(self.all(factor), whole, flags=["contract"])
                row = builder.fsub(row, change, flags=["contract"])
            x.put(builder, i, j, row)

    def rotate(self) -> None:
        """Make the diagonal the eigenvalues, and the rows of vectors the eigenvectors."""
        builder = self.builder
        builder.store(_ZERO, self.sweeps)
        begin = cgutils.alloca_once_value(builder, _ZERO)
        with self.repeated() as done:
            first = builder.load(begin)
            self.leave(builder.icmp_signed(">=", first, self.n), done)
            end = self._end_of_block(first, self.last, _ONE)
            self._rotate_block(first, end)
            builder.store(builder.add(end, _ONE), begin)

    def _rotate_block(self, first: Value, end: Value) -> None:
        """From the end where the diagonal is smaller, until each number is alone."""
        builder = self.builder
        sizes = (self.call("fabs", self._get(0, i)) for i in (end, first))
        turned = builder.fcmp_ordered("<", *sizes)
        step = builder.select(turned, I64(-1), _ONE)
        place = cgutils.alloca_once_value(builder, builder.select(turned, end, first))
        last = builder.select(turned, first, end)
        with self.repeated() as done:
            i = builder.load(place)
            left = builder.mul(builder.sub(last, i), step)
            self.leave(builder.icmp_signed("<", left, _ZERO), done)
            other = self._end_of_block(i, last, step)
            count = builder.mul(builder.sub(other, i), step)
            with builder.if_else(builder.icmp_signed(">", count, _ONE)) as (many, few):
                with many:
                    self._sweep(i, other, step)
                with few:
                    with builder.if_then(builder.icmp_signed("==", count, _ONE)):
                        lower = builder.icmp_signed("<", i, other)
                        self._rotate_pair(builder.select(lower, i, other))
                    builder.store(builder.add(other, step), place)

    def _end_of_block(self, first: Value, last: Value, step: Value) -> Value:
        """The row from `first` on at which the number beside the diagonal is negligible."""
        builder = self.builder
        tiny = self.kind(float(np.finfo(self.matrix.dtype).tiny))
        place = cgutils.alloca_once_value(builder, first)
        with self.repeated() as done:
            i = builder.load(place)
            self.leave(builder.icmp_signed("==", i, last), done)
            further = builder.add(i, step)
            one, two = (self.call("fabs", self._get(0, k)) for k in (i, further))
            size = builder.fmul(builder.fmul(self.kind(self.precision**2), one), two)
            beside = self._beside(i, step)
            square = builder.fmul(beside, beside)
            self.leave(builder.fcmp_ordered("<=", square, builder.fadd(size, tiny)), done)
            builder.store(further, place)
        return builder.load(place)

    def _sweep(self, i: Value, end: Value, step: Value) -> None:
        """Chase what a shift at row `end` makes up to row i."""
        builder, one = self.builder, self.kind(1.0)
        done = builder.load(self.sweeps)
        limit = builder.mul(self.n, I64(_SWEEPS))
        with builder.if_then(builder.icmp_signed(">=", done, limit), likely=False):
            builder.ret(_FAILED)
        builder.store(builder.add(done, _ONE), self.sweeps)
        own, beside = self._get(0, i), self._beside(i, step)
        g = builder.fsub(self._get(0, builder.add(i, step)), own)
        g = builder.fdiv(g, builder.fadd(beside, beside))
        root = self.call("sqrt", builder.fadd(builder.fmul(g, g), one))
        g = builder.fdiv(beside, builder.fadd(g, self.call("copysign", root, g)))
        g = builder.fadd(builder.fsub(self._get(0, end), own), g)
        slots = [cgutils.alloca_once_value(builder, v) for v in (g, one, one, self.kind(0.0))]
        start = builder.sub(end, step)
        place = cgutils.alloca_once_value(builder, start)
        with self.repeated() as left:
            k = builder.load(place)
            *values, length = self._chased(k, step, *(builder.load(slot) for slot in slots))
            for slot, value in zip(slots, values, strict=True):
                builder.store(value, slot)
            begun = builder.icmp_signed("==", k, start)
            length = builder.select(begun, self.kind(0.0), length)
            self._put_beside(builder.add(k, step), step, length)
            self.leave(builder.icmp_signed("==", k, i), left)
            builder.store(builder.sub(k, step), place)
        g, _, _, p = (builder.load(slot) for slot in slots)
        self._put(0, i, builder.fsub(self._get(0, i), p))
        self._put_beside(i, step, g)

    def _chased(self, k: Value, step: Value, g: Value, c: Value, s: Value, p: Value) -> list[Value]:
        """One rotation; gives g, c, s, p of the next one, and the length of what it turns."""
        builder = self.builder
        beside, further = self._beside(k, step), builder.add(k, step)
        f, b = builder.fmul(s, beside), builder.fmul(c, beside)
        c, s, length = self._angle(g, f)
        g = builder.fsub(self._get(0, further), p)
        r = builder.fmul(builder.fsub(self._get(0, k), g), s)
        r = builder.fadd(r, builder.fmul(builder.fadd(c, c), b))
        p = builder.fmul(s, r)
        self._put(0, further, builder.fadd(g, p))
        self.rotate_rows(self.vectors, k, further, c, s)
        return [builder.fsub(builder.fmul(c, r), b), c, s, p, length]

    def _angle(self, g: Value, f: Value) -> list[Value]:
        """The cosine and sine that turn (g, f) to a number and 0, and that number."""
        builder = self.builder
        g = builder.fadd(g, self.kind(0.0))  # no negative zero, whose sign would count
        square = builder.fadd(builder.fmul(g, g), builder.fmul(f, f))
        nothing = builder.fcmp_ordered("<", square, self.kind(self.nothing))
        root = self.call("sqrt", square)
        inverse = builder.fdiv(self.kind(1.0), root)
        c = builder.fmul(self.call("fabs", g), inverse)
        s = builder.fmul(f, self.call("copysign", inverse, g))
        length = self.call("copysign", root, g)
        instead = self.kind(1.0), self.kind(0.0), g
        return [builder.select(nothing, a, b) for a, b in zip(instead, (c, s, length), strict=True)]

    def _rotate_pair(self, i: Value) -> None:
        """Make two numbers of the diagonal the values of their block: the larger one first."""
        builder, zero = self.builder, self.kind(0.0)
        other = builder.add(i, _ONE)
        a, b, d = self._get(0, i), self._beside(i, _ONE), self._get(0, other)
        total, apart, twice = builder.fadd(a, d), builder.fsub(a, d), builder.fadd(b, b)
        squares = builder.fadd(builder.fmul(apart, apart), builder.fmul(twice, twice))
        root = self.call("sqrt", squares)
        down = builder.fcmp_ordered("<", total, zero)
        ahead = builder.fcmp_ordered(">=", apart, zero)
        whole = builder.fadd(total, self._signed(root, down))
        one = builder.fmul(whole, self.kind(0.5))
        far = builder.fcmp_ordered(">", *(self.call("fabs", number) for number in (a, d)))
        most, least = builder.select(far, a, d), builder.select(far, d, a)
        two = builder.fmul(builder.fdiv(most, one), least)
        two = builder.fsub(two, builder.fmul(builder.fdiv(b, one), b))
        balanced = builder.fcmp_ordered("==", total, zero)
        two = builder.select(balanced, builder.fneg(one), two)
        self._put(0, i, one)
        self._put(0, other, two)
        self._put_beside(i, _ONE, zero)
        angle = self._pair_angle(twice, apart, root, down, ahead)
        self.rotate_rows(self.vectors, other, i, *angle)

    def _pair_angle(
        self, twice: Value, apart: Value, root: Value, down: Value, ahead: Value
    ) -> list[Value]:
        """The cosine and sine that turn the first row to the value of larger size."""
        builder, one = self.builder, self.kind(1.0)
        lean = builder.fadd(apart, self._signed(root, builder.not_(ahead)))
        steep = builder.fcmp_ordered(">", *(self.call("fabs", v) for v in (lean, twice)))
        low, high = builder.select(steep, twice, lean), builder.select(steep, lean, twice)
        tangent = builder.fneg(builder.fdiv(low, high))
        other = builder.fadd(one, builder.fmul(tangent, tangent))
        other = builder.fdiv(one, self.call("sqrt", other))
        this = builder.fmul(tangent, other)
        c, s = builder.select(steep, this, other), builder.select(steep, other, this)
        same = builder.icmp_unsigned("==", builder.not_(down), ahead)
        return [builder.select(same, builder.fneg(s), c), builder.select(same, c, s)]

    def _signed(self, number: Value, negative: Value) -> Value:
        return self.builder.select(negative, self.builder.fneg(number), number)

    def put(self, values: Matrix, vectors: Matrix) -> None:
        """Results in order: each time, the first of the smallest that are left goes ahead."""
        builder = self.builder
        with cgutils.for_range(builder, self.n) as row:
            i = row.index
            best = cgutils.alloca_once(builder, I64)
            builder.store(i, best)
            with cgutils.for_range_slice(builder, i, self.n, _ONE) as (j, _):
                numbers = self._get(0, j), self._get(0, builder.load(best))
                less = builder.fcmp_ordered("<", *numbers)
                builder.store(builder.select(less, j, builder.load(best)), best)
            place = builder.load(best)
            value = self._get(0, place)
            self._put(0, place, self._get(0, i))
            values.put(builder, _ZERO, i, value)
            with self.chunks(self.n) as j:
                vector = self.vectors.get(builder, place, j, self.vector)
                self.vectors.put(builder, place, j, self.vectors.get(builder, i, j, self.vector))
                self.vectors.put(builder, i, j, vector)
            with cgutils.for_range(builder, self.n) as column:
                j = column.index
                vectors.put(builder, j, i, self.vectors.get(builder, i, j))

    def _get(self, row: int, i: Value) -> Value:
        return self.numbers.get(self.builder, I64(row), i)

    def _put(self, row: int, i: Value, value: Value) -> None:
        self.numbers.put(self.builder, I64(row), i, value)

    def _beside(self, i: Value, step: Value) -> Value:
        """The number between the diagonal's at i and at i + step."""
        return self._get(1, self._between(i, step))

    def _put_beside(self, i: Value, step: Value, value: Value) -> None:
        self._put(1, self._between(i, step), value)

    def _between(self, i: Value, step: Value) -> Value:
        builder = self.builder
        ahead = builder.icmp_signed(">", step, _ZERO)
        return builder.select(ahead, builder.add(i, _ONE), i)

    @contextmanager
    def _rows(self, k: Value) -> Iterator[Value]:
        """Rows behind k."""
        start = self.builder.add(k, _ONE)
        with cgutils.for_range_slice(self.builder, start, self.n, _ONE) as (i, _):
            yield i
