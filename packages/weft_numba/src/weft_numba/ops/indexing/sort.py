"""Order, written in LLVM's terms: NumPy's own functions, for one vector after another."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from llvmlite import ir
from llvmlite.ir import Value
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_new_ref
from numba.extending import intrinsic

from weft_graph import Variable
from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.numba_layer import numpy_functions
from weft_numba.numba_layer.allocation import empty
from weft_numba.numba_layer.kernel_intrinsic import with_parameters
from weft_numba.numba_layer.vectors import Vectors
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
_ANY_ORDER: Final = ("int32", "int64", "uint32", "uint64", "float32", "float64")
"""Dtypes that are sorted faster where the order of equal elements may be any."""
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
        return result(x), write

    def write(context: Any, builder: Any, sig: Any, args: Any) -> Value:
        (kind,), result = sig.args, sig.return_type
        vectors = Vectors(context, builder, kind, args[0], axis)
        if name == "sort":
            made = vectors.copied()
            vectors.each(
                lambda k: _call(
                    name, vectors, vectors.vector(made.data, k, kind.dtype), vectors.length
                )
            )
            return vectors.moved_back(result, made)
        source = vectors.array if vectors.is_contiguous else vectors.copied()
        if name == "stable_argsort":
            found = vectors.moved_back(result, _positions(vectors, source.data))
        else:
            found = _extremes(name, vectors, result, source.data)
        if not vectors.is_contiguous:
            vectors.drop(source)
        return found

    return intrinsic(with_parameters(1, typed))


def _call(name: str, vectors: Vectors, *given: Value, dtype: str = "") -> None:
    """Call the function for one vector; it fails for want of memory alone."""
    builder = vectors.builder
    told = numpy_functions.call(builder, name, dtype or str(vectors.kind.dtype), *given)
    with builder.if_then(builder.icmp_signed("<", told, told.type(0)), likely=False):
        vectors.context.call_conv.return_user_exc(builder, MemoryError, ())


def _positions(vectors: Vectors, data: Value) -> Any:
    """The positions that sort each vector, which are 0, 1, 2, ... before."""
    builder, made = vectors.builder, vectors.new(types.int64)

    def sort(k: Value) -> None:
        own = vectors.vector(made.data, k, types.int64)
        numbers = builder.bitcast(own, _I64.as_pointer())
        with cgutils.for_range(builder, vectors.length) as loop:
            builder.store(loop.index, builder.gep(numbers, [loop.index]))
        values = vectors.vector(data, k, vectors.kind.dtype)
        if str(vectors.kind.dtype) in _ANY_ORDER:
            _call("argsort", vectors, values, own, vectors.length)
            _order_equal_ones(vectors, values, numbers)
        else:
            _call("stable_argsort", vectors, values, own, vectors.length)

    vectors.each(sort)
    return made


def _order_equal_ones(vectors: Vectors, values: Value, places: Value) -> None:
    """Sort the places of elements that are equal, which follow each other."""
    builder, context, dtype = vectors.builder, vectors.context, vectors.kind.dtype
    numbers = builder.bitcast(values, context.get_data_type(dtype).as_pointer())
    begin = cgutils.alloca_once_value(builder, _I64(0))
    before = cgutils.alloca_once(builder, numbers.type.pointee, zfill=True)

    def end_run(end: Value) -> None:
        first = builder.load(begin)
        count = builder.sub(end, first)
        with builder.if_then(builder.icmp_signed(">", count, _I64(1)), likely=False):
            run = builder.bitcast(builder.gep(places, [first]), _POINTER)
            _call("sort", vectors, run, count, dtype="int64")
        builder.store(end, begin)

    with cgutils.for_range(builder, vectors.length) as loop:
        k = loop.index
        value = builder.load(builder.gep(numbers, [builder.load(builder.gep(places, [k]))]))
        with builder.if_then(_differ(builder, builder.load(before), value), likely=True):
            end_run(k)
        builder.store(value, before)
    end_run(vectors.length)


def _differ(builder: Any, x: Value, y: Value) -> Value:
    """Whether two numbers are not in the same place of the order; NaN and NaN are."""
    if isinstance(x.type, ir.IntType):
        return builder.icmp_signed("!=", x, y)
    one_is_number = builder.or_(
        builder.fcmp_ordered("ord", x, x), builder.fcmp_ordered("ord", y, y)
    )
    return builder.and_(one_is_number, builder.fcmp_unordered("!=", x, y))


def _extremes(name: str, vectors: Vectors, result: Any, data: Value) -> Value:
    """The first position of the largest or smallest element of each vector."""
    context, builder = vectors.context, vectors.builder
    none = builder.icmp_signed("==", vectors.length, _I64(0))
    with builder.if_then(none, likely=False):
        context.call_conv.return_user_exc(builder, ValueError, (_EMPTY,))
    if not vectors.others:
        slot = cgutils.alloca_once(builder, _I64)
        pointers = [builder.bitcast(p, _POINTER) for p in (data, slot)]
        _call(name, vectors, pointers[0], vectors.length, pointers[1])
        return builder.load(slot)
    made = empty(context, builder, result, vectors.others)

    def find(k: Value) -> None:
        place = builder.bitcast(builder.gep(made.data, [k]), _POINTER)
        _call(name, vectors, vectors.vector(data, k, vectors.kind.dtype), vectors.length, place)

    vectors.each(find)
    return impl_ret_new_ref(context, builder, result, made._getvalue())
