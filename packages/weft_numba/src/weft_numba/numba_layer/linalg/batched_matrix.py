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
from numba.extending import intrinsic

from weft_numba.llvm.threads import are_available
from weft_numba.lowering.parameters import with_parameters
from weft_numba.numba_layer.allocation import empty
from weft_numba.numba_layer.linalg.batch_loop import chunks_of, in_chunks
from weft_numba.numba_layer.linalg.blas import I32, I64, LONGEST, POINTER, letter
from weft_numba.numba_layer.linalg.matrices import Matrix, Memory, local_function, shorter
from weft_numba.numba_layer.outlining import outlined

__all__ = [
    "MatrixOperation",
    "Part",
    "callable_operation",
    "with_rooms",
]

_BIT: Final = ir.IntType(1)
_BYTE: Final = ir.IntType(8)
_ONE: Final = I64(1)


class Part(NamedTuple):
    """An operand or result: the letters of its lengths, as in "mk", and its dtype.

    The length "s" of results is the shorter one of "m" and "n".
    """

    letters: str
    dtype: str


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
            t.ndim - len(_own(p, operation))
            for t, p in zip(argument_types[:count], operation.operands, strict=True)
        )
        results = [_result_type(p, operation, depth) for p in operation.results]
        returned = results[0] if len(results) == 1 else types.Tuple(results)
        generator = _Generator(operation, results, depth)
        name = f"{operation.name} {operation.missing} {depth}"
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


def _own(part: Part, operation: MatrixOperation) -> str:
    """The letters of the axes that the part really has."""
    return "".join(x for x in part.letters if x not in operation.missing)


def _result_type(part: Part, operation: MatrixOperation, depth: int) -> Any:
    scalar = numba.from_dtype(np.dtype(part.dtype))
    ndim = depth + len(_own(part, operation))
    return types.Array(scalar, ndim, "C") if ndim else scalar


class _Stack(NamedTuple):
    """An operand as it comes."""

    data: Any
    shape: list[Any]
    strides: list[Any]


class _Generator:
    """Writes the operation into a function that Numba compiles."""

    def __init__(self, operation: MatrixOperation, results: list[types.Type], depth: int) -> None:
        self.operation = operation
        self.results = results
        self.depth = depth

    def __call__(self, context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        """The results, as Numba asks for it."""
        operation, count = self.operation, len(self.operation.operands)
        end = len(args) - len(operation.flags)
        rooms = [*zip(args[count:end:2], args[count + 1 : end : 2], strict=True)]
        stacks = []
        for t, value in zip(sig.args[:count], args[:count], strict=True):
            array = context.make_array(t)(context, builder, value)
            data = builder.bitcast(array.data, POINTER)
            shape, strides = (
                cgutils.unpack_tuple(builder, x) for x in (array.shape, array.strides)
            )
            stacks.append(_Stack(data, shape, strides))
        lengths = self._lengths(context, builder, stacks)
        batch = self._batch(context, builder, stacks)
        results = [
            self._made(context, builder, kind, part, batch, lengths, room)
            for kind, part, room in zip_longest(self.results, operation.results, rooms)
        ]
        places = [*(place for _, place, _ in results), *args[end:]]
        if operation.parallel and self.depth and are_available():
            status = self._split(context, builder, stacks, lengths, batch, places)
            self._check(context, builder, status, results)
        else:
            with cgutils.loop_nest(builder, batch, I64) as indices:
                status = self._called(context, builder, stacks, lengths, batch, indices, places)
                self._check(context, builder, status, results)
        values = [value() for _, _, value in results]
        if len(values) == 1:
            return values[0]
        return context.make_tuple(builder, sig.return_type, values)

    def _check(
        self, context: Any, builder: IRBuilder, status: Value, results: Sequence[Value]
    ) -> None:
        """Raise if the status says so."""
        with builder.if_then(builder.icmp_signed("!=", status, I32(0)), likely=False):
            for kind, _, value in results:
                context.nrt.decref(builder, kind, value())
            lacking = builder.icmp_signed("==", status, Memory.LACKING)
            with builder.if_then(lacking, likely=False):
                _raise(context, builder, MemoryError, f"{self.operation.name}: not enough memory")
            _raise(context, builder, self.operation.error, self.operation.failure)

    def _split(
        self,
        context: Any,
        builder: IRBuilder,
        stacks: Sequence[_Stack],
        lengths: dict[str, Value],
        batch: Sequence[Value],
        places: Sequence[Value],
    ) -> Value:
        """The loop over all matrices in chunks, for threads; gives the status."""
        values = [*lengths.values(), *batch, *places]
        for stack in stacks:
            values += [stack.data, *stack.shape, *stack.strides]

        def write(inside: IRBuilder, begin: Value, end: Value, *arguments: Value) -> Value:
            left = iter(arguments)
            lengths_within = {x: next(left) for x in lengths}
            shape, own = [next(left) for _ in batch], [next(left) for _ in places]
            within = [
                _Stack(next(left), [next(left) for _ in s.shape], [next(left) for _ in s.strides])
                for s in stacks
            ]
            with cgutils.for_range_slice(inside, begin, end, _ONE) as (place, _):
                indices = _unraveled(inside, place, shape)
                status = self._called(context, inside, within, lengths_within, shape, indices, own)
                with inside.if_then(inside.icmp_signed("!=", status, I32(0)), likely=False):
                    inside.ret(status)
            return I32(0)

        count = reduce(builder.mul, batch)
        work = reduce(builder.mul, [lengths[x] for x in self.operation.work], _ONE)
        name = f"{self._name()}_{'_'.join(str(len(s.shape)) for s in stacks)}_part"
        chunks = chunks_of(builder, count, work, self.operation.pace)
        return in_chunks(context, builder, name, count, chunks, values, write)

    def _lengths(
        self, context: Any, builder: IRBuilder, stacks: Sequence[_Stack]
    ) -> dict[str, Value]:
        """The length that each letter stands for; raises where there are two."""
        operation = self.operation
        lengths: dict[str, Any] = dict.fromkeys(operation.missing, _ONE)
        differ, too_long = _BIT(0), _BIT(0)
        for stack, part in zip(stacks, operation.operands, strict=True):
            own = _own(part, operation)
            for place, name in enumerate(own):
                n = stack.shape[place - len(own)]
                other = builder.icmp_signed("!=", n, lengths.setdefault(name, n))
                differ = builder.or_(differ, other)
                if letter(part.dtype):
                    long = builder.icmp_signed(">", n, I64(LONGEST))
                    too_long = builder.or_(too_long, long)
        with builder.if_then(differ, likely=False):
            message = f"{operation.name}: the shapes do not fit"
            _raise(context, builder, ValueError, message)
        with builder.if_then(too_long, likely=False):
            message = f"{operation.name}: an axis is too long for BLAS"
            _raise(context, builder, ValueError, message)
        if any("s" in part.letters for part in operation.results):
            lengths["s"] = shorter(builder, lengths["m"], lengths["n"])
        return lengths

    def _batch(self, context: Any, builder: IRBuilder, stacks: Sequence[_Stack]) -> list[Value]:
        """The shape of the stack of results."""
        if not self.depth:
            return []
        shape, misfit = [_ONE] * self.depth, _BIT(0)
        for stack, part in zip(stacks, self.operation.operands, strict=True):
            own = stack.shape[: len(stack.shape) - len(_own(part, self.operation))]
            for axis, n in enumerate(own, self.depth - len(own)):
                one = builder.icmp_signed("==", shape[axis], _ONE)
                fits = builder.or_(one, builder.icmp_signed("==", n, shape[axis]))
                fits = builder.or_(fits, builder.icmp_signed("==", n, _ONE))
                misfit = builder.or_(misfit, builder.not_(fits))
                shape[axis] = builder.select(one, n, shape[axis])
        with builder.if_then(misfit, likely=False):
            message = f"{self.operation.name}: the stacks could not be broadcast together"
            _raise(context, builder, ValueError, message)
        return shape

    def _made(
        self,
        context: Any,
        builder: IRBuilder,
        kind: Any,
        part: Part,
        batch: list[Value],
        lengths: dict[str, Value],
        room: Sequence[Value] | None,
    ) -> tuple[Any, Any, Callable[[], Any]]:
        """A new result: its type, its memory, and what gives its value in the end."""
        if isinstance(kind, types.Array):
            shape = [*batch, *(lengths[x] for x in _own(part, self.operation))]
            array = empty(context, builder, kind, shape, room or ())
            return kind, builder.bitcast(array.data, POINTER), array._getvalue
        slot = cgutils.alloca_once(builder, context.get_data_type(kind))

        def value() -> Value:
            return context.unpack_value(builder, kind, slot)

        return kind, builder.bitcast(slot, POINTER), value

    def _called(
        self,
        context: Any,
        builder: IRBuilder,
        stacks: Sequence[_Stack],
        lengths: dict[str, Value],
        batch: Sequence[Value],
        indices: Sequence[Value],
        places: Sequence[Value],
    ) -> Value:
        """The call of the function of one matrix of each stack; behind the places are flags."""
        operation = self.operation
        letters = sorted(lengths)
        arguments = [lengths[x] for x in letters]
        for stack, part in zip(stacks, operation.operands, strict=True):
            offset = I64(0)
            outer = len(stack.shape) - len(_own(part, operation))
            for axis, index in enumerate(indices[self.depth - outer :]):
                repeated = builder.icmp_signed("==", stack.shape[axis], _ONE)
                stride = builder.select(repeated, I64(0), stack.strides[axis])
                offset = builder.add(offset, builder.mul(index, stride))
            arguments.append(builder.gep(stack.data, [offset], source_etype=_BYTE))
            inner = iter(stack.strides[outer:])
            arguments += [I64(0) if x in operation.missing else next(inner) for x in part.letters]
        place = I64(0)
        for index, n in zip(indices, batch, strict=True):
            place = builder.add(builder.mul(place, n), index)
        for part, start in zip(operation.results, places, strict=False):
            size = I64(np.dtype(part.dtype).itemsize)
            for name in part.letters:
                size = builder.mul(size, lengths[name])
            arguments.append(builder.gep(start, [builder.mul(place, size)], source_etype=_BYTE))
        arguments += places[len(operation.results) :]

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


def _unraveled(builder: IRBuilder, place: Value, shape: Sequence[Value]) -> list[Value]:
    """The index along each axis of what is at a place of an array."""
    indices = []
    for n in reversed(shape):
        indices.append(builder.urem(place, n))
        place = builder.udiv(place, n)
    return indices[::-1]


def _raise(context: Any, builder: IRBuilder, kind: type[Exception], message: str) -> None:
    context.call_conv.return_user_exc(builder, kind, (message,))
