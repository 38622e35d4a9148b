"""Linear algebra: `wt.linalg`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from weft_tensor.front.unknown_name import unknown_name
from weft_tensor.ops.linalg.cholesky import Cholesky, CholeskyInverse, cholesky, cholesky_inverse
from weft_tensor.ops.linalg.det import Cofactors, Det, SlogDet, det, slogdet
from weft_tensor.ops.linalg.lu import (
    LUFactor,
    PivotToPermutations,
    lu,
    lu_factor,
    lu_solve,
    pivot_to_permutation,
)
from weft_tensor.ops.linalg.matmul import matmul, outer
from weft_tensor.ops.linalg.solve import (
    Inverse,
    Solve,
    SolveTriangular,
    inv,
    solve,
    solve_triangular,
)
from weft_tensor.ops.linalg.square import tril, triu
from weft_tensor.ops.linalg.svd import SVD
from weft_tensor.ops.products.chains import matrix_power, multi_dot
from weft_tensor.ops.products.products import cross, tensordot, vecdot
from weft_tensor.ops.shape.transpose import matrix_transpose

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        raise unknown_name(__name__, name, {n: n for n in __all__}, "numpy.linalg")


__all__ = [
    "SVD",
    "Cholesky",
    "CholeskyInverse",
    "Cofactors",
    "Det",
    "Inverse",
    "LUFactor",
    "PivotToPermutations",
    "SlogDet",
    "Solve",
    "SolveTriangular",
    "cholesky",
    "cholesky_inverse",
    "cross",
    "det",
    "inv",
    "lu",
    "lu_factor",
    "lu_solve",
    "matmul",
    "matrix_power",
    "matrix_transpose",
    "multi_dot",
    "outer",
    "pivot_to_permutation",
    "slogdet",
    "solve",
    "solve_triangular",
    "tensordot",
    "tril",
    "triu",
    "vecdot",
]
