"""Matrices in memory, as the machine code of linear algebra sees them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.ir.llvm_writer import number as machine_number
from weft_numba.llvm.unrolling import keep_loops_short
from weft_numba.numba_layer.linalg.blas import I32, I64, LONGEST, POINTER

__all__ = [
    "BlasOperand",
    "Matrix",
    "Memory",
    "as_blas_operand",
    "by_rows",
    "contiguous",
    "copy",
    "element",
    "is_distance",
    "is_zero",
    "joined",
    "local_function",
    "number",
    "parts",
    "product",
    "scaled",
    "shorter",
    "spread",
]

_BIT: Final = ir.IntType(1)
_BYTE: Final = ir.IntType(8)
_ZERO: Final = I64(0)
_ONE: Final = I64(1)


def element(dtype: str) -> Any:
    """LLVM's type of one number in memory; for complex ones, a pair.

    >>> print(element("complex64"), element("bool"))
    [2 x float] i8
    """
    if np.dtype(dtype).kind == "c":
        return ir.ArrayType(ir.FloatType() if dtype == "complex64" else ir.DoubleType(), 2)
    n = machine_number(dtype)
    assert n is not None
    if n.kind == "f":
        return ir.FloatType() if n.bits == 32 else ir.DoubleType()
    return ir.IntType(n.bits)


def number(dtype: str, value: float) -> Value:
    """A constant of a floating dtype.

    >>> print(number("complex64", 1.0))
    [2 x float] [float 0x3ff0000000000000, float              0x0]
    """
    kind = element(dtype)
    return ir.Constant(kind, [value, 0.0] if isinstance(kind, ir.ArrayType) else value)


def parts(builder: IRBuilder, value: Value) -> list[Value]:
    """The real and imaginary part of a complex number, else the number alone."""
    if isinstance(value.type, ir.ArrayType):
        return [builder.extract_value(value, k) for k in (0, 1)]
    return [value]


def joined(builder: IRBuilder, kind: Any, pieces: list[Value]) -> Value:
    """The number that has these parts."""
    if len(pieces) == 1:
        return pieces[0]
    value = builder.insert_value(ir.Constant(kind, ir.Undefined), pieces[0], 0)
    return builder.insert_value(value, pieces[1], 1)


def is_zero(builder: IRBuilder, value: Value) -> Value:
    """Whether all parts of the number are zero."""
    tests = [builder.fcmp_ordered("==", x, x.type(0.0)) for x in parts(builder, value)]
    return tests[0] if len(tests) == 1 else builder.and_(*tests)


def scaled(builder: IRBuilder, value: Value, factor: Value) -> Value:
    """The number times a real one."""
    return joined(builder, value.type, [builder.fmul(x, factor) for x in parts(builder, value)])


def product(builder: IRBuilder, x: Value, y: Value) -> Value:
    """The product of two numbers."""
    if isinstance(x.type, ir.IntType):
        return builder.mul(x, y)
    if not isinstance(x.type, ir.ArrayType):
        return builder.fmul(x, y)
    (a, b), (c, d) = parts(builder, x), parts(builder, y)
    real = builder.fsub(builder.fmul(a, c), builder.fmul(b, d))
    imaginary = builder.fadd(builder.fmul(a, d), builder.fmul(b, c))
    return joined(builder, x.type, [real, imaginary])


def plus(builder: IRBuilder, x: Value, y: Value) -> Value:
    """The sum of two numbers."""
    if isinstance(x.type, ir.IntType):
        return builder.add(x, y)
    pairs = zip(parts(builder, x), parts(builder, y), strict=True)
    return joined(builder, x.type, [builder.fadd(a, b) for a, b in pairs])


def spread(builder: IRBuilder, value: Value, lanes: int) -> Value:
    """A vector of equal numbers; the number itself for one lane."""
    if lanes == 1:
        return value
    vector = ir.Constant(ir.VectorType(value.type, lanes), ir.Undefined)
    first = builder.insert_element(vector, value, I32(0))
    zeros = ir.Constant(ir.VectorType(I32, lanes), None)
    return builder.shuffle_vector(first, vector, zeros)


def shorter(builder: IRBuilder, m: Value, n: Value) -> Value:
    """The shorter of two lengths."""
    return builder.select(builder.icmp_signed("<", m, n), m, n)


class Matrix(NamedTuple):
    """A matrix that machine code works on; all but the dtype are values of that code."""

    dtype: str
    data: Any
    rows: Any
    columns: Any
    down: Any
    """Bytes from an element to the one below it."""
    right: Any
    """Bytes from an element to the next one in its row."""

    @property
    def size(self) -> int:
        """Bytes of one element."""
        return np.dtype(self.dtype).itemsize

    def at(self, builder: IRBuilder, i: Value, j: Value) -> Value:
        """The address of an element."""
        offset = builder.add(builder.mul(i, self.down), builder.mul(j, self.right))
        return builder.gep(self.data, [offset], source_etype=_BYTE)

    def get(self, builder: IRBuilder, i: Value, j: Value, kind: Any = None) -> Value:
        """An element, or what of another type begins there, at whatever address."""
        kind = kind or element(self.dtype)
        place = builder.bitcast(self.at(builder, i, j), kind.as_pointer())
        return builder.load(place, align=1)

    def put(self, builder: IRBuilder, i: Value, j: Value, value: Value) -> None:
        """Replace an element, or as many as are in `value`."""
        place = builder.bitcast(self.at(builder, i, j), value.type.as_pointer())
        builder.store(value, place, align=1)

    def transposed(self) -> Matrix:
        """The same memory, with rows as columns."""
        return Matrix(self.dtype, self.data, self.columns, self.rows, self.right, self.down)


def contiguous(builder: IRBuilder, dtype: str, data: Value, rows: Value, columns: Value) -> Matrix:
    """A matrix whose rows lie one after another."""
    size = I64(np.dtype(dtype).itemsize)
    return Matrix(dtype, data, rows, columns, builder.mul(columns, size), size)


class Memory:
    """What a function takes from the heap, and gives back at its end.

    Where there is not enough the function ends: it returns `Memory.LACKING`. Wherever it ends, it
    does so by one block, which frees: there is not much to compile.
    """

    LACKING: Final = I32(-1)

    def __init__(self, context: Any, builder: IRBuilder) -> None:
        self.context = context
        self.builder = builder
        self.slots: list[Any] = []
        self.status: Any = cgutils.alloca_once(builder, I32)
        self.exit: Any = builder.append_basic_block("exit")

    def take(self, count: Value, size: int) -> Value:
        """The address of `count` numbers of `size` bytes."""
        builder = self.builder
        wanted = builder.add(builder.mul(count, I64(size)), _ONE)
        data = self.context.nrt.allocate_unchecked(builder, wanted)
        with builder.if_then(cgutils.is_null(builder, data), likely=False):
            self.leave(self.LACKING)
        slot = cgutils.alloca_once(builder, POINTER)  # null where this is not reached
        builder.store(data, slot)
        self.slots.append(slot)
        return data

    def matrix(self, dtype: str, rows: Value, columns: Value) -> Matrix:
        """A new matrix, whose rows lie one after another."""
        builder = self.builder
        data = self.take(builder.mul(rows, columns), np.dtype(dtype).itemsize)
        return contiguous(builder, dtype, data, rows, columns)

    def leave(self, status: Value) -> None:
        """End the function here, with a 32-bit integer."""
        self.builder.store(status, self.status)
        self.builder.branch(self.exit)

    def end(self, status: Value) -> Value:
        """Give back all that was taken on the way; gives what the function is to return."""
        builder = self.builder
        self.leave(status)
        builder.position_at_end(self.exit)
        for slot in self.slots:
            data = builder.load(slot)
            with builder.if_then(cgutils.is_not_null(builder, data)):
                self.context.nrt.free(builder, data)
        return builder.load(self.status)


def local_function(
    builder: IRBuilder, name: str, arguments: list[Value], write: Callable[..., Any]
) -> Value:
    """Call a function of this module, which `write(builder, *parameters)` writes if need be.

    `write` gives the 32-bit integer that the function returns.
    """
    module = builder.module
    function = module.globals.get(name)
    if function is None:
        function = ir.Function(module, ir.FunctionType(I32, [g.type for g in arguments]), name)
        function.linkage = "internal"
        function.attributes.add("noinline")
        inside = IRBuilder(function.append_basic_block("entry"))
        inside.ret(write(inside, *function.args))
        keep_loops_short(function, "llvm.loop.disable_nonforced")
    return builder.call(function, arguments)


def copy(builder: IRBuilder, source: Matrix, target: Matrix) -> None:
    """Copy all elements; the rows of the target are contiguous."""
    arguments = [source.data, source.down, source.right, source.rows, source.columns]
    arguments += [target.data, target.down]
    name = f"weft_copy_{source.dtype}"
    local_function(builder, name, arguments, _copier(source.dtype))


def _copier(dtype: str) -> Callable[..., Any]:
    size = I64(np.dtype(dtype).itemsize)

    def write(
        builder: IRBuilder,
        x: Value,
        down: Value,
        right: Value,
        m: Value,
        n: Value,
        y: Value,
        d: Value,
    ) -> Value:
        source, target = Matrix(dtype, x, m, n, down, right), Matrix(dtype, y, m, n, d, size)
        with builder.if_else(builder.icmp_signed("==", right, size)) as (whole, one_by_one):
            with whole, cgutils.for_range(builder, m) as row:
                to, origin = (t.at(builder, row.index, _ZERO) for t in (target, source))
                cgutils.raw_memcpy(builder, to, origin, n, size.constant)
            with (
                one_by_one,
                cgutils.for_range(builder, m) as row,
                cgutils.for_range(builder, n) as column,
            ):
                value = source.get(builder, row.index, column.index)
                target.put(builder, row.index, column.index, value)
        return I32(0)

    return write


class BlasOperand(NamedTuple):
    """How BLAS is to find a matrix."""

    data: Any
    by_rows: Any
    """Whether it lies row by row, else column by column: one bit."""
    leading: Any
    """How many elements lie between the beginnings of neighbouring rows, or columns."""

    def flag(self, builder: IRBuilder, by_rows: str, by_columns: str) -> Value:
        """One letter or the other."""
        return builder.select(self.by_rows, _BYTE(ord(by_rows)), _BYTE(ord(by_columns)))


def as_blas_operand(builder: IRBuilder, memory: Memory, x: Matrix) -> BlasOperand:
    """The matrix as it lies in memory if BLAS takes that, else a copy."""
    return _operand(builder, memory, x, rows_alone=False)


def by_rows(builder: IRBuilder, memory: Memory, x: Matrix) -> Matrix:
    """The matrix if BLAS takes its rows as they lie in memory, else a copy."""
    data, _, leading = _operand(builder, memory, x, rows_alone=True)
    return x._replace(data=data, down=builder.mul(leading, I64(x.size)), right=I64(x.size))


def _operand(builder: IRBuilder, memory: Memory, x: Matrix, *, rows_alone: bool) -> BlasOperand:
    kinds = POINTER, _BIT, I64
    own, *places = (cgutils.alloca_once(builder, kind) for kind in (POINTER, *kinds))
    memory.slots.append(own)
    arguments = [*x[1:], _BIT(rows_alone), own, *places]
    write = partial(_put_operand, memory.context, x.dtype)
    status = local_function(builder, f"weft_operand_{x.dtype}", arguments, write)
    with builder.if_then(builder.icmp_signed("!=", status, I32(0)), likely=False):
        memory.leave(status)
    return BlasOperand(*map(builder.load, places))


def _put_operand(context: Any, dtype: str, builder: IRBuilder, *parameters: Value) -> Value:
    """What an operand is into three places; the address of a copy, if it is one, into `own`."""
    *fields, rows_alone, own, data, by_rows, leading = parameters
    x = Matrix(dtype, *fields)
    lies, turned = _lies(builder, x), _lies(builder, x.transposed())
    turned = builder.and_(turned, builder.not_(rows_alone))
    neither = builder.not_(builder.or_(lies, turned))
    builder.store(x.data, data)
    builder.store(builder.or_(lies, neither), by_rows)
    apart = builder.select(lies, _leading(builder, x), _leading(builder, x.transposed()))
    builder.store(apart, leading)
    with builder.if_then(neither, likely=False):
        count = builder.mul(x.rows, builder.mul(x.columns, I64(x.size)))
        place = context.nrt.allocate_unchecked(builder, builder.add(count, _ONE))
        with builder.if_then(cgutils.is_null(builder, place), likely=False):
            builder.ret(Memory.LACKING)
        builder.store(place, own)
        builder.store(place, data)
        copy(builder, x, contiguous(builder, dtype, place, x.rows, x.columns))
        several = builder.icmp_signed(">", x.columns, _ONE)
        builder.store(builder.select(several, x.columns, _ONE), leading)
    return I32(0)


def _lies(builder: IRBuilder, x: Matrix) -> Value:
    """Whether the rows of `x` are contiguous, and follow each other at a distance BLAS takes."""
    size = I64(x.size)
    short = builder.icmp_signed("<=", x.columns, _ONE)
    contiguous_rows = builder.or_(short, builder.icmp_signed("==", x.right, size))
    apart = builder.icmp_signed(">=", x.down, builder.mul(x.columns, size))
    single = builder.icmp_signed("<=", x.rows, _ONE)
    fits = builder.and_(apart, is_distance(builder, x.down, x.size))
    return builder.and_(contiguous_rows, builder.or_(single, fits))


def is_distance(builder: IRBuilder, stride: Value, size: int) -> Value:
    """Whether BLAS takes the stride: a whole number of elements, forward and not too many."""
    ahead = builder.icmp_signed(">", stride, _ZERO)
    near = builder.icmp_signed("<=", stride, I64(LONGEST * size))
    whole = builder.icmp_signed("==", builder.srem(stride, I64(size)), _ZERO)
    return builder.and_(ahead, builder.and_(near, whole))


def _leading(builder: IRBuilder, x: Matrix) -> Value:
    single = builder.icmp_signed("<=", x.rows, _ONE)
    apart = builder.select(single, x.columns, builder.sdiv(x.down, I64(x.size)))
    return builder.select(builder.icmp_signed("<", apart, _ONE), _ONE, apart)
