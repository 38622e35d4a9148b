"""Tensors made from lengths and numbers."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, Final

import numpy as np

from weft_graph import Constant, Variable
from weft_tensor.build.convert import as_floatings, as_tensor, as_tensors, constant
from weft_tensor.build.kinds import Pointwise
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, TensorOp, Tensors, Value
from weft_tensor.build.variable import SizeLike, SizesLike, TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import ceil, floor, maximum
from weft_tensor.ops.elementwise.cast import Cast
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.length import Length, as_size, lengths_of, static_length
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.dtypes import DTypeLike, as_dtype, promote
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    "Arange",
    "Eye",
    "WholeNumber",
    "alloc",
    "arange",
    "eye",
    "full",
    "full_like",
    "identity",
    "linspace",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
]

Shape = SizesLike


class WholeNumber(TensorOp):
    """A floating scalar that must be a whole number, as int64."""

    view_of = ()

    def infer(self, *types: TensorType) -> TensorType:
        """An int64 scalar."""
        (x,) = types
        if x.ndim or not x.dtype.startswith("float"):
            raise TypeError(f"expected a floating scalar, got {x}")
        return TensorType("int64")

    def impl(self, *values: np.ndarray) -> Value:
        """The number; ValueError if it has a fraction."""
        number = float(values[0])
        if not number.is_integer():
            raise ValueError(f"{number} is not a whole number")
        return np.int64(number)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """No dependence."""
        return [None]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """A scalar."""
        return [()]

    @classmethod
    def examples(cls) -> Examples:
        """A positive and a negative number."""
        return [(cls(), [np.array(3.0)]), (cls(), [np.array(-2.0, "float32")])]


def _whole(value: Any) -> Any:
    """`value`, of any integer or floating dtype, as an int64 scalar."""
    number = as_tensor(value)
    if number.ndim or number.type.dtype[0] not in "iuf":
        raise TypeError(f"expected a whole number, got {number!r}")
    if number.type.dtype[0] in "iu":
        return number.astype("int64")
    if isinstance(number.op, Constant):
        return constant(WholeNumber().impl(number.op.value))
    return WholeNumber()(number)


class Eye(TensorOp):
    """A matrix of n rows and m columns, with ones where column = row + k, else zeros."""

    view_of = ()
    facts = "any nonnegative finite integer no_negative_zero"
    dtype: str
    primitive = True

    def convert(self, inputs: tuple[TensorLike, ...]) -> tuple[Variable, ...]:
        """n, m and k as int64 scalars; a floating one must be a whole number."""
        return tuple(map(_whole, inputs))

    def infer_from(self, *inputs: TensorVariable) -> TensorType:
        """n rows and m columns."""
        n, m, _ = inputs
        return TensorType(self.dtype, (static_length(n), static_length(m)))

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.eye`."""
        n, m, k = map(int, values)
        return np.eye(n, m, k, dtype=self.dtype)

    def kind(self, *inputs: TensorVariable) -> Pointwise:
        """One or zero, by the position."""
        return _eye(self.dtype)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """No dependence."""
        return [None, None, None]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """n and m."""
        return [tuple(node.inputs[:2])]

    @classmethod
    def examples(cls) -> Examples:
        """Square, wide, above and below the diagonal, without rows."""
        cases = [(3, 3, 0), (2, 4, 1), (3, 2, -1), (0, 2, 0)]
        return [
            *((cls("float64"), list(map(np.int64, case))) for case in cases),
            (cls("int32"), [np.int64(2), np.int64(2), np.int64(0)]),
        ]

    def __str__(self) -> str:
        return f"eye[{self.dtype}]"


@cache
def _eye(dtype: str) -> Pointwise:
    return Pointwise(lambda n, m, k, i, j: Cast(dtype)(eq(i + k, j)), positions=True)


def eye(
    n: TensorLike, m: TensorLike | None = None, k: TensorLike = 0, dtype: DTypeLike = "float64"
) -> TensorVariable:
    """Ones on the diagonal number `k` of a matrix of n rows and m columns. See `numpy.eye`.

    n, m and k may be of any integer or floating dtype, but must be whole numbers.

    >>> eye(2, 3, 1).eval()
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    return Eye(as_dtype(dtype))(n, n if m is None else m, k)


def identity(n: TensorLike, dtype: DTypeLike = "float64") -> TensorVariable:
    """The identity matrix. See `numpy.identity`.

    >>> identity(2).eval()
    array([[1., 0.],
           [0., 1.]])
    """
    return eye(n, dtype=dtype)


class Arange(TensorOp):
    """The numbers 0, 1, ..., n - 1 as int64; the function `arange` makes all others of it."""

    view_of = ()
    facts = "any nonnegative finite integer no_negative_zero"
    primitive = True

    def infer_from(self, *inputs: TensorVariable) -> TensorType:
        """A vector of length n."""
        (n,) = inputs
        return TensorType("int64", (static_length(n),))

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.arange`; ValueError for a negative length."""
        length = int(values[0])
        if length < 0:
            raise ValueError("negative dimensions are not allowed")
        return np.arange(length)

    def kind(self, *inputs: TensorVariable) -> Pointwise:
        """The position."""
        return _ARANGE

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """No dependence."""
        return [None]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """n."""
        return [tuple(node.inputs)]

    @classmethod
    def examples(cls) -> Examples:
        """None, one, many."""
        return [(cls(), [np.int64(n)]) for n in (0, 1, 5)]

    def __str__(self) -> str:
        return "arange"


_ARANGE: Final = Pointwise(lambda n, i: i, positions=True)


def arange(
    start: TensorLike,
    stop: TensorLike | None = None,
    step: TensorLike = 1,
    dtype: DTypeLike | None = None,
) -> TensorVariable:
    """Numbers from `start` (0 if only `stop` is given) up to, without, `stop`.

    Element i is `start + i * step`; of int32 and smaller, they are int64, as NumPy has it. See
    `numpy.arange`. Raises TypeError for what is no real scalar, ValueError for a step of 0.

    >>> arange(1, 7, 2).eval()
    array([1, 3, 5])
    """
    if stop is None:
        start, stop = 0, start
    begin, end, stride = as_tensors((start, stop, step))
    for v in (begin, end, stride):
        if v.ndim or v.type.dtype[0] not in "iuf":
            raise TypeError(f"arange takes real scalars, not {v!r}")
    kind = (
        promote([*(v.type.dtype for v in (begin, end, stride)), "int64"])
        if dtype is None
        else as_dtype(dtype)
    )
    if _number(stride) == 0:
        raise ValueError("the step of arange can't be 0")
    numbers = Arange()(_count(begin, end, stride))
    if _number(begin) == 0 and _number(stride) == 1:
        return numbers.astype(kind)
    return (begin + numbers * stride).astype(kind)


def _number(v: TensorVariable) -> Any:
    """The Python number that a constant scalar is, else None."""
    return v.op.literal if isinstance(v.op, Constant) else None


def _count(begin: TensorVariable, end: TensorVariable, stride: TensorVariable) -> TensorVariable:
    """How many numbers there are from `begin` to before `end`."""
    numbers = [_number(v) for v in (begin, end, stride)]
    if None not in numbers:
        if not all(map(math.isfinite, numbers)):
            raise ValueError(f"arange takes finite numbers, not {numbers}")
        return as_size(max(0, math.ceil((numbers[1] - numbers[0]) / numbers[2])))
    if numbers[0] == 0 and numbers[2] == 1 and end.type.dtype[0] in "iu":
        return end if isinstance(end.op, Length) else maximum(as_size(end), 0)
    if all(v.type.dtype[0] in "iu" for v in (begin, end, stride)):
        begin, end, stride = (as_size(v) for v in (begin, end, stride))
        return maximum(-((begin - end) // stride), 0)
    return maximum(ceil((end - begin) / stride), 0).astype("int64")


def linspace(
    start: TensorLike,
    stop: TensorLike,
    num: SizeLike = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Any:
    """`num` numbers at equal distances from `start` to `stop`, along a new axis.

    With `retstep`, the distance as well: NaN if there is none. See `numpy.linspace`. Raises
    ValueError if `num` is known to be negative.

    >>> linspace(0.0, 1.0, 5).eval()
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    begin, end = as_floatings((start, stop))
    kind = begin.type.dtype
    size = as_size(num)
    if isinstance(size.op, Constant) and size.op.value < 0:
        raise ValueError(f"linspace: the number of samples can't be negative, as {num}")
    ndim = max(begin.ndim, end.ndim)
    steps = Arange()(size).astype(
        kind.replace("complex128", "float64").replace("complex64", "float32")
    )
    steps = steps.expand_dims(tuple(range(1, ndim + 1)))
    gaps = size - 1 if endpoint else size
    parts = maximum(gaps, 1).astype(steps.dtype)
    step = (end - begin) / parts
    result = begin + steps * step
    if endpoint:
        last = eq(steps, parts)
        result = where(last, end, result)
    result = moveaxis(result, 0, axis)
    if dtype is not None:
        result = (floor(result) if as_dtype(dtype)[0] in "iu" else result).astype(dtype)
    return (result, where(gaps > 0, step, math.nan)) if retstep else result


def alloc(value: TensorLike, *shape: SizeLike) -> TensorVariable:
    """`value`, broadcast to `shape`: `full` with the arguments in the tradition's order.

    The lengths are given one by one, or as one shape.

    >>> alloc(0.0, 2, 1).eval()
    array([[0.],
           [0.]])
    """
    return broadcast_to(value, shape[0] if len(shape) == 1 else shape)


def full(shape: Shape, fill_value: TensorLike, dtype: DTypeLike | None = None) -> TensorVariable:
    """A tensor of `shape` filled with `fill_value`. See `numpy.full`.

    >>> full((1, 3), 7).eval()
    array([[7, 7, 7]])
    """
    value = as_tensor(fill_value)
    return broadcast_to(value if dtype is None else value.astype(dtype), shape)


def zeros(shape: Shape, dtype: DTypeLike | None = None) -> TensorVariable:
    """Zeros, of float64 without a `dtype`. See `numpy.zeros`.

    >>> zeros(3, dtype=int).eval()
    array([0, 0, 0])
    """
    return broadcast_to(constant(0, "float64" if dtype is None else dtype), shape)


def ones(shape: Shape, dtype: DTypeLike | None = None) -> TensorVariable:
    """Ones, of float64 without a `dtype`. See `numpy.ones`.

    >>> ones((2, 2)).eval()
    array([[1., 1.],
           [1., 1.]])
    """
    return broadcast_to(constant(1, "float64" if dtype is None else dtype), shape)


def full_like(
    x: TensorLike,
    fill_value: TensorLike,
    dtype: DTypeLike | None = None,
    *,
    shape: Shape | None = None,
) -> TensorVariable:
    """A tensor of the shape and dtype of `x`, filled with `fill_value`. See `numpy.full_like`.

    Of another `shape`, or `dtype`, if it is given.

    >>> full_like([1.5, 2.5], 3).eval()
    array([3., 3.])
    """
    x = as_tensor(x)
    lengths = lengths_of(x) if shape is None else shape
    return full(lengths, fill_value, x.dtype if dtype is None else dtype)


def zeros_like(
    x: TensorLike, dtype: DTypeLike | None = None, *, shape: Shape | None = None
) -> TensorVariable:
    """Zeros of the shape and dtype of `x`. See `numpy.zeros_like`, and `full_like`.

    >>> zeros_like([1.5, 2.5]).eval()
    array([0., 0.])
    """
    return full_like(x, 0, dtype, shape=shape)


def ones_like(
    x: TensorLike, dtype: DTypeLike | None = None, *, shape: Shape | None = None
) -> TensorVariable:
    """Ones of the shape and dtype of `x`. See `numpy.ones_like`, and `full_like`.

    >>> ones_like([1.5, 2.5]).eval()
    array([1., 1.])
    """
    return full_like(x, 1, dtype, shape=shape)
