"""Sparse matrices: `wt.sparse`, with the names of `scipy.sparse`.

In: the numbers of matrices, and where they stand.
Out: such matrices, and what follows from products with them.
Next: graphs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from weft_tensor.front.keywords import take_keywords
from weft_tensor.front.unknown_name import unknown_name
from weft_tensor.ops.sparse.construction import (
    coo_array,
    csc_array,
    csr_array,
    diags_array,
    eye_array,
    matrix,
)
from weft_tensor.ops.sparse.joining import block_array, block_diag, hstack, kron, kronsum, vstack
from weft_tensor.ops.sparse.parts import find, matrix_transpose, norm, tril, triu
from weft_tensor.ops.sparse.solving import spsolve
from weft_tensor.ops.sparse.sparse_array import SparseArray
from weft_tensor.sparse import csgraph, linalg

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        places = ("scipy.sparse", "scipy.sparse.linalg")
        raise unknown_name(__name__, name, {n: n for n in __all__}, *places)


__all__ = [
    "SparseArray",
    "block_array",
    "block_diag",
    "coo_array",
    "csc_array",
    "csgraph",
    "csr_array",
    "diags_array",
    "eye_array",
    "find",
    "hstack",
    "kron",
    "kronsum",
    "linalg",
    "matrix",
    "matrix_transpose",
    "norm",
    "spsolve",
    "tril",
    "triu",
    "vstack",
]

take_keywords(globals())
