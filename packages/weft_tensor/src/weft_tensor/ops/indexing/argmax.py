"""Where the largest and the smallest element are."""

from __future__ import annotations

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.op import Shapes, TensorApply
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.indexing.sort import Ordering
from weft_tensor.ops.shape.reshape import expand_dims, with_axis
from weft_tensor.types.axes import as_axes
from weft_tensor.types.tensor_type import TensorType

__all__ = ["ArgMax", "ArgMin", "argmax", "argmin"]


class _ArgExtremum(Ordering):
    """The first position of the largest or smallest element, or of NaN if there is one."""

    def infer(self, *types: TensorType) -> TensorType:
        """Without the axis."""
        positions = super().infer(*types)
        if positions.shape[self.axis] == 0:
            raise ValueError(f"{self} of an axis of length 0 has no value")
        shape = [n for a, n in enumerate(positions.shape) if a != self.axis]
        return TensorType(positions.dtype, shape)

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """Without the axis."""
        return [tuple(n for a, n in enumerate(input_shapes[0]) if a != self.axis)]


class ArgMax(_ArgExtremum):
    """`numpy.argmax`."""

    function = np.argmax


class ArgMin(_ArgExtremum):
    """`numpy.argmin`."""

    function = np.argmin


def argmax(x: TensorLike, axis: int | None = None, keepdims: bool = False) -> TensorVariable:
    """The first position of the largest element. See `numpy.argmax`.

    >>> argmax([[1, 7, 3], [4, 5, 6]], axis=1).eval()
    array([1, 2])
    """
    return _extremum(ArgMax, x, axis, keepdims)


def argmin(x: TensorLike, axis: int | None = None, keepdims: bool = False) -> TensorVariable:
    """The first position of the smallest element. See `numpy.argmin`.

    >>> argmin([[1, 7, 3], [4, 5, 6]]).eval()
    array(0)
    """
    return _extremum(ArgMin, x, axis, keepdims)


def _extremum(
    op: type[Ordering], x: TensorLike, axis: int | None, keepdims: bool
) -> TensorVariable:
    x = as_tensor(x)
    flat, along = with_axis(x, axis)
    result = op(along)(flat)
    return expand_dims(result, as_axes(axis, x.ndim)) if keepdims else result
