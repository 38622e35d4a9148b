"""A loop over many matrices in chunks, for threads: written with llvmlite's builder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.llvm.threads import GRAIN, MOST, RUNTIME, provide
from weft_numba.numba_layer.linalg.blas import I32, I64, POINTER

__all__ = ["chunks_of", "in_chunks"]

_MATRIX: Final = 30
"""How many nanoseconds a matrix takes, besides what is done with its numbers."""


def chunks_of(builder: IRBuilder, count: Value, multiplications: Value, pace: int) -> Value:
    """Into how many chunks to cut work on `count` matrices, of so many multiplications each.

    `pace` says how many of them take a nanosecond.

    >>> function = ir.Function(ir.Module(), ir.FunctionType(I64, []), "f")
    >>> builder = ir.IRBuilder(function.append_basic_block())
    >>> print(chunks_of(builder, I64(2), I64(64), 4).opname)
    select
    """
    each = builder.add(builder.udiv(multiplications, I64(pace)), I64(_MATRIX))
    chunks = builder.udiv(builder.mul(count, each), I64(GRAIN))
    for most in (count, I64(MOST)):
        fewer = builder.icmp_unsigned("<", chunks, most)
        chunks = builder.select(fewer, chunks, most)
    return chunks


def in_chunks(
    context: Any,
    builder: IRBuilder,
    name: str,
    count: Value,
    chunks: Value,
    values: Sequence[Value],
    write: Callable[..., Any],
) -> Value:
    """Write a call of what `write(builder, begin, end, *values)` writes, or one for each chunk.

    That gives a 32-bit integer, not 0 for failure; so does the whole.
    """
    part = _part(builder, name, values, write)
    status = cgutils.alloca_once(builder, I32)
    builder.store(I32(0), status)
    with builder.if_else(builder.icmp_signed("<", chunks, I64(2))) as (alone, split):
        with alone:
            builder.store(builder.call(part, [I64(0), count, *values]), status)
        with split:
            fields = [status, count, chunks, *values]
            frame = cgutils.alloca_once(builder, ir.LiteralStructType([v.type for v in fields]))
            for k, value in enumerate(fields):
                builder.store(value, _field(builder, frame, k))
            work = _chunk(builder, f"{name}_chunk", part, frame.type, len(fields))
            places = [builder.bitcast(p, POINTER) for p in (work, frame)]
            builder.call(_runtime(context, builder), [*places, chunks])
    return builder.load(status)


def _field(builder: IRBuilder, frame: Value, k: int) -> Value:
    return builder.gep(frame, [I32(0), I32(k)])


def _part(
    builder: IRBuilder, name: str, values: Sequence[Value], write: Callable[..., Any]
) -> Value:
    """The function of a range and the values."""
    kind = ir.FunctionType(I32, [I64, I64, *(g.type for g in values)])
    return _local(builder, name, kind, lambda inside, *args: inside.ret(write(inside, *args)))


def _chunk(builder: IRBuilder, name: str, part: Value, frame: Value, count: int) -> Value:
    """The function of where the frame is, and the number of a chunk."""

    def write(inside: IRBuilder, address: Value, k: Value) -> None:
        pointer = inside.bitcast(address, frame)
        read = [inside.load(_field(inside, pointer, j)) for j in range(count)]
        status, length, chunks, *values = read
        ends = [
            inside.udiv(inside.mul(number, length), chunks) for number in (k, inside.add(k, I64(1)))
        ]
        outcome = inside.call(part, [*ends, *values])
        with inside.if_then(inside.icmp_signed("!=", outcome, I32(0)), likely=False):
            inside.store_atomic(outcome, status, "monotonic", 4)
        inside.ret_void()

    return _local(builder, name, ir.FunctionType(ir.VoidType(), [POINTER, I64]), write)


def _local(builder: IRBuilder, name: str, kind: Any, write: Callable[..., Any]) -> Value:
    """A function of this module, which `write` writes if need be."""
    function = builder.module.globals.get(name)
    if function is None:
        function = ir.Function(builder.module, kind, name)
        function.linkage = "internal"
        function.attributes.add("noinline")
        write(IRBuilder(function.append_basic_block("entry")), *function.args)
    return function


def _runtime(context: Any, builder: IRBuilder) -> Value:
    """What calls a function for each chunk."""
    provide(context.active_code_library, [("weft_split", RUNTIME)])
    kind = ir.FunctionType(ir.VoidType(), [POINTER, POINTER, I64])
    return cgutils.get_or_insert_function(builder.module, kind, "weft_split")
