"""Linear algebra in Numba: LAPACK by Numba's own NumPy functions, one matrix at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_graph import Variable
from weft_tensor import Cholesky, Det, Inverse, SolveTriangular

from weft_numba.dispatch import numba_funcify
from weft_numba.products import contiguous
from weft_numba.source import compiled, njit

__all__ = ["numba_funcify_linalg", "numba_funcify_solve_triangular"]


@njit
def cholesky(x: Any) -> Any:
    """The lower factor of one matrix, from its lower half."""
    if x.shape[0] != x.shape[1]:
        raise np.linalg.LinAlgError("cholesky: the matrix is not square")
    return np.linalg.cholesky(np.ascontiguousarray(x))


@njit
def inverse(x: Any) -> Any:
    """The inverse of one matrix."""
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
    indent = "    "
    for a in range(depth):
        lines.append(f"{indent}for i{a} in range(x.shape[{a}]):")
        indent += "    "
    lines += [f"{indent}out[{target}] = one(x[{place}])", "    return out"]
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
    a, b = (v.type for v in node.inputs)
    out: Any = node.type
    depth = out.ndim - 2
    lines = [
        "def lowered(a, b):",
        f"    if a.shape[{a.ndim - 1}] != b.shape[{b.ndim - 2}]:",  # type: ignore[attr-defined]
        "        raise ValueError('solve_triangular: the shapes do not fit')",
    ]
    picks: dict[str, list[str]] = {"a": [], "b": []}
    for axis in range(depth):
        lines.append(f"    n{axis} = 1")
        for name, t in (("a", a), ("b", b)):
            own = axis - (depth - (t.ndim - 2))  # type: ignore[attr-defined]
            if own < 0:
                continue
            length = f"{name}.shape[{own}]"
            lines += [
                f"    if n{axis} == 1:",
                f"        n{axis} = {length}",
                f"    elif {length} != 1 and {length} != n{axis}:",
                "        raise ValueError('stacks could not be broadcast together')",
                f"    s_{name}_{axis} = {length} != 1",
            ]
            picks[name].append(f"i{axis} * s_{name}_{axis}")
    shape = "".join(f"n{axis}, " for axis in range(depth))
    lines.append(
        f"    out = np.empty(({shape}b.shape[{b.ndim - 2}], b.shape[{b.ndim - 1}]), {out.dtype})"  # type: ignore[attr-defined]
    )
    indent = "    "
    for axis in range(depth):
        lines.append(f"{indent}for i{axis} in range(n{axis}):")
        indent += "    "
    place = "".join(f"i{axis}, " for axis in range(depth))
    one = {name: f"{name}[{', '.join(p)}]" if p else name for name, p in picks.items()}
    lines += [
        f"{indent}out[{place}:, :] = {one['b']}",
        f"{indent}solve({one['a']}, out[{place}:, :], {op.unit_diagonal})",
        "    return out",
    ]
    return compiled("\n".join(lines) + "\n", solve=solve_lower if op.lower else solve_upper)
