"""Square roots and logarithms of matrices in Numba: of the triangular factor of a Schur form.

Roots are those of Björck and Hammarling, A Schur method for the square root of a matrix (1983).
Logarithms: of so many roots that little is left of the matrix but the identity, by a rational
function, which is a quadrature (Higham, Functions of Matrices, 2008, section 11.4).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba.core.dispatcher import Dispatcher

from weft_graph import Variable
from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled
from weft_numba.numba_layer.batched_matrix import MatrixOperation, Part, callable_operation
from weft_numba.ops.linalg.schur import write_schur
from weft_tensor import Logm, Sqrtm

__all__ = ["numba_funcify_logm", "numba_funcify_sqrtm"]

_NODES: Final = 8
"""So many are exact to double precision where what is left has a norm of at most 0.25."""

_ROOT: Final = """
def lowered(t):
    # Column by column: what multiplies to an element is known but for one term.
    n = t.shape[0]
    for j in range(n):
        t[j, j] = np.sqrt(t[j, j])
        for i in range(j - 1, -1, -1):
            rest = t[i, j]
            for k in range(i + 1, j):
                rest -= t[i, k] * t[k, j]
            if rest != 0:
                rest /= t[i, i] + t[j, j]
            t[i, j] = rest
"""

_LOGARITHM: Final = """
def lowered(t):
    n = t.shape[0]
    values = np.empty(n, t.dtype)
    for i in range(n):
        values[i] = np.log(t[i, i])
    times = 1.0
    for step in range(100):
        size = 0.0
        for j in range(n):
            total = abs(t[j, j] - 1.0)
            for i in range(j):
                total += abs(t[i, j])
            size = max(size, total)
        if not size > 0.25:
            break
        root(t)
        times *= 2.0
    for i in range(n):
        t[i, i] -= 1.0
    found = np.zeros((n, n), t.dtype)
    column = np.empty(n, t.dtype)
    for j in range(n):
        for node in range(len(points)):
            x, weight = points[node], weights[node]
            for i in range(j, -1, -1):
                rest = t[i, j]
                for k in range(i + 1, j + 1):
                    rest -= x * t[i, k] * column[k]
                column[i] = rest / (1.0 + x * t[i, i])
                found[i, j] += times * weight * column[i]
    for i in range(n):
        found[i, i] = values[i]
        for j in range(i, n):
            t[i, j] = found[i, j]
"""

_OF_MATRIX: Final = """
def lowered(x):
    n = x.shape[x.ndim - 1]
    if n != x.shape[x.ndim - 2]:
        raise ValueError("the last two axes must be square")
    result = np.empty(x.shape, dtype)
    if not x.size:
        return result
    count = x.size // (n * n)
    given = np.empty(x.shape, complex_dtype)
    given[...] = x
    given = given.reshape((count, n, n))
    flat = result.reshape((count, n, n))
    for k in range(count):
        finite = True
        for i in range(n):
            for j in range(n):
                finite = finite and np.isfinite(given[k, i, j].real + given[k, i, j].imag)
        if not finite:
            flat[k] = np.nan
            continue
        t, z = schur(given[k])
        compute(t)
        half = np.zeros((n, n), complex_dtype)
        for i in range(n):
            for l in range(n):
                for j in range(l, n):
                    half[i, j] += z[i, l] * t[l, j]
        largest, imaginary = 0.0, 0.0
        for i in range(n):
            for j in range(n):
                total = half[i, 0] * np.conj(z[j, 0])
                for l in range(1, n):
                    total += half[i, l] * np.conj(z[j, l])
                largest, imaginary = max(largest, abs(total)), max(imaginary, abs(total.imag))
                flat[k, i, j] = part(total)
        if is_real and not imaginary <= limit * max(floor, largest):
            flat[k] = np.nan
    return result
"""


def _function(node: Variable, compute: Any, floor: float) -> Dispatcher:
    """What computes a function of matrices by one of triangular matrices, in their place.

    Parts that are small beside the result, or beside `floor`, count as errors of rounding.
    """
    kind: Any = node.type
    dtype = kind.dtype
    is_real = dtype.startswith("float")
    whole = {"float32": "complex64", "float64": "complex128"}.get(dtype, dtype)
    matrix = Part("nn", whole)
    schur = callable_operation(
        MatrixOperation("schur", (matrix,), (matrix, matrix), write_schur, "schur: not found")
    )
    return compiled(
        _OF_MATRIX,
        schur=schur,
        compute=compute,
        dtype=np.dtype(dtype).type,
        complex_dtype=np.dtype(whole).type,
        part=compiled(f"def lowered(v):\n    return v{'.real' if is_real else ''}\n"),
        is_real=is_real,
        floor=floor,
        limit=float(np.sqrt(np.finfo(dtype).eps)),
    )


@numba_funcify.register(Sqrtm)
def numba_funcify_sqrtm(op: Sqrtm, *, node: Variable, **kwargs: object) -> Dispatcher:
    """The root of the triangular factor."""
    return _function(node, compiled(_ROOT), 0.0)


@numba_funcify.register(Logm)
def numba_funcify_logm(op: Logm, *, node: Variable, **kwargs: object) -> Dispatcher:
    """Roots of the triangular factor, and a rational function."""
    return _function(node, _logarithm(), 1.0)


def _logarithm() -> Dispatcher:
    points, weights = np.polynomial.legendre.leggauss(_NODES)
    return compiled(
        _LOGARITHM,
        root=compiled(_ROOT),
        points=tuple(float(p) for p in (points + 1) / 2),
        weights=tuple(float(w) for w in weights / 2),
    )
