"""Tensors for Weft: types, Ops and functions, with NumPy's names and semantics."""

from weft_tensor import elementwise as _functions
from weft_tensor import facts, random
from weft_tensor.batching import control as _control_rules
from weft_tensor.batching import indexing as _indexing_rules
from weft_tensor.batching import opaque as _opaque_rules
from weft_tensor.batching.derivatives import *
from weft_tensor.batching.functions import *
from weft_tensor.batching.graphs import vectorize_graph
from weft_tensor.build.convert import as_tensor, as_tensor_variable, constant
from weft_tensor.build.kinds import *
from weft_tensor.build.op import TensorOp
from weft_tensor.elementwise import *
from weft_tensor.facts import elementwise as facts_elementwise
from weft_tensor.facts import matrices as facts_matrices
from weft_tensor.front.expansions import *
from weft_tensor.front.inputs import *
from weft_tensor.front.methods import TensorVariable
from weft_tensor.front.random_stream import RandomStream
from weft_tensor.front.shared import shared
from weft_tensor.front.tradition import *
from weft_tensor.linalg import *
from weft_tensor.ops.control.apply import *
from weft_tensor.ops.control.effects import *
from weft_tensor.ops.control.ifelse import IfElse, ifelse
from weft_tensor.ops.control.map import Map, map
from weft_tensor.ops.creation.copies import *
from weft_tensor.ops.creation.creation import *
from weft_tensor.ops.creation.diagonals import *
from weft_tensor.ops.creation.index_tricks import *
from weft_tensor.ops.creation.iota import Iota
from weft_tensor.ops.creation.ranges import *
from weft_tensor.ops.creation.triangles import *
from weft_tensor.ops.creation.windows import *
from weft_tensor.ops.elementwise.cast import Cast, cast
from weft_tensor.ops.elementwise.op import Elemwise
from weft_tensor.ops.indexing.choices import *
from weft_tensor.ops.indexing.flat_places import *
from weft_tensor.ops.indexing.index import Index, IndexUpdate, index
from weft_tensor.ops.indexing.nonzero import *
from weft_tensor.ops.indexing.partition import *
from weft_tensor.ops.indexing.searchsorted import *
from weft_tensor.ops.indexing.sort import *
from weft_tensor.ops.indexing.take import *
from weft_tensor.ops.linalg.matmul import *
from weft_tensor.ops.numbers.bits import *
from weft_tensor.ops.numbers.closeness import *
from weft_tensor.ops.numbers.limits import *
from weft_tensor.ops.numbers.packing import *
from weft_tensor.ops.numbers.parts import *
from weft_tensor.ops.numbers.rounding import *
from weft_tensor.ops.numbers.waves import *
from weft_tensor.ops.parallel.collectives import *
from weft_tensor.ops.parallel.mesh import Mesh
from weft_tensor.ops.parallel.shard_map import *
from weft_tensor.ops.parallel.sharding import *
from weft_tensor.ops.polynomials.polynomials import *
from weft_tensor.ops.products.convolution import *
from weft_tensor.ops.products.einsum import *
from weft_tensor.ops.products.products import *
from weft_tensor.ops.reduction.base import Sum
from weft_tensor.ops.reduction.cumulative import (
    CumProd,
    CumSum,
    cumprod,
    cumsum,
    cumulative_prod,
    cumulative_sum,
)
from weft_tensor.ops.reduction.extremes_so_far import *
from weft_tensor.ops.reduction.logsumexp import *
from weft_tensor.ops.reduction.standard import *
from weft_tensor.ops.reduction.sum_to import SumTo, sum_to
from weft_tensor.ops.sets.distinct import *
from weft_tensor.ops.shape.broadcast_to import *
from weft_tensor.ops.shape.concatenate import *
from weft_tensor.ops.shape.dimshuffle import *
from weft_tensor.ops.shape.editing import *
from weft_tensor.ops.shape.known_shape import *
from weft_tensor.ops.shape.length import Length
from weft_tensor.ops.shape.padding import *
from weft_tensor.ops.shape.rearrange import *
from weft_tensor.ops.shape.reshape import *
from weft_tensor.ops.shape.splitting import *
from weft_tensor.ops.shape.stacking import *
from weft_tensor.ops.shape.transpose import *
from weft_tensor.ops.statistics.differences import *
from weft_tensor.ops.statistics.histograms import *
from weft_tensor.ops.statistics.moments import *
from weft_tensor.ops.statistics.quantiles import *
from weft_tensor.ops.statistics.without_nan import *
from weft_tensor.types.constants import *
from weft_tensor.types.dtypes import DTYPES
from weft_tensor.types.symbolic_dims import Dim
from weft_tensor.types.tensor_type import TensorType

_JUDGES = (facts_elementwise, facts_matrices)
"""The modules that say, when they are imported, which facts follow from which."""

_RULES = (_control_rules, _indexing_rules, _opaque_rules)
"""The modules that say, when they are imported, how Ops get one leading axis more."""

__version__ = "0.1.0"

__all__ = [
    "DTYPES",
    "Cast",
    "Dim",
    "Elemwise",
    "Index",
    "IndexUpdate",
    "Length",
    "Mesh",
    "RandomStream",
    "Sum",
    "SumTo",
    "TensorOp",
    "TensorType",
    "TensorVariable",
    "as_tensor",
    "as_tensor_variable",
    "cast",
    "constant",
    "facts",
    "index",
    "random",
    "shared",
    "sum",
    "sum_to",
    "vectorize_graph",
]
# Literal lists, because type checkers do not read others; a test compares them with the modules.
# ruff: noqa: F405, RUF022
# fmt: off
__all__ += [  # batching
    "hessian", "hessian_vector_product", "jacobian", "jacobian_vector_product", "vectorize",
    "vmap",
]
__all__ += [  # stacking
    "atleast_3d", "block", "broadcast_shapes", "column_stack", "dstack", "hstack", "pack",
    "rollaxis", "rot90", "shape", "unpack", "unstack", "vstack",
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
    "diag_indices", "diag_indices_from", "diagflat", "fill_diagonal", "mask_indices",
    "tril_indices", "tril_indices_from", "triu_indices", "triu_indices_from",
]
__all__ += [  # copies
    "array", "asarray", "ascontiguousarray", "asfortranarray", "copy", "empty", "empty_like",
    "stacklists", "tensor_copy",
]
__all__ += [  # logsumexp
    "log_softmax", "logsumexp", "softmax",
]
__all__ += [  # searchsorted
    "SearchSorted", "digitize", "interp", "searchsorted",
]
__all__ += [  # choices
    "argwhere", "choose", "extract", "piecewise", "place", "put_along_axis", "select", "where",
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
    "absolute", "acos", "acosh", "alloc_diag", "amax", "amin", "and_", "as_symbolic",
    "asin", "asinh", "astype", "atan", "atan2", "atanh", "batched_dot", "bitwise_invert",
    "bitwise_left_shift", "bitwise_right_shift", "clone_replace", "complex", "concat",
    "conjugate", "degrees", "disconnected_grad", "divide", "divmod", "equal", "expit",
    "extract_diag", "fill", "floor_divide", "greater", "greater_equal",
    "inc_subtensor", "int_div", "invert", "join", "less", "less_equal", "log1pexp",
    "max_and_argmax", "multiply", "negative", "not_equal", "or_", "permute_dims", "power",
    "radians", "remainder", "second", "set_subtensor", "sgn", "sqr", "subtract", "switch",
    "true_divide", "xor",
]
__all__ += [  # numbers
    "around", "array_equiv", "bitwise_count", "float_power", "positive",
    "allclose", "angle", "array_equal", "clip", "fabs", "fix", "fmax", "fmin", "frexp",
    "heaviside", "isclose", "iscomplex", "isneginf", "isposinf", "isreal", "lcm", "ldexp",
    "modf", "nan_to_num", "packbits", "round", "signbit", "sinc", "spacing", "unpackbits", "unwrap",
]
__all__ += [  # polynomials
    "poly", "polyadd", "polyder", "polydiv", "polyint", "polymul", "polysub", "polyval",
]
__all__ += [  # statistics
    "histogram", "histogram2d", "histogram_bin_edges",
    "average", "corrcoef", "cov", "diff", "ediff1d", "gradient", "nanargmax", "nanargmin",
    "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmedian", "nanmin", "nanpercentile",
    "nanprod", "nanquantile", "nanstd", "nansum", "nanvar", "percentile", "ptp", "quantile",
    "std", "trapezoid", "var",
]
__all__ += [  # branching
    "IfElse", "ifelse",
]
__all__ += [  # choosing
    "bincount", "compress", "take",
]
__all__ += [  # collectives
    "AllGather", "AxisIndex", "PMean", "PSum", "PSumScatter", "all_gather", "axis_index",
    "pmean", "psum", "psum_scatter",
]
__all__ += [  # constants
    "e", "euler_gamma", "inf", "nan", "newaxis", "pi",
]
__all__ += [  # creation
    "Arange", "Eye", "Iota", "alloc", "arange", "eye", "full", "full_like", "identity",
    "linspace", "ones", "ones_like", "zeros", "zeros_like",
]
__all__ += [  # cumulative
    "CumMax", "CumMin", "CumProd", "CumSum", "cummax", "cummin", "cumprod", "cumsum",
    "cumulative_prod", "cumulative_sum",
]
__all__ += [  # diagonals
    "block_diag", "diag", "diagonal", "kron", "trace", "tri",
]
__all__ += [  # effects
    "assert_op", "check_and_raise", "print_value",
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
__all__ += [  # joining
    "Concatenate", "concatenate", "stack",
]
__all__ += [  # kinds
    "Compress", "Cut", "Gather", "Kind", "Pointwise", "Reduction", "Scan", "Scatter", "SumOver",
    "View", "expand", "expanded", "shape_by_kind",
]
__all__ += [  # linalg
    "Cholesky", "CholeskyInverse", "Cofactors", "Det", "Inverse", "LUFactor",
    "PivotToPermutations", "SVD", "SlogDet", "Solve", "SolveTriangular", "cholesky",
    "cholesky_inverse", "det", "inv", "lu", "lu_factor", "lu_solve", "matrix_power", "multi_dot",
    "pivot_to_permutation",
    "slogdet", "solve", "solve_triangular", "tril", "triu",
]
__all__ += [  # map
    "Map", "map",
]
__all__ += [  # nonzero
    "Nonzero", "count_nonzero", "flatnonzero", "nonzero",
]
__all__ += [  # padding
    "pad",
]
__all__ += [  # products
    "Matmul", "convolve", "correlate", "cross", "dot", "einsum", "inner", "matmul", "matvec",
    "outer", "tensordot", "vdot", "vecdot", "vecmat",
]
__all__ += [  # reductions
    "All", "Any_", "Max", "Min", "Prod", "all", "any", "max", "mean", "min", "prod", "size",
]
__all__ += [  # repeating
    "flip", "fliplr", "flipud", "repeat", "roll", "tile",
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
__all__ += [  # splitting
    "array_split", "split", "dsplit", "hsplit", "vsplit",
]
# fmt: on
__all__ += [name for name in vars(_functions) if not name.startswith("_")]
