"""Conversion of dtypes."""

from __future__ import annotations

from typing import Final

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.kinds import Pointwise
from weft_tensor.build.op import Cotangents, Examples, TensorOp, Tensors, Value
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.types.dtypes import DTypeLike, as_dtype
from weft_tensor.types.tensor_type import TensorType

__all__ = ["Cast", "cast"]


class Cast(TensorOp):
    """The input in another dtype; complex numbers lose their imaginary part to real ones."""

    view_of = ()
    dtype: str
    primitive = True
    linear = slice(1)

    def infer(self, *types: TensorType) -> TensorType:
        """The same shape in the new dtype."""
        return TensorType(self.dtype, types[0].shape)

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.ndarray.astype`."""
        (x,) = values
        if np.iscomplexobj(x) and not self.dtype.startswith("complex") and self.dtype != "bool":
            x = x.real
        return x.astype(self.dtype)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """The cotangent in the input's dtype."""
        if not outputs[0].type.differentiable:
            return [None]
        return [cast(cotangents[0], inputs[0].dtype)]

    def kind(self, *inputs: TensorVariable) -> Pointwise:
        """The same number."""
        return _CAST

    @classmethod
    def examples(cls) -> Examples:
        """Widening, narrowing, to bool, and from complex."""
        x = np.array([[0.0, 1.5, -2.5]])
        pairs = [("float32", x), ("int64", x), ("bool", x), ("float64", x.astype("float32"))]
        return [
            *((cls(dtype), [value]) for dtype, value in pairs),
            (cls("complex128"), [x]),
            (cls("float64"), [x + 2j]),
        ]

    def __str__(self) -> str:
        return f"cast[{self.dtype}]"


_CAST: Final = Pointwise("cast")


def cast(x: TensorLike, dtype: DTypeLike, *, copy: bool = True) -> TensorVariable:
    """`x` in `dtype`; itself if it has that already, to `copy` or not. See `numpy.ndarray.astype`.

    >>> cast([1.7, -1.7], "int64").eval()
    array([ 1, -1])
    """
    x = as_tensor(x)
    dtype = as_dtype(dtype)
    return x if getattr(x.type, "dtype", None) == dtype else Cast(dtype)(x)
