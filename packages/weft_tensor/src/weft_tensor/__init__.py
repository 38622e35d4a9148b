"""Tensors for Weft: types, Ops and functions, with NumPy's names and semantics."""

from weft_tensor import (
    arithmetic,
    branching,
    comparison,
    complexes,
    constants,
    creation,
    exponential,
    inputs,
    joining,
    linalg,
    products,
    reductions,
    shape,
    special,
    trigonometric,
)
from weft_tensor.arithmetic import *
from weft_tensor.branching import *
from weft_tensor.cast import Cast, cast
from weft_tensor.comparison import *
from weft_tensor.complexes import *
from weft_tensor.constants import *
from weft_tensor.convert import as_tensor, as_tensors, constant
from weft_tensor.creation import *
from weft_tensor.dims import Dim
from weft_tensor.dtypes import DTYPES, as_dtype, promote
from weft_tensor.elemwise import (
    SCALARS,
    Elemwise,
    Scalar,
    binary,
    floating,
    loop_dtypes,
    ternary,
    unary,
)
from weft_tensor.exponential import *
from weft_tensor.indexing import Index, IndexUpdate, SliceLength, index
from weft_tensor.inputs import *
from weft_tensor.joining import *
from weft_tensor.length import (
    Length,
    as_size,
    inferred_shapes,
    lengths_of,
    same_size,
    static_length,
)
from weft_tensor.linalg import *
from weft_tensor.products import *
from weft_tensor.reduction import Reduction, Sum, as_axes, sum
from weft_tensor.reductions import *
from weft_tensor.shape import *
from weft_tensor.special import *
from weft_tensor.stack import Stack
from weft_tensor.subscripts import ARRAY, NEW, SCALAR, Slice, advanced_place, build_key
from weft_tensor.sum_to import SumTo, sum_to
from weft_tensor.tensor_op import TensorOp
from weft_tensor.trigonometric import *
from weft_tensor.type import TensorType
from weft_tensor.variable import TensorVariable

__version__ = "0.1.0"

__all__ = [
    "ARRAY",
    "DTYPES",
    "NEW",
    "SCALAR",
    "SCALARS",
    "Cast",
    "Dim",
    "Elemwise",
    "Index",
    "IndexUpdate",
    "Length",
    "Reduction",
    "Scalar",
    "Slice",
    "SliceLength",
    "Stack",
    "Sum",
    "SumTo",
    "TensorOp",
    "TensorType",
    "TensorVariable",
    "advanced_place",
    "as_axes",
    "as_dtype",
    "as_size",
    "as_tensor",
    "as_tensors",
    "binary",
    "build_key",
    "cast",
    "constant",
    "floating",
    "index",
    "inferred_shapes",
    "lengths_of",
    "loop_dtypes",
    "promote",
    "same_size",
    "static_length",
    "sum",
    "sum_to",
    "ternary",
    "unary",
]
__all__ += arithmetic.__all__
__all__ += branching.__all__
__all__ += comparison.__all__
__all__ += complexes.__all__
__all__ += constants.__all__
__all__ += creation.__all__
__all__ += exponential.__all__
__all__ += inputs.__all__
__all__ += joining.__all__
__all__ += linalg.__all__
__all__ += products.__all__
__all__ += reductions.__all__
__all__ += shape.__all__
__all__ += special.__all__
__all__ += trigonometric.__all__
