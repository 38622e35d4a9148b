"""Points that are nearest to others: `scipy.spatial.KDTree`, by all distances."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from operator import index as whole
from typing import Any, Final, NoReturn

from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.distance.metrics import minkowski
from weft_tensor.ops.creation.creation import full, zeros_like
from weft_tensor.ops.elementwise.arithmetic import abs, minimum, mod
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.indexing.partition import argtopk
from weft_tensor.ops.indexing.take import take, take_along_axis
from weft_tensor.ops.reduction.standard import max, min, sum
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.shape.reshape import atleast_1d, expand_dims

__all__ = ["KDTree"]

_OTHERWISE: Final = {
    "query_ball_tree": "distance.cdist(a, b) <= r",
    "query_pairs": "distance.pdist(data) <= r",
    "sparse_distance_matrix": "distance.cdist(a, b)",
    "tree": "the tensor that it was made of, .data",
}


class KDTree:
    """Points as rows, of which the nearest to others are asked for.

    There is no tree here: distances to all points are computed, n m of them for m places, on every
    backend, and have derivatives. With `boxsize`, a length or one for each axis, space is periodic,
    but along those of 0. How SciPy's tree is made (`leafsize` and so on) says nothing here. See
    `scipy.spatial.KDTree`. Raises ValueError for what is no matrix.

    >>> tree = KDTree([[0.0, 0.0], [3.0, 4.0], [6.0, 0.0]])
    >>> distances, places = tree.query([0.0, 1.0], k=2)
    >>> distances.eval().round(3), places.eval()
    (array([1.   , 4.243]), array([0, 1]))
    """

    def __init__(
        self,
        data: TensorLike,
        leafsize: int = 10,
        compact_nodes: bool = True,
        copy_data: bool = False,
        balanced_tree: bool = True,
        boxsize: TensorLike | None = None,
    ) -> None:
        self.data = as_floating(data)
        if self.data.ndim != 2:
            raise ValueError(f"KDTree takes points as rows of a matrix, not {self.data!r}")
        self.boxsize = boxsize
        self.leafsize = leafsize

    n = property(lambda self: lengths_of(self.data)[0], doc="How many points there are.")
    m = property(lambda self: lengths_of(self.data)[1], doc="Along how many axes.")
    mins = property(lambda self: min(self.data, 0), doc="The least number along each axis.")
    maxes = property(lambda self: max(self.data, 0), doc="The largest number along each axis.")

    def query(
        self,
        x: TensorLike,
        k: int | Sequence[int] = 1,
        eps: float = 0.0,
        p: float = 2.0,
        distance_upper_bound: TensorLike = inf,
        workers: int = 1,
    ) -> tuple[TensorVariable, TensorVariable]:
        """Distances of the `k` nearest points to each place along the last axis, and their numbers.

        (..., m) makes (..., k), or (...) for k = 1; of a sequence, those of these ranks, from 1 on.
        The first of those that are as near come first. `p` says which distance of Minkowski's it
        is. What is not there, or not below the bound, is at distance `inf`, and number n. The
        nearest ones are exact, whatever `eps` says. Raises ValueError for ranks below 1.
        """
        ranks = [whole(k)] if isinstance(k, int) else [whole(r) for r in k]
        if not ranks or any(r < 1 for r in ranks):
            raise ValueError(f"KDTree.query: k is 1 or more, or such ranks, not {k!r}")
        most = sorted(ranks)[-1]
        distances = self._distances(x, p)
        known = static_length(self.n)
        if not isinstance(known, int) or known < most:
            none = full((*lengths_of(distances)[:-1], most), inf, distances.dtype)
            distances = concatenate([distances, none], -1)
        order = argtopk(distances, -most)
        near = take_along_axis(distances, order)
        inside = (near < distance_upper_bound) & (order < self.n)
        near, order = where(inside, near, inf), where(inside, order, self.n)
        if not isinstance(k, int):
            places = [r - 1 for r in ranks]
            return take(near, places, -1), take(order, places, -1)
        return (near, order) if k > 1 else (near[..., 0], order[..., 0])

    def query_ball_point(
        self,
        x: TensorLike,
        r: TensorLike,
        p: float = 2.0,
        eps: float = 0.0,
        workers: int = 1,
        return_sorted: bool | None = None,
        return_length: bool = False,
    ) -> TensorVariable:
        """How many points are at most `r` from each place, with `return_length`: TypeError without.

        Which points they are has no shape: write `distance.cdist(x, data) <= r`, a mask.
        """
        if not return_length:
            raise TypeError(
                "KDTree.query_ball_point: how many points are near depends on values: say "
                "return_length=True for their number, or take distance.cdist(x, data) <= r, a mask"
            )
        radius = expand_dims(as_tensor(r), -1)
        return sum(self._distances(x, p) <= radius, -1)

    def count_neighbors(
        self,
        other: KDTree,
        r: TensorLike,
        p: float = 2.0,
        weights: Any = None,
        cumulative: bool = True,
    ) -> TensorVariable:
        """How many pairs of a point here and one of another tree are at most `r` apart.

        With `weights`, one for each point here and, as the second of a tuple, there, the sums of
        their products. If not `cumulative`, of pairs that are above the number before in `r`.
        """
        radii = as_tensor(r)
        near = expand_dims(other._distances(self.data, p), -1) <= atleast_1d(radii)
        pairs: Any = near
        if weights is not None:
            own, theirs = weights if isinstance(weights, tuple) else (weights, None)
            pairs = near * expand_dims(as_tensor(own), (-2, -1))
            if theirs is not None:
                pairs = pairs * expand_dims(as_tensor(theirs), -1)
        counts = sum(pairs, (0, 1))
        if not cumulative:
            counts = concatenate([counts[:1], counts[1:] - counts[:-1]])
        return counts if radii.ndim else counts[0]

    def _distances(self, x: TensorLike, p: float) -> TensorVariable:
        """From each place to each point, along a new last axis."""
        places = expand_dims(as_floating(x), -2)
        if self.boxsize is None:
            return minkowski(places, self.data, p)
        box = as_tensor(self.boxsize)
        apart = abs(places - self.data)
        round_trip = mod(apart, where(box > 0, box, 1))
        shorter = minimum(round_trip, box - round_trip)
        return minkowski(where(box > 0, shorter, apart), zeros_like(apart), p)

    def __getattr__(self, name: str) -> NoReturn:
        instead = f": write {_OTHERWISE[name]}" if name in _OTHERWISE else ""
        raise AttributeError(f"'KDTree' object has no attribute {name!r}{instead}")
