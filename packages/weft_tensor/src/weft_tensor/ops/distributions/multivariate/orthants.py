"""Normal probabilities of orthants, and what is special to normal vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor, constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.control.loops import scan
from weft_tensor.ops.creation.creation import arange, eye
from weft_tensor.ops.distributions.laws import Frozen
from weft_tensor.ops.distributions.multivariate.multivariate import Multivariate
from weft_tensor.ops.distributions.multivariate.spread import Spread
from weft_tensor.ops.elementwise.arithmetic import abs, maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import log
from weft_tensor.ops.elementwise.special import log_ndtr
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.linalg.cholesky import cholesky
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.reduction.logsumexp_softmax import logsumexp
from weft_tensor.ops.reduction.standard import mean, sum
from weft_tensor.ops.sample_statistics.samples import numbers
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.transpose import matrix_transpose, moveaxis
from weft_tensor.ops.special.normal import ndtri_exp

__all__ = ["NormalVectors", "log_orthant"]

_T = TensorVariable
_POINTS: Final = 8191
_GENERATOR: Final = np.array([
    1, 2431, 3799, 1729, 969, 2283, 848, 660, 2227, 1148, 2600, 747, 2715, 926, 2972, 2743, 3574,
    677, 3845, 1827, 4056, 2591, 2939, 1122, 2159, 1660, 3637, 1473, 2521, 2848, 2062, 4043, 3658,
    1396, 394, 998, 3188, 215, 3287, 1759, 2812, 1239, 3693, 711, 2355, 2128, 3415, 3434, 1888,
    2179,
])  # fmt: skip
"""Multiples of point 1 of the lattice: each the best after those before, with weights 1 / k^2."""
_MOST: Final = len(_GENERATOR)
_FAR: Final = 60.0
"""Standard deviations beyond which there is nothing."""


def log_orthant(x: _T, center: _T, spread: Spread) -> _T:
    """The logarithm of the probability that no element is above that of x.

    By A. Genz, Numerical computation of multivariate normal probabilities, 1992: elements one after
    another, the smallest limits first, each below its limit given those before. The mean is over a
    fixed lattice of 8,191 points, of whose coordinates a tent makes shares:
    probabilities are right to about 1e-5, and small ones to a thousandth of themselves.
    """
    cov = spread.cov()
    scales = sqrt(cov.diagonal(axis1=-2, axis2=-1))
    limits = maximum(minimum(x - center, _FAR * scales), -_FAR * scales) / scales
    shared = cov / (scales[..., :, None] * scales[..., None, :])
    n = lengths_of(limits)[-1]
    message = f"multivariate_normal.cdf: vectors have up to {_MOST} elements"
    known = limits.type.shape[-1]
    if isinstance(known, int) and known > _MOST:
        raise ValueError(f"{message}, not {known}{called()}")
    limits = check_and_raise(limits, n <= _MOST, ValueError, message)
    order = argsort(limits, -1)
    limits = take_along_axis(limits, order, -1)
    moves = (order[..., :, None].eq(arange(n))).astype(shared.dtype)
    shared = matmul(matmul(moves, shared), matrix_transpose(moves))
    factor = cholesky(shared)
    ways = constant((np.arange(_POINTS)[:, None] * _GENERATOR + 0.25) / _POINTS % 1)
    log_shares = log(1 - abs(2 * ways - 1)).astype(limits.dtype)

    def step(places: _T, given: Any) -> tuple[_T, _T]:
        row, limit, log_share, own = given
        before = sum(row[..., None, :] * places, -1)
        size = sum(where(own, row, 0.0), -1)
        below = log_ndtr((limit[..., None] - before) / size[..., None])
        place = ndtri_exp(below + log_share)
        return where(own, place[..., None], places), below

    none = (0 * limits)[..., None, :] + constant(np.zeros((_POINTS, 1))).astype(limits.dtype)
    rows, steps = moveaxis(factor, -2, 0), moveaxis(limits, -1, 0)
    _, parts = scan(step, none, (rows, steps, log_shares.T[:n], eye(n) > 0))
    return logsumexp(sum(parts, 0), -1) - float(np.log(_POINTS))


class NormalVectors(Multivariate):
    """The family of normal vectors, whose parts are such again."""

    def marginal(
        self, dimensions: int | Sequence[int], mean: TensorLike, cov: TensorLike
    ) -> Frozen:
        """The distribution of some elements of a vector, in that order.

        See `scipy.stats.multivariate_normal.marginal`. Raises ValueError for a dimension that is
        given twice, or known not to be there.

        >>> from weft_tensor.stats import multivariate_normal
        >>> part = multivariate_normal.marginal([1], [0.0, 3.0], [[1.0, 0.5], [0.5, 4.0]])
        >>> part.mean().eval(), part.cov().eval()
        (array([3.]), array([[4.]]))
        """
        places = np.atleast_1d(np.asarray(dimensions, "int64"))
        center, square = as_tensor(mean), as_tensor(cov)
        length = square.type.shape[-1]
        count = length if isinstance(length, int) else None
        chosen = places if count is None else places % count
        if count is not None and ((places < -count) | (places >= count)).any():
            raise ValueError(
                f"multivariate_normal.marginal: of {count} dimensions, there is none of "
                f"{dimensions!r}{called()}"
            )
        if len(set(chosen.tolist())) != chosen.size:
            raise ValueError(
                "multivariate_normal.marginal: each dimension is given once, not "
                f"{dimensions!r}{called()}"
            )
        part = center if not center.ndim else center[..., chosen]
        return self(part, square[..., chosen[:, None], chosen])

    def fit(
        self,
        x: TensorLike,
        fix_mean: TensorLike | None = None,
        fix_cov: TensorLike | None = None,
    ) -> tuple[TensorVariable, TensorVariable]:
        """The mean and covariance with which observations, as rows, are likeliest.

        See `scipy.stats.multivariate_normal.fit`. Raises ValueError for what is no matrix.

        >>> from weft_tensor.stats import multivariate_normal
        >>> center, square = multivariate_normal.fit([[0.0, 1.0], [2.0, 1.0], [4.0, 4.0]])
        >>> center.eval(), square.eval().round(4)
        (array([2., 2.]), array([[2.6667, 2.    ],
               [2.    , 2.    ]]))
        """
        rows = numbers(x)
        if rows.ndim != 2:
            raise ValueError(
                "multivariate_normal.fit takes observations as rows of a matrix, not "
                f"{rows!r}{called()}"
            )
        center = mean(rows, 0) if fix_mean is None else numbers(fix_mean).astype(rows.dtype)
        if fix_cov is not None:
            return center, numbers(fix_cov).astype(rows.dtype)
        apart = rows - center
        return center, matmul(matrix_transpose(apart), apart) / lengths_of(rows)[0].astype(
            rows.dtype
        )
