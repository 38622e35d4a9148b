"""The elements for which a mask is true, as an Op of this package's own graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft_tensor import Compress as Chosen
from weft_tensor import Reduction, TensorOp, TensorType, sum
from weft_tensor.extend import kind_of

__all__ = ["Compress", "counted"]


class Compress(TensorOp):
    """The elements of `x` where `mask`, of equal shape, is true.

    >>> import weft_tensor as wt
    >>> x = wt.as_tensor([1.0, -2.0, -3.0])
    >>> Compress(wt.TensorType("float64", [None]))(x, x < 0).eval()
    array([-2., -3.])
    """

    result: TensorType
    primitive = True

    def infer(self, *types: Any) -> TensorType:
        """As it was said."""
        return self.result

    def impl(self, *values: Any) -> Any:
        """`numpy.compress`."""
        x, mask = values
        return np.compress(mask.ravel(), x)

    def kind(self, *inputs: Any) -> Chosen:
        """Elements where the mask, the second input, is true."""
        return Chosen(None)

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Sequence[Any]) -> Sequence[Any]:
        """The number of true elements."""
        return [(sum(node.inputs[1]),)]

    def __str__(self) -> str:
        return "compress"


def counted(size: Any) -> Any:
    """The mask of which `size` is the number of true elements, if it is that of one.

    >>> import weft_tensor as wt
    >>> x = wt.vector("x")
    >>> counted(wt.sum(x < 0)) is (x < 0), counted(wt.sum(x)) is None
    (True, True)
    """
    kind = kind_of(size)
    if not isinstance(kind, Reduction) or kind.combine != "add":
        return None
    (mask,), axes = size.inputs, kind.axis
    is_whole = isinstance(axes, tuple) and len(axes) == mask.ndim
    return mask if mask.dtype == "bool" and is_whole else None
