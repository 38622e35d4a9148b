"""Smooth functions of two variables through scattered points, which are numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import constant
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import minimum
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.interpolate.curve import beside
from weft_tensor.ops.interpolate.scattered.triangles import Triangles
from weft_tensor.ops.optimize.krylov import cg
from weft_tensor.ops.optimize.problem import resolution
from weft_tensor.ops.shape.reshape import ravel, reshape
from weft_tensor.ops.sparse.construction import csr_array

__all__ = ["CloughTocher2DInterpolator"]


class CloughTocher2DInterpolator:
    """The smooth surface through points that lie anywhere, cubic in three parts of each triangle.

    Triangles are Delaunay's, chosen by SciPy when the graph is built; values and places may be
    variables. Slopes at the points are those for which edges bend least (G. Nielson, 1983): a
    sparse system, solved by conjugate gradients, and so are derivatives by the values. See
    `scipy.interpolate.CloughTocher2DInterpolator`, and P. Alfeld, A trivariate Clough-Tocher scheme
    for tetrahedral data, 1984.

    Parameters
    ----------
    points
        Numbers: a row of two for each point; or a tuple of coordinates.
    values
        Values along the first axis, real or complex.
    fill_value
        What is outside of all triangles.
    tol, maxiter
        Make no difference: slopes are found to rounding.
    rescale
        Whether each coordinate is divided by its range first.

    Raises
    ------
    ValueError
        for points that are variables, or not in the plane, and other lengths.

    Examples
    --------
    >>> corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    >>> CloughTocher2DInterpolator(corners, [0.0, 1.0, 1.0, 2.0])(0.5, 0.25).eval().round(6)
    np.float64(0.75)
    """

    def __init__(
        self,
        points: Any,
        values: TensorLike,
        fill_value: TensorLike = float("nan"),
        tol: float = 1e-6,
        maxiter: int = 400,
        rescale: bool = False,
    ) -> None:
        self._triangles = Triangles("CloughTocher2DInterpolator", points, rescale)
        self.points, self.fill_value = self._triangles.points, fill_value
        if self.points.shape[1] != 2:
            raise ValueError(
                "CloughTocher2DInterpolator: points have two coordinates, not "
                f"{self.points.shape[1]}{called()}"
            )
        self.values = self._triangles.table(values)
        flat = reshape(self.values, (len(self.points), -1))
        slopes = _least_bent(self._triangles.cut, flat.real)
        if flat.is_complex:
            slopes = slopes + 1j * _least_bent(self._triangles.cut, flat.imag)
        self._slopes = reshape(slopes, (len(self.points), 2, *self.values.shape[1:]))

    def __call__(self, *xi: Any) -> TensorVariable:
        """The values at places: their coordinates along the last axis, or one argument for each."""
        at = self._triangles.located(*xi)
        corners = self._triangles.corners(at)
        rank = self.values.ndim - 1
        dtype = self.values.real.dtype

        def wide(v: TensorVariable) -> TensorVariable:
            return beside(v.astype(dtype), rank)

        named = [corners[..., k] for k in range(3)]
        places = [index(constant(self._triangles.cut.points), v) for v in named]
        heights = [index(self.values, v) for v in named]
        slopes = [index(self._slopes, v) for v in named]
        first = (slice(None),) * at.simplex.ndim

        def along(k: int, j: int) -> TensorVariable:
            """A third of the way from corner k to corner j, as steep as in k."""
            way = [wide((places[j] - places[k])[..., c]) for c in range(2)]
            x, y = (index(slopes[k], (*first, c)) for c in range(2))
            return heights[k] + (way[0] * x + way[1] * y) / 3

        towards = [[along(k, j) for j in range(3)] for k in range(3)]
        apart = index(constant(_apart(self._triangles)), at.simplex)
        turns = [(k, (k + 1) % 3, (k + 2) % 3) for k in range(3)]
        near = [(heights[k] + towards[k][j] + towards[k][m]) / 3 for k, j, m in turns]
        across = []
        for k, j, m in turns:
            bent = heights[m] - heights[j] + 3 * (towards[j][m] - towards[m][j])
            level = 2 * towards[j][m] - heights[j] - towards[m][j] + near[j] + near[m]
            across.append((wide(apart[..., k]) * bent + level) / 2)
        inner = [(across[j] + across[m] + near[k]) / 3 for k, j, m in turns]
        least = minimum(minimum(*at.weights[:2]), at.weights[2])
        shares = [wide(v - least) for v in at.weights]
        centre = wide(3 * least)
        total = centre**3 * (inner[0] + inner[1] + inner[2]) / 3
        for k, j, m in turns:
            own = shares[k]
            edges = shares[j] * towards[k][j] + shares[m] * towards[k][m]
            total = total + own**3 * heights[k] + 3 * own**2 * (edges + centre * near[k])
            total = total + 3 * own * centre**2 * inner[k]
            total = total + 6 * centre * shares[j] * shares[m] * across[k]
        return at.filled(total, self.fill_value)


def _apart(triangles: Triangles) -> np.ndarray:
    """How the slope across each edge, opposite of a corner, is read: along the line between the
    middles of both triangles, so that both read the same."""
    cut, others = triangles.cut, triangles.beside
    middle = cut.points[cut.simplices[others]].mean(2)
    corners = cut.points[triangles.simplices]
    ways = np.stack([corners[:, 0] - corners[:, 2], corners[:, 1] - corners[:, 2]], -1)
    shares = np.linalg.solve(ways[:, None], (middle - corners[:, None, 2])[..., None])[..., 0]
    shares = np.concatenate([shares, 1 - shares.sum(-1, keepdims=True)], -1)
    k = np.arange(3)
    j, m = (shares[:, k, (k + step) % 3] for step in (1, 2))
    return np.where(others < 0, -0.5, (2 * m + j - 1) / np.where(others < 0, 1, 2 - 3 * (m + j)))


def _least_bent(cut: Any, values: TensorVariable) -> TensorVariable:
    """The slopes at the points: of (n, m) values (2 n, m).

    Along an edge of length L, with slopes a and b beyond that of the straight line (in units of the
    edge), the squared bend of the cubic has the integral 4 (a² + a b + b²) / L³. Its least sum has
    slopes that solve a linear system; unknowns are chosen so that its diagonal blocks are ones.
    """
    sparse = lazy_import("scipy.sparse.csr_array")
    starts, there = cut.vertex_neighbor_vertices
    n = len(cut.points)
    here = np.repeat(np.arange(n), np.diff(starts))
    edge = cut.points[there] - cut.points[here]
    weight = np.linalg.norm(edge, axis=1) ** -3.0
    both = edge[:, :, None] * edge[:, None] * weight[:, None, None]
    blocks = np.zeros((n, 2, 2))
    np.add.at(blocks, here, 2 * both)
    used = np.isin(np.arange(n), here)  # of points in one place, one alone is
    blocks[~used] = np.eye(2)
    turn = np.linalg.inv(np.linalg.cholesky(blocks))
    pairs = turn[here] @ both @ turn[there].swapaxes(1, 2)
    rows = 2 * here[:, None, None] + np.arange(2)[:, None] + np.zeros((2, 2), "int64")
    columns = 2 * there[:, None, None] + np.arange(2) + np.zeros((2, 2), "int64")
    between = sparse((pairs.ravel(), (rows.ravel(), columns.ravel())), (2 * n, 2 * n))
    rise = (3 * weight[:, None] * np.einsum("eij,ej->ei", turn[here], edge)).ravel()
    to, of = rows[:, :, 0].ravel(), np.repeat(np.stack([there, here]), 2, -1)
    steep = sparse((np.concatenate([rise, -rise]), (np.tile(to, 2), of.ravel())), (2 * n, n))
    matrix, side = (csr_array(v.astype(values.dtype)) for v in (between, steep))
    right = side @ values

    def product(v: TensorVariable) -> TensorVariable:
        table = reshape(v, (2 * n, -1))
        return ravel(table + matrix @ table)

    found, status = cg(product, ravel(right), rtol=4 * resolution(values), maxiter=1000)
    turned = reshape(where(status.eq(-1), float("nan"), found), (n, 2, -1))
    return reshape(constant(turn.swapaxes(1, 2).astype(values.dtype)) @ turned, (2 * n, -1))
