"""Clusters of clusters: `wt.cluster.hierarchy`, with names of `scipy.cluster.hierarchy`."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.cluster.join_rows import children_of, rows_of
from weft_tensor.cluster.joins import (
    cophenet,
    cut_tree,
    inconsistent,
    maxdists,
    maxinconsts,
    maxRstat,
    optimal_leaf_ordering,
)
from weft_tensor.distance.pairs import pdist, squareform
from weft_tensor.front.keywords import take_keywords
from weft_tensor.front.unknown_name import unknown_name
from weft_tensor.ops.control.loops import fori_loop, scan, while_loop
from weft_tensor.ops.creation.creation import arange, full_like
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, neq, where
from weft_tensor.ops.indexing.argmax import argmax, argmin
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.sort import argsort, sort
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import any
from weft_tensor.ops.sample_statistics.samples import numbers, one_of
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import lengths_of

__all__ = [
    "cophenet",
    "cut_tree",
    "fcluster",
    "fclusterdata",
    "inconsistent",
    "leaves_list",
    "linkage",
    "maxRstat",
    "maxdists",
    "maxinconsts",
    "optimal_leaf_ordering",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        raise unknown_name(__name__, name, {n: n for n in __all__}, "scipy.cluster.hierarchy")


T = TensorVariable
_CRITERIA: Final = ("inconsistent", "distance", "maxclust", "monocrit", "maxclust_monocrit")


def _root(square: T) -> T:
    """0 with no slope where there is none left."""
    some = square > 0
    return where(some, sqrt(where(some, square, 1.0)), 0.0)


_METHODS: Final[dict[str, Callable[[T, T, T, T, T, T], T]]] = {
    "single": lambda x, y, d, a, b, c: minimum(x, y),
    "complete": lambda x, y, d, a, b, c: maximum(x, y),
    "average": lambda x, y, d, a, b, c: (a * x + b * y) / (a + b),
    "weighted": lambda x, y, d, a, b, c: (x + y) / 2,
    "centroid": lambda x, y, d, a, b, c: _root(
        (a * x * x + b * y * y) / (a + b) - a * b * d * d / (a + b) ** 2
    ),
    "median": lambda x, y, d, a, b, c: _root((x * x + y * y) / 2 - d * d / 4),
    "ward": lambda x, y, d, a, b, c: _root(
        ((a + c) * x * x + (b + c) * y * y - c * d * d) / (a + b + c)
    ),
}
"""The distance of clusters from one of two, which are x and y from them, d from each other, and
have a and b elements, as these have c: G. Lance and W. Williams, A general theory of
classificatory sorting strategies, 1967."""


def linkage(
    y: TensorLike, method: str = "single", metric: Any = "euclidean", optimal_ordering: bool = False
) -> TensorVariable:
    """The two nearest clusters joined, again and again, until one is left.

    It takes time with the square of how many observations there are, where few clusters have the
    same nearest one. Where distances are equal, SciPy may join another pair. Derivatives by
    distances are those of the order that they have. See `scipy.cluster.hierarchy.linkage`.

    Parameters
    ----------
    y
        A matrix with a row for each observation; or the distances of all pairs, as `pdist` gives
        them.
    method
        How far clusters are from each other: "single", "complete", "average", "weighted", or, of
        Euclidean distances, "centroid", "median" or "ward".
    metric
        Of observations, as for `pdist`.
    optimal_ordering
        Whether the clusters of joins are in the order of `optimal_leaf_ordering`.

    Returns
    -------
    A row for each join: both clusters, their distance, and how many observations they have. Those
    of one observation are 0, 1, ..., and the first join makes the next.

    Raises
    ------
    ValueError
        for another method or rank.

    Examples
    --------
    >>> linkage([[0.0], [1.0], [5.0]]).eval()
    array([[0., 1., 1., 2.],
           [2., 3., 4., 3.]])
    """
    one_of("linkage", "method", method, tuple(_METHODS))
    given = numbers(y)
    if given.ndim not in (1, 2):
        raise ValueError(f"linkage takes observations or distances, not {given!r}{called()}")
    apart = squareform(given if given.ndim == 1 else pdist(given, metric))
    n = lengths_of(apart)[0]
    places, join = arange(n), _METHODS[method]

    def step(state: tuple[T, T, T, _Nearest], k: T) -> tuple[tuple[T, T, T, _Nearest], T]:
        far, names, sizes, nearest = state
        one = argmin(nearest.apart)
        i, j = minimum(one, nearest.place[one]), maximum(one, nearest.place[one])
        row = [minimum(names[i], names[j]).astype(far.dtype), maximum(names[i], names[j])]
        a, b, d = sizes[i], sizes[j], far[i, j]
        new = join(far[i], far[j], d, a, b, sizes)
        sizes = sizes[j].set(a + b)[i].set(0.0)
        far = far[j].set(new)[:, j].set(new)
        nearest = _moved(nearest, stop_gradient(far), sizes > 0, i, j)
        return (far, names[j].set(n + k), sizes, nearest), stack([*row, d, a + b])

    others = where(places.expand_dims(1).eq(places), inf, stop_gradient(apart))
    nearest = _Nearest(others.min(1, initial=inf), argmin(others, 1))
    first = (apart, places, full_like(index(apart, 0), 1.0), nearest)
    rows: TensorVariable = scan(step, first, arange(n - 1))[1]
    return optimal_leaf_ordering(rows, given, metric) if optimal_ordering else rows


class _Nearest(NamedTuple):
    """Of each cluster, how far the nearest other one is, and its place."""

    apart: T
    place: T


def _moved(nearest: _Nearest, far: T, there: T, i: T, j: T) -> _Nearest:
    """After the clusters at `i` and `j` became the one at `j`.

    All others are looked at once more for those alone whose nearest was one of both.
    """
    places, new = arange(lengths_of(far)[0]), far[j]
    is_first = new.eq(nearest.apart) & (j < nearest.place)
    closer = there & neq(places, j) & ((new < nearest.apart) | is_first)
    stale = there & (nearest.place.eq(i) | nearest.place.eq(j) | places.eq(j))
    kept = where(there, where(closer, new, nearest.apart), inf)

    def look(state: tuple[T, _Nearest]) -> tuple[T, _Nearest]:
        stale, (apart, place) = state
        k = argmax(stale)
        row = where(there & neq(places, k), far[k], inf)
        at = argmin(row)
        return stale[k].set(False), _Nearest(apart[k].set(row[at]), place[k].set(at))

    start = (stale, _Nearest(kept, where(closer, j, nearest.place)))
    last: _Nearest = while_loop(lambda state: any(state[0]), look, start)[1]
    return last


class _Tree(NamedTuple):
    """Of each cluster, or join: in which flat one it is, or -1; where its observations begin."""

    flat: T
    begins: T


def _leaves_last(rows: T) -> tuple[T, T]:
    """The order in which SciPy counts: what is one observation after its sibling."""
    left, right = children_of(rows)
    joins = lengths_of(rows)[0]
    turned = (left <= joins) & (right > joins)
    return where(turned, right, left), where(turned, left, right)


def _descended(rows: T, children: tuple[T, T], heights: T, cut: T) -> _Tree:
    """From the last join to the first: below a join at most `cut` high, all is of one cluster."""
    joins = lengths_of(rows)[0]
    n = joins + 1
    every = arange(joins + n)
    left, right = children
    sizes = concatenate([0 * arange(n) + 1, index(rows, (slice(None), 3)).astype("int64")], 0)

    def step(r: T, tree: tuple[T, T]) -> tuple[T, T]:
        flat, begins = tree
        k = joins - 1 - r
        own, one, other = index(flat, n + k), index(left, k), index(right, k)
        cluster = where(own >= 0, own, where(index(heights, k) <= cut, n + k, -1))
        start = index(begins, n + k)
        is_one, is_other = eq(every, one), eq(every, other)
        second = start + index(sizes, one)
        moved = where(is_one, start, where(is_other, second, begins))
        return where(is_one | is_other, cluster, flat), moved

    return _Tree(*fori_loop(0, joins, step, (0 * every - 1, 0 * every)))


def fcluster(
    Z: TensorLike,  # SciPy's names
    t: TensorLike,
    criterion: str = "inconsistent",
    depth: int = 2,
    R: TensorLike | None = None,
    monocrit: TensorLike | None = None,
) -> TensorVariable:
    """To which flat cluster each observation belongs, by rows of `linkage`; they count from 1.

    See `scipy.cluster.hierarchy.fcluster`.

    Parameters
    ----------
    Z
        What `linkage` gives.
    t
        A number: of distance, of inconsistency, or of clusters.
    criterion
        Which joins hold: "distance" for those of which no distance below is above `t`;
        "inconsistent" for no inconsistency; "monocrit" for no number of `monocrit`. With
        "maxclust", by distance, and "maxclust_monocrit" there are `t` clusters or fewer.
    depth, R
        How many levels count for an inconsistency; or what `inconsistent` gives.
    monocrit
        A number for each join, not less than those of the joins below.

    Raises
    ------
    ValueError
        for another criterion, for none of `monocrit`, and for what is no matrix.

    Examples
    --------
    >>> fcluster(linkage([[0.0], [5.0], [1.0]]), 2, criterion="maxclust").eval()
    array([1, 2, 1])
    """
    one_of("fcluster", "criterion", criterion, _CRITERIA)
    rows, cut = rows_of("fcluster", Z), as_tensor(t)
    if criterion.endswith("monocrit"):
        if monocrit is None:
            raise ValueError(f"fcluster: criterion={criterion!r} needs monocrit{called()}")
        heights = numbers(monocrit)
    elif criterion == "inconsistent":
        heights = maxinconsts(rows, inconsistent(rows, depth) if R is None else R)
    else:
        heights = maxdists(rows)
    if not criterion.startswith("maxclust"):
        return _counted(rows, heights, cut)
    joins = lengths_of(rows)[0]
    fewest = joins + 1 - cut.astype("int64")
    last = index(sort(heights), clip(fewest - 1, 0, joins - 1))
    return where(fewest < 1, arange(1, joins + 2), _counted(rows, heights, last))


def fclusterdata(
    X: TensorLike,  # SciPy's name
    t: TensorLike,
    criterion: str = "inconsistent",
    metric: Any = "euclidean",
    depth: int = 2,
    method: str = "single",
) -> TensorVariable:
    """To which flat cluster each row of observations belongs: `fcluster` of `linkage`.

    See `scipy.cluster.hierarchy.fclusterdata`.

    >>> fclusterdata([[0.0], [5.0], [1.0]], 2.0, "distance").eval()
    array([1, 2, 1])
    """
    return fcluster(linkage(X, method, metric), t, criterion, depth)


def _counted(rows: T, heights: T, cut: T) -> T:
    """The flat cluster of each observation, of joins at most `cut` high."""
    n = lengths_of(rows)[0] + 1
    tree = _descended(rows, _leaves_last(rows), heights, cut)
    own = index(tree.flat, slice(None, n))
    begins = index(tree.begins, where(own >= 0, own, arange(n)))
    some = any(eq(begins.expand_dims(1), arange(n)), 0)
    return index(cumsum(some.astype("int64")), begins)


def leaves_list(Z: TensorLike) -> TensorVariable:
    """The observations in the order of a drawing of the joins, from left to right.

    See `scipy.cluster.hierarchy.leaves_list`. Raises ValueError for what is no matrix.

    >>> leaves_list(linkage([[0.0], [5.0], [1.0]])).eval()
    array([1, 0, 2])
    """
    rows = rows_of("leaves_list", Z)
    tree = _descended(rows, children_of(rows), index(rows, (slice(None), 2)), as_tensor(-inf))
    return argsort(index(tree.begins, slice(None, lengths_of(rows)[0] + 1)))


take_keywords(globals())
