"""The vectors of an array along its last axis, one after another, each contiguous."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, Final

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils, types

from weft_numba.lowering.places import array_in_place, shape_of
from weft_numba.lowering.requirements import require
from weft_numba.numba_layer import numpy_functions
from weft_numba.numba_layer.new_array import filled, load_element

__all__ = ["Vectors"]

_I64: Final = ir.IntType(64)


class Vectors:
    """Writes, into a function that Numba compiles, loops over the vectors of `array`."""

    def __init__(self, context: Any, builder: IRBuilder, kind: Any, array: Value):
        self.context, self.builder, self.kind = context, builder, kind
        self.array = array_in_place(context, builder, kind, array)
        *self.others, self.length = shape_of(builder, self.array)

    def new(self, dtype: Any, value: Callable[[Sequence[Value]], Value]) -> Any:
        """An array of the same shape; `value` writes the element at indices."""
        kind = types.Array(dtype, self.kind.ndim, "C")
        return filled(self.context, self.builder, kind, [*self.others, self.length], value)

    def copied(self) -> Any:
        """A copy in which the vectors lie contiguous, one behind another."""
        place = (self.context, self.builder, self.kind, self.array)
        return self.new(self.kind.dtype, lambda indices: load_element(*place, indices))

    def contiguous(self) -> Any:
        """The array, or a copy if its vectors are not so: `drop` it after use."""
        return self.array if self.kind.layout == "C" else self.copied()

    def drop(self, contiguous: Any) -> None:
        """Give back the copy, if it is one."""
        if contiguous is not self.array:
            kind = types.Array(self.kind.dtype, self.kind.ndim, "C")
            self.context.nrt.decref(self.builder, kind, contiguous._getvalue())

    def each(self, body: Callable[[Value, Value], None]) -> None:
        """Write `body` for each vector, of its number and of where it begins."""
        builder = self.builder
        with cgutils.for_range(builder, reduce(builder.mul, self.others, _I64(1))) as loop:
            body(loop.index, builder.mul(loop.index, self.length))

    def run(self, name: str, dtype: str, *arguments: Value) -> None:
        """Call one of `numpy_functions`; they fail for want of memory alone."""
        builder = self.builder
        status = numpy_functions.call(builder, name, dtype, *arguments)
        done = builder.icmp_signed(">=", status, status.type(0))
        require(self.context, builder, done, MemoryError)

    def call(self, name: str, data: Sequence[Value], numbers: Sequence[Value] = ()) -> None:
        """Call one of `numpy_functions` for each vector.

        At `data` lie vectors one behind another, at `numbers` a number for each vector.
        """

        def once(k: Value, start: Value) -> None:
            vectors = [self.builder.gep(place, [start]) for place in data]
            results = [self.builder.gep(place, [k]) for place in numbers]
            self.run(name, str(self.kind.dtype), *vectors, self.length, *results)

        self.each(once)
