"""Singular vectors of small real matrices, by Jacobi's rotations of whole rows.

x is the identity and y the matrix; the rows of both are turned in pairs until those of y are
orthogonal: then they are its right singular vectors times the singular values, and x has the left
ones (Hestenes, Inversion of matrices by biorthogonalization, 1958). Pairs that share no row are
turned at once, which the rounds of a tournament are: so the quotients and roots of their angles,
which would take most of the time one after another, are computed as vectors.
"""

from __future__ import annotations

from functools import partial
from typing import Final, NamedTuple

import numpy as np
from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.numba_layer.linalg.blas import I32, I64
from weft_numba.numba_layer.linalg.matrices import Matrix, copy, element, local_function
from weft_numba.numba_layer.linalg.row_writer import LANES, LARGEST, RowWriter, rows_of_zeros

__all__ = ["Rows", "place_of", "turned"]

_SWEEPS: Final = 16
_ZERO: Final = I64(0)
_ONE: Final = I64(1)
_FAILED: Final = I32(1)


class Rows(NamedTuple):
    """Memory on the stack, in rows of whole vectors with zeros behind their ends."""

    x: Matrix
    y: Matrix
    numbers: Matrix
    """One row: the product of each y[i] with itself."""


def turned(builder: IRBuilder, y: Matrix) -> tuple[Rows, Value]:
    """The rows of the identity and of `y` after all rotations, and 0 if they came to an end."""
    rows = Rows(*(rows_of_zeros(builder, y.dtype, y.rows, n) for n in (y.rows, y.columns, y.rows)))
    copy(builder, y, rows.y)
    with cgutils.for_range(builder, y.rows) as row:
        rows.x.put(builder, row.index, row.index, element(y.dtype)(1.0))
    addresses = [m.data for m in rows]
    write = partial(_write_turns, y.dtype)
    name = f"weft_turn_{y.dtype}"
    return rows, local_function(builder, name, [*addresses, y.rows, y.columns], write)


def place_of(builder: IRBuilder, rows: Rows, i: Value) -> Value:
    """How many numbers are to stand before number i: those that are larger."""
    place = cgutils.alloca_once(builder, I64)
    builder.store(_ZERO, place)
    own = rows.numbers.get(builder, _ZERO, i)
    with cgutils.for_range(builder, rows.x.rows) as row:
        other = rows.numbers.get(builder, _ZERO, row.index)
        before = builder.icmp_signed("<", row.index, i)
        equal = builder.and_(builder.fcmp_ordered("==", other, own), before)
        counts = builder.or_(builder.fcmp_ordered(">", other, own), equal)
        builder.store(builder.add(builder.load(place), builder.zext(counts, I64)), place)
    return builder.load(place)


def _write_turns(
    dtype: str,
    builder: IRBuilder,
    x: Value,
    y: Value,
    numbers: Value,
    n: Value,
    columns: Value,
) -> Value:
    size = np.dtype(dtype).itemsize
    apart = I64(LARGEST * size), I64(size)
    rows = Rows(
        Matrix(dtype, x, n, n, *apart),
        Matrix(dtype, y, n, columns, *apart),
        Matrix(dtype, numbers, _ONE, n, *apart),
    )
    return _Turns(builder, rows).written()


class _Turns(RowWriter):
    """Writes the rotations."""

    def __init__(self, builder: IRBuilder, rows: Rows) -> None:
        super().__init__(builder, rows.x.dtype)
        self.rows = rows
        self.precision = float(np.finfo(rows.x.dtype).eps)
        names = ["products", "above", "below", "cosines", "sines"]
        self.pairs = {name: self.slot(self.vector) for name in names}
        self.places = {name: self.slot(ir.VectorType(I64, LANES)) for name in "pq"}
        self.moved = self.slot(ir.IntType(1))

    def written(self) -> Value:
        """All sweeps; gives 0 if nothing was left to turn in the end."""
        builder, n = self.builder, self.rows.x.rows
        last = builder.sub(builder.and_(builder.add(n, _ONE), I64(-2)), _ONE)
        with cgutils.for_range(builder, I64(_SWEEPS)):
            with cgutils.for_range(builder, n) as row:
                i = row.index
                number = self._product(i, i)
                self.refuse(number)
                self.rows.numbers.put(builder, _ZERO, i, number)
            builder.store(self.moved.type.pointee(0), self.moved)
            with cgutils.for_range(builder, last) as step:
                self._round(step.index, last)
            with builder.if_then(builder.not_(builder.load(self.moved))):
                builder.ret(I32(0))
        return _FAILED

    def _round(self, step: Value, last: Value) -> None:
        """Turn pairs that share no row, as a tournament pairs players; the last one stays."""
        builder = self.builder
        half = builder.lshr(builder.add(last, _ONE), _ONE)
        with cgutils.for_range(builder, half) as pair:
            k = pair.index
            ahead, behind = builder.add(step, k), builder.sub(step, k)
            over = builder.icmp_signed(">=", ahead, last)
            p = builder.select(over, builder.sub(ahead, last), ahead)
            p = builder.select(builder.icmp_signed("==", k, _ZERO), last, p)
            under = builder.icmp_signed("<", behind, _ZERO)
            q = builder.select(under, builder.add(behind, last), behind)
            self._put("products", k, self._product(p, q))
            for name, place in (("above", p), ("below", q)):
                self._put(name, k, self.rows.numbers.get(builder, _ZERO, place))
            for name, place in (("p", p), ("q", q)):
                builder.store(place, self._lane(self.places[name], k))
        d, a, b = (builder.load(self.pairs[name]) for name in ("products", "above", "below"))
        size = builder.fmul(self.call("sqrt", builder.fmul(a, b)), self.all(self.precision))
        counts = builder.fcmp_ordered(">", self.call("fabs", d), size)
        bits = builder.bitcast(counts, ir.IntType(LANES))
        some = builder.icmp_unsigned("!=", bits, bits.type(0))
        with builder.if_then(some):
            builder.store(some.type(1), self.moved)
            self._angles(d, a, b, counts)
            with cgutils.for_range(builder, half) as pair:
                self._rotate(pair.index)

    def _angles(self, d: Value, a: Value, b: Value, counts: Value) -> None:
        """The cosine and sine of each pair's angle, and what numbers become."""
        builder, one = self.builder, self.all(1.0)
        zeta = builder.fdiv(builder.fsub(b, a), builder.fadd(d, d))
        root = self.call("sqrt", builder.fadd(one, builder.fmul(zeta, zeta)))
        size = builder.fdiv(one, builder.fadd(self.call("fabs", zeta), root))
        tangent = builder.select(counts, self.call("copysign", size, zeta), self.all(0.0))
        cosine = builder.fadd(one, builder.fmul(tangent, tangent))
        cosine = builder.fdiv(one, self.call("sqrt", cosine))
        change = builder.fmul(tangent, d)
        numbers = {
            "cosines": cosine,
            "sines": builder.fmul(cosine, tangent),
            "above": builder.fsub(a, change),
            "below": builder.fadd(b, change),
        }
        for name, value in numbers.items():
            builder.store(value, self.pairs[name])

    def _rotate(self, k: Value) -> None:
        """Turn the rows of one pair."""
        builder = self.builder
        p, q = (builder.load(self._lane(self.places[name], k)) for name in "pq")
        for name, place in (("above", p), ("below", q)):
            self.rows.numbers.put(builder, _ZERO, place, self._get(name, k))
        c, s = (self._get(name, k) for name in ("cosines", "sines"))
        for m in (self.rows.x, self.rows.y):
            self.rotate_rows(m, p, q, c, s)

    def _product(self, p: Value, q: Value) -> Value:
        return self.dot(self.rows.y, p, q)

    def _lane(self, slot: Value, k: Value) -> Value:
        kind = slot.type.pointee
        first = self.builder.bitcast(slot, kind.element.as_pointer())
        return self.builder.gep(first, [k])

    def _get(self, name: str, k: Value) -> Value:
        return self.builder.load(self._lane(self.pairs[name], k))

    def _put(self, name: str, k: Value, value: Value) -> None:
        self.builder.store(value, self._lane(self.pairs[name], k))
