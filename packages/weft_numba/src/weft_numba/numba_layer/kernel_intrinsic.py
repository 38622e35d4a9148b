"""Kernels as functions that Numba can call: they check shapes and allocate results."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property, partial, reduce
from itertools import accumulate
from typing import Any, Final, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils, types

from weft_numba.ir.kernel import Kernel, Operand, Result
from weft_numba.ir.llvm_writer import number
from weft_numba.llvm.compaction import SIZE, pieces
from weft_numba.llvm.loop_nest import Lowered, lower
from weft_numba.llvm.loop_order import collapsed, ordered, together
from weft_numba.llvm.scatter_address import OUT_OF_BOUNDS
from weft_numba.llvm.threads import provide
from weft_numba.lowering.intrinsics import intrinsic
from weft_numba.lowering.lengths import product
from weft_numba.lowering.parameters import with_parameters
from weft_numba.lowering.places import array_in_place, shape_of, strides_of
from weft_numba.lowering.requirements import require
from weft_numba.lowering.users import change_count
from weft_numba.numba_layer.allocation import empty, give_back
from weft_numba.numba_layer.bundles import Source, of_sources
from weft_numba.numba_layer.outlining import outlined, result_place

__all__ = ["MISMATCH", "callable_kernel"]

_I64 = ir.IntType(64)
_POINTER = ir.IntType(8).as_pointer()
MISMATCH: Final = "operands could not be broadcast together"
_MISCOUNTED = "the mask has another number of true elements"
_LAYOUTS = {"C": "C", "CS": "R"}
"""Numba's words for arrays that lie contiguous, and for those whose rows do."""
_NEGATIVE = "negative dimensions are not allowed"
_EMPTY = "a largest or smallest of no elements does not exist"
_UNCOUNTABLE = "iterator is too large: there are more elements than an integer can count"


def _countable(builder: IRBuilder, lengths: Value) -> Value:
    """Whether the product of `lengths`, which memory need not hold, is an integer of 64 bits."""
    count, overflow = lengths[0], ir.IntType(1)(0)
    for length in lengths[1:]:
        product = builder.smul_with_overflow(count, length)
        count = builder.extract_value(product, 0)
        overflow = builder.or_(overflow, builder.extract_value(product, 1))
    return builder.not_(overflow)


@cache
def callable_kernel(
    kernel: Kernel,
    *,
    sources: tuple[Source, ...] = (),
    rooms: bool = False,
    changed: frozenset[int] = frozenset(),
    exact: bool = False,
    parallel: bool = False,
) -> Any:
    """The function of the operands, for use in code that Numba compiles.

    It returns one result, or a tuple of them: scalars for results without axes, then arrays
    of several results each. `sources` says which arguments they are, or where in these. With
    `rooms`, it is also given one for each array that it returns. It returns none of the results
    with the numbers `changed`: they are updates of tables that it is given, where these lie.
    """
    results = [
        _result_type(r.dtype, r.ndim)
        for k, r in enumerate(kernel.results)
        if r.slot < 0 and k not in changed
    ]
    results += [_result_type(dtype, 1 + kernel.ndim) for dtype in kernel.packs]
    places = 2 * rooms * sum(isinstance(kind, types.Array) for kind in results)

    def typed(context: object, *parameters: Any) -> Any:
        result = results[0] if len(results) == 1 else types.Tuple(results)
        each = [getattr(parameters[o.argument], "layout", "C") for o in kernel.operands]
        layouts = "".join([_LAYOUTS.get(layout, "A") for layout in each])
        nest = ordered(kernel, layouts)
        lowering = partial(lower, exact=exact, parallel=parallel)
        generator = _Generator(nest, layouts, results, lowering, places, changed)
        name = f"{nest} {layouts} {sorted(changed)} {exact} {parallel}"
        return result(*parameters), outlined(
            name, generator, joined=not kernel.ndim or bool(places)
        )

    if not sources:
        return intrinsic(with_parameters(kernel.arguments + places, typed))
    count = 1 + max(argument for argument, _ in sources)
    return intrinsic(with_parameters(count + places, partial(of_sources, typed, sources, count)))


def _result_type(dtype: str, ndim: int) -> Any:
    scalar = numba.from_dtype(np.dtype(dtype))
    return types.Array(scalar, ndim, "C") if ndim else scalar


class _ScratchBuffer(NamedTuple):
    """Where a compressed result is written, until it is known how long it is."""

    result: Result
    place: int
    """Which one of what is returned it is."""
    array: Any
    memory: Any
    count: Any


class _Fields:
    """What is read of an array, once for all operands that are found in it."""

    def __init__(self, builder: IRBuilder, array: Any) -> None:
        self.pointer = builder.bitcast(array.data, _POINTER)
        self.shape = shape_of(builder, array)
        self._read = builder, array

    @cached_property
    def strides(self) -> list[Value]:
        """Its strides, which are not read of arrays that tell them by their lengths."""
        return strides_of(*self._read)


class _Generator:
    """Writes the call of a kernel into a function that Numba compiles."""

    def __init__(
        self,
        kernel: Kernel,
        layouts: str,
        results: list[Any],
        lowering: Any,
        places: int,
        changed: frozenset[int],
    ) -> None:
        self.lowering = lowering
        self.places = places
        self.changed = changed
        self.kernel = kernel
        self.layouts = layouts
        self.results = results

    def __call__(self, context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> None:
        """Put the results where Numba wants them."""
        kernel, count = self.kernel, len(args) - self.places
        self.held: list[tuple[int, Any]] = []
        self.wanted: dict[str, list[Value]] = {}
        self.numbers: dict[int, Value] = {}
        arrays = [
            array_in_place(context, builder, t, value) if isinstance(t, types.Array) else None
            for t, value in zip(sig.args[:count], args[:count], strict=True)
        ]
        rooms = iter(zip(args[count::2], args[count + 1 :: 2], strict=True))
        self.rooms = {
            k: next(rooms, ())
            for k, kind in enumerate(self.results)
            if isinstance(kind, types.Array)
        }
        fields = {k: _Fields(builder, x) for k, x in enumerate(arrays) if x is not None}
        operands = [
            self._operand(builder, o, layout, fields.get(o.argument))
            for o, layout in zip(kernel.operands, self.layouts, strict=True)
        ]
        pointers, shapes, strides = (
            (list(column) for column in zip(*operands, strict=True)) if operands else ([], [], [])
        )
        args = [args[o.argument] for o in kernel.operands]
        lengths = self._lengths(context, builder, shapes, args)
        groups = together(kernel, self.layouts)
        parameters: list[Any] = [product(builder, [lengths[a] for a in g]) for g in groups]
        last = {group[-1] for group in groups}
        for k, o in enumerate(kernel.operands):
            if not o.ndim:
                parts = isinstance(args[k].type, ir.LiteralStructType)  # a complex number
                parameters += cgutils.unpack_tuple(builder, args[k]) if parts else [args[k]]
                continue
            parameters.append(pointers[k])
            if o.table:
                parameters += [*strides[k], *shapes[k]]
                continue
            for a in sorted(last.intersection(o.stride_axes)):
                own = o.view[a]
                stride = strides[k][own]
                if o.extent[a] == "?":
                    full = builder.icmp_signed("==", shapes[k][own], lengths[a])
                    stride = builder.select(full, stride, _I64(0))
                parameters.append(stride)
        nest = collapsed(kernel, groups)
        nest = nest.in_place(self.changed) if self.changed else nest
        lowered = self.lowering(nest, self.layouts)
        outcomes = 0
        buffers: list[_ScratchBuffer] = []
        compacted: list[Value] = []
        packs: dict[str, Value] = {}
        for k, dtype in enumerate(kernel.packs, len(self.results) - len(kernel.packs)):
            axes = next(r.kept for r in kernel.results if r.slot >= 0)
            sizes = [_I64(kernel.packs[dtype]), *(lengths[a] for a in axes)]
            packs[dtype] = self._made(context, builder, k, sizes)
        for k, r in enumerate(kernel.results):
            if k in self.changed:
                parameters += [pointers[r.base], *shapes[r.base]]
                continue
            if r.slot >= 0:
                memory = builder.bitcast(packs[r.dtype], _POINTER)
                skipped = product(builder, [*lengths, _I64(r.slot * number(r.dtype).bytes)])
                parameters.append(builder.gep(memory, [skipped]))
                continue
            if r.compresses:
                buffers.append(self._buffer(context, builder, r, outcomes, lengths))
                parameters += [buffers[-1].memory, builder.bitcast(buffers[-1].count, _POINTER)]
                outcomes += 1
                continue
            sizes = [lengths[a] for a in r.kept]
            if r.scatters:
                sizes = self._own_lengths(context, builder, r, shapes, args)
            data = self._made(context, builder, outcomes, sizes)
            parameters.append(builder.bitcast(data, _POINTER))
            outcomes += 1
            parameters += sizes if r.scatters else []
        self._call(context, builder, lowered, parameters)
        for buffer in buffers:
            for size in self._own_lengths(context, builder, buffer.result, shapes, args):
                right = builder.icmp_signed("==", size, builder.load(buffer.count))
                require(context, builder, right, ValueError, _MISCOUNTED)
            size = builder.load(buffer.count)
            compacted.append(self._made(context, builder, buffer.place, [size]))
        give_back(builder, self.held)
        for buffer, data in zip(buffers, compacted, strict=True):
            self._compact_into(context, builder, buffer, data, lowered)
        for k, slot in self.numbers.items():
            value = context.unpack_value(builder, self.results[k], slot)
            builder.store(value, result_place(builder, k, len(self.results)))

    def _operand(
        self, builder: IRBuilder, o: Operand, layout: str, array: _Fields | None
    ) -> tuple[Any, Any, Any]:
        """Pointer, lengths and strides of an operand; nothing for scalars."""
        if array is None:
            return None, None, None
        pointer, shape = array.pointer, array.shape
        strides = [] if layout == "C" and o.slot < 0 else array.strides
        if o.slot >= 0:
            pointer = builder.gep(pointer, [builder.mul(_I64(o.slot), strides[0])])
            shape, strides = shape[1:], strides[1:]
        if layout == "C":  # LLVM knows what they are, but not what the array says that they are
            lengths = [*shape]
            for own, extent, length in zip(o.view, o.extent, self.kernel.lengths, strict=False):
                if own is not None and extent == "n" and length.known is not None:
                    lengths[own] = _I64(length.known)
            size = _I64(np.dtype(o.dtype).itemsize)
            widen = partial(product, builder)
            strides = [*accumulate(lengths[:0:-1], lambda x, n: widen([x, n]), initial=size)][::-1]
        return pointer, shape, strides

    def _lengths(
        self, context: Any, builder: IRBuilder, shapes: Any, args: Sequence[Value]
    ) -> list[Value]:
        """The length of each axis; raises where operands don't agree on it."""
        kernel = self.kernel
        lengths = []
        for a, source in enumerate(kernel.lengths):
            sure: list[Any] = []
            perhaps: list[Any] = []
            for k, o in enumerate(kernel.operands):
                if not o.table and o.extent[a : a + 1] in ("n", "?"):
                    (sure if o.extent[a] == "n" else perhaps).append(shapes[k][o.view[a]])
            if source.known is not None:
                sure.insert(0, _I64(source.known))
            for k, own in source.tables:
                (sure if source.sure else perhaps).append(shapes[k][own])
            for k in source.sizes:
                (sure if source.sure else perhaps).append(self._size(builder, args[k]))
            if sure:
                length = sure[0]
            else:
                length = perhaps[0]
                for other in perhaps[1:]:
                    one = builder.icmp_signed("==", length, _I64(1))
                    length = builder.select(one, other, length)
            for other in sure[1:]:
                self._want(builder.icmp_signed("==", other, length))
            for other in [*perhaps, *[args[k] for k in source.broadcast]]:
                same = builder.icmp_signed("==", other, length)
                one = builder.icmp_signed("==", other, _I64(1))
                self._want(builder.or_(same, one))
            for k in source.wanted:
                self._want(builder.icmp_signed("==", args[k], length))
            lengths.append(length)
        for r in kernel.results:
            if r.how in ("max", "min") and not r.may_be_empty:
                for a in set(range(kernel.ndim)) - set(r.kept):
                    some = builder.icmp_signed("!=", lengths[a], _I64(0))
                    self._want(some, _EMPTY)
        if len(lengths) > 1 and any(source.sizes for source in kernel.lengths):
            self._want(_countable(builder, lengths), _UNCOUNTABLE)
        self._require(context, builder)
        return lengths

    def _want(self, holds: Value, message: str = MISMATCH) -> None:
        """Note what must hold: `_require` looks at all of one message at once."""
        self.wanted.setdefault(message, []).append(holds)

    def _require(self, context: Any, builder: IRBuilder) -> None:
        for message, each in self.wanted.items():
            kind = IndexError if message == OUT_OF_BOUNDS else ValueError
            require(context, builder, reduce(builder.and_, each), kind, message)
        self.wanted.clear()

    def _own_lengths(
        self, context: Any, builder: IRBuilder, r: Result, shapes: Any, args: Sequence[Value]
    ) -> list[Value]:
        """What is said of the lengths of a result that has other axes than the kernel."""
        if not r.shape and r.scatters:
            return list(shapes[r.base])
        sizes = [
            self._size(builder, args[n.sizes[0]]) if n.sizes else _I64(n.known) for n in r.shape
        ]
        self._require(context, builder)
        return sizes

    def _size(self, builder: IRBuilder, size: Value) -> Value:
        """A length that the graph computes, which could be anything."""
        self._want(builder.icmp_signed(">=", size, _I64(0)), _NEGATIVE)
        return size

    def _made(self, context: Any, builder: IRBuilder, k: int, lengths: list[Value]) -> Value:
        """The memory of the k-th of what is returned."""
        kind = self.results[k]
        if lengths:
            place = result_place(builder, k, len(self.results))
            array = empty(context, builder, kind, lengths, self.rooms[k], place)
            self.held.append((len(builder.function.blocks), array))
            return array.data
        self.numbers[k] = cgutils.alloca_once(builder, context.get_data_type(kind))
        return self.numbers[k]

    def _buffer(
        self, context: Any, builder: IRBuilder, r: Result, place: int, lengths: Sequence[Value]
    ) -> _ScratchBuffer:
        """Memory for a result of unknown length."""
        kind = self.results[place]
        array = empty(context, builder, kind, [product(builder, lengths)])
        self.held.append((len(builder.function.blocks), array))
        memory = builder.bitcast(array.data, _POINTER)
        return _ScratchBuffer(r, place, array, memory, cgutils.alloca_once(builder, _I64, SIZE))

    def _compact_into(
        self,
        context: Any,
        builder: IRBuilder,
        buffer: _ScratchBuffer,
        data: Value,
        lowered: Lowered,
    ) -> None:
        """Copy what was written into a buffer to where it stays."""
        item = number(buffer.result.dtype).bytes
        if lowered.needs:  # in chunks
            copy = ir.FunctionType(ir.VoidType(), [_POINTER, _POINTER, _POINTER, _I64, _I64])
            provide(context.active_code_library, [("weft_pieces", pieces())])
            function = cgutils.get_or_insert_function(builder.module, copy, "weft_pieces")
            to, count = (builder.bitcast(x, _POINTER) for x in (data, buffer.count))
            builder.call(function, [to, buffer.memory, count, buffer.array.nitems, _I64(item)])
        else:
            cgutils.raw_memcpy(builder, data, buffer.memory, builder.load(buffer.count), item)
        change_count(builder, "NRT_decref", buffer.array.meminfo)

    def _call(
        self, context: Any, builder: IRBuilder, lowered: Lowered, parameters: list[Value]
    ) -> None:
        kind = ir.FunctionType(ir.IntType(8), [g.type for g in parameters])
        function = builder.module.globals.get(lowered.name)
        if function is None:
            provide(context.active_code_library, [(lowered.name, lowered.module), *lowered.needs])
            function = cgutils.get_or_insert_function(builder.module, kind, lowered.name)
        refused = builder.call(function, parameters)
        for k, message in enumerate(lowered.faults):
            bit = builder.and_(refused, ir.IntType(8)(1 << k))
            fine = builder.icmp_signed("==", bit, ir.IntType(8)(0))
            self._want(fine, message)
        if lowered.faults:
            self._require(context, builder)
