"""Sums and products of all elements up to each one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.kinds import Scan
from weft_tensor.build.op import Cotangents, Examples, TensorOp, Tensors, Value
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import full
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.reduction.base import result_dtype
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.reshape import atleast_1d, with_axis
from weft_tensor.types.axes import as_axis
from weft_tensor.types.dtypes import DTypeLike
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    "CumProd",
    "CumSum",
    "Cumulative",
    "along",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
]


class Cumulative(TensorOp):
    """Along `axis`, each element combined with all before it; NumPy's `function` computes it."""

    view_of = ()
    axis: int
    function: ClassVar[Callable[..., Any]]
    combine: ClassVar[str]
    """The function of two numbers that it is."""
    primitive = True

    def infer(self, *types: TensorType) -> TensorType:
        """The shape of x; dtype as NumPy has it."""
        (x,) = types
        if not 0 <= self.axis < x.ndim:
            raise ValueError(f"axis {self.axis} is out of range for a tensor of rank {x.ndim}")
        return TensorType(result_dtype(type(self).function, x.dtype), x.shape)

    def impl(self, *values: np.ndarray) -> Value:
        """NumPy's function."""
        return type(self).function(values[0], axis=self.axis)

    def kind(self, *inputs: TensorVariable) -> Scan:
        """What the class combines by."""
        return Scan(self.axis, self.combine)

    @classmethod
    def examples(cls) -> Examples:
        """Along both axes, with zeros, small dtypes, complex numbers, no elements."""
        x = np.array([[1.5, -2.0, 0.5], [0.5, 3.0, -1.0]])
        return [
            (cls(0), [x]),
            (cls(1), [x]),
            (cls(0), [np.array([2.0, 0.0, 3.0, 0.0, 4.0])]),
            (cls(0), [np.array([0.0, 2.0])]),
            (cls(0), [np.array([3, -4, 2], "int32")]),
            (cls(0), [np.array([True, True, False])]),
            (cls(0), [np.array([1.5, 2.5], "float32")]),
            (cls(0), [np.array([1 + 2j, 0.5 - 1j])]),
            (cls(1), [x[:, :0]]),
        ]

    def __str__(self) -> str:
        return f"{type(self).__name__.lower()}[{self.axis}]"


class CumSum(Cumulative):
    """Sums so far (`numpy.cumsum`)."""

    function = np.cumsum
    combine = "add"
    linear = slice(1)
    facts = (
        "keeps nonnegative nonpositive positive negative no_negative_zero integer; "
        "not_nan if not_nan nonnegative or not_nan nonpositive"
    )

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """Sums of what comes from there to the end."""
        return [_sums_to_the_end(cotangents[0], self.axis).astype(inputs[0].dtype)]


class CumProd(Cumulative):
    """Products so far (`numpy.cumprod`)."""

    function = np.cumprod
    combine = "mul"
    facts = "keeps nonnegative integer; no_negative_zero if nonnegative no_negative_zero"

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """Right also from the first zero on, where dividing the products would fail."""
        (x,), (out,), (g,) = inputs, outputs, cotangents
        zero = eq(x, 0)
        zeros = CumSum(self.axis)(zero)
        first = zero & eq(zeros, 1)
        others = CumProd(self.axis)(where(first, 1, x))
        if x.is_complex:
            x, out, others = x.conj(), out.conj(), others.conj()
        before = _sums_to_the_end(g * out, self.axis) / where(zero, 1, x)
        there = _sums_to_the_end(g * others, self.axis)
        return [where(eq(zeros, 0), before, where(first, there, 0)).astype(x.dtype)]


def _sums_to_the_end(g: TensorVariable, axis: int) -> TensorVariable:
    backwards = (slice(None),) * axis + (slice(None, None, -1),)
    return index(CumSum(axis)(index(g, backwards)), backwards)


def cumsum(
    x: TensorLike, axis: int | None = None, dtype: DTypeLike | None = None
) -> TensorVariable:
    """Sums of the elements up to each one; of the flattened `x` without `axis`.

    See `numpy.cumsum`.

    >>> cumsum([[1, 2], [3, 4]], axis=0).eval()
    array([[1, 2],
           [4, 6]])
    """
    return along(CumSum, x, axis, dtype)


def cumprod(
    x: TensorLike, axis: int | None = None, dtype: DTypeLike | None = None
) -> TensorVariable:
    """Products of the elements up to each one; of the flattened `x` without `axis`.

    See `numpy.cumprod`.

    >>> cumprod([2, 3, 4]).eval()
    array([ 2,  6, 24])
    """
    return along(CumProd, x, axis, dtype)


def cumulative_sum(
    x: TensorLike,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
) -> TensorVariable:
    """Sums of all elements so far, beginning with 0 if `include_initial`.

    See `numpy.cumulative_sum`. Raises ValueError for `axis` None, if there are several.

    >>> cumulative_sum([1, 2, 3], include_initial=True).eval()
    array([0, 1, 3, 6])
    """
    return _so_far(cumsum, 0, x, axis, dtype, include_initial)


def cumulative_prod(
    x: TensorLike,
    /,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
) -> TensorVariable:
    """Products of all elements so far, beginning with 1 if `include_initial`.

    See `numpy.cumulative_prod`. Raises ValueError for `axis` None, if there are several.

    >>> cumulative_prod([1, 2, 3]).eval()
    array([1, 2, 6])
    """
    return _so_far(cumprod, 1, x, axis, dtype, include_initial)


def _so_far(
    accumulate: Callable[..., TensorVariable],
    start: int,
    x: TensorLike,
    axis: int | None,
    dtype: DTypeLike | None,
    include_initial: bool,
) -> TensorVariable:
    tensor = atleast_1d(as_tensor(x))
    if axis is None and tensor.ndim > 1:
        raise ValueError(f"which axis of {tensor!r} to go along has to be said: axis=...")
    along = as_axis(-1 if axis is None else axis, tensor.ndim)
    result = accumulate(tensor, along, dtype)
    if not include_initial:
        return result
    shape = [1 if a == along else n for a, n in enumerate(tensor.shape)]
    return concatenate([full(shape, start, result.dtype), result], along)


def along(
    op: type[Cumulative], x: TensorLike, axis: int | None, dtype: DTypeLike | None
) -> TensorVariable:
    """`op` of `x`, or of its elements in a row, in `dtype` if there is one."""
    x, axis = with_axis(x if dtype is None else as_tensor(x).astype(dtype), axis)
    return op(axis)(x) if dtype is None else op(axis)(x).astype(dtype)
