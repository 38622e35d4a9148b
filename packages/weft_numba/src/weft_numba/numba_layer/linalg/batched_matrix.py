"""Operations on matrices as functions of stacks of them, for code that Numba compiles.

What is done with one matrix (or one pair) is a machine-code function of its own. Around its
call the lengths are compared, stacks are broadcast against each other and memory is allocated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, reduce
from itertools import zip_longest
from typing import Any, Final, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils, types

from weft_numba.llvm.threads import are_available
from weft_numba.lowering.intrinsics import intrinsic
from weft_numba.lowering.parameters import with_parameters
from weft_numba.lowering.places import array_in_place, shape_of, strides_of
from weft_numba.lowering.requirements import raises
from weft_numba.lowering.users import change_count
from weft_numba.numba_layer.allocation import empty
from weft_numba.numba_layer.linalg.batch_loop import chunks_of, in_chunks
from weft_numba.numba_layer.linalg.blas import I32, I64, LONGEST, POINTER, letter
from weft_numba.numba_layer.linalg.lanes import LANES, Lanes, Side, write_lanes
from weft_numba.numba_layer.linalg.matrices import (
    Matrix,
    Memory,
    contiguous,
    local_function,
    shorter,
)
from weft_numba.numba_layer.linalg.stacks import Part, Stack, Stacks, unraveled
from weft_numba.numba_layer.outlining import outlined, result_place

__all__ = [
    "MatrixOperation",
    "Part",
    "callable_operation",
    "with_rooms",
]

_BIT: Final = ir.IntType(1)
_ONE: Final = I64(1)


class MatrixOperation(NamedTuple):
    """What is done with one matrix, or one pair."""

    name: str
    operands: tuple[Part, ...]
    results: tuple[Part, ...]
    write: Callable[..., Any]
    """Called with a builder, memory, the lengths by letter, the operands as matrices and the
    addresses of the results (contiguous), and the flags, it writes the code. Gives a 32-bit
    integer: not 0 for failure; or None, if nothing can fail."""
    failure: str = ""
    """The message of the error."""
    missing: str = ""
    """Letters of axes that the operands and results do not have: their length is 1."""
    work: str = ""
    """Letters whose lengths multiply to the number of multiplications, about."""
    pace: int = 4
    """How many multiplications take a nanosecond, about."""
    parallel: bool = False
    """Whether stacks are split over threads."""
    flags: tuple[bool, ...] = ()
    """In what operations of one name differ, which share their code: a bit of it for each."""
    error: type[Exception] = np.linalg.LinAlgError
    lanes: Lanes | None = None
    """What is done with several small matrices at once, if that pays."""


@cache
def callable_operation(operation: MatrixOperation, *, rooms: bool = False) -> Any:
    """The function of the stacks, for use in code that Numba compiles.

    With `rooms`, it is also given one for each result.

    Here what is written only reads the upper left element, and copies it to the result:

    >>> def write(builder, memory, lengths, given, result):
    ...     value = given[0].get(builder, I64(0), I64(0))
    ...     builder.store(value, builder.bitcast(result, value.type.as_pointer()))
    >>> corner = callable_operation(
    ...     MatrixOperation("corner", (Part("mn", "float64"),), (Part("", "float64"),), write)
    ... )
    >>> numba.njit(lambda x: corner(x))(np.arange(12.0).reshape(3, 2, 2))
    array([0., 4., 8.])
    """

    count = len(operation.operands)

    def typed(context: object, *argument_types: Any) -> Any:
        depth = max(
            t.ndim - len(p.own(operation.missing))
            for t, p in zip(argument_types[:count], operation.operands, strict=True)
        )
        results = [_result_type(p, operation, depth) for p in operation.results]
        returned = results[0] if len(results) == 1 else types.Tuple(results)
        generator = _Generator(operation, results, depth)
        rows = operation.lanes.rows if operation.lanes else ()
        name = f"{operation.name} {operation.missing} {depth} {rows}"
        write = outlined(name, generator, joined=rooms, strided=True)

        def flagged(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
            kinds = [types.boolean for _ in operation.flags]
            bits = [_BIT(flag) for flag in operation.flags]
            return write(context, builder, sig.return_type(*sig.args, *kinds), [*args, *bits])

        return returned(*argument_types), flagged

    places = 2 * rooms * len(operation.results)
    function = intrinsic(with_parameters(count + places, typed))
    if not rooms:
        _OPERATIONS[function] = operation
    return function


_OPERATIONS: Final[dict[Any, MatrixOperation]] = {}


def with_rooms(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """The same function, which is told of rooms for its results, if there is one."""
    operation = _OPERATIONS.get(function)
    return operation and callable_operation(operation, rooms=True)


def _result_type(part: Part, operation: MatrixOperation, depth: int) -> Any:
    scalar = numba.from_dtype(np.dtype(part.dtype))
    ndim = depth + len(part.own(operation.missing))
    return types.Array(scalar, ndim, "C") if ndim else scalar


class _Generator:
    """Writes the operation into a function that Numba compiles."""

    def __init__(self, operation: MatrixOperation, results: list[types.Type], depth: int) -> None:
        self.operation = operation
        self.results = results
        self.depth = depth

    def __call__(self, context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> None:
        """Put the results where Numba wants them."""
        operation, count = self.operation, len(self.operation.operands)
        end = len(args) - len(operation.flags)
        rooms = [*zip(args[count:end:2], args[count + 1 : end : 2], strict=True)]
        stacks = []
        for t, value in zip(sig.args[:count], args[:count], strict=True):
            array = array_in_place(context, builder, t, value)
            data = builder.bitcast(array.data, POINTER)
            stacks.append(Stack(data, shape_of(builder, array), strides_of(builder, array)))
        lengths = self._lengths(context, builder, stacks)
        batch = self._batch(context, builder, stacks)
        results = [
            self._made(context, builder, k, part, batch, lengths, room)
            for k, (part, room) in enumerate(zip_longest(operation.results, rooms))
        ]
        places = [*(place for place, _ in results), *args[end:]]
        parts = operation.operands + operation.results
        work = Stacks(parts, operation.missing, stacks, lengths, batch, places)

        def check(status: Value) -> None:
            self._check(context, builder, status, [a for _, a in results if a is not None])

        if operation.parallel and self.depth and are_available():
            check(self._split(context, builder, work))
        elif operation.lanes:
            self._one_by_one(context, builder, work, I64(0), reduce(builder.mul, batch), check)
        else:
            with cgutils.loop_nest(builder, batch, I64) as indices:
                check(self._called(context, builder, work, indices))
        for k, (place, array) in enumerate(results):
            if array is None:
                slot = builder.bitcast(place, context.get_data_type(self.results[k]).as_pointer())
                value = context.unpack_value(builder, self.results[k], slot)
                builder.store(value, result_place(builder, k, len(results)))

    def _check(
        self, context: Any, builder: IRBuilder, status: Value, arrays: Sequence[Any]
    ) -> None:
        """Raise if the status says so."""
        with builder.if_then(builder.icmp_signed("!=", status, I32(0)), likely=False):
            for array in arrays:
                change_count(builder, "NRT_decref", array.meminfo)
            lacking = builder.icmp_signed("==", status, Memory.LACKING)
            with builder.if_then(lacking, likely=False):
                raises(context, builder, MemoryError, f"{self.operation.name}: not enough memory")
            raises(context, builder, self.operation.error, self.operation.failure)

    def _split(self, context: Any, builder: IRBuilder, work: Stacks) -> Value:
        """The loop over all matrices in chunks, for threads; gives the status."""

        def write(inside: IRBuilder, begin: Value, end: Value, *values: Value) -> Value:
            def check(status: Value) -> None:
                with inside.if_then(inside.icmp_signed("!=", status, I32(0)), likely=False):
                    inside.ret(status)

            self._one_by_one(context, inside, work.like(values), begin, end, check)
            return I32(0)

        count = reduce(builder.mul, work.batch)
        each = reduce(builder.mul, [work.lengths[x] for x in self.operation.work], _ONE)
        chunks = chunks_of(builder, count, each, self.operation.pace)
        name = f"{self._name()}_{work.ranks()}_part"
        return in_chunks(context, builder, name, count, chunks, work.values(), write)

    def _one_by_one(
        self,
        context: Any,
        builder: IRBuilder,
        work: Stacks,
        begin: Value,
        end: Value,
        check: Callable[[Value], None],
    ) -> None:
        """The matrices with these numbers, one after the other: several at once where it pays."""
        lanes = self.operation.lanes
        if not lanes:
            with cgutils.for_range_slice(builder, begin, end, _ONE) as (place, _):
                indices = unraveled(builder, place, work.batch)
                check(self._called(context, builder, work, indices))
            return
        done, right = (cgutils.alloca_once(builder, I64) for _ in range(2))
        builder.store(begin, done)
        with cgutils.for_range_slice(builder, begin, end, I64(LANES)) as (start, _):
            builder.store(I64(0), right)
            for n in lanes.rows:
                self._in_lanes(builder, work, lanes, n, start, done, right, end)
            with builder.if_then(builder.icmp_signed(">=", start, builder.load(done))):
                stop = builder.add(start, I64(LANES))
                builder.store(stop, done)
                stop = builder.select(builder.icmp_signed("<", stop, end), stop, end)
                with cgutils.for_range_slice(builder, start, stop, _ONE) as (place, _):
                    bit = builder.lshr(builder.load(right), builder.sub(place, start))
                    with builder.if_then(builder.not_(builder.trunc(bit, _BIT))):
                        indices = unraveled(builder, place, work.batch)
                        check(self._called(context, builder, work, indices))

    def _in_lanes(
        self,
        builder: IRBuilder,
        work: Stacks,
        lanes: Lanes,
        n: int,
        start: Value,
        done: Value,
        right: Value,
        end: Value,
    ) -> None:
        """As many matrices as possible at once, if they have so many rows."""
        operation = self.operation
        suitable = builder.icmp_signed(">=", start, builder.load(done))
        known = {x: n if x == "n" else 1 for x in work.lengths}
        for x, length in known.items():
            fits = builder.icmp_signed("==", work.lengths[x], I64(length))
            suitable = builder.and_(suitable, fits)

        def write(inside: IRBuilder, at: Value, right: Value, end: Value, *values: Value) -> Value:
            own = work.like(values)
            shapes = []
            for part in own.parts:
                rows, columns = [*(known[x] for x in part.letters), 1, 1][:2]
                shapes.append((part.dtype, rows, columns))
            of_results = shapes[len(operation.operands) :]

            def operands(place: Value) -> list[Matrix]:
                return own.matrices(inside, unraveled(inside, place, own.batch))

            def results(place: Value) -> list[Matrix]:
                return [
                    contiguous(inside, dtype, data, I64(m), I64(n))
                    for (dtype, m, n), data in zip(
                        of_results, own.results(inside, place), strict=True
                    )
                ]

            sides = Side(shapes[: len(operation.operands)], operands), Side(of_results, results)
            flags = own.places[len(operation.results) :]
            write_lanes(inside, lanes.write, *sides, flags, at, right, end)
            return I32(0)

        with builder.if_then(suitable):
            name = f"{self._name()}_{work.ranks()}_lanes{n}"
            local_function(builder, name, [done, right, end, *work.values()], write)

    def _lengths(
        self, context: Any, builder: IRBuilder, stacks: Sequence[Stack]
    ) -> dict[str, Value]:
        """The length that each letter stands for; raises where there are two."""
        operation = self.operation
        lengths: dict[str, Any] = dict.fromkeys(operation.missing, _ONE)
        differ, too_long = _BIT(0), _BIT(0)
        for stack, part in zip(stacks, operation.operands, strict=True):
            own = part.own(self.operation.missing)
            for place, name in enumerate(own):
                n = stack.shape[place - len(own)]
                other = builder.icmp_signed("!=", n, lengths.setdefault(name, n))
                differ = builder.or_(differ, other)
                if letter(part.dtype):
                    long = builder.icmp_signed(">", n, I64(LONGEST))
                    too_long = builder.or_(too_long, long)
        with builder.if_then(differ, likely=False):
            message = f"{operation.name}: the shapes do not fit"
            raises(context, builder, ValueError, message)
        with builder.if_then(too_long, likely=False):
            message = f"{operation.name}: an axis is too long for BLAS"
            raises(context, builder, ValueError, message)
        if any("s" in part.letters for part in operation.results):
            lengths["s"] = shorter(builder, lengths["m"], lengths["n"])
        return lengths

    def _batch(self, context: Any, builder: IRBuilder, stacks: Sequence[Stack]) -> list[Value]:
        """The shape of the stack of results."""
        if not self.depth:
            return []
        shape, misfit = [_ONE] * self.depth, _BIT(0)
        for stack, part in zip(stacks, self.operation.operands, strict=True):
            own = stack.shape[: len(stack.shape) - len(part.own(self.operation.missing))]
            for axis, n in enumerate(own, self.depth - len(own)):
                one = builder.icmp_signed("==", shape[axis], _ONE)
                fits = builder.or_(one, builder.icmp_signed("==", n, shape[axis]))
                fits = builder.or_(fits, builder.icmp_signed("==", n, _ONE))
                misfit = builder.or_(misfit, builder.not_(fits))
                shape[axis] = builder.select(one, n, shape[axis])
        with builder.if_then(misfit, likely=False):
            message = f"{self.operation.name}: the stacks could not be broadcast together"
            raises(context, builder, ValueError, message)
        return shape

    def _made(
        self,
        context: Any,
        builder: IRBuilder,
        k: int,
        part: Part,
        batch: list[Value],
        lengths: dict[str, Value],
        room: Sequence[Value] | None,
    ) -> tuple[Value, Any]:
        """The memory of the `k`-th result, and Numba's structure of it; None for a number."""
        kind: Any = self.results[k]
        if isinstance(kind, types.Array):
            shape = [*batch, *(lengths[x] for x in part.own(self.operation.missing))]
            place = result_place(builder, k, len(self.results))
            array = empty(context, builder, kind, shape, room or (), place)
            return builder.bitcast(array.data, POINTER), array
        slot = cgutils.alloca_once(builder, context.get_data_type(kind))
        return builder.bitcast(slot, POINTER), None

    def _called(
        self, context: Any, builder: IRBuilder, work: Stacks, indices: Sequence[Value]
    ) -> Value:
        """The call of the function of one matrix of each stack; behind the places are flags."""
        operation = self.operation
        letters = sorted(work.lengths)
        arguments = [work.lengths[x] for x in letters]
        for x in work.matrices(builder, indices):
            arguments += [x.data, x.down, x.right]
        place = I64(0)
        for index, n in zip(indices, work.batch, strict=True):
            place = builder.add(builder.mul(place, n), index)
        arguments += work.results(builder, place)
        arguments += work.places[len(operation.results) :]

        def write(inside: IRBuilder, *parameters: Value) -> Value:
            left = iter(parameters)
            length_of = {x: next(left) for x in letters}
            matrices = [
                Matrix(dtype, next(left), length_of[x[0]], length_of[x[1]], next(left), next(left))
                for x, dtype in operation.operands
            ]
            heap = Memory(context, inside)
            status = operation.write(inside, heap, length_of, matrices, *left)
            return heap.end(status or I32(0))

        return local_function(builder, self._name(), arguments, write)

    def _name(self) -> str:
        """What the function of one matrix of each stack is called."""
        return f"weft_{self.operation.name}_{'_'.join(p.dtype for p in self.operation.operands)}"
