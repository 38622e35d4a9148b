"""The Numba backend of Weft: `mode="numba"`."""

from weft_numba import (
    branching,
    cache,
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
    sorting,
)
from weft_numba.dispatch import numba_funcify
from weft_numba.inspection import assembly_code, llvm_code
from weft_numba.linker import NumbaLinker

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
    sorting,
)
"""The modules that fill the table when they are imported."""

__version__ = "0.1.0"

__all__ = ["NumbaLinker", "assembly_code", "cache", "llvm_code", "numba_funcify"]
