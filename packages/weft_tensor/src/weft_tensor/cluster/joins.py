"""What joins of clusters are like: how high, how unlike those below, in what order, and cut."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from weft_graph import stop_gradient, wrap_py
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.cluster.join_rows import children_of, largest_below, rows_of
from weft_tensor.distance.pairs import pdist, squareform
from weft_tensor.ops.control.loops import fori_loop, scan
from weft_tensor.ops.creation.creation import arange, zeros, zeros_like
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.searchsorted import searchsorted
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.numbers.quotient import quotient
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.sample_statistics.samples import numbers
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims, ravel
from weft_tensor.ops.statistics.moments import corrcoef
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    "cophenet",
    "cut_tree",
    "inconsistent",
    "maxRstat",
    "maxdists",
    "maxinconsts",
    "optimal_leaf_ordering",
]

T = TensorVariable


def cophenet(Z: TensorLike, Y: TensorLike | None = None) -> Any:  # SciPy's names
    """How high the join is at which two observations come together: for all pairs, as `pdist`.

    With distances `Y`, their correlation comes first: how well the joins show them. Slopes are
    those of the joins' heights. See `scipy.cluster.hierarchy.cophenet`. Raises ValueError for what
    is no matrix.

    >>> from weft_tensor.cluster.hierarchy import linkage
    >>> cophenet(linkage([[0.0], [1.0], [5.0]])).eval()
    array([1., 4., 4.])
    """
    rows = rows_of("cophenet", Z)
    joins = lengths_of(rows)[0]
    n = joins + 1
    left, right = children_of(rows)
    heights = index(rows, (slice(None), 2))

    def step(k: T, state: tuple[T, T]) -> tuple[T, T]:
        owners, apart = state  # of each observation, which cluster it is in now
        one, other = eq(owners, index(left, k)), eq(owners, index(right, k))
        pairs = expand_dims(one, 1) & other
        pairs = pairs | pairs.T
        return where(one | other, n + k, owners), where(pairs, index(heights, k), apart)

    start = (arange(n), zeros((n, n), rows.dtype))
    _, apart = fori_loop(0, joins, step, start)
    distances = squareform(apart)
    if Y is None:
        return distances
    return index(corrcoef(numbers(Y), distances), (0, 1)), distances


def inconsistent(Z: TensorLike, d: int = 2) -> TensorVariable:  # SciPy's names
    """Of each join and those down to `d` levels: mean height, deviation, how many, and how unlike.

    The last is how much higher the join is than their mean, in deviations; 0 where these are 0.
    See `scipy.cluster.hierarchy.inconsistent`. Raises ValueError for a depth below 1, and for what
    is no matrix.

    >>> from weft_tensor.cluster.hierarchy import linkage
    >>> inconsistent(linkage([[0.0], [1.0], [5.0]])).eval().round(4)
    array([[1.    , 0.    , 1.    , 0.    ],
           [2.5   , 2.1213, 2.    , 0.7071]])
    """
    if d < 1:
        raise ValueError(f"inconsistent: d is 1 or more levels, not {d}{called()}")
    rows = rows_of("inconsistent", Z)
    heights = index(rows, (slice(None), 2))
    n = lengths_of(rows)[0] + 1
    children = children_of(rows)
    own = (zeros_like(heights) + 1, heights, zeros_like(heights))
    found = own
    for _ in range(d - 1):
        below = [concatenate([zeros((n,), part.dtype), part]) for part in found]
        found = own
        for side in children:
            found = _together(found, tuple(index(part, side) for part in below))
    count, mean, squares = found
    some = squares > 0
    deviation = where(some, sqrt(where(some, squares, 1) / maximum(count - 1, 1)), 0)
    return stack([mean, deviation, count, quotient(heights - mean, deviation)], 1)


def _together(one: tuple[T, ...], other: tuple[T, ...]) -> tuple[T, T, T]:
    """Counts, means and sums of squared deviations of two parts (Chan and others, 1979)."""
    (n, mean, squares), (more, beside, spread) = one, other
    total = n + more
    gap = beside - mean
    return total, mean + gap * more / total, squares + spread + gap**2 * n * more / total


def maxdists(Z: TensorLike) -> TensorVariable:  # SciPy's name
    """The largest height of each join and of those below it.

    See `scipy.cluster.hierarchy.maxdists`. Raises ValueError for what is no matrix.

    >>> from weft_tensor.cluster.hierarchy import linkage
    >>> maxdists(linkage([[0.0], [1.0], [5.0]])).eval()
    array([1., 4.])
    """
    rows = rows_of("maxdists", Z)
    return largest_below(rows, index(rows, (slice(None), 2)))


def maxRstat(Z: TensorLike, R: TensorLike, i: int) -> TensorVariable:  # SciPy's names
    """The largest of column `i` of `R`, of each join and of those below it.

    See `scipy.cluster.hierarchy.maxRstat`. Raises ValueError for what is no matrix.

    >>> from weft_tensor.cluster.hierarchy import linkage
    >>> rows = linkage([[0.0], [1.0], [5.0]])
    >>> maxRstat(rows, inconsistent(rows), 0).eval()
    array([1. , 2.5])
    """
    return largest_below(rows_of("maxRstat", Z), index(rows_of("maxRstat", R), (slice(None), i)))


def maxinconsts(Z: TensorLike, R: TensorLike) -> TensorVariable:  # SciPy's names
    """The largest inconsistency of each join and of those below it.

    See `scipy.cluster.hierarchy.maxinconsts`. Raises ValueError for what is no matrix.

    >>> from weft_tensor.cluster.hierarchy import linkage
    >>> rows = linkage([[0.0], [1.0], [5.0]])
    >>> maxinconsts(rows, inconsistent(rows)).eval().round(4)
    array([0.    , 0.7071])
    """
    return maxRstat(Z, R, 3)


def cut_tree(
    Z: TensorLike,  # SciPy's name
    n_clusters: TensorLike | None = None,
    height: TensorLike | None = None,
) -> TensorVariable:
    """To which cluster each observation belongs: a column for each number of them, or height.

    They count from 0, in the order of their first observations. Below a height are the joins that
    are less high. By default there is a column before each join, and one behind the last. Rows are
    to be in the order of their heights. See `scipy.cluster.hierarchy.cut_tree`. Raises ValueError
    for both `n_clusters` and `height`, and for what is no matrix.

    >>> from weft_tensor.cluster.hierarchy import linkage
    >>> cut_tree(linkage([[0.0], [5.0], [1.0]]), [3, 2]).eval()
    array([[0, 0],
           [1, 1],
           [2, 0]])
    """
    if n_clusters is not None and height is not None:
        raise ValueError(f"cut_tree takes n_clusters or height, not both{called()}")
    rows = rows_of("cut_tree", Z)
    joins = lengths_of(rows)[0]
    n = joins + 1
    left, right = children_of(rows)
    every = arange(n + joins)

    def step(state: tuple[T, T], k: T) -> tuple[tuple[T, T], T]:
        firsts, owners = state  # of each cluster and each observation, the first in its cluster
        one, other = index(firsts, index(left, k)), index(firsts, index(right, k))
        first = minimum(one, other)
        owners = where(eq(owners, maximum(one, other)), first, owners)
        return (where(eq(every, n + k), first, firsts), owners), owners

    table = scan(step, (every, arange(n)), arange(joins))[1]
    table = concatenate([expand_dims(arange(n), 0), table])
    if height is not None:
        made = searchsorted(index(rows, (slice(None), 2)), ravel(as_tensor(height)))
    elif n_clusters is not None:
        made = clip(n - ravel(as_tensor(n_clusters)), 0, joins)
    else:
        made = arange(n)
    owners = index(table, made.astype("int64")).T
    firsts = eq(owners, expand_dims(arange(n), 1))
    ranks = cumsum(firsts.astype("int64"), 0) - 1
    return index(ranks, (owners, arange(lengths_of(owners)[1])))


def optimal_leaf_ordering(
    Z: TensorLike,  # SciPy's name
    y: TensorLike,
    metric: Any = "euclidean",
) -> TensorVariable:
    """The same joins, of clusters in the order that has neighbouring observations nearest.

    `y` is what `linkage` was given: observations, or the distances of all pairs. Which cluster
    comes first is SciPy's choice, on the host, on every backend; heights keep their slopes. See
    `scipy.cluster.hierarchy.optimal_leaf_ordering`. Raises ValueError for other ranks, and for
    distances of another number of observations (at the call, if it is not known before).

    >>> from weft_tensor.cluster.hierarchy import leaves_list, linkage
    >>> observed = [[0.0], [1.0], [5.0], [3.5]]
    >>> rows = linkage(observed)
    >>> [leaves_list(z).eval().tolist() for z in (rows, optimal_leaf_ordering(rows, observed))]
    [[0, 1, 2, 3], [0, 1, 3, 2]]
    """
    rows, given = rows_of("optimal_leaf_ordering", Z), numbers(y)
    if given.ndim not in (1, 2):
        raise ValueError(
            f"optimal_leaf_ordering takes observations or distances, not {given!r}{called()}"
        )
    rows = specify_shape(rows, None, 4)
    joins = lengths_of(rows)[0]
    apart = specify_shape(
        given if given.ndim == 1 else pdist(given, metric), joins * (joins + 1) // 2
    )
    known = [stop_gradient(v).astype("float64") for v in (rows, apart)]
    return concatenate([_ordered(*known).astype(rows.dtype), index(rows, (slice(None), [2, 3]))], 1)


def _by_scipy(rows: np.ndarray, apart: np.ndarray) -> np.ndarray:
    if not len(rows):
        return np.zeros((0, 2), "int64")
    ordering = lazy_import("scipy.cluster.hierarchy.optimal_leaf_ordering")
    ordered: np.ndarray = ordering(rows, apart)
    return ordered[:, :2].astype("int64")


_ordered: Final = wrap_py(
    _by_scipy,
    itypes=[TensorType("float64", (None, 4)), TensorType("float64", (None,))],
    otypes=[TensorType("int64", (None, 2))],
)
