"""What all scans have in common: each element is combined with all before it."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.kinds import Scan
from weft_tensor.build.op import Examples
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.reduction.axis_function import AxisFunction
from weft_tensor.ops.shape.reshape import with_axis
from weft_tensor.types.dtypes import DTypeLike

__all__ = ["AxisScan", "scanned", "to_the_end"]


class AxisScan(AxisFunction):
    """Along `axis`, each element combined with all before it."""

    combine: ClassVar[str]
    """The function of two numbers that it is."""
    primitive = True

    def kind(self, *inputs: TensorVariable) -> Scan:
        """What the class combines by."""
        return Scan(self.axis, self.combine)

    @classmethod
    def examples(cls) -> Examples:
        """Along both axes, with zeros and ties, small dtypes, complex numbers, no elements."""
        x = np.array([[1.5, -2.0, 0.5], [0.5, 3.0, -1.0]])
        return [
            (cls(0), [x]),
            (cls(1), [x]),
            (cls(0), [np.array([2.0, 0.0, 3.0, 0.0, 4.0])]),
            (cls(0), [np.array([0.0, 2.0])]),
            (cls(0), [np.array([3, -4, 2, 3], "int32")]),
            (cls(0), [np.array([3, 200, 7], "uint8")]),
            (cls(0), [np.array([True, True, False])]),
            (cls(0), [np.array([1.5, 2.5], "float32")]),
            (cls(0), [np.array([1 + 2j, 0.5 - 1j])]),
            (cls(1), [x[:, :0]]),
        ]


def scanned(
    op: type[AxisScan],
    x: TensorLike,
    axis: int | None,
    dtype: DTypeLike | None,
    reverse: bool = False,
) -> TensorVariable:
    """`op` of `x`, or of its elements in a row, in `dtype` if there is one; from the end or not."""
    x, axis = with_axis(x if dtype is None else as_tensor(x).astype(dtype), axis)
    result = to_the_end(op, x, axis) if reverse else op(axis)(x)
    return result if dtype is None else result.astype(dtype)


def to_the_end(op: type[AxisScan], x: TensorVariable, axis: int) -> TensorVariable:
    """`op` of the elements from each one to the end."""
    backwards = (slice(None),) * axis + (slice(None, None, -1),)
    return index(op(axis)(index(x, backwards)), backwards)
