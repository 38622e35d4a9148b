"""The Numba backend of Weft: `mode="numba"`."""

from typing import TYPE_CHECKING

from weft_graph.extend import disk_cache as cache
from weft_graph.extend import imported_late
from weft_numba.linker import NumbaLinker
from weft_numba.lowering.dispatch import numba_funcify

if TYPE_CHECKING:
    from weft_numba.embedding import as_cfunc as as_cfunc
    from weft_numba.embedding import as_njit as as_njit
    from weft_numba.inspection import assembly_code as assembly_code
    from weft_numba.inspection import llvm_code as llvm_code
else:  # these bring what compiles, which the linker imports when something is not on disk
    __getattr__, __dir__ = imported_late(
        __name__,
        {
            "as_cfunc": "weft_numba.embedding",
            "as_njit": "weft_numba.embedding",
            "assembly_code": "weft_numba.inspection",
            "llvm_code": "weft_numba.inspection",
        },
    )

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
