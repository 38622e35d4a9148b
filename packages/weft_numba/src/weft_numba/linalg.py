"""Linear algebra in Numba: LAPACK by Numba's own NumPy functions, one matrix at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_graph import Variable
from weft_numba.dispatch import numba_funcify
from weft_numba.products import contiguous
from weft_numba.source import compiled, nest, njit, stacked
from weft_tensor import Cholesky, Det, Inverse, SolveTriangular

__all__ = ["numba_funcify_linalg", "numba_funcify_solve_triangular"]


@njit
def cholesky(x: Any) -> Any:
    """The lower factor of one matrix, from its lower half."""
    if x.shape[0] != x.shape[1]:
        raise np.linalg.LinAlgError("cholesky: the matrix is not square")
    return np.linalg.cholesky(np.ascontiguousarray(x))


@njit
def inverse(x: Any) -> Any:
    """The inverse of one matrix; NaN if it contains NaN or infinity, which Numba refuses."""
    if x.shape[0] == x.shape[1] and not np.isfinite(x).all():
        return np.full(x.shape, np.nan, x.dtype)
    return np.linalg.inv(contiguous(x))


@njit
def det(x: Any) -> Any:
    """The determinant of one matrix."""
    return np.linalg.det(contiguous(x))


_FUNCTIONS = {Cholesky: cholesky, Inverse: inverse, Det: det}


@numba_funcify.register(Cholesky)
@numba_funcify.register(Inverse)
@numba_funcify.register(Det)
def numba_funcify_linalg(op: Any, *, node: Variable, **kwargs: Any) -> Any:
    """The function of one matrix, looped over a stack."""
    x: Any = node.inputs[0].type
    one = _FUNCTIONS[type(op)]
    depth = x.ndim - 2
    if not depth:
        return one
    out: Any = node.type
    place = ", ".join(f"i{a}" for a in range(depth))
    target = place + (", :, :" if out.ndim == x.ndim else "")
    shape = "x.shape" if out.ndim == x.ndim else f"x.shape[:{depth}]"
    lines = ["def lowered(x):", f"    out = np.empty({shape}, {out.dtype})"]
    lines += nest([f"x.shape[{a}]" for a in range(depth)], [f"out[{target}] = one(x[{place}])"])
    lines.append("    return out")
    return compiled("\n".join(lines) + "\n", one=one)


@njit
def solve_lower(a: Any, x: Any, unit: Any) -> None:
    """Forward substitution; x holds the right side and then the solution."""
    for i in range(a.shape[0]):
        if not unit and a[i, i] == 0:
            raise np.linalg.LinAlgError("solve_triangular: the matrix is singular")
        for k in range(i):
            for j in range(x.shape[1]):
                x[i, j] -= a[i, k] * x[k, j]
        if not unit:
            for j in range(x.shape[1]):
                x[i, j] /= a[i, i]


@njit
def solve_upper(a: Any, x: Any, unit: Any) -> None:
    """Back substitution; x holds the right side and then the solution."""
    for i in range(a.shape[0] - 1, -1, -1):
        if not unit and a[i, i] == 0:
            raise np.linalg.LinAlgError("solve_triangular: the matrix is singular")
        for k in range(i + 1, a.shape[0]):
            for j in range(x.shape[1]):
                x[i, j] -= a[i, k] * x[k, j]
        if not unit:
            for j in range(x.shape[1]):
                x[i, j] /= a[i, i]


@numba_funcify.register(SolveTriangular)
def numba_funcify_solve_triangular(op: SolveTriangular, *, node: Variable, **kwargs: Any) -> Any:
    """Substitution, for each pair of a stack."""
    given: list[Any] = [v.type for v in node.inputs]
    a, b = given
    out: Any = node.type
    left, right = a.ndim, b.ndim
    core = [f"b.shape[{right - 2}]", f"b.shape[{right - 1}]"]
    lines = [
        "def lowered(a, b):",
        f"    if a.shape[{left - 1}] != b.shape[{right - 2}]:",
        "        raise ValueError('solve_triangular: the shapes do not fit')",
        *stacked(left, right, core, out.dtype, f"OUT = B\nsolve(A, OUT, {op.unit_diagonal})"),
        "    return out",
    ]
    return compiled("\n".join(lines) + "\n", solve=solve_lower if op.lower else solve_upper)
