"""Views of arrays, written in LLVM's terms: Numba's own indexing takes long to compile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils, types
from numba.np import arrayobj

from weft_numba.llvm.scatter_address import OUT_OF_BOUNDS
from weft_numba.lowering.intrinsics import intrinsic
from weft_numba.lowering.parameters import with_parameters
from weft_numba.lowering.places import (
    array_in_place,
    new_array,
    shape_of,
    strides_of,
    value_in_place,
)
from weft_numba.lowering.requirements import require
from weft_numba.lowering.users import with_another_user
from weft_numba.numba_layer.outlining import only_place, outlined

__all__ = ["Cut", "Kept", "New", "Part", "Picked", "view", "with_axis_moved"]

_I64 = ir.IntType(64)
Number = int | str | None
"""A number, "scalar" for the next of the scalar arguments, or nothing.

"below" and "above" are for arguments of which it is known whether they are below 0.
"""
_FIXED = ("axis", "step", "only")
"""What of a part is no argument of the function that writes views."""


class Kept(NamedTuple):
    """An axis as it is."""

    axis: int


class New(NamedTuple):
    """A new axis of length 1."""


class Picked(NamedTuple):
    """An axis at one index, which the view does not have."""

    axis: int
    at: Number
    only: bool = False
    """Whether its length must be 1."""


class Cut(NamedTuple):
    """A slice of an axis."""

    axis: int
    start: Number
    stop: Number
    step: Number


Part = Kept | New | Picked | Cut


@cache
def view(parts: tuple[Part, ...]) -> Any:
    """The function of an array, and of the scalars that `parts` mention, that gives the view.

    The parts are in the order of the axes of the view; its memory is the array's. Views that
    differ in where slices begin and end are written by one function.

    >>> import numba
    >>> import numpy as np
    >>> first_column = view((Kept(0), Picked(1, 0)))
    >>> numba.njit(lambda x: first_column(x))(np.array([[1, 2], [3, 4]]))
    array([1, 3])
    """
    scalars = sum(p == "scalar" for part in parts for p in part)

    def typed(context: object, x: Any, *numbers: Any) -> Any:
        ndim = sum(not isinstance(part, Picked) for part in parts)
        result = x.copy(ndim=ndim, layout=_layout(parts, x.layout)) if ndim else x.dtype
        return result(x, *numbers), write

    def write(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        kinds, values, general = [sig.args[0]], [args[0]], list[Part]()
        given = zip(sig.args[1:], args[1:], strict=True)
        for part in parts:
            ends: dict[str, Any] = {}
            for name, p in part._asdict().items():
                if p == "scalar":
                    kind, value = next(given)
                elif name in _FIXED or p is None or getattr(part, "only", False):
                    continue
                else:
                    kind, value = types.int64, _I64(p)
                    ends[name] = "below" if p < 0 else "above"
                kinds.append(kind)
                values.append(value)
            general.append(part._replace(**ends))
        viewer = _Viewer(tuple(general))
        call = outlined(f"view {general}", viewer, strided=True, repeated=False)
        return call(context, builder, sig.return_type(*kinds), values)

    return intrinsic(with_parameters(1 + scalars, typed))


def with_axis_moved(
    context: Any, builder: IRBuilder, kind: Any, array: Value, source: int, target: int
) -> tuple[Any, Value]:
    """Write the view of an array whose axis `source` is axis `target`; gives its type and it.

    It does not count as a reference to the memory.
    """
    axes = list(range(kind.ndim))
    axes.insert(target, axes.pop(source))
    parts = tuple([Kept(axis) for axis in axes])
    result = kind.copy(layout=_layout(parts, kind.layout))
    return result, _Viewer(parts).written(context, builder, result(kind), [array])


def _layout(parts: Sequence[Part], layout: str) -> str:
    """The layout of the view of an array: C if that can be told, or that its rows lie contiguous.

    Numba's word for these is CS.

    >>> rows, some, others = Kept(0), Cut(1, 1, None, None), Cut(1, None, None, 2)
    >>> _layout((rows, Kept(1)), "C"), _layout((rows, some), "C"), _layout((rows, others), "C")
    ('C', 'CS', 'A')
    >>> _layout((Picked(0, 0), some), "CS"), _layout((Kept(1), rows), "C")
    ('C', 'A')
    """
    order = [part.axis for part in parts if not isinstance(part, New)]
    rest = [part for part in parts if not isinstance(part, New)]
    while rest and isinstance(rest[0], Picked):
        rest.pop(0)
    if rest and isinstance(rest[0], Cut) and rest[0].step in (None, 1):
        rest.pop(0)
    whole = all(isinstance(part, Kept) or (isinstance(part, Picked) and part.only) for part in rest)
    if layout == "C" and whole and order == sorted(order):
        return "C"
    last = parts[-1] if parts else New()
    is_row = not isinstance(last, New) and last.axis == max(order)
    in_rows = isinstance(last, Kept) or (isinstance(last, Cut) and last.step in (None, 1))
    if layout not in ("C", "CS") or not is_row or not in_rows:
        return "A"
    return "CS" if sum(not isinstance(part, Picked) for part in parts) > 1 else "C"


class _Viewer:
    """Writes a view into a function that Numba compiles."""

    def __init__(self, parts: tuple[Part, ...]) -> None:
        self.parts = parts
        self.below: dict[Value, bool] = {}

    def __call__(self, context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        """The view, as Numba asks for it."""
        view = self.written(context, builder, sig, args, only_place(builder))
        is_array = isinstance(sig.return_type, types.Array)
        return with_another_user(builder, view) if is_array else view

    def written(
        self,
        context: Any,
        builder: IRBuilder,
        sig: Any,
        args: Sequence[Value],
        place: Value | None = None,
    ) -> Value:
        """The view, not counted as a reference to the memory; at `place` if there is one."""
        self.context, self.builder = context, builder
        numbers = iter(args[1:])
        kind = sig.args[0]
        array = array_in_place(context, builder, kind, args[0])
        shape, strides = shape_of(builder, array), strides_of(builder, array)
        bytes_: Any = _I64(0)
        lengths: list[Any] = []
        steps: list[Any] = []
        for part in self.parts:
            if isinstance(part, New):
                lengths.append(_I64(1))
                steps.append(array.itemsize)
                continue
            n, stride = shape[part.axis], strides[part.axis]
            begin: Any = _I64(0)
            if isinstance(part, Picked):
                begin = self._picked(part, n, numbers)
            elif isinstance(part, Cut):
                begin, length, step = self._cut(part, n, numbers)
                lengths.append(length)
                is_next = isinstance(step, ir.Constant) and step.constant == 1
                steps.append(stride if is_next else builder.mul(stride, step))
            else:
                lengths.append(n)
                steps.append(stride)
            if not isinstance(begin, ir.Constant) or begin.constant:
                bytes_ = builder.add(bytes_, builder.mul(begin, stride))
        pointer = cgutils.pointer_add(builder, array.data, bytes_)
        if not lengths:
            return arrayobj.load_item(context, builder, kind, pointer)
        result = new_array(
            context,
            builder,
            sig.return_type,
            data=pointer,
            lengths=lengths,
            strides=steps,
            itemsize=array.itemsize,
            meminfo=array.meminfo,
            parent=array.parent,
            place=place,
        )
        return value_in_place(builder, result)

    def _require(self, holds: Value, kind: type[Exception], message: str) -> None:
        require(self.context, self.builder, holds, kind, message)

    def _picked(self, part: Picked, n: Value, numbers: Iterator[Value]) -> Value:
        builder = self.builder
        if part.only:
            one = builder.icmp_signed("==", n, _I64(1))
            self._require(one, ValueError, "cannot squeeze an axis whose length is not 1")
            return _I64(0)
        at = self._from_begin(self._number(part.at, numbers), n)
        self._require(builder.icmp_unsigned("<", at, n), IndexError, OUT_OF_BOUNDS)
        return at

    def _negative(self, x: Value) -> bool | Value:
        """Whether a number is below 0: True or False if it is known, so that less is written."""
        if isinstance(x, ir.Constant):
            return bool(x.constant < 0)
        known = self.below.get(x)
        return self.builder.icmp_signed("<", x, _I64(0)) if known is None else known

    def _either(self, test: bool | Value, a: Value, b: Value) -> Value:
        if isinstance(test, bool):
            return a if test else b
        return self.builder.select(test, a, b)

    def _from_begin(self, at: Value, n: Value) -> Value:
        """An index, of which one below 0 counts from the end."""
        is_below = self._negative(at)
        return at if is_below is False else self._either(is_below, self.builder.add(at, n), at)

    def _cut(self, part: Cut, n: Value, numbers: Iterator[Value]) -> tuple[Value, Value, Value]:
        """The first index, the number of elements and the step of a slice."""
        builder = self.builder
        start, stop, step = (self._number(p, numbers) for p in (part.start, part.stop, part.step))
        if step is None:
            step = _I64(1)
        if not isinstance(step, ir.Constant) or not step.constant:
            some = builder.icmp_signed("!=", step, _I64(0))
            self._require(some, ValueError, "slice step cannot be zero")
        is_one = isinstance(step, ir.Constant) and abs(step.constant) == 1
        step = step if is_one else self._no_longer(step, n)
        back = self._negative(step)
        low = self._either(back, _I64(-1), _I64(0))
        high = n if back is False else self._either(back, builder.sub(n, _I64(1)), n)
        begin = self._end(start, n, low, high, self._either(back, high, low))
        end = self._end(stop, n, low, high, self._either(back, low, high))
        first, last = self._either(back, end, begin), self._either(back, begin, end)
        way = builder.sub(last, first)
        some = builder.icmp_signed(">", way, _I64(0))
        if not is_one:
            size = step if back is False else self._either(back, builder.neg(step), step)
            way = builder.sdiv(builder.sub(builder.add(way, size), _I64(1)), size)
        length = builder.select(some, way, _I64(0))
        return builder.select(some, begin, _I64(0)), length, step

    def _no_longer(self, step: Value, n: Value) -> Value:
        """A step that takes the same elements, and whose bytes can be counted."""
        builder = self.builder
        most = builder.select(builder.icmp_signed("==", n, _I64(0)), _I64(1), n)
        least = builder.neg(most)
        step = builder.select(builder.icmp_signed("<", step, least), least, step)
        return builder.select(builder.icmp_signed(">", step, most), most, step)

    def _end(self, at: Value, n: Value, low: Value, high: Value, missing: Value) -> Value:
        """An end of a slice as Python's `slice.indices` gives it."""
        if at is None:
            return missing
        builder, is_below = self.builder, self._negative(at)
        at = self._from_begin(at, n)
        if is_below is not False:
            at = builder.select(builder.icmp_signed("<", at, low), low, at)
        if is_below is not True:
            at = builder.select(builder.icmp_signed(">", at, high), high, at)
        return at

    def _number(self, p: Number, numbers: Iterator[Value]) -> Value:
        if not isinstance(p, str):
            return None if p is None else _I64(p)
        value = next(numbers)
        if p != "scalar":
            self.below[value] = p == "below"
        return value
