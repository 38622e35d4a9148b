"""Any function of square matrices, by eigenvalues, and how far exponentials move; for stacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import eye
from weft_tensor.ops.elementwise.arithmetic import abs
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.linalg.eig import eig
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.solve import inv
from weft_tensor.ops.linalg.square import real_dtype, square_type
from weft_tensor.ops.matrices.exponential import expm, expm_frechet
from weft_tensor.ops.matrices.norms import matrix_norm
from weft_tensor.ops.reduction.standard import max
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import reshape

__all__ = ["expm_cond", "funm"]


def funm(A: TensorLike, func: Callable[[Any], TensorLike]) -> TensorVariable:
    """A function of square matrices, by that of their eigenvalues. See `scipy.linalg.funm`.

    Parameters
    ----------
    A
        Square matrices (..., n, n).
    func
        From complex numbers, the eigenvalues (..., n), to as many.

    Returns
    -------
    Matrices of the dtype of A. They are NaN where no more than half of the digits would be right:
    where eigenvectors are not, or hardly, independent, of which `expm`, `sqrtm`, `logm` and the
    like have a result; and for real matrices whose function is not real. Where eigenvalues are
    equal, derivatives are not finite.

    Raises
    ------
    ValueError
        if `func` gives not as many numbers as it is given.
    LinAlgError
        for matrices that are not square.

    Examples
    --------
    >>> print(funm([[1.0, 3.0], [0.0, 2.0]], lambda x: 1 / x).eval().round(12))
    [[ 1.  -1.5]
     [ 0.   0.5]]
    """
    x = as_floating(A)
    values, vectors = eig(x)
    found = as_tensor(func(values))
    if found.ndim != values.ndim:
        raise ValueError(f"funm: func makes {found!r} of {values!r}{called()}")
    back = inv(vectors)
    result = matmul(vectors * found.expand_dims(-2), back)
    parts = matmul(abs(vectors) * abs(found).expand_dims(-2), abs(back))
    axes, half = (-2, -1), float(np.sqrt(np.finfo(real_dtype(x.dtype)).eps))
    largest = max(abs(result), axes, keepdims=True, initial=0)
    right = max(parts, axes, keepdims=True, initial=0) * half <= largest
    if x.is_complex:
        return where(right, result, np.nan).astype(x.dtype)
    right = right & (max(abs(result.imag), axes, keepdims=True, initial=0) <= half * largest)
    return where(right, result.real, np.nan).astype(x.dtype)


def expm_cond(A: TensorLike) -> TensorVariable:
    """How many times a relative change of a square matrix may be that of its exponential.

    (..., n, n) makes (...), in Frobenius' norm: by the derivatives in all n² directions, so for
    few rows. See `scipy.linalg.expm_cond`. Raises LinAlgError for matrices that are not square.

    >>> expm_cond([[1.0, 0.0], [0.0, -1.0]]).eval().round(4).item()
    1.4014
    """
    x = as_floating(A)
    square_type(x.type, "expm_cond")
    *batch, n, _ = lengths_of(x)
    directions = reshape(eye(n * n, dtype=x.dtype), (n * n, n, n))
    each = x.expand_dims(-3) + 0 * directions
    change = expm_frechet(each, directions + 0 * each, compute_expm=False)
    flat = reshape(change, (*batch, n * n, n * n))
    sizes = [matrix_norm(v) for v in (x, expm(x))]
    return matrix_norm(flat, ord=2) * sizes[0] / sizes[1]
