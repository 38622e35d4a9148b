"""Linear algebra, which Weft batches by itself, and PyTensor by Blockwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np
from pytensor.graph.op import Op

import weft_tensor as wt
from weft_pytensor.convert.table import converter_of, register_names
from weft_tensor import TensorVariable

_linalg = wt.linalg
_Function: TypeAlias = Callable[..., Any]


def _solve(op: Op, a: TensorVariable, b: TensorVariable) -> TensorVariable:
    lower = getattr(op, "lower", False)
    if op.assume_a == "pos":  # NaN, as PyTensor's, where it is not
        factor = wt.Cholesky(or_nan=True)(a if lower else wt.matrix_transpose(a))
        return _linalg.cho_solve((factor, True), b, b_ndim=op.b_ndim)
    return _linalg.solve(a, b, b_ndim=op.b_ndim, assume_a=op.assume_a, lower=lower)


def _triangular(op: Op, a: TensorVariable, b: TensorVariable) -> TensorVariable:
    def solve(a: TensorVariable) -> TensorVariable:
        return _linalg.solve_triangular(
            a, b, lower=op.lower, unit_diagonal=op.unit_diagonal, b_ndim=op.b_ndim
        )

    return solve(a) if op.unit_diagonal else _nan_if_singular(solve, a, op.b_ndim)


def _cho_solve(op: Op, c: TensorVariable, b: TensorVariable) -> TensorVariable:
    return _nan_if_singular(
        lambda c: _linalg.cho_solve((c, op.lower), b, b_ndim=op.b_ndim), c, op.b_ndim
    )


def _nan_if_singular(
    solve: Callable[[TensorVariable], TensorVariable], a: TensorVariable, b_ndim: int
) -> TensorVariable:
    """What solves with a triangle: NaN, as PyTensor's, where there is a zero on the diagonal.

    A factor by Cholesky has none: it is NaN itself.
    """
    source = a
    while isinstance(source.op, (wt.Transpose, wt.ExpandDims)):
        (source,) = source.inputs
    if isinstance(source.op, wt.Cholesky):
        return solve(a)
    singular = wt.any(wt.equal(wt.diagonal(a, axis1=-2, axis2=-1), 0), -1)
    regular = wt.where(singular[..., None, None], wt.eye(a.shape[-1]), a)
    x = solve(regular.astype(a.dtype))
    over = singular[..., None] if b_ndim == 1 else singular[..., None, None]
    return wt.where(over, np.nan, x).astype(x.dtype)


def _cholesky(op: Op, a: TensorVariable) -> TensorVariable:
    """PyTensor's factor of what has none is NaN, of which PyMC makes a density of 0."""
    factor = wt.Cholesky(or_nan=getattr(op, "on_error", "nan") == "nan")(a)
    return factor if op.lower else wt.conj(wt.matrix_transpose(factor))


def _svd(op: Op, a: TensorVariable) -> TensorVariable:
    return _linalg.svd(a, op.full_matrices, op.compute_uv)


def _qr(op: Op, a: TensorVariable) -> Any:
    if op.mode == "raw":
        return NotImplemented
    factors = _linalg.qr(a, op.mode, pivoting=op.pivoting)
    if op.mode != "r":
        return factors
    r, *places = factors if op.pivoting else [factors]
    more = wt.maximum(a.shape[-2] - a.shape[-1], 0)  # rows of zeros, as LAPACK has them
    r = wt.pad(r, [(0, 0)] * (a.ndim - 2) + [(0, more), (0, 0)])
    return (r, *places) if places else r


def _half(op: Op) -> str:
    """Which half of a symmetric matrix is read."""
    return op.UPLO if hasattr(op, "UPLO") else "L" if op.lower else "U"


def _eigh(op: Op, a: TensorVariable, b: TensorVariable | None = None) -> tuple[TensorVariable, ...]:
    return _linalg.eigh(a, _half(op), b=b)


def _eigh_slope(
    op: Op,
    x: TensorVariable,
    w: TensorVariable,
    v: TensorVariable,
    w_slope: TensorVariable,
    v_slope: TensorVariable,
) -> TensorVariable:
    """Of eigenvalues and vectors in their matrix, of which one half counts, as PyTensor has it."""
    same = wt.eye(w.shape[-1], dtype="bool")
    gaps = wt.where(same, 1.0, w[..., None, :] - w[..., :, None])
    turned = wt.where(same, 0.0, wt.matrix_transpose(v) @ v_slope / gaps)
    inner = wt.where(same, w_slope[..., None], wt.matrix_transpose(turned))
    whole = v @ inner @ wt.matrix_transpose(v)
    return _in_half(op, whole)


def _in_half(op: Op, slope: TensorVariable) -> TensorVariable:
    """The slope in a symmetric matrix of which one half is read."""
    read, other = (wt.triu, wt.tril) if _half(op) == "U" else (wt.tril, wt.triu)
    k = -1 if _half(op) == "U" else 1
    return read(slope) + wt.matrix_transpose(other(slope, k))


def _eigvalsh(op: Op, a: TensorVariable, b: TensorVariable | None = None) -> TensorVariable:
    """Of `a`, or of `a` in relation to the positive definite `b`."""
    return _linalg.eigvalsh(a, _half(op), b=b)


def _eigvalsh_slope(
    op: Op, a: TensorVariable, b: TensorVariable, w_slope: TensorVariable
) -> tuple[TensorVariable, ...]:
    """Of the eigenvalues of `a` in relation to `b`, in both."""
    w, v = _linalg.eigh(a, _half(op), b=b)
    wholes = [(v * s[..., None, :]) @ wt.matrix_transpose(v) for s in (w_slope, -w_slope * w)]
    return tuple([_in_half(op, whole) for whole in wholes])


def _schur(op: Op, a: TensorVariable) -> tuple[TensorVariable, ...]:
    return NotImplemented if op.sort else _linalg.schur(a, op.output)


def _plain(function: _Function) -> _Function:
    return lambda op, *inputs: function(*inputs)


BATCHED: Final[dict[str, Callable[..., Any]]] = {
    "Dot": _plain(wt.matmul),
    "MatrixInverse": _plain(_linalg.inv),
    "Det": _plain(_linalg.det),
    "SLogDet": _plain(_linalg.slogdet),
    "Eig": _plain(_linalg.eig),
    "Expm": _plain(_linalg.expm),
    "Eigh": _eigh,
    "EighGrad": _eigh_slope,
    "MatrixPinv": lambda op, a: _linalg.pinv(a, hermitian=op.hermitian),
    "Cholesky": _cholesky,
    "LU": lambda op, a: _linalg.lu(a, op.permute_l, op.p_indices),
    "LUFactor": lambda op, a: _linalg.lu_factor(a),
    "PivotToPermutations": lambda op, p: _linalg.pivot_to_permutation(p, op.inverse),
    "Solve": _solve,
    "SolveTriangular": _triangular,
    "CholeskySolve": _cho_solve,
    "Eigvalsh": _eigvalsh,
    "EigvalshGrad": _eigvalsh_slope,
    "Schur": _schur,
    "TRSYL": _plain(_linalg.solve_sylvester),
    "SolveSylvester": _plain(_linalg.solve_sylvester),
    "SolveDiscreteARE": _plain(_linalg.solve_discrete_are),
    "SVD": _svd,
    "QR": _qr,
}
"""By name, what takes stacks."""

for _name, _converter in BATCHED.items():
    register_names(_name)(_converter)


register_names("Dot22", "BatchedDot")(_plain(wt.matmul))
register_names("Dot22Scalar")(lambda op, a, b, scale: scale * (a @ b))
register_names("Gemm")(lambda op, z, scale, a, b, old: old * z + scale * (a @ b))
register_names("Gemv")(lambda op, y, scale, a, x, old: old * y + scale * (a @ x))
register_names("Ger")(lambda op, a, scale, x, y: a + scale * wt.outer(x, y))
register_names("BlockDiagonal")(lambda op, *blocks: _linalg.block_diag(*blocks))


register_names("TensorInv")(lambda op, a: _linalg.tensorinv(a, op.ind))
register_names("TensorSolve")(lambda op, a, b: _linalg.tensorsolve(a, b, op.axes))


@register_names("Lstsq")
def least_squares(
    op: Op, a: TensorVariable, b: TensorVariable, rcond: TensorVariable
) -> tuple[TensorVariable, ...]:
    """The solution, and what is left: nothing where the rank, or the rows, are too few."""
    x, left, rank, s = _linalg.lstsq(a, b, rcond)
    rows, columns = a.shape
    whole = wt.logical_and(wt.equal(rank, columns), rows > columns)
    left = wt.atleast_1d(left)
    return x, left[: wt.where(whole, left.shape[0], 0)], rank, s


@register_names("Blockwise")
def blockwise(op: Op, *inputs: TensorVariable) -> TensorVariable | tuple[TensorVariable, ...]:
    """The core Op over leading axes."""
    core = op.core_op
    converter = converter_of(core)
    if converter is None:
        return NotImplemented
    ranks = [len(names) for names in op.inputs_sig]
    if type(core).__name__ in BATCHED or [v.ndim for v in inputs] == ranks:
        return converter(core, *inputs)
    cores = [_core(v, rank) for v, rank in zip(inputs, ranks, strict=True)]
    if all(v.ndim == rank for v, rank in zip(cores, ranks, strict=True)):
        cores = list(inputs)
    many = len(op.outputs_sig) > 1
    if type(core).__name__ == "ARange":
        return _ranges(core, *inputs)
    if type(core).__name__ == "Eye":
        return _eyes(core, *inputs)

    def once(*parts: TensorVariable) -> Any:
        same = [v if v.ndim == rank else p for v, p, rank in zip(cores, parts, ranks, strict=True)]
        results = converter(core, *same)
        return tuple(results) if many else results

    results: TensorVariable | tuple[TensorVariable, ...]
    results = wt.vectorize(once, signature=op.signature)(*cores)
    return results


def _core(v: TensorVariable, rank: int) -> TensorVariable:
    """Without leading axes of length 1, which are for broadcasting alone."""
    axes = tuple(range(v.ndim - rank))
    return wt.squeeze(v, axes) if all(v.type.shape[k] == 1 for k in axes) else v


def _ranges(
    op: Op, start: TensorVariable, stop: TensorVariable, step: TensorVariable
) -> TensorVariable:
    """Ranges of one length, as rows of an array cannot have others."""
    count = wt.max(wt.ceil((stop - start) / step)).astype("int64")
    rows = start[..., None] + wt.arange(count) * step[..., None]
    return rows.astype(op.dtype)


def _eyes(op: Op, n: TensorVariable, m: TensorVariable, k: TensorVariable) -> TensorVariable:
    """Matrices of one shape."""
    rows, columns = wt.arange(wt.max(n))[:, None], wt.arange(wt.max(m))
    offsets = (k + 0 * (n + m))[..., None, None]
    return wt.equal(columns - rows, offsets).astype(op.dtype)
