"""Linear algebra: `wt.linalg`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from weft_tensor.front.keywords import take_keywords
from weft_tensor.front.unknown_name import unknown_name
from weft_tensor.ops.creation.diagonals import block_diag, kron
from weft_tensor.ops.linalg.cholesky import *
from weft_tensor.ops.linalg.det import *
from weft_tensor.ops.linalg.eig import *
from weft_tensor.ops.linalg.eigh import *
from weft_tensor.ops.linalg.lu import *
from weft_tensor.ops.linalg.matmul import matmul, outer
from weft_tensor.ops.linalg.pivots import *
from weft_tensor.ops.linalg.qr import *
from weft_tensor.ops.linalg.schur import (
    QZ,
    Hessenberg,
    HessenbergResult,
    QZResult,
    Schur,
    SchurResult,
    hessenberg,
    qz,
)
from weft_tensor.ops.linalg.solve import (
    Inverse,
    Solve,
    SolveTriangular,
    solve_triangular,
)
from weft_tensor.ops.linalg.square import tril, triu
from weft_tensor.ops.linalg.svd import *
from weft_tensor.ops.matrices.banded import SolveBanded, solve_banded
from weft_tensor.ops.matrices.by_decompositions import *
from weft_tensor.ops.matrices.exponential import Expm, ExpmFrechet, expm, expm_frechet
from weft_tensor.ops.matrices.forms.balance import matrix_balance
from weft_tensor.ops.matrices.forms.hermitian_inverse import *
from weft_tensor.ops.matrices.forms.ordered_schur import schur
from weft_tensor.ops.matrices.forms.qr_changes import *
from weft_tensor.ops.matrices.forms.symmetric import *
from weft_tensor.ops.matrices.forms.values import expm_cond, funm
from weft_tensor.ops.matrices.hermitian_bands import *
from weft_tensor.ops.matrices.least_squares import *
from weft_tensor.ops.matrices.norms import *
from weft_tensor.ops.matrices.patterns import *
from weft_tensor.ops.matrices.riccati import *
from weft_tensor.ops.matrices.roots import *
from weft_tensor.ops.matrices.structured import *
from weft_tensor.ops.matrices.sylvester import *
from weft_tensor.ops.matrices.systems import inv, solve, toeplitz
from weft_tensor.ops.matrices.tensor_equations import *
from weft_tensor.ops.matrices.triangles import *
from weft_tensor.ops.matrices.waves import *
from weft_tensor.ops.products.chains import *
from weft_tensor.ops.products.products import cross, tensordot, vecdot
from weft_tensor.ops.shape.transpose import matrix_transpose

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        homes = {n: n for n in __all__} | {"LinAlgError": "numpy.linalg.LinAlgError"}
        raise unknown_name(__name__, name, homes, "numpy.linalg", "scipy.linalg")


__all__ = [
    "block_diag",
    "cross",
    "kron",
    "matmul",
    "matrix_transpose",
    "outer",
    "tensordot",
    "tril",
    "triu",
    "vecdot",
]
# Literal lists, because type checkers do not read others; a test compares them with the modules.
# ruff: noqa: F405, RUF022
# fmt: off
__all__ += [  # cholesky, det, lu, solve
    "Cholesky", "CholeskyInverse", "Cofactors", "Det", "Inverse", "LUFactor", "LUSlope",
    "PivotToPermutations", "SlogDet", "SlogdetResult", "Solve", "SolveTriangular", "cho_factor",
    "cho_solve", "cholesky", "cholesky_inverse", "det", "inv", "lu", "lu_factor", "lu_solve",
    "pivot_to_permutation", "slogdet", "solve", "solve_triangular",
]
__all__ += [  # decompositions
    "Eig", "EigResult", "Eigh", "EighResult", "EighSlope", "Eigvals", "Eigvalsh", "QR",
    "QRResult", "QRSlope", "QZ", "QZResult", "SVD", "SVDResult", "SVDSlope", "Schur",
    "SchurResult", "SingularValues", "Hessenberg", "HessenbergResult",
    "hessenberg", "eig", "eigh", "eigvals", "eigvalsh", "qr", "qz", "schur",
    "svd", "svdvals",
]
__all__ += [  # matrices
    "ClosedLoop", "ContinuousLyapunov", "ContinuousRiccati", "DiscreteLyapunov", "Expm",
    "ExpmFrechet", "Logm", "LstsqResult", "LstsqSlope", "Riccati", "SolveBanded", "Sqrtm",
    "StableLyapunov", "Sylvester", "SymmetricPivots", "cond", "diagonal", "expm",
    "logm", "lstsq", "matrix_norm", "matrix_rank", "norm", "pinv", "solve_banded",
    "solve_continuous_lyapunov", "solve_discrete_are", "solve_discrete_lyapunov", "solve_sylvester",
    "sqrtm", "tensorinv", "tensorsolve", "toeplitz", "trace", "vector_norm",
]
__all__ += [  # chains
    "matrix_power", "multi_dot",
]
__all__ += [  # patterns, waves
    "circulant", "companion", "coshm", "cosm", "expm_frechet", "hankel", "khatri_rao", "leslie",
    "orthogonal_procrustes", "polar", "sinhm", "sinm", "solve_toeplitz", "tanhm", "tanm",
]
__all__ += [  # by decompositions, bands, structures
    "CholeskyBanded", "CholeskyBandedSlope", "cdf2rdf", "null_space", "orth",
    "cho_solve_banded", "cholesky_banded", "convolution_matrix", "dft", "diagsvd", "eig_banded",
    "eigh_tridiagonal", "eigvals_banded", "eigvalsh_tridiagonal", "fiedler",
    "fractional_matrix_power", "hadamard", "helmert", "hilbert", "invhilbert", "invpascal",
    "matmul_toeplitz", "pascal", "pinvh", "signm", "solve_circulant", "solve_continuous_are",
    "solveh_banded", "subspace_angles",
]
__all__ += [  # forms
    "LDLResult", "expm_cond", "funm", "ldl", "matrix_balance",
    "qr_delete", "qr_insert", "qr_update",
]
__all__ += [  # triangles
    "RQResult", "bandwidth", "fiedler_companion", "ishermitian", "issymmetric", "qr_multiply", "rq",
    "rsf2csf", "solve_lyapunov",
]

take_keywords(globals())
