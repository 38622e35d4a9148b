"""The Numba backend of Weft: `mode="numba"`."""

from weft_numba import cache
from weft_numba.linker import NumbaLinker
from weft_numba.llvm.scalar import table as scalars
from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.ops.control import barrier as checkpointing
from weft_numba.ops.control import effects, map, op_from_graph
from weft_numba.ops.control import ifelse as branching
from weft_numba.ops.creation import creation
from weft_numba.ops.indexing import index as indexing
from weft_numba.ops.indexing import searchsorted
from weft_numba.ops.indexing import sort as sorting
from weft_numba.ops.linalg import cholesky_solve_det as linalg
from weft_numba.ops.linalg import lu
from weft_numba.ops.linalg import matmul as products
from weft_numba.ops.shape import concatenate as joining
from weft_numba.ops.shape import length, shape
from weft_numba.runtime.inspection import assembly_code, llvm_code

_LOWERINGS = (
    branching,
    checkpointing,
    creation,
    effects,
    indexing,
    joining,
    length,
    linalg,
    lu,
    map,
    op_from_graph,
    products,
    scalars,
    shape,
    searchsorted,
    sorting,
)
"""The modules that fill the table when they are imported."""

__version__ = "0.1.0"

__all__ = ["NumbaLinker", "assembly_code", "cache", "llvm_code", "numba_funcify"]
