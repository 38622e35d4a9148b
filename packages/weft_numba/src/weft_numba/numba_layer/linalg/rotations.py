"""Eigenvectors and singular vectors of small real matrices, by Jacobi's rotations of whole rows.

x is the identity and y the matrix; the rows of both are turned in pairs. Until each x[p] is
orthogonal to each y[q] but its own: then x has the eigenvectors of a symmetric y. Or until the rows
of y are orthogonal: then they are its right singular vectors times the singular values, and x has
the left ones (Hestenes, Inversion of matrices by biorthogonalization, 1958). Pairs that share no
row are turned at once, which the rounds of a tournament are: so the quotients and roots of their
angles, which would take most of the time one after another, are computed as vectors.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.numba_layer.linalg.blas import I32, I64, POINTER
from weft_numba.numba_layer.linalg.matrices import Matrix, copy, element, local_function, spread

__all__ = ["LARGEST", "Rows", "are_few", "place_of", "turned"]

LARGEST: Final = 16
"""The most rows and columns."""
_LANES: Final = 8
_SWEEPS: Final = 16
_ZERO: Final = I64(0)
_ONE: Final = I64(1)
_FAILED: Final = I32(1)
_RANGE: Final = {"float32": (1e-18, 1e18), "float64": (1e-140, 1e140)}
"""Squares of lengths beyond these give up, and LAPACK, which scales, is called."""


class Rows(NamedTuple):
    """Memory on the stack, in rows of whole vectors with zeros behind their ends."""

    x: Matrix
    y: Matrix
    numbers: Matrix
    """One row: the product of each x[i] and y[i], or of y[i] with itself."""


def are_few(builder: IRBuilder, x: Matrix) -> Value:
    """Whether the matrix is small enough; one bit."""
    at_least = (builder.icmp_signed(">=", n, _ONE) for n in (x.rows, x.columns))
    at_most = (builder.icmp_signed("<=", n, I64(LARGEST)) for n in (x.rows, x.columns))
    return builder.and_(builder.and_(*at_least), builder.and_(*at_most))


def turned(builder: IRBuilder, y: Matrix, *, symmetric: bool) -> tuple[Rows, Value]:
    """The rows of the identity and of `y` after all rotations, and 0 if they came to an end."""
    rows = Rows(*(_zeros(builder, y.dtype, y.rows, n) for n in (y.rows, y.columns, y.rows)))
    copy(builder, y, rows.y)
    with cgutils.for_range(builder, y.rows) as row:
        rows.x.put(builder, row.index, row.index, element(y.dtype)(1.0))
    given = [m.data for m in rows]
    name = f"weft_turn_{'symmetric' if symmetric else 'any'}_{y.dtype}"
    write = partial(_write_turns, y.dtype, symmetric)
    return rows, local_function(builder, name, [*given, y.rows, y.columns], write)


def place_of(builder: IRBuilder, rows: Rows, i: Value, sign: str) -> Value:
    """How many numbers are to stand before number i: those that are `sign` it, "<" or ">"."""
    place = cgutils.alloca_once(builder, I64)
    builder.store(_ZERO, place)
    own = rows.numbers.get(builder, _ZERO, i)
    with cgutils.for_range(builder, rows.x.rows) as row:
        other = rows.numbers.get(builder, _ZERO, row.index)
        before = builder.icmp_signed("<", row.index, i)
        equal = builder.and_(builder.fcmp_ordered("==", other, own), before)
        counts = builder.or_(builder.fcmp_ordered(sign, other, own), equal)
        builder.store(builder.add(builder.load(place), builder.zext(counts, I64)), place)
    return builder.load(place)


def _zeros(builder: IRBuilder, dtype: str, rows: Value, columns: Value) -> Matrix:
    """Of one row more than that, because an odd number of rows is turned as the even one."""
    with builder.goto_entry_block():
        memory = builder.alloca(element(dtype), LARGEST * LARGEST)
    memory.align = 64
    place = builder.bitcast(memory, POINTER)
    size = np.dtype(dtype).itemsize
    even = builder.and_(builder.add(rows, _ONE), I64(-2))
    cgutils.memset(builder, place, builder.mul(even, I64(LARGEST * size)), 0)
    return Matrix(dtype, place, rows, columns, I64(LARGEST * size), I64(size))


def _write_turns(
    dtype: str,
    symmetric: bool,
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
    return _Turns(builder, rows, symmetric).written()


class _Turns:
    """Writes the rotations."""

    def __init__(self, builder: IRBuilder, rows: Rows, symmetric: bool) -> None:
        self.builder = builder
        self.rows = rows
        self.symmetric = symmetric
        self.left = rows.x if symmetric else rows.y
        self.kind = element(rows.x.dtype)
        self.vector = ir.VectorType(self.kind, _LANES)
        self.precision = float(np.finfo(rows.x.dtype).eps)
        names = ["products", "above", "below", "cosines", "sines"]
        self.pairs = {name: self._slot(self.vector) for name in names}
        self.places = {name: self._slot(ir.VectorType(I64, _LANES)) for name in "pq"}
        self.moved = self._slot(ir.IntType(1))

    def _slot(self, kind: Any) -> Value:
        slot = cgutils.alloca_once(self.builder, kind)
        self.builder.store(ir.Constant(kind, None), slot)
        return slot

    def written(self) -> Value:
        """All sweeps; gives 0 if nothing was left to turn in the end."""
        builder, n = self.builder, self.rows.x.rows
        last = builder.sub(builder.and_(builder.add(n, _ONE), I64(-2)), _ONE)
        floor = self._floor() if self.symmetric else None
        with cgutils.for_range(builder, I64(_SWEEPS)):
            with cgutils.for_range(builder, n) as row:
                i = row.index
                number = self._product(i, i)
                if not self.symmetric:
                    self._refuse(number)
                self.rows.numbers.put(builder, _ZERO, i, number)
            builder.store(self.moved.type.pointee(0), self.moved)
            with cgutils.for_range(builder, last) as step:
                self._round(step.index, last, floor)
            with builder.if_then(builder.not_(builder.load(self.moved))):
                builder.ret(I32(0))
        return _FAILED

    def _floor(self) -> Value:
        """Products that are smaller are nothing, beside the whole matrix."""
        builder = self.builder
        total = self._slot(self.kind)
        with cgutils.for_range(builder, self.rows.y.rows) as row:
            square = self._dot(self.rows.y, row.index, self.rows.y, row.index)
            builder.store(builder.fadd(builder.load(total), square), total)
        found = builder.load(total)
        self._refuse(found)
        return builder.fmul(self._root(found), self.kind(self.precision / 4))

    def _refuse(self, square: Value) -> None:
        """Give up if it is too small, too large or not finite."""
        builder = self.builder
        least, most = (self.kind(v) for v in _RANGE[self.rows.y.dtype])
        ordered = [builder.fcmp_ordered(">=", square, least)]
        ordered.append(builder.fcmp_ordered("<=", square, most))
        with builder.if_then(builder.not_(builder.and_(*ordered)), likely=False):
            builder.ret(_FAILED)

    def _round(self, step: Value, last: Value, floor: Value | None) -> None:
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
        if floor is None:
            size = builder.fmul(self._root(builder.fmul(a, b)), self._all(self.precision))
        else:
            size = spread(builder, floor, _LANES)
        counts = builder.fcmp_ordered(">", self._call("fabs", d), size)
        bits = builder.bitcast(counts, ir.IntType(_LANES))
        some = builder.icmp_unsigned("!=", bits, bits.type(0))
        with builder.if_then(some):
            builder.store(some.type(1), self.moved)
            self._angles(d, a, b, counts)
            with cgutils.for_range(builder, half) as pair:
                self._rotate(pair.index)

    def _angles(self, d: Value, a: Value, b: Value, counts: Value) -> None:
        """The cosine and sine of each pair's angle, and what numbers become."""
        builder, one = self.builder, self._all(1.0)
        zeta = builder.fdiv(builder.fsub(b, a), builder.fadd(d, d))
        root = self._root(builder.fadd(one, builder.fmul(zeta, zeta)))
        size = builder.fdiv(one, builder.fadd(self._call("fabs", zeta), root))
        tangent = builder.select(counts, self._call("copysign", size, zeta), self._all(0.0))
        cosine = builder.fadd(one, builder.fmul(tangent, tangent))
        cosine = builder.fdiv(one, self._root(cosine))
        change = builder.fmul(tangent, d)
        made = {
            "cosines": cosine,
            "sines": builder.fmul(cosine, tangent),
            "above": builder.fsub(a, change),
            "below": builder.fadd(b, change),
        }
        for name, value in made.items():
            builder.store(value, self.pairs[name])

    def _rotate(self, k: Value) -> None:
        """Turn the rows of one pair."""
        builder = self.builder
        p, q = (builder.load(self._lane(self.places[name], k)) for name in "pq")
        for name, place in (("above", p), ("below", q)):
            self.rows.numbers.put(builder, _ZERO, place, self._get(name, k))
        c, s = (spread(builder, self._get(name, k), _LANES) for name in ("cosines", "sines"))
        for m in (self.rows.x, self.rows.y):
            with cgutils.for_range_slice(builder, _ZERO, m.columns, I64(_LANES)) as (j, _):
                one, two = (m.get(builder, i, j, self.vector) for i in (p, q))
                flags = ["contract"]
                less, more = (builder.fmul(s, v, flags=flags) for v in (two, one))
                first = builder.fsub(builder.fmul(c, one, flags=flags), less, flags=flags)
                second = builder.fadd(builder.fmul(c, two, flags=flags), more, flags=flags)
                m.put(builder, p, j, first)
                m.put(builder, q, j, second)

    def _product(self, p: Value, q: Value) -> Value:
        return self._dot(self.left, p, self.rows.y, q)

    def _dot(self, x: Matrix, p: Value, y: Matrix, q: Value) -> Value:
        """The sum of products of two rows."""
        builder = self.builder
        total = self._slot(self.vector)
        builder.store(ir.Constant(self.vector, None), total)
        with cgutils.for_range_slice(builder, _ZERO, y.columns, I64(_LANES)) as (j, _):
            values = x.get(builder, p, j, self.vector), y.get(builder, q, j, self.vector)
            product = builder.fmul(*values, flags=["contract"])
            builder.store(builder.fadd(builder.load(total), product, flags=["contract"]), total)
        kind = ir.FunctionType(self.kind, [self.kind, self.vector])
        name = f"llvm.vector.reduce.fadd.{self._suffix(self.vector)}"
        reduce = cgutils.get_or_insert_function(builder.module, kind, name)
        return builder.call(reduce, [self.kind(0.0), builder.load(total)], fastmath=("reassoc",))

    def _all(self, value: float) -> Value:
        return ir.Constant(self.vector, [value] * _LANES)

    def _root(self, x: Value) -> Value:
        return self._call("sqrt", x)

    def _call(self, name: str, *given: Value) -> Value:
        kind = given[0].type
        function = ir.FunctionType(kind, [kind] * len(given))
        whole = f"llvm.{name}.{self._suffix(kind)}"
        intrinsic = cgutils.get_or_insert_function(self.builder.module, function, whole)
        return self.builder.call(intrinsic, given)

    def _suffix(self, kind: Any) -> str:
        lanes = f"v{_LANES}" if kind is self.vector else ""
        return lanes + ("f32" if isinstance(self.kind, ir.FloatType) else "f64")

    def _lane(self, slot: Value, k: Value) -> Value:
        kind = slot.type.pointee
        first = self.builder.bitcast(slot, kind.element.as_pointer())
        return self.builder.gep(first, [k])

    def _get(self, name: str, k: Value) -> Value:
        return self.builder.load(self._lane(self.pairs[name], k))

    def _put(self, name: str, k: Value, value: Value) -> None:
        self.builder.store(value, self._lane(self.pairs[name], k))
