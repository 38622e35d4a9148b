"""Linear algebra by products: `wt.sparse.linalg`, with the names of `scipy.sparse.linalg`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from weft_tensor.front.keywords import take_keywords
from weft_tensor.front.unknown_name import unknown_name
from weft_tensor.ops.optimize.krylov import bicgstab, cg, gmres, minres
from weft_tensor.ops.sparse.linalg.eigenvalues import eigsh, lobpcg, svds
from weft_tensor.ops.sparse.linalg.exponential import expm_multiply
from weft_tensor.ops.sparse.linalg.least_squares import LsmrResult, LsqrResult, lsmr, lsqr
from weft_tensor.ops.sparse.linalg.one_norm import onenormest
from weft_tensor.ops.sparse.linalg.operators import LinearOperator, aslinearoperator
from weft_tensor.ops.sparse.parts import matrix_power, norm
from weft_tensor.ops.sparse.solving import factorized, spsolve, spsolve_triangular

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        raise unknown_name(__name__, name, {n: n for n in __all__}, "scipy.sparse.linalg")


__all__ = [
    "LinearOperator",
    "LsmrResult",
    "LsqrResult",
    "aslinearoperator",
    "bicgstab",
    "cg",
    "eigsh",
    "expm_multiply",
    "factorized",
    "gmres",
    "lobpcg",
    "lsmr",
    "lsqr",
    "matrix_power",
    "minres",
    "norm",
    "onenormest",
    "spsolve",
    "spsolve_triangular",
    "svds",
]

take_keywords(globals())
