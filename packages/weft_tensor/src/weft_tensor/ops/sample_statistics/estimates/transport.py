"""How far points must be moved to make one sample of another."""

from __future__ import annotations

from typing import Any

from weft_graph.extend import called
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import eye, ones
from weft_tensor.ops.creation.diagonals import kron
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.optimize.methods.linear_program import linprog
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.sample_statistics.distances import wasserstein_distance
from weft_tensor.ops.sample_statistics.samples import numbers
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import ravel

__all__ = ["wasserstein_distance_nd"]


def wasserstein_distance_nd(
    u_values: TensorLike,
    v_values: TensorLike,
    u_weights: TensorLike | None = None,
    v_weights: TensorLike | None = None,
) -> TensorVariable:
    """How far points must be moved, on the average, to make one sample of the other.

    Points are rows of matrices, with weights; of vectors it is `wasserstein_distance`. A linear
    program says what goes where, by a dense table: for some dozens of points each. The distance
    has derivatives by points and weights. See `scipy.stats.wasserstein_distance_nd`. Raises
    ValueError for other ranks.

    >>> wasserstein_distance_nd([[0.0, 0.0], [1.0, 0.0]], [[0.0, 3.0], [1.0, 4.0]]).eval().round(6)
    np.float64(3.5)
    """
    u, v = numbers(u_values), numbers(v_values)
    if u.ndim == v.ndim == 1:
        return wasserstein_distance(u, v, u_weights, v_weights)
    if u.ndim != 2 or v.ndim != 2:
        raise ValueError(
            "wasserstein_distance_nd takes points as rows of two matrices, not "
            f"{u!r} and {v!r}{called()}"
        )
    square = sum((u.expand_dims(1) - v) ** 2, -1)
    away = square > 0
    costs = ravel(where(away, sqrt(where(away, square, 1.0)), 0.0))
    m, n = lengths_of(u)[0], lengths_of(v)[0]
    from_each = kron(eye(m), ones((1, n)))
    to_each = kron(ones((1, m)), eye(n))
    wanted = concatenate([_shares(u, u_weights), _shares(v, v_weights)], 0)
    return linprog(costs, A_eq=concatenate([from_each, to_each], 0), b_eq=wanted).fun


def _shares(points: TensorVariable, weights: TensorLike | None) -> Any:
    size = lengths_of(points)[0]
    share = ones((size,)) if weights is None else ravel(numbers(weights)).astype("float64")
    return share / sum(share)
