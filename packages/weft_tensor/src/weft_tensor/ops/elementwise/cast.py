"""Conversion of dtypes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from weft_tensor.build.convert import TensorLike, as_tensor
from weft_tensor.build.kinds import Pointwise
from weft_tensor.build.op import TensorOp
from weft_tensor.types.dtypes import as_dtype
from weft_tensor.types.tensor_type import TensorType

if TYPE_CHECKING:
    from weft_tensor.front.variable import TensorVariable

__all__ = ["Cast", "cast"]


class Cast(TensorOp):
    """The input in another dtype; complex numbers lose their imaginary part to real ones."""

    view_of = ()
    dtype: str
    primitive = True
    linear = slice(1)

    def infer(self, *types: Any) -> TensorType:
        """The same shape in the new dtype."""
        return TensorType(self.dtype, types[0].shape)

    def impl(self, *values: Any) -> Any:
        """`numpy.ndarray.astype`."""
        (x,) = values
        if np.iscomplexobj(x) and not self.dtype.startswith("complex") and self.dtype != "bool":
            x = x.real
        return x.astype(self.dtype)

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        """The cotangent in the input's dtype."""
        if not outputs[0].type.differentiable:
            return [None]
        return [cast(cotangents[0], inputs[0].dtype)]

    def kind(self, *inputs: Any) -> Pointwise:
        """The same number."""
        return _CAST

    @classmethod
    def examples(cls) -> list[tuple[Any, list[Any]]]:
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


def cast(x: TensorLike, dtype: Any) -> TensorVariable:
    """`x` in `dtype`; itself if it has that already. See `numpy.ndarray.astype`.

    >>> cast([1.7, -1.7], "int64").eval()
    array([ 1, -1])
    """
    x = as_tensor(x)
    dtype = as_dtype(dtype)
    return x if getattr(x.type, "dtype", None) == dtype else Cast(dtype)(x)
