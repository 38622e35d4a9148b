"""Elements at places in sorted order in Numba: by sorting, or by steps that each leave a part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_new_ref

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.intrinsics import intrinsic
from weft_numba.lowering.requirements import require
from weft_numba.numba_layer.allocation import empty
from weft_numba.numba_layer.new_array import load_element, store_element
from weft_numba.numba_layer.outlining import outlined
from weft_numba.numba_layer.vectors import Vectors
from weft_tensor import OrderStatistics

__all__ = ["numba_funcify_order_statistics"]

_SHORT: Final = 4096
"""Up to this length NumPy sorts, by vectors, in less time: rows of 30 in a third."""
_PATIENCE: Final = 16
"""If all passes take so many times the length, by bad luck or for many places, the rest is sorted:
that takes no longer."""
_I64: Final = ir.IntType(64)
_NONE, _ONE, _NO = _I64(0), _I64(1), ir.IntType(1)(0)
_BEYOND: Final = "places in sorted order are out of bounds"


@numba_funcify.register(OrderStatistics)
def numba_funcify_order_statistics(op: OrderStatistics, **kwargs: object) -> Callable[..., Any]:
    """Short lanes are sorted; of long ones, one after another, each place leaves a part."""
    function: Callable[..., Any] = _statistics
    return function


@intrinsic
def _statistics(context: object, x: Any, places: Any) -> Any:
    result = types.Array(x.dtype, x.ndim, "C")
    return result(x, places), outlined("orderstatistics", _write)


def _write(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
    result, flat = sig.return_type, types.Array(sig.return_type.dtype, 1, "C")
    x, at = (Vectors(context, builder, kind, v) for kind, v in zip(sig.args, args, strict=True))
    place_of = partial(load_element, context, builder, at.kind, at.array)
    some = builder.icmp_signed(">", x.length, _NONE)
    is_float = isinstance(flat.dtype, types.Float)
    end = builder.select(some, x.length, _ONE) if is_float else x.length
    with cgutils.for_range(builder, at.length) as loop:
        inside = builder.icmp_unsigned("<", place_of([loop.index]), end)
        require(context, builder, inside, IndexError, _BEYOND)
    out = empty(context, builder, result, [*x.others, at.length])
    places, lane = at.copied(), empty(context, builder, flat, [end])
    at.call("sort", [places.data])
    short = builder.and_(some, builder.icmp_signed("<=", x.length, _I64(_SHORT)))
    with cgutils.loop_nest(builder, x.others, _I64) as indices:

        def copied(k: Value, to: Value) -> Value:
            value = load_element(context, builder, x.kind, x.array, [*indices, k])
            store_element(context, builder, flat, lane, [to], value)
            return value

        with builder.if_else(short) as (all_sorted, divided):
            with all_sorted:
                with cgutils.for_range(builder, x.length) as loop:
                    copied(loop.index, loop.index)
                x.run("sort", str(flat.dtype), lane.data, x.length)
            with divided:
                count = x.length
                if is_float:
                    count = _numbers_first(builder, x.length, end, lane.data, copied)
                else:
                    with cgutils.for_range(builder, x.length) as loop:
                        copied(loop.index, loop.index)
                _Divided(x, lane.data, count).until_in_place(places.data, at.length)
        with cgutils.for_range(builder, at.length) as loop:
            value = load_element(context, builder, flat, lane, [place_of([loop.index])])
            store_element(context, builder, result, out, [*indices, loop.index], value)
    context.nrt.decref(builder, flat, lane._getvalue())
    context.nrt.decref(builder, types.Array(types.int64, 1, "C"), places._getvalue())
    return impl_ret_new_ref(context, builder, result, out._getvalue())


def _numbers_first(
    builder: IRBuilder,
    length: Value,
    end: Value,
    data: Value,
    copied: Callable[[Value, Value], Value],
) -> Value:
    """Copy what is a number to the front, and put NaN behind it; gives how many numbers."""
    so_far = cgutils.alloca_once_value(builder, _NONE)
    with cgutils.for_range(builder, length) as loop:
        count = builder.load(so_far)
        value = copied(loop.index, count)
        is_number = builder.fcmp_ordered("ord", value, value)
        builder.store(builder.add(count, builder.zext(is_number, _I64)), so_far)
    count = builder.load(so_far)
    with cgutils.for_range_slice(builder, count, end, _ONE) as (k, _):
        builder.store(data.type.pointee(float("nan")), builder.gep(data, [k]))
    return count


class _Divided:
    """Writes how a vector's elements are put in order as far as what stands at places needs it."""

    def __init__(self, x: Vectors, data: Value, count: Value):
        self.x, self.builder, self.data, self.count = x, x.builder, data, count
        started = partial(cgutils.alloca_once_value, x.builder)
        self.begin, self.left = started(_NONE), started(x.builder.mul(_I64(_PATIENCE), count))
        self.low, self.high, self.equals = started(_NONE), started(_NONE), started(_NO)
        self.pivot = cgutils.alloca_once(x.builder, data.type.pointee)

    def until_in_place(self, places: Value, number: Value) -> None:
        """For each of so many places, which are in order, divide what is behind the one before."""
        builder, load, store = self.builder, self.builder.load, self.builder.store
        with cgutils.for_range(builder, number) as loop:
            k = load(builder.gep(places, [loop.index]))
            is_new = builder.icmp_signed(">=", k, load(self.begin))
            is_number = builder.icmp_signed("<", k, self.count)
            with builder.if_then(builder.and_(is_new, is_number)):
                starts = ((load(self.begin), self.low), (self.count, self.high), (_NO, self.equals))
                for value, place in (*starts, (builder.add(k, _ONE), self.begin)):
                    store(value, place)
                test, body, done = (
                    builder.append_basic_block(name) for name in ("test", "divide", "done")
                )
                builder.branch(test)
                builder.position_at_end(test)
                patient = builder.icmp_signed(">=", load(self.left), _NONE)
                builder.cbranch(builder.and_(self._several(), patient), body, done)
                builder.position_at_end(body)
                self._divide(k)
                builder.branch(test)
                builder.position_at_end(done)
                with builder.if_then(self._several(), likely=False):
                    low = load(self.low)
                    rest = builder.gep(self.data, [low]), builder.sub(self.count, low)
                    self.x.run("sort", str(self.x.kind.dtype), *rest)
                    store(self.count, self.begin)

    def _several(self) -> Value:
        low, high = map(self.builder.load, (self.low, self.high))
        return self.builder.icmp_signed(">", self.builder.sub(high, low), _ONE)

    def _divide(self, k: Value) -> None:
        """Leave the part with the place: before a pivot, among what equals it, or behind.

        What is before it goes to the front, in turn with what equals it, without a branch that is
        hard to foresee.
        """
        builder, load, store = self.builder, self.builder.load, self.builder.store
        low, high, equals = map(load, (self.low, self.high, self.equals))
        store(builder.sub(load(self.left), builder.sub(high, low)), self.left)
        with builder.if_then(builder.not_(equals)):
            store(self._middle(low, high), self.pivot)
        pivot, place = load(self.pivot), cgutils.alloca_once_value(builder, low)
        store(low, place)
        with cgutils.for_range_slice(builder, low, high, _ONE) as (i, _):
            here, there = (builder.gep(self.data, [j]) for j in (i, load(place)))
            value = load(here)
            store(load(there), here)
            store(value, there)
            first = builder.or_(
                self._compare("<", value, pivot),
                builder.and_(equals, self._compare("==", value, pivot)),
            )
            store(builder.add(load(place), builder.zext(first, _I64)), place)
        before = builder.icmp_signed("<", k, load(place))
        shorter = builder.select(equals, low, load(place))
        store(builder.select(before, shorter, high), self.high)
        store(builder.select(before, low, load(place)), self.low)
        store(builder.not_(builder.or_(equals, before)), self.equals)

    def _middle(self, low: Value, high: Value) -> Value:
        """The one in the middle of three."""
        builder = self.builder
        step = builder.ashr(builder.sub(high, low), _I64(3))
        places = (
            builder.add(low, step),
            builder.ashr(builder.add(low, high), _ONE),
            builder.sub(builder.sub(high, _ONE), step),
        )
        p, q, r = (builder.load(builder.gep(self.data, [place])) for place in places)
        swapped = self._compare("<", q, p)
        p, q = builder.select(swapped, q, p), builder.select(swapped, p, q)
        rest = builder.select(self._compare("<", r, q), r, q)
        return builder.select(self._compare("<", r, p), p, rest)

    def _compare(self, sign: str, x: Value, y: Value) -> Value:
        dtype = self.x.kind.dtype
        if isinstance(dtype, types.Float):
            return self.builder.fcmp_ordered(sign, x, y)
        is_signed = getattr(dtype, "signed", False)
        return (self.builder.icmp_signed if is_signed else self.builder.icmp_unsigned)(sign, x, y)
