"""Sums and products of all elements up to each one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, TensorOp, Tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import full
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.reduction.scan import AxisScan, scanned, to_the_end
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.reshape import atleast_1d
from weft_tensor.types.axes import as_axis
from weft_tensor.types.dtypes import DTypeLike

__all__ = [
    "CumProd",
    "CumProdSlope",
    "CumSum",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
]


class CumSum(AxisScan):
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
        return [to_the_end(CumSum, cotangents[0], self.axis).astype(inputs[0].dtype)]


class CumProd(AxisScan):
    """Products so far (`numpy.cumprod`)."""

    function = np.cumprod
    combine = "mul"
    facts = "keeps nonnegative integer; no_negative_zero if nonnegative no_negative_zero"

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """What each element changes in all products from it on."""
        return [CumProdSlope(self.axis)(inputs[0], cotangents[0])]


class CumProdSlope(TensorOp):
    """The derivative of products so far by `x`, times a cotangent `g` of their shape.

    An Op of its own as a backend with fast loops takes it in two of them: of the products before,
    and of s[i] = g[i] + x[i+1] s[i+1] from the end.
    """

    view_of = ()
    axis: int

    def expansion(self, x: TensorVariable, g: TensorVariable) -> TensorVariable:
        """Right also from the first zero on, where dividing the products would fail."""
        zero = eq(x, 0)
        zeros = CumSum(self.axis)(zero)
        first = zero & eq(zeros, 1)
        out, others = CumProd(self.axis)(x), CumProd(self.axis)(where(first, 1, x))
        if x.is_complex:
            x, out, others = x.conj(), out.conj(), others.conj()
        before = to_the_end(CumSum, g * out, self.axis) / where(zero, 1, x)
        there = to_the_end(CumSum, g * others, self.axis)
        return where(eq(zeros, 0), before, where(first, there, 0)).astype(x.dtype)

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The shape of x."""
        return input_shapes[:1]

    def __str__(self) -> str:
        return f"cumprodslope[{self.axis}]"

    @classmethod
    def examples(cls) -> Examples:
        """Along both axes, with zeros, of complex numbers, of no elements."""
        x = np.array([[1.5, -2.0, 0.5], [0.5, 3.0, -1.0]])
        g = np.array([[1.0, 2.0, 0.5], [3.0, 0.5, 1.0]])
        return [
            (cls(0), [x, g]),
            (cls(1), [x, g]),
            (cls(0), [np.array([2.0, 0.0, 3.0, 0.0, 4.0]), np.arange(1.0, 6.0)]),
            (cls(0), [np.array([1.5, 2.5], "float32"), np.array([1, -2], "float32")]),
            (cls(0), [np.array([1 + 2j, 0.5 - 1j]), np.array([1j, 2.0])]),
            (cls(1), [x[:, :0], g[:, :0]]),
        ]


def cumsum(
    x: TensorLike, axis: int | None = None, dtype: DTypeLike | None = None, *, reverse: bool = False
) -> TensorVariable:
    """Sums of the elements up to each one; of the flattened `x` without `axis`.

    If `reverse`, from the end, as `jax.lax.cumsum` has it. See `numpy.cumsum`.

    >>> cumsum([[1, 2], [3, 4]], axis=0).eval()
    array([[1, 2],
           [4, 6]])
    """
    return scanned(CumSum, x, axis, dtype, reverse)


def cumprod(
    x: TensorLike, axis: int | None = None, dtype: DTypeLike | None = None, *, reverse: bool = False
) -> TensorVariable:
    """Products of the elements up to each one; of the flattened `x` without `axis`.

    If `reverse`, from the end, as `jax.lax.cumprod` has it. See `numpy.cumprod`.

    >>> cumprod([2, 3, 4]).eval()
    array([ 2,  6, 24])
    """
    return scanned(CumProd, x, axis, dtype, reverse)


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
