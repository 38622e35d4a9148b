"""Sums and products of all elements up to each one."""

from __future__ import annotations

import numpy as np

from weft_tensor.build.op import Cotangents, Tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.reduction.scan import AxisScan, scanned
from weft_tensor.types.dtypes import DTypeLike

__all__ = ["CumProd", "CumSum", "cumprod", "cumsum"]


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
        return [_sums_to_the_end(cotangents[0], self.axis).astype(inputs[0].dtype)]


class CumProd(AxisScan):
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
    return scanned(CumSum, x, axis, dtype)


def cumprod(
    x: TensorLike, axis: int | None = None, dtype: DTypeLike | None = None
) -> TensorVariable:
    """Products of the elements up to each one; of the flattened `x` without `axis`.

    See `numpy.cumprod`.

    >>> cumprod([2, 3, 4]).eval()
    array([ 2,  6, 24])
    """
    return scanned(CumProd, x, axis, dtype)
