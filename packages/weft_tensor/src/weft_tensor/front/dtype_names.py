"""The dtypes of tensors, by the names that NumPy's have."""

from __future__ import annotations

from weft_tensor.build.convert import constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.types.dtype_name import DTypeName

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


class DTypeMaker(DTypeName):
    """The name of a dtype, as `x.dtype` is one; it makes constants, as NumPy's types do.

    >>> x = float32(0.5)
    >>> x, x.dtype == float32, x.astype(int8).dtype
    (<0.5 : float32>, True, 'int8')
    """

    def __call__(self, value: TensorLike, /) -> TensorVariable:
        """`value` as a constant of this dtype."""
        return constant(value, str(self))


bool = bool_ = DTypeMaker("bool")
int8, int16 = DTypeMaker("int8"), DTypeMaker("int16")
int32, int64 = DTypeMaker("int32"), DTypeMaker("int64")
uint8, uint16 = DTypeMaker("uint8"), DTypeMaker("uint16")
uint32, uint64 = DTypeMaker("uint32"), DTypeMaker("uint64")
float32, float64 = DTypeMaker("float32"), DTypeMaker("float64")
complex64, complex128 = DTypeMaker("complex64"), DTypeMaker("complex128")
