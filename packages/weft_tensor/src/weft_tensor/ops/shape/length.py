"""The lengths of a tensor's axes, as variables of the graph."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np

from weft_graph import Constant, ShapeUnknownError, Type, Variable, ancestors
from weft_graph.extend import apply, standing
from weft_tensor.build.convert import as_tensor, as_tensors, constant
from weft_tensor.build.kinds import Cut, Pointwise
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, TensorOp, Tensors, Value
from weft_tensor.build.variable import SizeLike, SizesLike, TensorLike, TensorVariable
from weft_tensor.types.dtypes import promote
from weft_tensor.types.symbolic_dims import Length as KnownLength
from weft_tensor.types.symbolic_dims import at_least_zero, quotient
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    "Length",
    "as_operands",
    "as_size",
    "has_lengths",
    "inferred_shapes",
    "is_length_of",
    "length_of",
    "lengths_of",
    "same_size",
    "shape",
    "sizes_of",
    "static_length",
]


class Length(TensorOp):
    """The length of one axis, an int64 scalar; nothing but the shape is needed for it."""

    view_of = ()
    facts = "any nonnegative finite integer no_negative_zero"
    axis: int

    def infer(self, *types: TensorType) -> TensorType:
        """An int64 scalar."""
        if not 0 <= self.axis < types[0].ndim:
            raise ValueError(f"axis {self.axis} is out of range for rank {types[0].ndim}")
        return TensorType("int64")

    def impl(self, *values: np.ndarray) -> Value:
        """From NumPy's shape."""
        return np.int64(values[0].shape[self.axis])

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """No dependence."""
        return [None]

    def connection_pattern(self, node: TensorApply) -> Sequence[Sequence[bool]]:
        """Not on the elements."""
        return [[False]]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """A scalar."""
        return [()]

    @classmethod
    def examples(cls) -> Examples:
        """Both axes of a matrix."""
        return [(cls(axis), [np.zeros((2, 3))]) for axis in (0, 1)]

    def __str__(self) -> str:
        return f"length[{self.axis}]"


def lengths_of(x: TensorLike) -> tuple[TensorVariable, ...]:
    """The shape of `x` as int64 scalars: constants where the type knows them.

    >>> from weft_tensor import TensorType
    >>> lengths_of(TensorType("float64", (None, 3))("x"))
    (<length[0] : int64>, <3 : int64>)
    """
    x = as_tensor(x)
    return tuple([length_of(x, axis) for axis in range(len(x.type.shape))])


def length_of(x: TensorVariable, axis: int) -> TensorVariable:
    """The length of one axis, counted from the first, as `lengths_of` has it.

    >>> from weft_tensor import TensorType
    >>> length_of(TensorType("float64", (None, 3))("x"), 1)
    <3 : int64>
    """
    length: Any = x.type.shape[axis]
    if isinstance(length, int):
        return constant(length)
    of_axis: Any = apply(_length_of_axis(axis), (x,))
    return of_axis


def shape(x: TensorLike) -> tuple[Any, ...]:
    """The lengths of the axes: ints where the type knows them, else int64 scalars.

    Arithmetic of lengths takes its dtype from what it meets, as that of Python's numbers does. See
    `numpy.shape`.

    >>> from weft_tensor import TensorType
    >>> rows = shape(TensorType("float32", (None, 3))("x"))
    >>> rows, (constant(1.0, "float32") / (rows[0] - 1)).dtype
    ((<length[0] : int64>, 3), 'float32')
    """
    x = as_tensor(x)
    return tuple(
        [
            length if isinstance(length, int) else apply(_length_of_axis(axis), (x,))
            for axis, length in enumerate(x.type.shape)
        ]
    )


@cache
def _length_of_axis(axis: int) -> Length:
    return Length(axis)


def as_size(value: SizeLike, what: str = "a length") -> TensorVariable:
    """`value` as an int64 scalar for use as a length.

    Raises TypeError, which says `what` it is, for what is not a scalar integer.
    """
    if getattr(value, "type", None) is _SIZE:
        known: Any = value
        return known
    try:
        size = as_tensor(value)
    except TypeError:
        raise TypeError(f"{what} must be an integer scalar, not {value!r}") from None
    if size.type.ndim or size.type.dtype[0] not in "iu":
        raise TypeError(f"{what} must be an integer scalar, not {size!r}")
    return size.astype("int64")


def sizes_of(shape: SizesLike) -> list[Any]:
    """The lengths in a shape: one alone, or those in a sequence, in an array or in a vector.

    Raises TypeError for a vector of unknown length, which tells no rank.

    >>> sizes_of(3), sizes_of((2, 3)), sizes_of(np.array([2, 3]))
    ([3], [2, 3], [2, 3])
    """
    if isinstance(shape, (tuple, list)):
        return list(shape)
    if isinstance(shape, Variable) and isinstance(shape.op, Constant):
        shape = shape.op.value
    if isinstance(shape, np.ndarray):
        return shape.tolist() if shape.ndim else [shape.item()]
    if not isinstance(shape, Variable):
        is_text = isinstance(shape, str)
        return list(shape) if isinstance(shape, Iterable) and not is_text else [shape]
    kind: Any = shape.type
    if kind.ndim != 1 or kind.dtype[0] not in "iu":
        return [shape]
    if not isinstance(kind.shape[0], int):
        raise TypeError(
            f"{shape!r} as a shape must have a known length, which is the rank of the result: "
            "give its type one, or write a tuple of scalars"
        )
    return [*shape]  # type: ignore[misc]  # a vector


def _larger(a: Any, b: Any) -> KnownLength:
    apart = a - b
    if isinstance(apart, int):
        return a if apart > 0 else b
    return at_least_zero(b if a == 0 else a) if 0 in (a, b) else None


def _smaller(a: Any, b: Any) -> KnownLength:
    apart = a - b
    if isinstance(apart, int):
        return b if apart > 0 else a
    return None


_ARITHMETIC: Final[dict[str, Callable[..., Any]]] = {
    "abs": lambda n: abs(n) if isinstance(n, int) else None,
    "add": operator.add,
    "floor_div": lambda n, k: quotient(n, k) if isinstance(k, int) and k else None,
    "maximum": _larger,
    "minimum": _smaller,
    "mul": operator.mul,
    "neg": operator.neg,
    "sub": operator.sub,
}
_DEEPEST: Final = 8
"""Through so many Ops of arithmetic it is followed what is known of lengths."""


def static_length(size: SizeLike, depth: int = _DEEPEST) -> KnownLength:
    """What is known of a length: a number, an expression over names, or None.

    >>> from weft_tensor import TensorType
    >>> x = TensorType("float64", ("n", None))("x")
    >>> n, other = lengths_of(x)
    >>> [static_length(size) for size in (3, n, other, 2 * n + 1)]
    [3, n, None, 2*n + 1]
    """
    if not isinstance(size, Variable):
        return int(size)
    if isinstance(size.op, Constant):
        return int(size.op.value)
    if type(size.op) is Length and isinstance(size.inputs[0].type, TensorType):
        return size.inputs[0].type.shape[size.op.axis]
    if not depth or not isinstance(size.op, TensorOp):
        return None
    match size.op.kind(*size.inputs):
        case Pointwise(str(name)) if name in _ARITHMETIC:
            parts = [static_length(i, depth - 1) for i in size.inputs]
            return None if None in parts else _ARITHMETIC[name](*parts)
        case Cut(part):
            return part.known_length(static_length(size.inputs[0], depth - 1))
    return None


_SIZE: Final = TensorType("int64")
_QUOTIENT: Final = TensorType("float64")
_OPERATORS: Final = frozenset(
    ["abs", "add", "floor_div", "mod", "mul", "neg", "pow", "sub", "true_div"]
)
_SINGLE: Final = frozenset({"float32", "complex64"})


def as_operands(values: Sequence[TensorLike]) -> tuple[TensorVariable, ...]:
    """`values` as tensors, of which Python numbers and lengths take their dtype from the others.

    A length is an int in NumPy. So single precision stays single beside it, and beside what
    operators make of lengths and numbers; but not where rules and derivatives are written down,
    for there each node keeps its dtype.

    >>> from weft_tensor import vector
    >>> x = vector("x", dtype="float32")
    >>> [v.dtype for v in as_operands((x, 2 * x.shape[0] - 1))]
    ['float32', 'float32']
    """
    inputs = as_tensors(values)
    for x in inputs:
        if (x.type is _SIZE or x.type is _QUOTIENT) and x.inputs and standing.place is None:
            return _beside(inputs)
    return inputs


def _beside(inputs: tuple[TensorVariable, ...]) -> tuple[TensorVariable, ...]:
    dtypes = [getattr(x.type, "dtype", "") for x in inputs]
    if _SINGLE.isdisjoint(dtypes):
        return inputs
    weak = [_has_length(x) for x in inputs]
    kind = promote([d for d, is_length in zip(dtypes, weak, strict=True) if not is_length])
    if kind not in _SINGLE:
        return inputs
    return tuple([x.astype(kind) if w else x for x, w in zip(inputs, weak, strict=True)])


def _has_length(x: Any, depth: int = _DEEPEST) -> bool:
    """Whether a number is a length, or what operators make of lengths and numbers."""
    if type(x.op) is Length:
        return True
    if not depth or not isinstance(x.op, TensorOp) or x.type.ndim:
        return False
    match x.op.kind(*x.inputs):
        case Pointwise(str(name)) if name in _OPERATORS:
            parts = [_has_length(i, depth - 1) for i in x.inputs if not isinstance(i.op, Constant)]
            return bool(parts) and all(parts)
    return False


def same_size(a: SizeLike, b: SizeLike) -> bool:
    """Whether two lengths are known to be equal: one variable, one number or one name."""
    if a is b:
        return True
    length = static_length(a)
    return length is not None and length == static_length(b)


def has_lengths(x: TensorVariable, sizes: Sequence[SizeLike]) -> bool:
    """Whether `sizes` are known to be the lengths of all axes of the tensor `x`.

    >>> from weft_tensor import matrix
    >>> x = matrix("x")
    >>> has_lengths(x, x.shape), has_lengths(x, (2, 3)), has_lengths(x, x.shape[:1])
    (True, False, False)
    """
    return len(sizes) == x.ndim and all(is_length_of(x, a, n) for a, n in enumerate(sizes))


def is_length_of(x: TensorVariable, axis: int, size: SizeLike) -> bool:
    """Whether `size` is known to be the length of one axis, counted from the first.

    It does not take the variable that `length_of` makes, only to compare it.

    >>> from weft_tensor import matrix
    >>> x = matrix("x")
    >>> is_length_of(x, 1, x.shape[1]), is_length_of(x, 0, x.shape[1])
    (True, False)
    """
    if isinstance(size, Variable) and size.op is _length_of_axis(axis) and size.inputs[0] is x:
        return True
    own = x.type.shape[axis]
    return own is not None and own == static_length(size)


_OF_SEVERAL: Final[WeakKeyDictionary[Variable, list[tuple[Any, ...]] | None]] = WeakKeyDictionary()
"""The shapes of Ops with several results: each asks for those of all, for each axis, and a loop's
are those of its whole body."""


def inferred_shapes(node: Variable) -> list[tuple[Any, ...]] | None:
    """The shapes of the results of the Op of `node` by its `infer_shape`; None without one.

    Lengths of tensors are int64 scalars of the graph, also where it says numbers. None as well if
    it leaves one open. Raises TypeError unless it gives one shape for each result.
    """
    has_several = not isinstance(node.type, TensorType)
    if has_several and node in _OF_SEVERAL:
        return _OF_SEVERAL[node]
    owner = node.owner
    if owner is None:
        return None
    try:
        shapes = owner.op.infer_shape(None, owner, [_shape_or_none(v) for v in owner.inputs])
        name = type(owner.op).__name__
        if not isinstance(shapes, (list, tuple)) or len(shapes) != len(owner.outputs):
            raise TypeError(
                f"{name}.infer_shape must return one shape for each of the "
                f"{len(owner.outputs)} results, not {shapes!r}"
            )
        results = [
            _checked_shape(name, v.type, s) for v, s in zip(owner.outputs, shapes, strict=True)
        ]
        told = None if any(shape is None for shape in results) else results
    except ShapeUnknownError:
        told = None
    except Exception as error:
        origin = f", made at {node.made_at}" if node.made_at else ""
        error.add_note(f"while inferring the shape of {node!r}{origin}")
        raise
    if has_several and not (told and node in ancestors([v for shape in told for v in shape])):
        _OF_SEVERAL[node] = told  # what holds the node itself would keep it for ever
    return told


def _checked_shape(name: str, kind: Type, shape: Any) -> Any:
    """A shape as the `infer_shape` of an Op says it; None if that leaves a length open."""
    if not isinstance(kind, TensorType):
        return tuple(shape or ())
    if not isinstance(shape, (list, tuple)) or len(shape) != kind.ndim:
        raise TypeError(
            f"{name}.infer_shape must return a length for each axis of {kind}, not {shape!r}"
        )
    if any(length is None for length in shape):
        return None
    return tuple(map(as_size, shape))


def _shape_or_none(v: Variable) -> Tensors | None:
    return lengths_of(v) if isinstance(v.type, TensorType) else None
