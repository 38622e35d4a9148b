"""Joining in Numba: each input is copied to its place, however many there are.

Code for each of hundreds of inputs would take minutes to compile. So the addresses of inputs are
put into tables, and a function goes through the table of all inputs of one type that follow each
other.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils, types

from weft_graph import Variable
from weft_numba.analysis.shifts import Shifted
from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.intrinsics import intrinsic
from weft_numba.lowering.njit_source import compiled
from weft_numba.lowering.parameters import with_parameters
from weft_numba.lowering.places import (
    array_at,
    place_of,
    shape_of,
    strides_of,
    value_in_place,
)
from weft_numba.lowering.requirements import require
from weft_numba.numba_layer.allocation import empty
from weft_numba.numba_layer.bundles import FROM_BUNDLES, Source, element
from weft_numba.numba_layer.linalg.blas import POINTER
from weft_numba.numba_layer.new_array import load_element, store_element
from weft_numba.numba_layer.outlining import only_place, outlined
from weft_numba.numba_layer.rows import copied, shift_rows
from weft_numba.numba_layer.strided_copy import Axis, strided_copy
from weft_tensor import Concatenate

__all__ = ["joined", "numba_funcify_concatenate"]

_I1, _I64 = ir.IntType(1), ir.IntType(64)
_DIFFER = "tensors to be joined differ in a length"


@numba_funcify.register(Shifted)
def _shifted(op: Shifted, **kwargs: object) -> Any:
    source = "def lowered(x, row):\n    y = copied(x)\n    move(y, row)\n    return y\n"
    return compiled(source, copied=copied, move=shift_rows(back=op.back))


@numba_funcify.register(Concatenate)
def numba_funcify_concatenate(op: Concatenate, *, node: Variable, **kwargs: object) -> Any:
    """One loop nest per type of inputs."""
    return joined(node, tuple([(k, None) for k in range(len(node.inputs))]))


def joined(node: Any, sources: tuple[Source, ...]) -> Any:
    """The function that computes a `Concatenate` or `Stack` from arrays, or bundles of them.

    >>> import numba
    >>> import numpy as np
    >>> from weft_tensor import concatenate, vector
    >>> x = vector("x")
    >>> twice = joined(concatenate([x, x]), ((0, None), (0, None)))
    >>> numba.njit(lambda x: twice(x))(np.array([1.0, 2.0]))
    array([1., 2., 1., 2.])
    """
    return _joined(sources, node.type.dtype, node.type.ndim, getattr(node.op, "axis", None))


FROM_BUNDLES[Concatenate] = joined


@cache
def _joined(sources: tuple[Source, ...], dtype: str, ndim: int, axis: int | None) -> Any:
    """Joins along an axis; None for a new first one."""

    def typed(context: object, *arrays: Any) -> Any:
        result = types.Array(numba.from_dtype(np.dtype(dtype)), ndim, "C")
        name, write = f"join {sources} {axis}", _Joiner(sources, axis)
        return result(*arrays), outlined(name, write, strided=True, repeated=False)

    return intrinsic(with_parameters(1 + max(k for k, _ in sources), typed))


class _Run(NamedTuple):
    """Inputs of one type that follow each other."""

    kind: Any
    size: int
    table: Any
    """Where their addresses are; for numbers, where they are themselves."""


class _Joiner:
    """Writes the copying into a function that Numba compiles."""

    def __init__(self, sources: Sequence[Source], axis: int | None) -> None:
        self.sources = sources
        self.axis = axis

    def __call__(self, context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        """The new array, as Numba asks for it."""
        self.context, self.builder = context, builder
        kind = sig.return_type
        inputs = [self._input(sig.args[a], args[a], k) for a, k in self.sources]
        runs = [
            self._run(each, [value for _, value in pairs])
            for each, pairs in groupby(inputs, key=itemgetter(0))
        ]
        out = empty(context, builder, kind, self._lengths(runs), place=only_place(builder))
        place = out._getpointer()
        start: Any = _I64(0)
        for run in runs:
            start = self._applied(_Fill(context, self.axis, kind), run, [place, start])
        return value_in_place(builder, out)

    def _input(self, kind: Any, value: Value, k: int | None) -> tuple[types.Type, Value]:
        """The type of an input, and its address; that of a number, and the number."""
        if k is not None:
            return kind.array, element(self.context, self.builder, kind, value, k)
        is_array = isinstance(kind, types.Array)
        return kind, place_of(self.builder, value) if is_array else value

    def _run(self, kind: Any, values: Sequence[Value]) -> _Run:
        """Put inputs of one type where a loop finds them."""
        table = cgutils.alloca_once(self.builder, values[0].type, len(values))
        for k, value in enumerate(values):
            self.builder.store(value, self.builder.gep(table, [_I64(k)]))
        return _Run(kind, len(values), table)

    def _lengths(self, runs: Sequence[_Run]) -> list[Value]:
        """The lengths of the result; raises where inputs don't fit together."""
        builder, first = self.builder, runs[0]
        if not isinstance(first.kind, types.Array):
            return [_I64(sum(run.size for run in runs))]
        shape = array_at(self.context, builder, first.kind, builder.load(first.table)).shape
        lengths: list[Any] = cgutils.unpack_tuple(builder, shape)
        place = cgutils.alloca_once_value(builder, shape)
        total: Any = _I64(0)
        for run in runs:
            total = self._applied(_Measure(self.context, self.axis), run, [place, total])
        fit = builder.icmp_signed(">=", total, _I64(0))
        require(self.context, builder, fit, ValueError, _DIFFER)
        if self.axis is None:
            return [total, *lengths]
        lengths[self.axis] = total
        return lengths

    def _applied(self, loop: _Fill | _Measure, run: _Run, arrays: Sequence[Value]) -> Value:
        """A call of the function that goes through a run."""
        arguments = [*arrays, run.table, _I64(run.size)]
        name = f"weft_{loop.name}_{run.kind}_{self.axis}"
        function = self.builder.module.globals.get(name)
        if function is None:
            kind = ir.FunctionType(_I64, [a.type for a in arguments])
            function = ir.Function(self.builder.module, kind, name)
            function.linkage = "internal"
            function.attributes.add("noinline")
            loop.write(function, run.kind)
        return self.builder.call(function, arguments)


class _Measure:
    """Writes a function that adds up lengths, from what they were before; or gives a negative."""

    name = "measure"

    def __init__(self, context: Any, axis: int | None) -> None:
        self.context, self.axis = context, axis

    def write(self, function: Any, kind: Any) -> None:
        """The function of a shape, a number, a table and how many arrays there are in it."""
        first, before, table, count = function.args
        builder = IRBuilder(function.append_basic_block("entry"))
        lengths = cgutils.unpack_tuple(builder, builder.load(first))
        total = cgutils.alloca_once_value(builder, before)
        differ = cgutils.alloca_once_value(builder, builder.icmp_signed("<", before, _I64(0)))
        with cgutils.for_range(builder, count) as loop:
            place = builder.load(builder.gep(table, [loop.index]))
            array = array_at(self.context, builder, kind, place)
            step: Any = _I64(1)
            pairs = zip(shape_of(builder, array), lengths, strict=True)
            for a, (length, other) in enumerate(pairs):
                if a == self.axis:
                    step = length
                    continue
                is_other = builder.icmp_signed("!=", length, other)
                builder.store(builder.or_(builder.load(differ), is_other), differ)
            builder.store(builder.add(builder.load(total), step), total)
        builder.ret(builder.select(builder.load(differ), _I64(-1), builder.load(total)))


class _Fill:
    """Writes a function that copies inputs to their places, one behind another."""

    def __init__(self, context: Any, axis: int | None, kind: Any) -> None:
        self.context, self.axis, self.kind = context, axis, kind
        self.name = f"fill_{kind}"

    def write(self, function: Any, kind: Any) -> None:
        """The function of the result, where the first input goes, a table and its length."""
        result, begin, table, count = function.args
        builder = IRBuilder(function.append_basic_block("entry"))
        context = self.context
        out = array_at(context, builder, self.kind, result)
        start = cgutils.alloca_once_value(builder, begin)
        with cgutils.for_range(builder, count) as loop:
            array, shape = builder.load(builder.gep(table, [loop.index])), []
            if isinstance(kind, types.Array):
                array = array_at(context, builder, kind, array)
                shape = shape_of(builder, array)
            now = builder.load(start)
            if shape and kind.dtype == self.kind.dtype:
                self._copy(builder, array, shape, out, now)
            else:
                self._convert(builder, kind, array, shape, out, now)
            step = _I64(1) if self.axis is None else shape[self.axis]
            builder.store(builder.add(now, step), start)
        builder.ret(builder.load(start))

    def _copy(
        self, builder: IRBuilder, array: Any, shape: Sequence[Value], out: Any, now: Value
    ) -> None:
        """Copy an array of the same dtype to its place, in blocks where both lie so in memory."""
        zeros = [_I64(0)] * self.kind.ndim
        zeros[self.axis or 0] = now
        target = cgutils.get_item_pointer(
            self.context, builder, self.kind, out, zeros, wraparound=False
        )
        strides = [strides_of(builder, a) for a in (array, out)]
        strides[1] = strides[1][self.axis is None :]
        axes = [Axis(*each) for each in zip(shape, *strides, strict=True)]
        source, place = (builder.bitcast(p, POINTER) for p in (array.data, target))
        strided_copy(builder, str(self.kind.dtype), source, place, axes)

    def _convert(
        self, builder: IRBuilder, kind: Any, array: Any, shape: Sequence[Value], out: Any, now: Any
    ) -> None:
        """Put elements of another dtype, or a number, to their place."""
        context = self.context
        with cgutils.loop_nest(builder, shape, _I64) as indices:
            value = _number(context, builder, kind, array, indices)
            value = context.cast(builder, value, getattr(kind, "dtype", kind), self.kind.dtype)
            where = [now, *indices]
            if self.axis is not None:
                where = list(indices)
                where[self.axis] = builder.add(now, where[self.axis])
            store_element(context, builder, self.kind, out, where, value)


def _number(
    context: Any, builder: IRBuilder, kind: Any, array: Any, indices: Sequence[Value]
) -> Value:
    """The number at these indices, or the number that is no array."""
    if not isinstance(kind, types.Array):
        return array
    return load_element(context, builder, kind, array, indices)
