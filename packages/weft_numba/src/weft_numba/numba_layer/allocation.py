"""Memory for arrays: large blocks that are given back are kept, and used again.

The C library returns large blocks to the system at once, which has to fill each page with zeros
before it lends it out again: that takes longer than most loops over an array. Here up to
`LIMIT` bytes are kept instead, in blocks that the next array of exactly that size gets. So the
memory of an intermediate result, freed after its last use, becomes that of a later one; and the
old value of a shared variable becomes the next one's.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import reduce
from typing import Any, Final

import llvmlite.binding as llvm
from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils, config
from numba.core.callconv import RETCODE_OK
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.core.runtime import _nrt_python  # type: ignore[attr-defined]  # written in C
from numba.core.runtime.nrt import rtsys

from weft_numba.lowering.lengths import product
from weft_numba.lowering.places import array_at, memory, new_array, size_of
from weft_numba.lowering.requirements import require
from weft_numba.lowering.users import change_count, exit_blocks, led_out

__all__ = ["LIMIT", "empty", "give_back", "kept", "load", "release"]

LIMIT: Final = 2**28
"""How many bytes are kept at most; which blocks go first when there are more, is left open."""

_LARGE: Final = 2**16
"""Smaller arrays are the C library's business, which is good at them."""
_PLACES: Final = 64
_RECORD: Final = 48
"""What Numba puts before the elements of an array, in bytes."""
_BEFORE: Final = _RECORD + 16
"""The same, with the size of the block and its address before it was aligned."""
_I64: Final = ir.IntType(64)
_POINTER: Final = ir.IntType(8).as_pointer()
_TOO_BIG: Final = "array is too big: its size in bytes is more than an address can be"

_NAMES: Final = "NRT_weft_allocate", "weft_kept", "weft_release"

_CODE: Final = f"""
@places = internal global [{_PLACES} x ptr] zeroinitializer
@sizes = internal global [{_PLACES} x i64] zeroinitializer
@kept = internal global i64 0
@turn = internal global i64 0
@allocator = internal constant {{ ptr, ptr, ptr, ptr }} {{
  ptr @take, ptr null, ptr @give, ptr null }}

declare ptr @NRT_Allocate(i64)
declare void @NRT_Free(ptr)
declare ptr @NRT_MemInfo_alloc_aligned(i64, i32)
declare ptr @NRT_get_api()

define ptr @NRT_weft_allocate(i64 %size) {{
  %is_large = icmp uge i64 %size, {_LARGE}
  br i1 %is_large, label %large, label %small
small:
  %plain = call ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 32)
  ret ptr %plain
large:
  %table = call ptr @NRT_get_api()
  %entry = getelementptr ptr, ptr %table, i64 1
  %allocate = load ptr, ptr %entry
  %pooled = call ptr %allocate(i64 %size, ptr @allocator)
  ret ptr %pooled
}}

define internal ptr @take(i64 %size, ptr %unused) {{
entry:
  br label %search
search:
  %k = phi i64 [0, %entry], [%next, %on]
  %size_at = getelementptr i64, ptr @sizes, i64 %k
  %there = load atomic i64, ptr %size_at monotonic, align 8
  %fits = icmp eq i64 %there, %size
  br i1 %fits, label %try, label %on
try:
  %place = getelementptr ptr, ptr @places, i64 %k
  %block = atomicrmw xchg ptr %place, ptr null acq_rel
  %some = icmp ne ptr %block, null
  br i1 %some, label %found, label %on
found:
  %header = getelementptr i8, ptr %block, i64 -16
  %real = load i64, ptr %header
  %less = atomicrmw sub ptr @kept, i64 %real monotonic
  %same = icmp eq i64 %real, %size
  br i1 %same, label %taken, label %other
taken:
  ret ptr %block
other:
  call void @give(ptr %block, ptr null)
  br label %on
on:
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, {_PLACES}
  br i1 %more, label %search, label %new
new:
  %whole = add i64 %size, {64 + _BEFORE}
  %memory = call ptr @NRT_Allocate(i64 %whole)
  %none = icmp eq ptr %memory, null
  br i1 %none, label %lacking, label %made
lacking:
  ret ptr null
made:
  %first = ptrtoint ptr %memory to i64
  %last = add i64 %first, {63 + _BEFORE}
  %aligned = and i64 %last, -64
  %distance = sub i64 %aligned, %first
  %elements = getelementptr i8, ptr %memory, i64 %distance
  %start = getelementptr i8, ptr %elements, i64 -{_RECORD}
  %start_size = getelementptr i8, ptr %start, i64 -16
  store i64 %size, ptr %start_size
  %start_memory = getelementptr i8, ptr %start, i64 -8
  store ptr %memory, ptr %start_memory
  ret ptr %start
}}

define internal void @give(ptr %block, ptr %unused) {{
entry:
  %header = getelementptr i8, ptr %block, i64 -16
  %size = load i64, ptr %header
  %fits = icmp ule i64 %size, {LIMIT}
  br i1 %fits, label %search, label %refused
refused:
  call void @unmake(ptr %block)
  ret void
search:
  %k = phi i64 [0, %entry], [%next, %on]
  %place = getelementptr ptr, ptr @places, i64 %k
  %tried = cmpxchg ptr %place, ptr null, ptr %block acq_rel monotonic
  %stored = extractvalue {{ ptr, i1 }} %tried, 1
  br i1 %stored, label %put, label %on
on:
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, {_PLACES}
  br i1 %more, label %search, label %full
full:
  call void @drop()
  br label %refused
put:
  %size_at = getelementptr i64, ptr @sizes, i64 %k
  store atomic i64 %size, ptr %size_at monotonic, align 8
  %before = atomicrmw add ptr @kept, i64 %size monotonic
  br label %check
check:
  %total = load atomic i64, ptr @kept monotonic, align 8
  %over = icmp sgt i64 %total, {LIMIT}
  br i1 %over, label %shrink, label %done
shrink:
  call void @drop()
  br label %check
done:
  ret void
}}

define internal void @unmake(ptr %block) {{
  %block_memory = getelementptr i8, ptr %block, i64 -8
  %memory = load ptr, ptr %block_memory
  call void @NRT_Free(ptr %memory)
  ret void
}}

define internal void @drop() {{
  %turn = atomicrmw add ptr @turn, i64 1 monotonic
  %k = urem i64 %turn, {_PLACES}
  %place = getelementptr ptr, ptr @places, i64 %k
  %block = atomicrmw xchg ptr %place, ptr null acq_rel
  %some = icmp ne ptr %block, null
  br i1 %some, label %free, label %done
free:
  %header = getelementptr i8, ptr %block, i64 -16
  %size = load i64, ptr %header
  %less = atomicrmw sub ptr @kept, i64 %size monotonic
  call void @unmake(ptr %block)
  br label %done
done:
  ret void
}}

define void @weft_release() {{
entry:
  br label %next
next:
  %k = phi i64 [0, %entry], [%following, %next]
  call void @drop()
  %following = add i64 %k, 1
  %more = icmp ult i64 %following, {_PLACES}
  br i1 %more, label %next, label %done
done:
  ret void
}}

define i64 @weft_kept() {{
  %total = load atomic i64, ptr @kept monotonic, align 8
  ret i64 %total
}}
"""


def load() -> None:
    """Make what allocates known to LLVM, once in a process.

    >>> load()
    """
    with global_compiler_lock:
        if llvm.address_of_symbol(_NAMES[0]) is None:
            _compile()


def _compile() -> None:
    """The code stays for good: arrays outlive whatever else there is.

    It is short, and written as it should be run: a compiler that doesn't improve it takes 2 ms, one
    that does 15.
    """
    _provide_runtime()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    machine = target.create_target_machine(opt=0, codemodel="jitdefault", jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(_CODE), machine)
    engine.finalize_object()
    for name in _NAMES:
        llvm.add_symbol(name, engine.get_function_address(name))
    engine.detach()


def _provide_runtime() -> None:
    """Make the C functions of Numba's runtime known to LLVM.

    `rtsys.initialize` does so too, but compiles what only code that is to be compiled needs: that
    takes 25 ms, which a process that has its code from disk can save.
    """
    context = cpu_target.target_context  # which makes the names of Python's own objects known
    if config.NRT_STATS:  # type: ignore[attr-defined]  # set from the environment
        rtsys.initialize(context)
    for name, address in _nrt_python.c_helpers.items():
        llvm.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


def kept() -> int:
    """How many bytes are kept for later arrays.

    >>> release()
    >>> kept()
    0
    """
    load()
    return int(ctypes.CFUNCTYPE(ctypes.c_int64)(llvm.address_of_symbol("weft_kept"))())


def release() -> None:
    """Give what is kept back to the system."""
    load()
    ctypes.CFUNCTYPE(None)(llvm.address_of_symbol("weft_release"))()


def empty(
    context: Any,
    builder: IRBuilder,
    kind: Any,
    lengths: list[Value],
    room: Sequence[Value] = (),
    place: Value | None = None,
) -> Any:
    """Write the allocation of a contiguous array whose elements are not set.

    Gives Numba's structure of the array; what is written raises where there is no memory. With
    a room, an address and a number of bytes, the array is there if it fits: then it is borrowed.
    The structure is put at `place`, if one is given.
    """
    load()
    if room:
        return _written(context, builder, kind, lengths, room, place)
    place = memory(builder, context.get_value_type(kind)) if place is None else place
    function = _function_for(context, builder.module, kind)
    where = builder.bitcast(place, function.args[0].type)
    status = builder.call(function, [where, builder.function.args[1], *lengths])
    with cgutils.if_unlikely(builder, builder.icmp_signed("!=", status, RETCODE_OK)):
        builder.ret(status)
    return array_at(context, builder, kind, place)


def _function_for(context: Any, module: Any, kind: Any) -> Any:
    """What allocates arrays of this rank and size of elements: there are many in a program."""
    size = size_of(context, context.get_data_type(kind.dtype))
    symbol = f"weft_new_array_{kind.ndim}_{size}"
    if symbol not in module.globals:
        places = context.call_conv.get_function_type(kind, ()).args
        function = ir.Function(
            module, ir.FunctionType(ir.IntType(32), [*places, *[_I64] * kind.ndim]), symbol
        )
        function.linkage = "internal"
        function.attributes.add("noinline")
        for place in function.args[:2]:
            place.add_attribute("noalias")
        builder = IRBuilder(function.append_basic_block())
        _written(context, builder, kind, list(function.args[2:]), (), function.args[0])
        builder.ret(RETCODE_OK)
    return module.globals[symbol]


def _written(
    context: Any,
    builder: IRBuilder,
    kind: Any,
    lengths: list[Value],
    room: Sequence[Value],
    place: Value | None,
) -> Any:
    """The allocation, where the builder is."""
    itemsize = _I64(size_of(context, context.get_data_type(kind.dtype)))
    size, overflows = itemsize, list[Value]()
    strides = []
    for length in reversed(lengths):
        strides.append(size)
        whole = product(builder, [size, length]) if _are_numbers(size, length) else None
        if whole is not None and whole.constant < 2**63:
            size = whole
            continue
        both = builder.smul_with_overflow(size, length)
        size = builder.extract_value(both, 0)
        overflows.append(builder.extract_value(both, 1))
    if overflows:
        fits = builder.not_(reduce(builder.or_, overflows))
        require(context, builder, fits, ValueError, _TOO_BIG)
    if room:
        memory, data = _in_room(context, builder, size, *room)
    else:
        memory, data = _allocated(context, builder, size)
    return new_array(
        context,
        builder,
        kind,
        data=builder.bitcast(data, context.get_data_type(kind.dtype).as_pointer()),
        lengths=lengths,
        strides=strides[::-1],
        itemsize=itemsize,
        meminfo=memory,
        place=place,
    )


def _are_numbers(*values: Value) -> bool:
    return all(isinstance(v, ir.Constant) for v in values)


def _allocated(context: Any, builder: IRBuilder, size: Value) -> tuple[Value, Value]:
    """What counts the uses of new memory, and its address."""
    allocate = ir.FunctionType(_POINTER, [_I64])
    function = cgutils.get_or_insert_function(builder.module, allocate, "NRT_weft_allocate")
    memory = builder.call(function, [size])
    some = cgutils.is_not_null(builder, memory)
    require(context, builder, some, MemoryError, "not enough memory")
    return memory, context.nrt.meminfo_data(builder, memory)


def _in_room(
    context: Any, builder: IRBuilder, size: Value, address: Value, capacity: Value
) -> tuple[Value, Value]:
    """The same, where there may be room for it, whose uses nobody counts."""
    fits = builder.icmp_unsigned("<=", size, capacity)
    with builder.if_else(fits) as (there, new):
        with there:
            place, before = builder.inttoptr(address, _POINTER), builder.block
        with new:
            memory, data = _allocated(context, builder, size)
            after = builder.block
    ends = []
    for inside, outside in ((_POINTER(None), memory), (place, data)):
        either = builder.phi(_POINTER)
        either.add_incoming(inside, before)
        either.add_incoming(outside, after)
        ends.append(either)
    return ends[0], ends[1]


def give_back(builder: IRBuilder, held: Sequence[tuple[int, Any]]) -> None:
    """Free arrays on the ways out of the function that come after their allocation.

    Of each, in their order: how many blocks there were then, and Numba's structure of it.
    """
    end, exits = builder.block, list[Any]()
    last = len(builder.function.blocks)
    for first, array in reversed(held):
        exits += exit_blocks(builder, first, last)
        last = first
        if exits:
            status = led_out(builder, exits)
            change_count(builder, "NRT_decref", array.meminfo)
            builder.ret(status)
            exits = [builder.block]
    builder.position_at_end(end)
