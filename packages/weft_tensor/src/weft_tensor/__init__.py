"""Tensors for Weft: types, Ops and functions, with NumPy's names and semantics."""

from weft_tensor import facts, random
from weft_tensor.build.convert import as_tensor, as_tensor_variable, as_tensors, constant
from weft_tensor.build.op import TensorOp
from weft_tensor.build.stack import Stack
from weft_tensor.facts import elementwise as facts_elementwise
from weft_tensor.facts import matrices as facts_matrices
from weft_tensor.front.did_you_mean import unknown_name
from weft_tensor.front.inputs import *
from weft_tensor.front.numpy_protocol import names_by_numpy
from weft_tensor.front.shared import shared
from weft_tensor.front.tradition import *
from weft_tensor.front.variable import TensorVariable
from weft_tensor.linalg import *
from weft_tensor.ops.control.apply import *
from weft_tensor.ops.control.effects import *
from weft_tensor.ops.control.ifelse import *
from weft_tensor.ops.control.map import *
from weft_tensor.ops.creation.copies import *
from weft_tensor.ops.creation.creation import *
from weft_tensor.ops.creation.diagonals import *
from weft_tensor.ops.creation.index_tricks import *
from weft_tensor.ops.creation.ranges import *
from weft_tensor.ops.creation.triangles import *
from weft_tensor.ops.creation.windows import *
from weft_tensor.ops.elementwise.arithmetic import *
from weft_tensor.ops.elementwise.cast import Cast, cast
from weft_tensor.ops.elementwise.comparison import *  # type: ignore[assignment]  # `where` is that of choices
from weft_tensor.ops.elementwise.complex import *
from weft_tensor.ops.elementwise.erfcx import *
from weft_tensor.ops.elementwise.erfinv import *
from weft_tensor.ops.elementwise.exponential import *
from weft_tensor.ops.elementwise.special import *
from weft_tensor.ops.elementwise.table import (
    SCALARS,
    Elemwise,
    Scalar,
    binary,
    floating,
    loop_dtypes,
    ternary,
    unary,
)
from weft_tensor.ops.elementwise.trigonometric import *
from weft_tensor.ops.indexing.choices import *
from weft_tensor.ops.indexing.flat_places import *
from weft_tensor.ops.indexing.index import Index, IndexUpdate, SliceLength, index
from weft_tensor.ops.indexing.nonzero import *
from weft_tensor.ops.indexing.partition import *
from weft_tensor.ops.indexing.searchsorted import *
from weft_tensor.ops.indexing.sort import *
from weft_tensor.ops.indexing.subscript import ARRAY, NEW, SCALAR, Slice, advanced_place, build_key
from weft_tensor.ops.indexing.take import *
from weft_tensor.ops.linalg.matmul import *
from weft_tensor.ops.parallel.collectives import *
from weft_tensor.ops.parallel.mesh import Mesh, Spec, as_spec
from weft_tensor.ops.parallel.shard_map import *
from weft_tensor.ops.parallel.sharding import *
from weft_tensor.ops.random.threefry import *
from weft_tensor.ops.reduction.base import Reduction, Sum, as_axes, sum
from weft_tensor.ops.reduction.cumulative import *
from weft_tensor.ops.reduction.standard import *
from weft_tensor.ops.reduction.sum_to import SumTo, sum_to
from weft_tensor.ops.sets.distinct import *
from weft_tensor.ops.shape.concatenate import *
from weft_tensor.ops.shape.dimshuffle import *
from weft_tensor.ops.shape.editing import *
from weft_tensor.ops.shape.known_shape import *
from weft_tensor.ops.shape.length import (
    Length,
    as_size,
    has_lengths,
    inferred_shapes,
    lengths_of,
    same_size,
    static_length,
)
from weft_tensor.ops.shape.padding import *
from weft_tensor.ops.shape.rearrange import *
from weft_tensor.ops.shape.reshape import *
from weft_tensor.ops.shape.splitting import *
from weft_tensor.ops.shape.stacking import *
from weft_tensor.ops.statistics.moments import *
from weft_tensor.types.constants import *
from weft_tensor.types.dtypes import DTYPES, as_dtype, promote
from weft_tensor.types.symbolic_dims import Dim
from weft_tensor.types.tensor_type import TensorType

_JUDGES = (facts_elementwise, facts_matrices)
"""The modules that say, when they are imported, which facts follow from which."""

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
    "Mesh",
    "Reduction",
    "Scalar",
    "Slice",
    "SliceLength",
    "Spec",
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
    "as_spec",
    "as_tensor",
    "as_tensor_variable",
    "as_tensors",
    "binary",
    "build_key",
    "cast",
    "constant",
    "facts",
    "floating",
    "has_lengths",
    "index",
    "inferred_shapes",
    "lengths_of",
    "loop_dtypes",
    "names_by_numpy",
    "promote",
    "random",
    "same_size",
    "shared",
    "static_length",
    "sum",
    "sum_to",
    "ternary",
    "unary",
    "unknown_name",
]
# Literal lists, because type checkers do not read others; a test compares them with the modules.
# ruff: noqa: F405, RUF022
# fmt: off
__all__ += [  # statistics
    "average", "corrcoef", "cov", "ptp", "std", "var",
]
__all__ += [  # arithmetic
    "abs", "add", "cbrt", "ceil", "copysign", "deg2rad", "floor", "floor_div", "fmod", "hypot",
    "maximum", "minimum", "mod", "mul", "neg", "nextafter", "pow", "rad2deg", "reciprocal",
    "rint", "sign", "sqrt", "square", "sub", "true_div", "trunc",
]
__all__ += [  # branching
    "IfElse", "Undefined", "ifelse",
]
__all__ += [  # choosing
    "bincount", "compress", "take",
]
__all__ += [  # collectives
    "AllGather", "AxisIndex", "Collective", "PMean", "PSum", "PSumScatter", "all_gather",
    "axis_index", "pmean", "psum", "psum_scatter",
]
__all__ += [  # comparison
    "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "broadcast_length", "eq", "ge",
    "gt", "isfinite", "isinf", "isnan", "le", "left_shift", "logical_and", "logical_not",
    "logical_or", "logical_xor", "lt", "neq", "right_shift", "where",
]
__all__ += [  # complexes
    "conj", "imag", "real",
]
__all__ += [  # constants
    "e", "euler_gamma", "inf", "nan", "newaxis", "pi",
]
__all__ += [  # creation
    "Arange", "Eye", "WholeNumber", "alloc", "arange", "eye", "full", "full_like", "identity",
    "linspace", "ones", "ones_like", "zeros", "zeros_like",
]
__all__ += [  # cumulative
    "CumProd", "CumSum", "Cumulative", "cumprod", "cumsum",
]
__all__ += [  # diagonals
    "block_diag", "diag", "diagonal", "kron", "trace", "tri",
]
__all__ += [  # effects
    "assert_op", "check_and_raise", "print_value",
]
__all__ += [  # exponential
    "exp", "exp2", "expm1", "log", "log10", "log1mexp", "log1p", "log2", "logaddexp",
    "logaddexp2", "sigmoid", "softplus",
]
__all__ += [  # inputs
    "bcol", "bcols", "bmatrices", "bmatrix", "brow", "brows", "bscalar", "bscalars", "btensor3",
    "btensor3s", "btensor4", "btensor4s", "btensor5", "btensor5s", "bvector", "bvectors",
    "ccol", "ccols", "cmatrices", "cmatrix", "col", "cols", "crow", "crows", "cscalar",
    "cscalars", "ctensor3", "ctensor3s", "ctensor4", "ctensor4s", "ctensor5", "ctensor5s",
    "cvector", "cvectors", "dcol", "dcols", "dmatrices", "dmatrix", "drow", "drows", "dscalar",
    "dscalars", "dtensor3", "dtensor3s", "dtensor4", "dtensor4s", "dtensor5", "dtensor5s",
    "dvector", "dvectors", "fcol", "fcols", "fmatrices", "fmatrix", "frow", "frows", "fscalar",
    "fscalars", "ftensor3", "ftensor3s", "ftensor4", "ftensor4s", "ftensor5", "ftensor5s",
    "fvector", "fvectors", "icol", "icols", "imatrices", "imatrix", "irow", "irows", "iscalar",
    "iscalars", "itensor3", "itensor3s", "itensor4", "itensor4s", "itensor5", "itensor5s",
    "ivector", "ivectors", "lcol", "lcols", "lmatrices", "lmatrix", "lrow", "lrows", "lscalar",
    "lscalars", "ltensor3", "ltensor3s", "ltensor4", "ltensor4s", "ltensor5", "ltensor5s",
    "lvector", "lvectors", "matrices", "matrix", "row", "rows", "scalar", "scalars", "tensor",
    "tensor3", "tensor3s", "tensor4", "tensor4s", "tensor5", "tensor5s", "vector", "vectors",
    "wcol", "wcols", "wmatrices", "wmatrix", "wrow", "wrows", "wscalar", "wscalars", "wtensor3",
    "wtensor3s", "wtensor4", "wtensor4s", "wtensor5", "wtensor5s", "wvector", "wvectors",
    "zcol", "zcols", "zmatrices", "zmatrix", "zrow", "zrows", "zscalar", "zscalars", "ztensor3",
    "ztensor3s", "ztensor4", "ztensor4s", "ztensor5", "ztensor5s", "zvector", "zvectors",
]
__all__ += [  # inverse_erf
    "ERFINV_CENTRE", "ERFINV_TAIL",
]
__all__ += [  # joining
    "Concatenate", "concatenate", "stack",
]
__all__ += [  # linalg
    "Cholesky", "CholeskyInverse", "Cofactors", "Det", "Inverse", "LUFactor",
    "PivotToPermutations", "SVD", "SlogDet", "Solve", "SolveTriangular", "cholesky",
    "cholesky_inverse", "det", "inv", "lu", "lu_factor", "lu_solve",
    "pivot_to_permutation", "slogdet", "solve", "solve_triangular", "tril", "triu",
]
__all__ += [  # map
    "Map", "NO_ELEMENTS", "lengths_of_elements", "map", "mapped_by",
]
__all__ += [  # nonzero
    "Nonzero", "count_nonzero", "flatnonzero", "nonzero",
]
__all__ += [  # padding
    "pad",
]
__all__ += [  # products
    "Matmul", "dot", "matmul", "outer",
]
__all__ += [  # reductions
    "All", "Any_", "Max", "Min", "Prod", "all", "any", "max", "mean", "min", "prod", "size",
]
__all__ += [  # repeating
    "flip", "fliplr", "flipud", "repeat", "roll", "tile",
]
__all__ += [  # scaled_erfc
    "ERFCX",
]
__all__ += [  # shape
    "BroadcastTo", "ExpandDims", "Reshape", "Squeeze", "Transpose", "atleast_1d", "atleast_2d",
    "broadcast_arrays", "broadcast_to", "expand_dims", "flatten", "matrix_transpose",
    "moveaxis", "ravel", "reshape", "squeeze", "swapaxes", "transpose",
]
__all__ += [  # shard_map
    "ShardMap", "shard_map",
]
__all__ += [  # sharding
    "Shard", "shard",
]
__all__ += [  # sorting
    "ArgMax", "ArgMin", "ArgSort", "Sort", "argmax", "argmin", "argsort", "median", "sort",
    "take_along_axis", "unique",
]
__all__ += [  # special
    "erf", "erfc", "erfcx", "erfinv", "log_ndtr", "logerfc",
]
__all__ += [  # splitting
    "array_split", "dsplit", "hsplit", "split", "vsplit",
]
__all__ += [  # threefry
    "THREEFRY_PARITY", "THREEFRY_ROTATIONS", "threefry2x32",
]
__all__ += [  # trigonometric
    "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "cos", "cosh",
    "sin", "sinh", "tan", "tanh",
]
__all__ += [  # stacking
    "atleast_3d", "broadcast_shapes", "column_stack", "dstack", "hstack", "pack", "rollaxis",
    "rot90", "shape", "unpack", "unstack", "vstack",
]
__all__ += [  # known_shape
    "specify_shape",
]
__all__ += [  # editing
    "append", "delete", "insert", "resize", "trim_zeros",
]
__all__ += [  # flat_places
    "ravel_multi_index", "unravel_index",
]
__all__ += [  # ranges
    "geomspace", "logspace", "vander",
]
__all__ += [  # windows
    "bartlett", "blackman", "hamming", "hanning",
]
__all__ += [  # index_tricks
    "c_", "indices", "ix_", "meshgrid", "mgrid", "ogrid", "r_", "s_",
]
__all__ += [  # triangles
    "diag_indices", "diag_indices_from", "diagflat", "fill_diagonal", "tril_indices",
    "tril_indices_from", "triu_indices", "triu_indices_from",
]
__all__ += [  # copies
    "asarray", "ascontiguousarray", "asfortranarray", "copy", "empty", "empty_like",
    "stacklists", "tensor_copy",
]
__all__ += [  # searchsorted
    "SearchSorted", "digitize", "interp", "searchsorted",
]
__all__ += [  # choices
    "argwhere", "choose", "extract", "piecewise", "place", "put_along_axis", "select",
]
__all__ += [  # partition
    "argpartition", "argtopk", "lexsort", "partition", "topk",
]
__all__ += [  # distinct
    "intersect1d", "isin", "setdiff1d", "setxor1d", "union1d", "unique_all", "unique_counts",
    "unique_inverse", "unique_values",
]
__all__ += [  # apply
    "apply_along_axis", "apply_over_axes",
]
__all__ += [  # dimshuffle
    "dimshuffle", "patternbroadcast", "shape_padaxis", "shape_padleft", "shape_padright",
]
__all__ += [  # tradition
    "acos", "acosh", "alloc_diag", "as_symbolic", "asin", "asinh", "astype", "atan", "atan2",
    "atanh", "batched_dot", "bitwise_invert", "bitwise_left_shift", "bitwise_right_shift",
    "clone_replace", "concat", "extract_diag", "inc_subtensor", "join", "permute_dims",
    "set_subtensor", "switch",
]
# fmt: on
