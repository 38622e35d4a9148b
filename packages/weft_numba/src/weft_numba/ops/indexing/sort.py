"""Order, written in LLVM's terms: NumPy's own functions, for one vector after another."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, reduce
from typing import Any, Final

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_new_ref
from numba.extending import intrinsic
from numba.np import arrayobj

from weft_graph import Variable
from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.numba_layer import numpy_functions
from weft_numba.numba_layer.allocation import empty
from weft_numba.numba_layer.kernel_intrinsic import with_parameters
from weft_tensor import ArgMax, ArgMin, ArgSort, Sort

__all__ = ["numba_funcify_ordering", "ordered"]

_I64: Final = ir.IntType(64)
_POINTER: Final = ir.IntType(8).as_pointer()
_NAMES: Final[dict[type, str]] = {
    Sort: "sort",
    ArgSort: "stable_argsort",
    ArgMax: "argmax",
    ArgMin: "argmin",
}
_EMPTY: Final = "the position of the largest or smallest of no elements"


@numba_funcify.register(Sort)
@numba_funcify.register(ArgSort)
@numba_funcify.register(ArgMax)
@numba_funcify.register(ArgMin)
def numba_funcify_ordering(op: Any, *, node: Variable, **kwargs: object) -> Any:
    """NumPy's function for vectors."""
    return ordered(_NAMES[type(op)], op.axis)


@cache
def ordered(name: str, axis: int) -> Any:
    """The function of an array that calls one of `numpy_functions` along an axis.

    >>> import numba
    >>> import numpy as np
    >>> first = ordered("argmin", 0)
    >>> numba.njit(lambda x: first(x))(np.array([3.0, 1.0, 2.0]))
    1
    """

    def typed(context: object, x: Any) -> Any:
        item = x.dtype if name == "sort" else types.int64
        if name in ("argmax", "argmin"):
            result = types.Array(item, x.ndim - 1, "C") if x.ndim > 1 else item
        else:
            result = types.Array(item, x.ndim, "C" if axis == x.ndim - 1 else "A")
        return result(x), _Writer(name, axis)

    return intrinsic(with_parameters(1, typed))


class _Writer:
    """Writes the loop over vectors into a function that Numba compiles."""

    def __init__(self, name: str, axis: int) -> None:
        self.name = name
        self.axis = axis

    def __call__(self, context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        """The result, as Numba asks for it."""
        self.context, self.builder = context, builder
        (kind,), result = sig.args, sig.return_type
        self.dtype = str(kind.dtype)
        array = context.make_array(kind)(context, builder, args[0])
        shape = cgutils.unpack_tuple(builder, array.shape)
        self.length = shape[self.axis]
        self.others = [n for a, n in enumerate(shape) if a != self.axis]
        self.count = reduce(builder.mul, self.others, _I64(1))
        self.byte_size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
        if self.name == "sort":
            made = self._copied(kind, array)
            self._each(lambda k: self._call(self._vector(made.data, k, self.byte_size)))
            return self._moved_back(result, made)
        in_place = kind.layout == "C" and self.axis == kind.ndim - 1
        source = array if in_place else self._copied(kind, array)
        if self.name == "stable_argsort":
            found = self._positions(source.data)
        else:
            found = self._extremes(result, source.data)
        if not in_place:
            contiguous = types.Array(kind.dtype, kind.ndim, "C")
            context.nrt.decref(builder, contiguous, source._getvalue())
        if self.name == "stable_argsort":
            return self._moved_back(result, found)
        return found

    def _copied(self, kind: Any, array: Any) -> Any:
        """A copy in which vectors along the axis lie contiguous, one behind another."""
        context, builder = self.context, self.builder
        lengths = [*self.others, self.length]
        made_kind = types.Array(kind.dtype, kind.ndim, "C")
        made = empty(context, builder, made_kind, lengths)
        with cgutils.loop_nest(builder, lengths, _I64) as indices:
            at = [*indices[:-1]]
            at.insert(self.axis, indices[-1])
            place = cgutils.get_item_pointer(context, builder, kind, array, at, wraparound=False)
            value = arrayobj.load_item(context, builder, kind, place)
            to = cgutils.get_item_pointer(
                context, builder, made_kind, made, indices, wraparound=False
            )
            arrayobj.store_item(context, builder, made_kind, value, to)
        return made

    def _each(self, write: Any) -> None:
        """What `write` writes, for the number of each vector."""
        with cgutils.for_range(self.builder, self.count) as loop:
            write(loop.index)

    def _vector(self, data: Value, k: Value, size: int) -> Value:
        """Where vector `k` begins."""
        builder = self.builder
        skipped = builder.mul(builder.mul(k, self.length), _I64(size))
        return builder.gep(builder.bitcast(data, _POINTER), [skipped])

    def _call(self, vector: Value, *more: Value) -> None:
        """Call the function for one vector; it fails for want of memory alone."""
        given = (self.length, *more) if self.name != "stable_argsort" else (*more, self.length)
        builder = self.builder
        told = numpy_functions.call(builder, self.name, self.dtype, vector, *given)
        with builder.if_then(builder.icmp_signed("<", told, told.type(0)), likely=False):
            self.context.call_conv.return_user_exc(builder, MemoryError, ())

    def _positions(self, data: Value) -> Any:
        """The positions that sort each vector, which are 0, 1, 2, ... before."""
        context, builder = self.context, self.builder
        lengths = [*self.others, self.length]
        kind = types.Array(types.int64, len(lengths), "C")
        made = empty(context, builder, kind, lengths)

        def sort(k: Value) -> None:
            own = self._vector(made.data, k, 8)
            numbers = builder.bitcast(own, _I64.as_pointer())
            with cgutils.for_range(builder, self.length) as loop:
                builder.store(loop.index, builder.gep(numbers, [loop.index]))
            self._call(self._vector(data, k, self.byte_size), own)

        self._each(sort)
        return made

    def _extremes(self, result: Any, data: Value) -> Value:
        """The first position of the largest or smallest element of each vector."""
        context, builder = self.context, self.builder
        none = builder.icmp_signed("==", self.length, _I64(0))
        with builder.if_then(none, likely=False):
            context.call_conv.return_user_exc(builder, ValueError, (_EMPTY,))
        if not self.others:
            slot = cgutils.alloca_once(builder, _I64)
            self._call(builder.bitcast(data, _POINTER), builder.bitcast(slot, _POINTER))
            return builder.load(slot)
        made = empty(context, builder, result, self.others)

        def find(k: Value) -> None:
            place = builder.bitcast(builder.gep(made.data, [k]), _POINTER)
            self._call(self._vector(data, k, self.byte_size), place)

        self._each(find)
        return impl_ret_new_ref(context, builder, result, made._getvalue())

    def _moved_back(self, result: types.Array, made: Any) -> Value:
        """The array with its last axis where it was in what was given."""
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
