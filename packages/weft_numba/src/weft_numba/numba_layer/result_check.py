"""What functions of users return, compared with what their Ops promise.

Loop nests read memory as the types of a graph say. Types are compared when code is made of a
call; lengths, which are known at a call only, by the Op `Lengths` behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numba
from llvmlite.ir import IRBuilder, Value
from numba.core import types

from weft_graph import Apply, FunctionGraph, Item, Op, TupleType, Type, Variable, replace
from weft_graph.extend import broken_promise, node_note
from weft_numba.lowering.dispatch import numba_funcify, uses_builtin_lowering
from weft_numba.lowering.intrinsics import intrinsic
from weft_numba.lowering.parameters import with_parameters
from weft_numba.lowering.places import array_in_place, shape_of
from weft_numba.lowering.requirements import require
from weft_numba.lowering.users import with_another_user
from weft_tensor import Dim, TensorOp, TensorType, as_tensor
from weft_tensor.extend import inferred_shapes, lengths_of

__all__ = ["Lengths", "broken", "type_check", "with_lengths"]


class _BrokenError(Exception):
    """On the way through Numba, which changes the words of other errors."""

    def __init__(self, node: Variable, kind: types.Type) -> None:
        self.error = broken_promise("Numba", node, _said(kind))
        self.error.add_note(node_note(node))


def broken(error: BaseException) -> TypeError | None:
    """What is to be raised for `error` if it is, or comes from, a promise that was not kept."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, _BrokenError):
            return cause.error
        cause = cause.__cause__ or cause.__context__
    return None


def type_check(node: Variable) -> Any:
    """A function of the result of `node` that does nothing, and compiles for its type alone."""

    def typed(context: object, result: Any) -> Any:
        if not _is(node.type, result):
            raise _BrokenError(node, result)
        return types.none(result), lambda context, *args: context.get_dummy_value()

    return intrinsic(typed)


def _is(kind: Type, own: Any) -> bool:
    """Whether values of the type `own` of Numba's are laid out as those of `kind`."""
    own = types.unliteral(own)
    if isinstance(kind, TupleType):
        is_tuple = isinstance(own, types.BaseTuple) and len(own) == len(kind.items)
        return is_tuple and all(map(_is, kind.items, own))
    if not isinstance(kind, TensorType):
        return True
    number = numba.from_dtype(kind.numpy_dtype)
    if not kind.ndim:
        return bool(own == number)
    is_array = isinstance(own, types.Array) and own.aligned
    return is_array and (own.dtype, own.ndim) == (number, kind.ndim)


def _said(kind: Any) -> str:
    """What values of a type of Numba's are."""
    own = types.unliteral(kind)
    if isinstance(own, types.BaseTuple):
        parts: Any = own
        return f"a tuple of {len(parts)}: {', '.join(map(_said, parts))}"
    if isinstance(own, types.Array):
        lengths = ", ".join("?" * own.ndim)
        return f"{own.dtype}[{lengths}]" + ", not aligned" * (not own.aligned)
    return "None" if isinstance(own, types.NoneType) else str(own)


class Lengths(TensorOp):
    """The result of `of`, along whose `axes` lengths must be those that follow it."""

    of: Op
    axes: tuple[int, ...]
    view_of: ClassVar[tuple[int, ...]] = (0,)

    def infer(self, *types: Any) -> Any:
        """The type of the result."""
        return types[0]

    def infer_shape(self, fgraph: Any, node: Apply, input_shapes: Sequence[Any]) -> Sequence[Any]:
        """The lengths that were promised."""
        lengths = list(input_shapes[0])
        for axis, length in zip(self.axes, node.inputs[1:], strict=True):
            lengths[axis] = length
        return [tuple(lengths)]

    def said(self, axis: int) -> str:
        """What is raised for an axis of another length."""
        begin = f"the Numba implementation of {self.of} returned another length than its Op"
        return f"{begin} promises for axis {axis}"

    def __str__(self) -> str:
        return f"lengths of {self.of}"


@numba_funcify.register(Lengths)
def numba_funcify_lengths(op: Lengths, **kwargs: object) -> Any:
    """One comparison per axis, written in LLVM's terms, which takes Numba less time."""

    def write(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        array = array_in_place(context, builder, sig.args[0], args[0])
        shape = shape_of(builder, array)
        for axis, length in zip(op.axes, args[1:], strict=True):
            same = builder.icmp_signed("==", shape[axis], length)
            require(context, builder, same, ValueError, op.said(axis))
        return with_another_user(builder, args[0])

    def typed(context: object, x: Any, *lengths: Any) -> Any:
        return x(x, *[types.int64] * len(lengths)), write

    return intrinsic(with_parameters(1 + len(op.axes), typed))


def with_lengths(graph: FunctionGraph) -> FunctionGraph:
    """`graph` with `Lengths` behind what users' functions compute.

    >>> import weft_tensor as wt
    >>> x = wt.vector("x")
    >>> graph = FunctionGraph([x], [wt.exp(x)])
    >>> with_lengths(graph) is graph
    True
    """
    if all(uses_builtin_lowering(v.op) for v in graph.nodes):
        return graph
    names = {
        length: lengths_of(v)[axis]
        for v in reversed(graph.inputs)
        if isinstance(v.type, TensorType)
        for axis, length in enumerate(v.type.shape)
        if isinstance(length, Dim)
    }

    def checked(v: Variable) -> Variable | None:
        node = v.inputs[0] if type(v.op) is Item else v
        if uses_builtin_lowering(node.op) or not isinstance(v.type, TensorType):
            return None
        shapes = inferred_shapes(node)
        inferred = shapes[v.op.index if type(v.op) is Item else 0] if shapes else None
        promised: dict[int, Any] = {}
        for axis, length in enumerate(v.type.shape):
            if isinstance(length, int):
                promised[axis] = as_tensor(length)
            elif length in names:
                promised[axis] = names[length]
            elif inferred is not None:
                promised[axis] = inferred[axis]
        if not promised:
            return None
        lengths: Variable = Lengths(node.op, tuple(promised))(v, *promised.values())
        return lengths

    return FunctionGraph(graph.inputs, replace(graph.outputs, checked, graph.inputs))
