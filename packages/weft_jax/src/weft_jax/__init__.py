"""The JAX backend of Weft: `mode="jax"`."""

from weft_graph.extend import disk_cache as cache
from weft_jax.analysis.shape_policy import DynamicShapeError, DynamicShapeInLoopError
from weft_jax.compile.compile_stats import RecompileWarning
from weft_jax.compile.persistent_cache import cache_compilations
from weft_jax.divided_linker import JAX
from weft_jax.interop.as_jax import as_jax
from weft_jax.interop.wrap_jax import JAXFunction, JAXOp, wrap_jax
from weft_jax.linker import JAXLinker
from weft_jax.lowering.dispatch import jax_funcify
from weft_jax.ops.control import (
    barrier,
    branch,
    effects,
    ifelse,
    map,
    op_from_graph,
    recurrence,
    static,
)
from weft_jax.ops.creation import creation
from weft_jax.ops.elementwise import cast
from weft_jax.ops.elementwise import op as elemwise
from weft_jax.ops.fft import cosines, frequencies, transforms
from weft_jax.ops.indexing import argmax, index, nonzero, order_statistics, searchsorted, sort
from weft_jax.ops.linalg import cholesky, det, eig, eigh, lu, matmul, pivots, qr, schur, solve, svd
from weft_jax.ops.matrices import banded, exponential, riccati, roots, sylvester
from weft_jax.ops.ndimage import connected
from weft_jax.ops.nn import conv
from weft_jax.ops.parallel import collectives, shard_map
from weft_jax.ops.parallel.mesh import connect, distribute
from weft_jax.ops.products import convolution
from weft_jax.ops.reduction import scan, standard, sum_to
from weft_jax.ops.shape import concatenate, length, reshape
from weft_jax.ops.signal import linear_filter
from weft_jax.runtime.runtime_checks import require

_LOWERINGS = (
    argmax,
    banded,
    barrier,
    branch,
    cast,
    cholesky,
    collectives,
    concatenate,
    conv,
    convolution,
    connected,
    linear_filter,
    creation,
    det,
    effects,
    eig,
    eigh,
    exponential,
    ifelse,
    index,
    length,
    lu,
    map,
    matmul,
    pivots,
    nonzero,
    op_from_graph,
    recurrence,
    order_statistics,
    qr,
    reshape,
    scan,
    riccati,
    roots,
    schur,
    shard_map,
    searchsorted,
    solve,
    sort,
    standard,
    static,
    sum_to,
    svd,
    sylvester,
    elemwise,
    cosines,
    frequencies,
    transforms,
)
"""The modules that fill the table when they are imported."""

__version__ = "0.1.0"

__all__ = [
    "JAX",
    "DynamicShapeError",
    "DynamicShapeInLoopError",
    "JAXFunction",
    "JAXLinker",
    "JAXOp",
    "RecompileWarning",
    "as_jax",
    "cache",
    "cache_compilations",
    "connect",
    "distribute",
    "jax_funcify",
    "require",
    "wrap_jax",
]
