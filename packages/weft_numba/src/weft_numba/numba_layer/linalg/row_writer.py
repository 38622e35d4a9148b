"""Small matrices on the stack, in rows of whole vectors, and what is computed with such rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.numba_layer.linalg.blas import I32, I64, POINTER
from weft_numba.numba_layer.linalg.matrices import Matrix, element, spread

__all__ = ["LANES", "LARGEST", "RowWriter", "are_few", "rows_of_zeros"]

LARGEST: Final = 16
"""The most rows and columns."""
LANES: Final = 8
_ZERO: Final = I64(0)
_ONE: Final = I64(1)
_FAILED: Final = I32(1)
_RANGE: Final = {"float32": (1e-18, 1e18), "float64": (1e-140, 1e140)}
"""Squares of lengths beyond these give up, and LAPACK, which scales, is called."""


def are_few(builder: IRBuilder, x: Matrix) -> Value:
    """Whether the matrix is small enough; one bit."""
    at_least = (builder.icmp_signed(">=", n, _ONE) for n in (x.rows, x.columns))
    at_most = (builder.icmp_signed("<=", n, I64(LARGEST)) for n in (x.rows, x.columns))
    return builder.and_(builder.and_(*at_least), builder.and_(*at_most))


def rows_of_zeros(builder: IRBuilder, dtype: str, rows: Value, columns: Value) -> Matrix:
    """A matrix, with a row behind it: an odd number of rows is turned as the even one."""
    with builder.goto_entry_block():
        memory = builder.alloca(element(dtype), LARGEST * LARGEST)
    memory.align = 64
    place = builder.bitcast(memory, POINTER)
    size = np.dtype(dtype).itemsize
    even = builder.and_(builder.add(rows, _ONE), I64(-2))
    cgutils.memset(builder, place, builder.mul(even, I64(LARGEST * size)), 0)
    return Matrix(dtype, place, rows, columns, I64(LARGEST * size), I64(size))


class RowWriter:
    """Writes steps with rows of one dtype."""

    def __init__(self, builder: IRBuilder, dtype: str) -> None:
        self.builder = builder
        self.dtype = dtype
        self.kind = element(dtype)
        self.vector = ir.VectorType(self.kind, LANES)

    def refuse(self, square: Value) -> None:
        """Give up if it is too small, too large or not finite."""
        builder = self.builder
        least, most = (self.kind(v) for v in _RANGE[self.dtype])
        ordered = [builder.fcmp_ordered(">=", square, least)]
        ordered.append(builder.fcmp_ordered("<=", square, most))
        with builder.if_then(builder.not_(builder.and_(*ordered)), likely=False):
            builder.ret(_FAILED)

    def dot(self, x: Matrix, p: Value, q: Value) -> Value:
        """The sum of products of two rows."""
        builder = self.builder
        total = self.slot(self.vector)
        with self.chunks(x.columns) as j:
            values = (x.get(builder, row, j, self.vector) for row in (p, q))
            product = builder.fmul(*values, flags=["contract"])
            builder.store(builder.fadd(builder.load(total), product, flags=["contract"]), total)
        return self.sum(builder.load(total))

    def sum(self, row: Value) -> Value:
        """The sum of the numbers of a vector."""
        kind = ir.FunctionType(self.kind, [self.kind, self.vector])
        name = f"llvm.vector.reduce.fadd.{self._suffix(self.vector)}"
        reduce = cgutils.get_or_insert_function(self.builder.module, kind, name)
        return self.builder.call(reduce, [self.kind(0.0), row], fastmath=("reassoc",))

    def rotate_rows(self, x: Matrix, i: Value, j: Value, c: Value, s: Value) -> None:
        """Row i becomes c times itself less s times row j, and that what is at right angles."""
        builder, flags = self.builder, ["contract"]
        c, s = self.all(c), self.all(s)
        with self.chunks(x.columns) as k:
            one, two = (x.get(builder, row, k, self.vector) for row in (i, j))
            less, more = (builder.fmul(s, v, flags=flags) for v in (two, one))
            first = builder.fsub(builder.fmul(c, one, flags=flags), less, flags=flags)
            second = builder.fadd(builder.fmul(c, two, flags=flags), more, flags=flags)
            x.put(builder, i, k, first)
            x.put(builder, j, k, second)

    def all(self, value: Any) -> Value:
        """A vector of equal numbers."""
        if isinstance(value, float):
            return ir.Constant(self.vector, [value] * LANES)
        return spread(self.builder, value, LANES)

    @contextmanager
    def chunks(self, columns: Value) -> Iterator[Value]:
        """The columns at which the vectors of a row begin."""
        with cgutils.for_range_slice(self.builder, _ZERO, columns, I64(LANES)) as (j, _):
            yield j

    @contextmanager
    def repeated(self) -> Iterator[Any]:
        """What stands inside again and again, until it leaves for the block that this gives."""
        builder = self.builder
        again, done = (builder.append_basic_block(name) for name in ("again", "done"))
        builder.branch(again)
        builder.position_at_end(again)
        yield done
        builder.branch(again)
        builder.position_at_end(done)

    def leave(self, condition: Value, done: Any) -> None:
        """Go there if that holds."""
        further = self.builder.append_basic_block("further")
        self.builder.cbranch(condition, done, further)
        self.builder.position_at_end(further)

    def slot(self, kind: Any) -> Value:
        """Memory for zero, at first."""
        slot = cgutils.alloca_once(self.builder, kind)
        self.builder.store(ir.Constant(kind, None), slot)
        return slot

    def call(self, name: str, *arguments: Value) -> Value:
        """One of LLVM's functions of numbers, or of vectors."""
        kind = arguments[0].type
        function = ir.FunctionType(kind, [kind] * len(arguments))
        whole = f"llvm.{name}.{self._suffix(kind)}"
        intrinsic = cgutils.get_or_insert_function(self.builder.module, function, whole)
        return self.builder.call(intrinsic, arguments)

    def _suffix(self, kind: Any) -> str:
        lanes = f"v{LANES}" if kind is self.vector else ""
        return lanes + ("f32" if isinstance(self.kind, ir.FloatType) else "f64")
