"""Reductions over axes: prod, max, min, any, all, mean."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, ClassVar

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.kinds import Reduction
from weft_tensor.build.op import Cotangents, Examples, Tensors, Value
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import eq
from weft_tensor.ops.elementwise.comparison import where as choice
from weft_tensor.ops.reduction.axis_function import result_dtype
from weft_tensor.ops.reduction.base import AxisReduction, Sum, keep, reduce, spread
from weft_tensor.ops.reduction.masked import beginning, extended, mask_of, masked
from weft_tensor.types.axes import Axes, as_axes
from weft_tensor.types.dtypes import DTypeLike, as_dtype
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    "All",
    "Any_",
    "Max",
    "Min",
    "Prod",
    "all",
    "any",
    "max",
    "mean",
    "min",
    "prod",
    "size",
    "sum",
]


class Prod(AxisReduction):
    """Product; small integers and bools are multiplied as int64 (`numpy.prod`)."""

    function = np.prod
    combine = "mul"
    facts = "keeps nonnegative integer; no_negative_zero if nonnegative no_negative_zero"

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """For every element the product of the others, right also where some are zero."""
        (x,), (g,) = inputs, cotangents
        zero = eq(x, 0)
        others = choice(zero, 1, x)
        product = keep(prod(others, self.axis), self.axis)
        zeros = keep(sum(zero, self.axis), self.axis)
        alone = eq(zeros, 0) | (zero & eq(zeros, 1))
        partial = choice(alone, product / others, 0).astype(x.dtype)
        return [spread(g, self.axis, x) * (partial.conj() if x.is_complex else partial)]


class _Extremum(AxisReduction):
    """Max or Min: the cotangent goes to the elements that are it, in equal parts.

    Of no elements, it is an error; or, on request, what no number is beyond: infinity, or the
    largest or least integer.
    Complex numbers are ordered by their real parts, those of equal ones by the imaginary parts.
    """

    or_infinity: bool = False
    primitive = True
    beyond: ClassVar[float]
    """The infinity."""

    @classmethod
    @cache
    def of_nothing(cls, dtype: DTypeLike) -> float:
        """The infinity, or the integer furthest that way."""
        if as_dtype(dtype).startswith("float"):
            return cls.beyond
        limits = np.iinfo(dtype)
        return int(limits.max if cls.beyond > 0 else limits.min)

    def infer(self, *types: TensorType) -> TensorType:
        """As all reductions; refuses axes known to be empty."""
        (x,) = types
        if self.or_infinity:
            if x.dtype[0] not in "fiu":
                raise TypeError(f"{self} has a value for no elements, which is no {x.dtype}")
        elif 0 in [x.shape[a] for a in self.axis if a < x.ndim]:
            raise ValueError(f"{self} of an axis of length 0 has no value")
        return super().infer(x)

    def kind(self, *inputs: TensorVariable) -> Reduction:
        """With an infinity, on request."""
        return Reduction(self.axis, self.combine, or_infinity=self.or_infinity)

    def impl(self, *values: np.ndarray) -> Value:
        """NumPy's function."""
        if not self.or_infinity:
            return super().impl(*values)
        start = self.of_nothing(values[0].dtype)
        return type(self).function(values[0], axis=self.axis, initial=start)

    @classmethod
    def examples(cls) -> Examples:
        """As of all reductions; of complex numbers, NaN among them; and of no elements."""
        nothing = [cls(axis, True) for axis in ((0,), (0, 1), (1,))]
        z = np.array([[1.0 + 2j, 1.5 - 1j, -3j], [0.75 + 1j, 0.5 + 4j, 0.25 - 2j]])
        ties = np.array([[-np.inf, 1 + 1j, 1 + 2j, 1 - 1j], [1j, -1j, 2j, complex(np.inf)]])
        strange = np.array([1 + 1j, complex(2.0, np.nan), 3 - 1j, complex(-np.inf, -np.inf)])
        return [
            *super().examples(),
            *((cls(axis), [z]) for axis in ((0,), (1,), (0, 1))),
            (cls((1,)), [ties]),
            *((cls((0,)), [v.astype("complex64")]) for v in (z, strange, strange[3:])),
            *((op, [np.zeros((2, 0), t)]) for op in nothing for t in ("float64", "int8")),
            *((op, [np.array([[5, 0, 3]], "uint16")]) for op in nothing),
        ]

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """Equal parts for the elements that equal the result."""
        (x,), (out,), (g,) = inputs, outputs, cotangents
        share = eq(x, keep(out, self.axis)).astype(x.dtype)
        return [keep(g, self.axis) * share / keep(sum(share, self.axis), self.axis)]


class Max(_Extremum):
    """The largest element; NaN if there is one (`numpy.max`)."""

    function = np.max
    combine = "maximum"
    beyond = -np.inf


class Min(_Extremum):
    """The smallest element; NaN if there is one (`numpy.min`)."""

    function = np.min
    combine = "minimum"
    beyond = np.inf


class _Truth(AxisReduction):
    """Any or All: every number but zero is true."""

    @classmethod
    def examples(cls) -> Examples:
        """As of all reductions; of numbers without a real part, and of NaN."""
        return [*super().examples(), *((cls((0,)), [np.array([x, x])]) for x in (2j, np.nan))]


class Any_(_Truth):
    """Whether any element is true (`numpy.any`)."""

    function = np.any
    combine = "logical_or"


class All(_Truth):
    """Whether all elements are true (`numpy.all`)."""

    function = np.all
    combine = "logical_and"


def sum(
    x: TensorLike,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    *,
    initial: TensorLike | None = None,
    where: TensorLike | None = None,
    acc_dtype: DTypeLike | None = None,
) -> TensorVariable:
    """Sum of the elements over `axis`. See `numpy.sum`.

    Of those where `where` is true, and `initial`. With `acc_dtype`, they are added up in that
    dtype; the result is what it is without.

    >>> sum([[1, 2], [3, 4]], axis=0).eval()
    array([4, 6])
    >>> sum([1, 2, 4], initial=10, where=[True, False, True]).eval()
    array(15)
    """
    if acc_dtype is not None:
        tensor = as_tensor(x)
        kind = as_dtype(dtype) if dtype is not None else result_dtype(np.sum, tensor.dtype)
        total = sum(tensor.astype(acc_dtype), axis, None, keepdims, initial=initial, where=where)
        return total.astype(kind)
    if where is not None:
        x = masked(as_tensor(x), where, 0, "sum")
    total = reduce(Sum, x, axis, keepdims, dtype)
    return total if initial is None else total + beginning(initial, total.dtype, "sum")


def prod(
    x: TensorLike,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    *,
    initial: TensorLike | None = None,
    where: TensorLike | None = None,
) -> TensorVariable:
    """Product of the elements over `axis`. See `numpy.prod`, and `sum` for the keywords.

    >>> prod([1.0, 2.0, 4.0]).eval()
    array(8.)
    """
    if where is not None:
        x = masked(as_tensor(x), where, 1, "prod")
    product = reduce(Prod, x, axis, keepdims, dtype)
    return product if initial is None else product * beginning(initial, product.dtype, "prod")


def max(
    x: TensorLike,
    axis: Axes = None,
    keepdims: bool = False,
    *,
    initial: TensorLike | None = None,
    where: TensorLike | None = None,
) -> TensorVariable:
    """Largest element over `axis`, and `initial`; NaN if there is one. See `numpy.max`.

    Of those where `where` is true, which needs an `initial`; with it, axes may be empty.

    >>> max([[1, 5], [3, 4]], axis=1).eval()
    array([5, 4])
    """
    if initial is None and where is None:
        return reduce(Max, x, axis, keepdims)
    return _beyond(Max, x, axis, keepdims, initial, where)


def min(
    x: TensorLike,
    axis: Axes = None,
    keepdims: bool = False,
    *,
    initial: TensorLike | None = None,
    where: TensorLike | None = None,
) -> TensorVariable:
    """Smallest element over `axis`; NaN if there is one. See `numpy.min`, and `max`.

    >>> min([[1, 5], [3, 4]], axis=1, keepdims=True).eval()
    array([[1],
           [3]])
    """
    if initial is None and where is None:
        return reduce(Min, x, axis, keepdims)
    return _beyond(Min, x, axis, keepdims, initial, where)


def _beyond(
    op: type[_Extremum],
    x: TensorLike,
    axis: Axes,
    keepdims: bool,
    initial: TensorLike | None,
    where: TensorLike | None,
) -> TensorVariable:
    """An extremum with what it begins with."""
    tensor, name = as_tensor(x), op.__name__.lower()
    if initial is None:
        raise ValueError(f"{name} has no value for no elements: where= needs an initial=")
    axes, start = as_axes(axis, tensor.ndim), beginning(initial, tensor.dtype, name)
    if where is not None:
        tensor = masked(tensor, where, start, name)
    if tensor.dtype[0] in "fiu":
        result = (maximum if op is Max else minimum)(op(axes, True)(tensor), start)
    else:
        result = extended(tensor, axes, start, lambda rows, last: op((last,))(rows))
    return keep(result, axes) if keepdims else result


def any(
    x: TensorLike, axis: Axes = None, keepdims: bool = False, *, where: TensorLike | None = None
) -> TensorVariable:
    """Whether any element over `axis` is true (not 0). See `numpy.any`.

    Of those where `where` is true.

    >>> any([[0, 1], [0, 0]], axis=1).eval()
    array([ True, False])
    """
    x = x if where is None else masked(as_tensor(x), where, 0, "any")
    return reduce(Any_, x, axis, keepdims)


def all(
    x: TensorLike, axis: Axes = None, keepdims: bool = False, *, where: TensorLike | None = None
) -> TensorVariable:
    """Whether all elements over `axis` are true (not 0). See `numpy.all`.

    Of those where `where` is true.

    >>> all([[1, 1], [0, 1]], axis=1).eval()
    array([ True, False])
    """
    x = x if where is None else masked(as_tensor(x), where, 1, "all")
    return reduce(All, x, axis, keepdims)


def size(x: TensorLike, axis: Axes = None) -> Any:
    """The number of elements over `axis`: an int if it is known, else an int64 scalar.

    See `numpy.size`.

    >>> size([[1, 2, 3], [4, 5, 6]]), size([[1, 2, 3]], axis=1)
    (6, 3)
    """
    x = as_tensor(x)
    return math.prod([x.shape[a] for a in as_axes(axis, x.ndim)])


def mean(
    x: TensorLike,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    *,
    where: TensorLike | None = None,
) -> TensorVariable:
    """Arithmetic mean over `axis`, floating also for integers. See `numpy.mean`.

    Of the elements where `where` is true.

    >>> mean([1, 2, 6]).eval()
    array(3.)
    """
    x = as_tensor(x)
    kind = as_dtype(dtype) if dtype is not None else x.dtype if x.type.differentiable else "float64"
    x = x.astype(kind if kind.startswith(("float", "complex")) else "float64")
    if where is None:
        count = size(x, axis)
    else:
        count = sum(mask_of(where, x, "mean"), axis, keepdims=keepdims)
    total = sum(x, axis, keepdims=keepdims, where=where)
    return (total / as_tensor(count).astype(x.dtype)).astype(kind)
