"""The vectors of an array along an axis, one after another, each contiguous."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, Final

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_new_ref
from numba.np import arrayobj

from weft_numba.numba_layer.allocation import empty

__all__ = ["Vectors"]

_I64: Final = ir.IntType(64)
_POINTER: Final = ir.IntType(8).as_pointer()


class Vectors:
    """Writes, into a function that Numba compiles, loops over the vectors of `array`."""

    def __init__(self, context: Any, builder: IRBuilder, kind: Any, array: Value, axis: int):
        self.context, self.builder, self.kind, self.axis = context, builder, kind, axis
        self.array = context.make_array(kind)(context, builder, array)
        shape = cgutils.unpack_tuple(builder, self.array.shape)
        self.length = shape[axis]
        self.others = [n for a, n in enumerate(shape) if a != axis]
        self.lengths = [*self.others, self.length]
        self.is_contiguous = kind.layout == "C" and axis == kind.ndim - 1
        """Whether the vectors are so in the array itself."""

    def new(self, dtype: Any) -> Any:
        """An array for vectors of this dtype, one behind another."""
        kind = types.Array(dtype, self.kind.ndim, "C")
        return empty(self.context, self.builder, kind, self.lengths)

    def copied(self) -> Any:
        """A copy in which the vectors lie contiguous, one behind another."""
        context, builder, kind = self.context, self.builder, self.kind
        made, made_kind = self.new(kind.dtype), types.Array(kind.dtype, kind.ndim, "C")
        with cgutils.loop_nest(builder, self.lengths, _I64) as indices:
            at = [*indices[:-1]]
            at.insert(self.axis, indices[-1])
            place = cgutils.get_item_pointer(
                context, builder, kind, self.array, at, wraparound=False
            )
            value = arrayobj.load_item(context, builder, kind, place)
            to = cgutils.get_item_pointer(
                context, builder, made_kind, made, indices, wraparound=False
            )
            arrayobj.store_item(context, builder, made_kind, value, to)
        return made

    def each(self, write: Callable[[Value], object]) -> None:
        """What `write` writes, for the number of each vector."""
        count = reduce(self.builder.mul, self.others, _I64(1))
        with cgutils.for_range(self.builder, count) as loop:
            write(loop.index)

    def vector(self, data: Value, k: Value, dtype: Any) -> Value:
        """Where vector `k` begins, of those of this dtype that lie at `data`."""
        builder = self.builder
        size = self.context.get_abi_sizeof(self.context.get_data_type(dtype))
        skipped = builder.mul(builder.mul(k, self.length), _I64(size))
        return builder.gep(builder.bitcast(data, _POINTER), [skipped])

    def drop(self, made: Any) -> None:
        """Give back a copy."""
        kind = types.Array(self.kind.dtype, self.kind.ndim, "C")
        self.context.nrt.decref(self.builder, kind, made._getvalue())

    def moved_back(self, result: types.Array, made: Any) -> Value:
        """New vectors as an array with their axis where it was in what was given."""
        context, builder = self.context, self.builder

        def moved(packed: Value) -> Sequence[Value]:
            found = list(cgutils.unpack_tuple(builder, packed))
            found.insert(self.axis, found.pop())
            return found

        view = context.make_array(result)(context, builder)
        arrayobj.populate_array(
            view,
            data=made.data,
            shape=cgutils.pack_array(builder, moved(made.shape)),
            strides=cgutils.pack_array(builder, moved(made.strides)),
            itemsize=made.itemsize,
            meminfo=made.meminfo,
            parent=made.parent,
        )
        return impl_ret_new_ref(context, builder, result, view._getvalue())
