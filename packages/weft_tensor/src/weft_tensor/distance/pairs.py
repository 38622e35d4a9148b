"""How far each row of a matrix is from each other one, or from those of another."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import isqrt
from typing import Any, Final, NamedTuple

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.distance import booleans, metrics
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange, zeros
from weft_tensor.ops.elementwise.arithmetic import floor, maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.indexing.argmax import argmax, argmin
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.take import take
from weft_tensor.ops.linalg.solve import inv
from weft_tensor.ops.reduction.standard import max, min
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.statistics.moments import cov, var

__all__ = ["HausdorffResult", "cdist", "directed_hausdorff", "pdist", "squareform"]

Metric = str | Callable[[TensorVariable, TensorVariable], TensorVariable]
_METRICS: Final[dict[str, Any]] = {
    name: getattr(home, name) for home in (metrics, booleans) for name in home.__all__
} | {"jensenshannon": partial(metrics.jensenshannon, axis=-1)}
_OF_SCATTER: Final = {"mahalanobis": "VI", "seuclidean": "V"}
"""Metrics that say how far data scatter, and by which argument."""


class HausdorffResult(NamedTuple):
    """The farthest of all nearest distances, and between which rows of both matrices it is."""

    d: TensorVariable
    index_1: TensorVariable
    index_2: TensorVariable


def _metric(metric: Metric, rows: Callable[[], TensorVariable], options: dict[str, Any]) -> Any:
    if callable(metric):
        return partial(metric, **options)
    if metric not in _METRICS:
        raise ValueError(f"there is no metric {metric!r}, but {', '.join(sorted(_METRICS))}")
    option = _OF_SCATTER.get(metric)
    if option and options.get(option) is None:
        data = rows()
        scatter = var(data, axis=0, ddof=1) if option == "V" else inv(cov(data, rowvar=False))
        options = {**options, option: scatter}
    return partial(_METRICS[metric], **options)


def _rows(X: TensorLike, name: str) -> TensorVariable:
    rows = as_tensor(X)
    if rows.ndim < 2:
        raise ValueError(f"{name} takes matrices, or stacks of them, not {rows}")
    return rows


def cdist(
    XA: TensorLike, XB: TensorLike, metric: Metric = "euclidean", **options: Any
) -> TensorVariable:
    """How far each row of `XA` is from each of `XB`.

    (..., m, k) and (..., n, k) make (..., m, n). A `metric` is the name of one in `wt.distance`,
    or a function of two tensors that leaves out their last axis; `options` are its further
    arguments, as `w=` and `p=`. Without `V=` or `VI=` these are of all rows of both matrices.
    Slopes of rows that are equal are 0. See `scipy.spatial.distance.cdist`. Raises ValueError for
    another metric, or for vectors.

    >>> cdist([[0.0, 0.0], [3.0, 0.0]], [[0.0, 4.0]]).eval()
    array([[4.],
           [5.]])
    """
    first, second = _rows(XA, "cdist"), _rows(XB, "cdist")
    measure = _metric(metric, lambda: concatenate([first, second], 0), options)
    result: TensorVariable = measure(first.expand_dims(-2), second.expand_dims(-3))
    return result


def pdist(X: TensorLike, metric: Metric = "euclidean", **options: Any) -> TensorVariable:
    """How far each row of `X` is from each after it, pair by pair: 0 and 1, 0 and 2, ...

    (..., n, k) makes (..., n (n - 1) / 2), which `squareform` makes a matrix. Metrics and options
    are those of `cdist`. See `scipy.spatial.distance.pdist`.

    >>> pdist([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]]).eval()
    array([3., 4., 5.])
    """
    rows = _rows(X, "pdist")
    measure = _metric(metric, lambda: rows, options)
    return _above_diagonal(measure(rows.expand_dims(-2), rows.expand_dims(-3)))


def _above_diagonal(squares: TensorVariable) -> TensorVariable:
    """The elements above the diagonal, row by row.

    The places are made of floats, which are exact and can be made several at once, and are within
    bounds, so that who takes by them need not have that checked.
    """
    *stack, n, _ = lengths_of(squares)
    count = n * (n - 1) // 2
    after = (count - 1 - arange(count)).astype("float64")
    below = floor(sqrt(2 * after + 0.25) + 0.5)  # so many rows begin later, or are this one
    places = n * n - 1 - n * below - after + 0.5 * below * (below - 1)
    inside = maximum(minimum(places.astype("int64"), n * n - 1), 0)
    return index(squares.reshape((*stack, n * n)), (..., inside))


def squareform(X: TensorLike, force: str = "no") -> TensorVariable:
    """The matrix of distances of which `X` has those above the diagonal; or that vector again.

    A vector (n (n - 1) / 2,) makes (n, n), a matrix that vector. A matrix is not asked whether it
    is symmetric. See `scipy.spatial.distance.squareform`. Raises ValueError for tensors of other
    ranks, for vectors of another length (at the call if it is not known), and if `force` says that
    a vector is given ("tomatrix"), or a matrix ("tovector"), which is not.

    >>> squareform([3.0, 4.0, 5.0]).eval()
    array([[0., 3., 4.],
           [3., 0., 5.],
           [4., 5., 0.]])
    """
    given = as_tensor(X)
    if force not in ("no", {1: "tomatrix", 2: "tovector"}.get(given.ndim)):
        raise ValueError(f"squareform: force={force!r} is not what {given!r} makes")
    if given.ndim == 2:
        return _above_diagonal(given)
    if given.ndim != 1:
        raise ValueError(f"squareform takes a vector or a matrix, not {given}")
    count: Any = given.type.shape[0]
    if isinstance(count, int):
        n: Any = (1 + isqrt(1 + 8 * count)) // 2
        if n * (n - 1) != 2 * count:
            raise ValueError(f"{count} {_NOT_ALL_PAIRS}")
    else:
        length = lengths_of(given)[0]
        n = floor((1 + sqrt(1 + 8.0 * length)) / 2).astype("int64")
        n = check_and_raise(n, eq(n * (n - 1), 2 * length), ValueError, f"these {_NOT_ALL_PAIRS}")
    i, j = arange(n).expand_dims(1), arange(n)
    low, high = minimum(i, j), maximum(i, j)
    place = low * (2 * n - low - 1) // 2 + high - low
    with_zero = concatenate([zeros(1, given.dtype), given])
    return take(with_zero, where(eq(i, j), 0, place), mode="clip")


_NOT_ALL_PAIRS: Final = "distances are not those of all pairs of some points"


def directed_hausdorff(u: TensorLike, v: TensorLike) -> HausdorffResult:
    """How far a row of `u` can be from all of `v`, and which row that is, and which of `v` is near.

    (m, k) and (n, k) make three scalars. See `scipy.spatial.distance.directed_hausdorff`.

    >>> directed_hausdorff([[0.0, 0.0], [1.0, 0.0]], [[0.0, 0.0]]).d.eval()
    array(1.)
    """
    apart = cdist(u, v)
    farthest = argmax(min(apart, axis=1))
    row = apart[farthest]
    return HausdorffResult(max(min(apart, axis=1)), farthest, argmin(row))
