"""The largest and the smallest of all elements up to each one."""

from __future__ import annotations

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.op import Cotangents, Examples, Tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange, ones, zeros
from weft_tensor.ops.elementwise.comparison import eq, neq, where
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.reduction.scan import AxisScan, scanned
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.types.tensor_type import TensorType

__all__ = ["CumMax", "CumMin", "cummax", "cummin"]


class _Extreme(AxisScan):
    """An Op of its own as nothing else makes one pass of it."""

    def infer(self, *types: TensorType) -> TensorType:
        """Of real numbers."""
        (x,) = types
        if x.dtype.startswith("complex"):
            raise TypeError(f"{self} takes real numbers, not {x}")
        return super().infer(x)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """To where each result stands first; a NaN is followed by that NaN alone."""
        (x,), (out,), (g,) = inputs, outputs, cotangents
        before = (slice(None),) * self.axis
        later, sooner = (index(out, (*before, s)) for s in (slice(1, None), slice(None, -1)))
        first = ones(index(out, (*before, slice(None, 1))).shape, "bool")
        new = concatenate([first, neq(later, sooner) & eq(sooner, sooner)], self.axis)
        lengths = lengths_of(x)
        key = [_grid(a, lengths) for a in range(x.ndim)]
        key[self.axis] = CumMax(self.axis)(where(new, key[self.axis], 0))
        return [updated(index(zeros(lengths, x.dtype), tuple(key)), "inc", g)]

    @classmethod
    def examples(cls) -> Examples:
        """As of all scans, but of real numbers."""
        return [(op, values) for op, values in super().examples() if values[0].dtype.kind != "c"]


class CumMax(_Extreme):
    """Largest element so far; NaN from the first one on (`numpy.maximum.accumulate`)."""

    function = np.maximum.accumulate
    combine = "maximum"


class CumMin(_Extreme):
    """Smallest element so far; NaN from the first one on (`numpy.minimum.accumulate`)."""

    function = np.minimum.accumulate
    combine = "minimum"


def _grid(axis: int, lengths: Tensors) -> TensorVariable:
    """Along the axis, the index; of length 1 along others."""
    return expand_dims(arange(lengths[axis]), [a for a in range(len(lengths)) if a != axis])


def cummax(x: TensorLike, axis: int | None = None, *, reverse: bool = False) -> TensorVariable:
    """The largest element up to each one; of the flattened `x` without `axis`.

    NaN from the first one on. If `reverse`, from the end, as `jax.lax.cummax` has it. See
    `numpy.maximum.accumulate`.

    >>> cummax([2, 1, 4, 3]).eval()
    array([2, 2, 4, 4])
    """
    return scanned(CumMax, as_tensor(x), axis, None, reverse)


def cummin(x: TensorLike, axis: int | None = None, *, reverse: bool = False) -> TensorVariable:
    """The smallest element up to each one; of the flattened `x` without `axis`.

    NaN from the first one on. If `reverse`, from the end, as `jax.lax.cummin` has it. See
    `numpy.minimum.accumulate`.

    >>> cummin([2, 1, 4, 0]).eval()
    array([2, 1, 1, 0])
    """
    return scanned(CumMin, as_tensor(x), axis, None, reverse)
