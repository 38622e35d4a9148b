"""The dtypes of tensors, by the names that NumPy's have."""

from __future__ import annotations

from weft_tensor.build.convert import constant
from weft_tensor.build.variable import TensorLike, TensorVariable

__all__ = [
    "bool",
    "bool_",
    "complex64",
    "complex128",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]


class DTypeName(str):
    """The name of a dtype, as `x.dtype` is one; it makes constants, as NumPy's types do.

    >>> x = float32(0.5)
    >>> x, x.dtype == float32, x.astype(int8).dtype
    (<0.5 : float32>, True, 'int8')
    """

    def __call__(self, value: TensorLike, /) -> TensorVariable:
        """`value` as a constant of this dtype."""
        return constant(value, str(self))


bool = bool_ = DTypeName("bool")
int8, int16 = DTypeName("int8"), DTypeName("int16")
int32, int64 = DTypeName("int32"), DTypeName("int64")
uint8, uint16 = DTypeName("uint8"), DTypeName("uint16")
uint32, uint64 = DTypeName("uint32"), DTypeName("uint64")
float32, float64 = DTypeName("float32"), DTypeName("float64")
complex64, complex128 = DTypeName("complex64"), DTypeName("complex128")
