"""Figures of points: how far they are apart, laid upon each other, and between two directions."""

from __future__ import annotations

from math import inf, nan
from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor, as_tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.distance.pairs import cdist
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.trigonometric import arctan2, cos, sin
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.svd import svd
from weft_tensor.ops.matrices.norms import norm
from weft_tensor.ops.reduction.standard import all, mean, sum
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.shape.transpose import matrix_transpose

__all__ = ["distance_matrix", "geometric_slerp", "minkowski_distance", "procrustes"]


def minkowski_distance(x: TensorLike, y: TensorLike, p: float = 2.0) -> TensorVariable:
    """How far vectors along the last axis are apart. See `scipy.spatial.minkowski_distance`.

    >>> minkowski_distance([[0.0, 0.0], [3.0, 0.0]], [0.0, 4.0]).eval()
    array([4., 5.])
    """
    one, other = as_tensors((x, y))
    result: TensorVariable = norm(as_floating(one) - as_floating(other), p, axis=-1)
    return result


def distance_matrix(
    x: TensorLike, y: TensorLike, p: float = 2.0, threshold: int = 0
) -> TensorVariable:
    """How far each row of x is from each of y; `threshold` is not needed.

    See `scipy.spatial.distance_matrix`, and `distance.cdist` for others.

    >>> distance_matrix([[0.0, 0.0], [3.0, 0.0]], [[0.0, 4.0]]).eval()
    array([[4.],
           [5.]])
    """
    if p == 2:
        return cdist(x, y)
    return cdist(x, y, "chebyshev") if p == inf else cdist(x, y, "minkowski", p=p)


def procrustes(
    data1: TensorLike, data2: TensorLike
) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
    """Two figures of points, as rows, of one size and middle, the second turned upon the first.

    The first, the second, and the sum of their squared distances. See `scipy.spatial.procrustes`.
    Raises ValueError for other than matrices of one shape, and for points that are all the same,
    at the call if that is not known before.

    >>> procrustes([[0.0, 0.0], [0.0, 2.0]], [[1.0, 1.0], [5.0, 1.0]])[1].eval().round(6) + 0
    array([[ 0.      , -0.707107],
           [ 0.      ,  0.707107]])
    """
    one, other = (as_floating(v) for v in as_tensors((data1, data2)))
    if one.ndim != 2 or other.ndim != 2:
        raise ValueError(f"procrustes takes matrices, not {one!r} and {other!r}{called()}")
    first, second = _standard(one), _standard(other)
    left, sizes, right = svd(matmul(matrix_transpose(second), first), full_matrices=False)
    fitted = matmul(second, matmul(left, right)) * sum(sizes)
    return first, fitted, sum((first - fitted) ** 2)


def _standard(points: TensorVariable) -> TensorVariable:
    around = points - mean(points, 0)
    size: Any = norm(around)
    message = "procrustes takes figures of more than one point"
    return around / check_and_raise(size, size > 0, ValueError, message)


def geometric_slerp(
    start: TensorLike, end: TensorLike, t: TensorLike, tol: float = 1e-7
) -> TensorVariable:
    """Unit vectors on the shorter arc from one to another, at shares t of it.

    See `scipy.spatial.geometric_slerp`. Raises ValueError for vectors that are not of length 1
    up to `tol`, at the call if they are not known before. Of opposite ones, no arc is the shorter:
    NaN.

    >>> geometric_slerp([1.0, 0.0], [0.0, 1.0], [0.0, 0.5]).eval().round(6)
    array([[1.      , 0.      ],
           [0.707107, 0.707107]])
    """
    one, other = (as_floating(v) for v in as_tensors((start, end)))
    message = "geometric_slerp takes vectors of length 1"
    one, other = (
        check_and_raise(v, all(abs(sum(v * v, -1) - 1) <= max(2 * tol, 1e-6)), ValueError, message)
        for v in (one, other)
    )
    across = other - one * sum(one * other)
    length: Any = norm(across)
    along = sum(one * other)
    angle = arctan2(length, along)
    safe = where(length > 0, length, where(along > 0, 1.0, nan)).astype(length.dtype)
    share = expand_dims(as_tensor(t), -1) * angle
    return one * cos(share) + across / safe * sin(share)
