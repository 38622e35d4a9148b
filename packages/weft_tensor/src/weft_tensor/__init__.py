"""Tensors for Weft: types, Ops and functions, with NumPy's names and semantics.

A module with Ops is imported when someone asks for one of its names: for that, `_NAMES` has a line
of it, and type checkers have an import. Rows of functions of numbers need neither.
"""

from typing import TYPE_CHECKING

from weft_graph.extend import facts_late, imported_late
from weft_tensor.front.keywords import taking_keywords as _taking_keywords
from weft_tensor.front.methods import TensorVariable as TensorVariable

__version__ = "0.1.0"

facts_late("weft_tensor.facts")

if TYPE_CHECKING:
    from weft_tensor import cluster as cluster
    from weft_tensor import distance as distance
    from weft_tensor import einops as einops
    from weft_tensor import facts as facts
    from weft_tensor import fft as fft
    from weft_tensor import integrate as integrate
    from weft_tensor import interpolate as interpolate
    from weft_tensor import linalg as linalg
    from weft_tensor import loop as loop
    from weft_tensor import ndimage as ndimage
    from weft_tensor import nn as nn
    from weft_tensor import optimize as optimize
    from weft_tensor import polynomial as polynomial
    from weft_tensor import random as random
    from weft_tensor import signal as signal
    from weft_tensor import sparse as sparse
    from weft_tensor import spatial as spatial
    from weft_tensor import special as special
    from weft_tensor import stats as stats
    from weft_tensor import xtensor as xtensor
    from weft_tensor.batching.derivatives import *
    from weft_tensor.batching.functions import *
    from weft_tensor.batching.graphs import vectorize_graph as vectorize_graph
    from weft_tensor.build.convert import as_tensor as as_tensor
    from weft_tensor.build.convert import as_tensor_variable as as_tensor_variable
    from weft_tensor.build.convert import constant as constant
    from weft_tensor.build.kinds import *
    from weft_tensor.build.op import TensorOp as TensorOp
    from weft_tensor.front.array_api import can_cast as can_cast
    from weft_tensor.front.array_api import finfo as finfo
    from weft_tensor.front.array_api import iinfo as iinfo
    from weft_tensor.front.array_api import isdtype as isdtype
    from weft_tensor.front.array_api import result_type as result_type
    from weft_tensor.front.dtype_names import *
    from weft_tensor.front.expansions import *
    from weft_tensor.front.inputs import *
    from weft_tensor.front.methods import TensorVariable as TensorVariable
    from weft_tensor.front.pytensor_names import *
    from weft_tensor.front.random_stream import *
    from weft_tensor.front.shared import *
    from weft_tensor.front.tradition import *
    from weft_tensor.ops.control.apply import *
    from weft_tensor.ops.control.associative_scan import *
    from weft_tensor.ops.control.effects import *
    from weft_tensor.ops.control.ifelse import IfElse as IfElse
    from weft_tensor.ops.control.ifelse import ifelse as ifelse
    from weft_tensor.ops.control.loops import fori_loop as fori_loop
    from weft_tensor.ops.control.loops import while_loop as while_loop
    from weft_tensor.ops.control.map import Map as Map
    from weft_tensor.ops.control.map import map as map
    from weft_tensor.ops.control.recurrence import *
    from weft_tensor.ops.control.scan import reduce as reduce
    from weft_tensor.ops.control.scan import scan as scan
    from weft_tensor.ops.control.scan import until as until
    from weft_tensor.ops.control.switch_case import *
    from weft_tensor.ops.creation.copies import *
    from weft_tensor.ops.creation.creation import Arange as Arange
    from weft_tensor.ops.creation.creation import Eye as Eye
    from weft_tensor.ops.creation.creation import alloc as alloc
    from weft_tensor.ops.creation.creation import arange as arange
    from weft_tensor.ops.creation.creation import eye as eye
    from weft_tensor.ops.creation.creation import full as full
    from weft_tensor.ops.creation.creation import full_like as full_like
    from weft_tensor.ops.creation.creation import identity as identity
    from weft_tensor.ops.creation.creation import linspace as linspace
    from weft_tensor.ops.creation.creation import ones as ones
    from weft_tensor.ops.creation.creation import ones_like as ones_like
    from weft_tensor.ops.creation.creation import zeros as zeros
    from weft_tensor.ops.creation.creation import zeros_like as zeros_like
    from weft_tensor.ops.creation.diagonals import *
    from weft_tensor.ops.creation.index_tricks import *
    from weft_tensor.ops.creation.iota import *
    from weft_tensor.ops.creation.ranges import *
    from weft_tensor.ops.creation.triangles import *
    from weft_tensor.ops.creation.windows import *
    from weft_tensor.ops.elementwise.cast import *
    from weft_tensor.ops.elementwise.op import Elemwise as Elemwise
    from weft_tensor.ops.fft.cosines import EvensFirst as EvensFirst
    from weft_tensor.ops.fft.frequencies import FFTShift as FFTShift
    from weft_tensor.ops.fft.transforms import FFT as FFT
    from weft_tensor.ops.fft.transforms import IRFFT as IRFFT
    from weft_tensor.ops.fft.transforms import RFFT as RFFT
    from weft_tensor.ops.implicit.fixed_points import *
    from weft_tensor.ops.implicit.linear_systems import *
    from weft_tensor.ops.implicit.roots import *
    from weft_tensor.ops.indexing.argmax import *
    from weft_tensor.ops.indexing.choices import *
    from weft_tensor.ops.indexing.flat_places import *
    from weft_tensor.ops.indexing.index import Index as Index
    from weft_tensor.ops.indexing.index import IndexUpdate as IndexUpdate
    from weft_tensor.ops.indexing.index import index as index
    from weft_tensor.ops.indexing.nonzero import *
    from weft_tensor.ops.indexing.order_statistics import *
    from weft_tensor.ops.indexing.partition import *
    from weft_tensor.ops.indexing.searchsorted import *
    from weft_tensor.ops.indexing.segments import *
    from weft_tensor.ops.indexing.sort import ArgSort as ArgSort
    from weft_tensor.ops.indexing.sort import Sort as Sort
    from weft_tensor.ops.indexing.sort import argsort as argsort
    from weft_tensor.ops.indexing.sort import sort as sort
    from weft_tensor.ops.indexing.take import *
    from weft_tensor.ops.indexing.windows import sliding_window_view as sliding_window_view
    from weft_tensor.ops.linalg.cholesky import Cholesky as Cholesky
    from weft_tensor.ops.linalg.cholesky import CholeskyInverse as CholeskyInverse
    from weft_tensor.ops.linalg.cholesky import cholesky as cholesky
    from weft_tensor.ops.linalg.cholesky import cholesky_inverse as cholesky_inverse
    from weft_tensor.ops.linalg.det import Cofactors as Cofactors
    from weft_tensor.ops.linalg.det import Det as Det
    from weft_tensor.ops.linalg.det import SlogDet as SlogDet
    from weft_tensor.ops.linalg.det import det as det
    from weft_tensor.ops.linalg.det import slogdet as slogdet
    from weft_tensor.ops.linalg.eig import Eig as Eig
    from weft_tensor.ops.linalg.eig import Eigvals as Eigvals
    from weft_tensor.ops.linalg.eigh import Eigh as Eigh
    from weft_tensor.ops.linalg.eigh import EighSlope as EighSlope
    from weft_tensor.ops.linalg.eigh import Eigvalsh as Eigvalsh
    from weft_tensor.ops.linalg.lu import *
    from weft_tensor.ops.linalg.matmul import *
    from weft_tensor.ops.linalg.pivots import SymmetricPivots as SymmetricPivots
    from weft_tensor.ops.linalg.qr import QR as QR
    from weft_tensor.ops.linalg.qr import QRSlope as QRSlope
    from weft_tensor.ops.linalg.schur import QZ as QZ
    from weft_tensor.ops.linalg.schur import Hessenberg as Hessenberg
    from weft_tensor.ops.linalg.schur import Schur as Schur
    from weft_tensor.ops.linalg.solve import *
    from weft_tensor.ops.linalg.square import tril as tril
    from weft_tensor.ops.linalg.square import triu as triu
    from weft_tensor.ops.linalg.svd import SVD as SVD
    from weft_tensor.ops.linalg.svd import SingularValues as SingularValues
    from weft_tensor.ops.linalg.svd import SVDSlope as SVDSlope
    from weft_tensor.ops.matrices.banded import SolveBanded as SolveBanded
    from weft_tensor.ops.matrices.exponential import Expm as Expm
    from weft_tensor.ops.matrices.exponential import ExpmFrechet as ExpmFrechet
    from weft_tensor.ops.matrices.hermitian_bands import CholeskyBanded as CholeskyBanded
    from weft_tensor.ops.matrices.hermitian_bands import CholeskyBandedSlope as CholeskyBandedSlope
    from weft_tensor.ops.matrices.least_squares import LstsqSlope as LstsqSlope
    from weft_tensor.ops.matrices.riccati import ClosedLoop as ClosedLoop
    from weft_tensor.ops.matrices.riccati import ContinuousRiccati as ContinuousRiccati
    from weft_tensor.ops.matrices.riccati import Riccati as Riccati
    from weft_tensor.ops.matrices.roots import Logm as Logm
    from weft_tensor.ops.matrices.roots import Sqrtm as Sqrtm
    from weft_tensor.ops.matrices.sylvester import ContinuousLyapunov as ContinuousLyapunov
    from weft_tensor.ops.matrices.sylvester import DiscreteLyapunov as DiscreteLyapunov
    from weft_tensor.ops.matrices.sylvester import StableLyapunov as StableLyapunov
    from weft_tensor.ops.matrices.sylvester import Sylvester as Sylvester
    from weft_tensor.ops.ndimage.connected import FirstConnected as FirstConnected
    from weft_tensor.ops.nn.activations import elu as elu
    from weft_tensor.ops.nn.activations import gelu as gelu
    from weft_tensor.ops.nn.activations import leaky_relu as leaky_relu
    from weft_tensor.ops.nn.activations import one_hot as one_hot
    from weft_tensor.ops.nn.activations import relu as relu
    from weft_tensor.ops.nn.activations import silu as silu
    from weft_tensor.ops.nn.conv import Conv as Conv
    from weft_tensor.ops.numbers.bits import *
    from weft_tensor.ops.numbers.closeness import *
    from weft_tensor.ops.numbers.limits import *
    from weft_tensor.ops.numbers.packing import *
    from weft_tensor.ops.numbers.parts import *
    from weft_tensor.ops.numbers.rounding import *
    from weft_tensor.ops.numbers.waves import *
    from weft_tensor.ops.parallel.collectives import AllGather as AllGather
    from weft_tensor.ops.parallel.collectives import AxisIndex as AxisIndex
    from weft_tensor.ops.parallel.collectives import PMean as PMean
    from weft_tensor.ops.parallel.collectives import PSum as PSum
    from weft_tensor.ops.parallel.collectives import PSumScatter as PSumScatter
    from weft_tensor.ops.parallel.collectives import all_gather as all_gather
    from weft_tensor.ops.parallel.collectives import axis_index as axis_index
    from weft_tensor.ops.parallel.collectives import pmean as pmean
    from weft_tensor.ops.parallel.collectives import psum as psum
    from weft_tensor.ops.parallel.collectives import psum_scatter as psum_scatter
    from weft_tensor.ops.parallel.mesh import Mesh as Mesh
    from weft_tensor.ops.parallel.shard_map import *
    from weft_tensor.ops.parallel.sharding import *
    from weft_tensor.ops.polynomials.fitting import *
    from weft_tensor.ops.polynomials.polynomials import *
    from weft_tensor.ops.products.chains import *
    from weft_tensor.ops.products.convolution import *
    from weft_tensor.ops.products.einsum import *
    from weft_tensor.ops.products.products import *
    from weft_tensor.ops.reduction.base import Sum as Sum
    from weft_tensor.ops.reduction.cumulative import *
    from weft_tensor.ops.reduction.extremes_so_far import *
    from weft_tensor.ops.reduction.logsumexp_softmax import *
    from weft_tensor.ops.reduction.standard import *
    from weft_tensor.ops.reduction.sum_to import SumTo as SumTo
    from weft_tensor.ops.reduction.sum_to import sum_to as sum_to
    from weft_tensor.ops.scalar_functions import *
    from weft_tensor.ops.sets.distinct import *
    from weft_tensor.ops.shape.broadcast_to import *
    from weft_tensor.ops.shape.concatenate import *
    from weft_tensor.ops.shape.dimshuffle import *
    from weft_tensor.ops.shape.editing import *
    from weft_tensor.ops.shape.known_shape import *
    from weft_tensor.ops.shape.length import Length as Length
    from weft_tensor.ops.shape.length import shape as shape
    from weft_tensor.ops.shape.padding import *
    from weft_tensor.ops.shape.rearrange import *
    from weft_tensor.ops.shape.reshape import *
    from weft_tensor.ops.shape.splitting import *
    from weft_tensor.ops.shape.stacking import *
    from weft_tensor.ops.shape.transpose import *
    from weft_tensor.ops.signal.linear_filter import LinearFilter as LinearFilter
    from weft_tensor.ops.statistics.differences import *
    from weft_tensor.ops.statistics.histograms import *
    from weft_tensor.ops.statistics.moments import *
    from weft_tensor.ops.statistics.quantiles import *
    from weft_tensor.ops.statistics.without_nan import *
    from weft_tensor.types.constants import *
    from weft_tensor.types.dtypes import DTYPES as DTYPES
    from weft_tensor.types.symbolic_dims import Dim as Dim
    from weft_tensor.types.tensor_type import *
else:
    _RANKS = "col row scalar tensor3 tensor4 tensor5 vector matrix cols rows scalars tensor3s"
    _RANKS += " tensor4s tensor5s vectors matrices"
    _INPUTS = " ".join(letter + rank for letter in ["", *"bcdfilwz"] for rank in _RANKS.split())
    _NAMES = {
        "batching.derivatives": "hessian hessian_vector_product jacobian jacobian_vector_product",
        "batching.functions": "vectorize vmap",
        "batching.graphs": "vectorize_graph",
        "build.convert": "as_tensor as_tensor_variable constant",
        "build.kinds": "Compress Cut Gather Kind Pointwise Reduction Scan Scatter SumOver View",
        "build.op": "TensorOp",
        "front.array_api": "can_cast finfo iinfo isdtype result_type",
        "front.dtype_names": "bool bool_ complex128 complex64 float32 float64 int16 int32 int64"
        " int8 uint16 uint32 uint64 uint8",
        "front.expansions": "expand expanded shape_by_kind",
        "front.inputs": f"tensor {_INPUTS}",
        "front.methods": "TensorVariable",
        "front.pytensor_names": "atleast_Nd batched_tensordot broadcast_shape chi2sf"
        " complex_from_polar concat_with_broadcast fill_diagonal_offset gammal gammau"
        " get_vector_length horizontal_stack identity_like inverse_permutation iround largest"
        " nonzero_values permute_row_elements round_half_away_from_zero round_half_to_even"
        " smallest to_one_hot tri_gamma vertical_stack",
        "front.random_stream": "RandomStream",
        "front.shared": "shared",
        "front.tradition": "absolute acos acosh alloc_diag amax amin and_ as_symbolic asin asinh"
        " astype atan atan2 atanh batched_dot bitwise_invert bitwise_left_shift"
        " bitwise_right_shift clone_replace complex concat conjugate degrees disconnected_grad"
        " divide divmod equal expit extract_diag fill floor_divide grad_clip grad_scale"
        " graph_replace greater greater_equal inc_subtensor int_div invert join less less_equal"
        " log1pexp max_and_argmax multiply negative not_equal or_ permute_dims power radians"
        " remainder second set_subtensor sgn sqr subtract switch true_divide xor",
        "ops.control.apply": "apply_along_axis apply_over_axes",
        "ops.control.associative_scan": "associative_scan",
        "ops.control.effects": "assert_op check_and_raise print_value",
        "ops.control.ifelse": "IfElse ifelse",
        "ops.implicit.fixed_points": "fixed_point",
        "ops.implicit.linear_systems": "custom_linear_solve",
        "ops.implicit.roots": "custom_root",
        "ops.control.loops": "fori_loop while_loop",
        "ops.control.map": "Map map",
        "ops.control.recurrence": "Recurrence",
        "ops.control.scan": "reduce scan until",
        "ops.control.switch_case": "switch_case",
        "ops.creation.copies": "array asarray ascontiguousarray asfortranarray copy empty"
        " empty_like stacklists tensor_copy",
        "ops.creation.creation": "alloc Arange arange Eye eye full full_like identity linspace ones"
        " ones_like zeros zeros_like",
        "ops.creation.diagonals": "block_diag diag diagonal kron trace tri",
        "ops.creation.index_tricks": "c_ indices ix_ meshgrid mgrid ndindex ogrid r_ s_",
        "ops.creation.iota": "Iota",
        "ops.creation.ranges": "geomspace logspace vander",
        "ops.creation.triangles": "diag_indices diag_indices_from diagflat fill_diagonal"
        " mask_indices tril_indices tril_indices_from triu_indices triu_indices_from",
        "ops.creation.windows": "bartlett blackman hamming hanning kaiser",
        "ops.elementwise.cast": "Cast cast",
        "ops.elementwise.op": "Elemwise",
        "ops.fft.cosines": "EvensFirst",
        "ops.fft.frequencies": "FFTShift",
        "ops.fft.transforms": "FFT IRFFT RFFT",
        "ops.indexing.argmax": "ArgMax argmax ArgMin argmin",
        "ops.indexing.choices": "argwhere choose extract piecewise place put_along_axis select"
        " where",
        "ops.indexing.flat_places": "ravel_multi_index unravel_index",
        "ops.indexing.index": "Index index IndexUpdate",
        "ops.indexing.nonzero": "count_nonzero flatnonzero Nonzero nonzero",
        "ops.indexing.order_statistics": "median OrderStatistics",
        "ops.indexing.partition": "argpartition argtopk lexsort partition topk",
        "ops.indexing.searchsorted": "digitize interp SearchSorted searchsorted",
        "ops.indexing.segments": "segment_max segment_min segment_prod segment_sum",
        "ops.indexing.sort": "ArgSort argsort Sort sort",
        "ops.indexing.take": "bincount compress take take_along_axis",
        "ops.indexing.windows": "sliding_window_view",
        "ops.linalg.cholesky": "Cholesky cholesky cholesky_inverse CholeskyInverse",
        "ops.linalg.det": "Cofactors Det det SlogDet slogdet",
        "ops.linalg.eig": "Eig Eigvals",
        "ops.linalg.eigh": "Eigh EighSlope Eigvalsh",
        "ops.linalg.lu": "lu lu_factor lu_solve LUFactor LUSlope pivot_to_permutation"
        " PivotToPermutations",
        "ops.linalg.matmul": "dot Matmul matmul outer",
        "ops.linalg.pivots": "SymmetricPivots",
        "ops.linalg.qr": "QR QRSlope",
        "ops.linalg.schur": "Hessenberg QZ Schur",
        "ops.linalg.solve": "inv Inverse Solve solve solve_triangular SolveTriangular",
        "ops.linalg.square": "tril triu",
        "ops.linalg.svd": "SingularValues SVD SVDSlope",
        "ops.matrices.banded": "SolveBanded",
        "ops.matrices.exponential": "Expm ExpmFrechet",
        "ops.matrices.hermitian_bands": "CholeskyBanded CholeskyBandedSlope",
        "ops.matrices.least_squares": "LstsqSlope",
        "ops.matrices.riccati": "ClosedLoop ContinuousRiccati Riccati",
        "ops.matrices.roots": "Logm Sqrtm",
        "ops.matrices.sylvester": "ContinuousLyapunov DiscreteLyapunov StableLyapunov Sylvester",
        "ops.nn.conv": "Conv",
        "ops.numbers.bits": "bitwise_count float_power lcm positive",
        "ops.numbers.closeness": "allclose array_equal array_equiv isclose",
        "ops.numbers.limits": "clip fmax fmin heaviside isneginf isposinf nan_to_num",
        "ops.numbers.packing": "packbits unpackbits",
        "ops.numbers.parts": "angle fabs frexp iscomplex isreal ldexp modf signbit spacing",
        "ops.numbers.rounding": "around fix round",
        "ops.numbers.waves": "sinc unwrap",
        "ops.parallel.collectives": "all_gather AllGather axis_index AxisIndex PMean pmean PSum"
        " psum psum_scatter PSumScatter",
        "ops.parallel.mesh": "Mesh",
        "ops.parallel.shard_map": "shard_map ShardMap",
        "ops.parallel.sharding": "Shard shard",
        "ops.polynomials.fitting": "polyfit roots",
        "ops.polynomials.polynomials": "poly polyadd polyder polydiv polyint polymul polysub"
        " polyval",
        "ops.products.chains": "matrix_power multi_dot",
        "ops.products.convolution": "convolve correlate SlidingDot",
        "ops.products.einsum": "einsum",
        "ops.products.products": "cross inner matvec tensordot vdot vecdot vecmat",
        "ops.reduction.base": "Sum",
        "ops.reduction.cumulative": "CumProd cumprod CumProdSlope CumSum cumsum cumulative_prod"
        " cumulative_sum",
        "ops.reduction.extremes_so_far": "CumMax cummax CumMin cummin",
        "ops.reduction.logsumexp_softmax": "log_softmax logsumexp softmax",
        "ops.reduction.standard": "All all any Any_ Max max mean Min min Prod prod size sum",
        "ops.reduction.sum_to": "sum_to SumTo",
        "ops.sets.distinct": "intersect1d isin setdiff1d setxor1d union1d unique unique_all"
        " unique_counts unique_inverse unique_values",
        "ops.shape.broadcast_to": "broadcast_arrays broadcast_to BroadcastTo",
        "ops.shape.concatenate": "Concatenate concatenate stack",
        "ops.shape.dimshuffle": "dimshuffle patternbroadcast shape_padaxis shape_padleft"
        " shape_padright",
        "ops.shape.editing": "append delete insert resize trim_zeros",
        "ops.shape.known_shape": "specify_shape",
        "ops.shape.length": "Length shape",
        "ops.shape.padding": "pad",
        "ops.shape.rearrange": "flip fliplr flipud repeat roll tile",
        "ops.shape.reshape": "atleast_1d atleast_2d expand_dims ExpandDims flatten join_dims ravel"
        " Reshape reshape split_dims Squeeze squeeze",
        "ops.shape.splitting": "array_split dsplit hsplit split vsplit",
        "ops.shape.stacking": "atleast_3d block broadcast_shapes column_stack dstack hstack pack"
        " rollaxis rot90 unpack unstack vstack",
        "ops.shape.transpose": "matrix_transpose moveaxis swapaxes Transpose transpose",
        "ops.signal.linear_filter": "LinearFilter",
        "ops.ndimage.connected": "FirstConnected",
        "ops.nn.activations": "elu gelu leaky_relu one_hot relu silu",
        "ops.statistics.differences": "diff ediff1d gradient trapezoid",
        "ops.statistics.histograms": "histogram histogram2d histogram_bin_edges histogramdd",
        "ops.statistics.moments": "average corrcoef cov ptp std var",
        "ops.statistics.quantiles": "nanmedian nanpercentile nanquantile percentile quantile",
        "ops.statistics.without_nan": "nanargmax nanargmin nancumprod nancumsum nanmax nanmean"
        " nanmin nanprod nanstd nansum nanvar",
        "types.constants": "e euler_gamma inf nan newaxis pi",
        "types.dtypes": "DTYPES",
        "types.symbolic_dims": "Dim",
        "types.tensor_type": "TensorType",
    }
    _MODULES = "cluster distance einops facts fft integrate interpolate linalg loop ndimage nn"
    _MODULES += " optimize polynomial random signal sparse spatial special stats xtensor"
    _NAMES |= {name: name for name in _MODULES.split()}
    _HOMES = {n: f"weft_tensor.{home}" for home, ns in _NAMES.items() for n in ns.split()}
    _get, __dir__ = imported_late(__name__, _HOMES, "weft_tensor.ops.scalar_functions")

    def __getattr__(name):
        value = globals()[name] = _taking_keywords(_get(name))
        return value
