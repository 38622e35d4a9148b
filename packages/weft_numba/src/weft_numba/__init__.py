"""The Numba backend of Weft: `mode="numba"`."""

from weft_numba import cache
from weft_numba.embedding import as_cfunc, as_njit
from weft_numba.inspection import assembly_code, llvm_code
from weft_numba.linker import NumbaLinker
from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.ops.control import barrier, effects, ifelse, map, op_from_graph, recurrence
from weft_numba.ops.creation import creation
from weft_numba.ops.elementwise import op
from weft_numba.ops.fft import cosines, frequencies, transforms
from weft_numba.ops.indexing import argmax, index, order_statistics, searchsorted, sort
from weft_numba.ops.linalg import cholesky, det, eig, eigh, lu, matmul, qr, schur, solve, svd
from weft_numba.ops.matrices import (
    banded,
    exponential,
    hermitian_bands,
    least_squares,
    riccati,
    roots,
    sylvester,
)
from weft_numba.ops.nn import conv
from weft_numba.ops.products import convolution
from weft_numba.ops.reduction import cumulative
from weft_numba.ops.shape import concatenate, length, reshape
from weft_numba.ops.signal import linear_filter

_LOWERINGS = (
    argmax,
    banded,
    barrier,
    cholesky,
    concatenate,
    conv,
    convolution,
    creation,
    cumulative,
    det,
    effects,
    eig,
    eigh,
    exponential,
    cosines,
    frequencies,
    hermitian_bands,
    ifelse,
    index,
    least_squares,
    length,
    linear_filter,
    lu,
    map,
    matmul,
    op,
    op_from_graph,
    recurrence,
    order_statistics,
    qr,
    reshape,
    riccati,
    roots,
    schur,
    searchsorted,
    solve,
    sort,
    svd,
    sylvester,
    transforms,
)
"""The modules that fill the table when they are imported."""

__version__ = "0.1.0"

__all__ = [
    "NumbaLinker",
    "as_cfunc",
    "as_njit",
    "assembly_code",
    "cache",
    "llvm_code",
    "numba_funcify",
]
