"""Products in Numba: BLAS for floating matrices, loops for integers and stacks around both."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from weft_graph import Variable
from weft_numba.dispatch import numba_funcify
from weft_numba.source import compiled, njit, stacked
from weft_tensor import Matmul

__all__ = ["contiguous", "numba_funcify_matmul"]


def contiguous(x: Any) -> Any:
    """`x` if BLAS can take it as it lies in memory, else a copy."""
    return x if x.flags.c_contiguous or x.flags.f_contiguous else np.ascontiguousarray(x)


@overload(contiguous)
def _contiguous(x: Any) -> Any:
    def as_it_is(x: Any) -> Any:
        return x

    def copied(x: Any) -> Any:
        return np.ascontiguousarray(x)

    return as_it_is if isinstance(x, types.Array) and x.layout in "CF" else copied


@njit
def integer_product(a: Any, b: Any) -> Any:
    """The matrix product without BLAS."""
    out = np.zeros((a.shape[0], b.shape[1]), a.dtype)
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                out[i, j] += a[i, k] * b[k, j]
    return out


@njit
def boolean_product(a: Any, b: Any) -> Any:
    """The matrix product with `and` and `or`."""
    out = np.zeros((a.shape[0], b.shape[1]), np.bool_)
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                out[i, j] = out[i, j] or (a[i, k] and b[k, j])
    return out


@njit
def blas_product(a: Any, b: Any) -> Any:
    """`numpy.dot` of two matrices, or of a matrix and a vector."""
    return np.dot(contiguous(a), contiguous(b))


@numba_funcify.register(Matmul)
def numba_funcify_matmul(op: Matmul, *, node: Variable, **kwargs: Any) -> Any:
    """One product for vectors and matrices, a loop over them for stacks."""
    given: list[Any] = [v.type for v in node.inputs]
    a, b = given
    out: Any = node.type
    floating = out.dtype.startswith(("float", "complex"))
    product = (
        blas_product if floating else boolean_product if out.dtype == "bool" else integer_product
    )
    lines = ["def lowered(a, b):"]
    left, right = a.ndim, b.ndim
    lines += [
        f"    if a.shape[{left - 1}] != b.shape[{max(right - 2, 0)}]:",
        "        raise ValueError('matmul: the contracted lengths differ')",
    ]
    for name, t in (("a", a), ("b", b)):
        if t.dtype != out.dtype:
            lines.append(f"    {name} = {name}.astype({out.dtype})")
    if floating and left <= 2 and right <= 2:
        lines.append(
            f"    return {'product' if right == 1 or left == 2 else 'product_transposed'}(a, b)"
        )
        return compiled("\n".join(lines) + "\n", product=product, product_transposed=row_product)
    if left == 1:
        lines.append("    a = np.ascontiguousarray(a).reshape((1, a.shape[0]))")
    if right == 1:
        lines.append("    b = np.ascontiguousarray(b).reshape((b.shape[0], 1))")
    left_rank, right_rank = max(left, 2), max(right, 2)
    core = [f"a.shape[{left_rank - 2}]", f"b.shape[{right_rank - 1}]"]
    lines += stacked(left_rank, right_rank, core, out.dtype, "OUT = product(A, B)")
    batch = ", ".join(":" for _ in range(max(left, right, 2) - 2))
    tail = [*(["0"] if left == 1 else [":"]), *(["0"] if right == 1 else [":"])]
    lines.append(f"    return out[{', '.join(([batch] if batch else []) + tail)}]")
    return compiled("\n".join(lines) + "\n", product=product)


@njit
def row_product(a: Any, b: Any) -> Any:
    """A row vector times a matrix."""
    return np.dot(contiguous(b.T), contiguous(a))
