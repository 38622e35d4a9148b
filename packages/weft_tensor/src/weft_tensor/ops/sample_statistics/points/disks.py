"""Points that keep a distance from each other."""

from __future__ import annotations

from math import sqrt
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.convert import constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import fori_loop, while_loop
from weft_tensor.ops.creation.creation import arange, zeros
from weft_tensor.ops.elementwise.arithmetic import sqrt as root
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.indexing.argmax import argmax
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.random.distributions import fold_in, integers, normal, split, uniform
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import all, any, sum
from weft_tensor.ops.sample_statistics.points.sequences import dimensions
from weft_tensor.ops.sample_statistics.samples import one_of

__all__ = ["PoissonDisk"]

_T = TensorVariable
_MOST: Final = 2**20


class _State(NamedTuple):
    step: Any
    points: Any
    count: Any
    """How many points there are; those around which candidates were not drawn yet are open."""
    is_open: Any


class PoissonDisk:
    """Points in a box at distances of `radius` or more, until there is no room.

    Around each point, `ncandidates` are drawn: with `hypersphere` "volume" at up to twice the
    radius, with "surface" at the radius itself; those that are far enough from all points are kept
    (R. Bridson, Fast Poisson disk sampling in arbitrary dimensions, 2007). `rng` is a key, with
    which the first points are always the same. How many there are depends on values, as is so of
    `nonzero`. See `scipy.stats.qmc.PoissonDisk`.

    Parameters
    ----------
    d
        The number of axes.
    radius
        A number above 0.
    l_bounds, u_bounds
        Numbers, or one for each axis: the corners of the box, by default 0 and 1.

    Raises
    ------
    ValueError
        for a `d` that is not from 1 to 1000, a radius that is not above 0, bounds that do not rise,
        another `hypersphere`, and boxes in which there may be more than 2**20 points.

    Examples
    --------
    >>> from weft_tensor import random, stats
    >>> disks = stats.qmc.PoissonDisk(2, radius=0.3, rng=random.key(0))
    >>> disks.random(5).eval().shape
    (5, 2)
    """

    def __init__(
        self,
        d: int,
        *,
        radius: float = 0.05,
        hypersphere: str = "volume",
        ncandidates: int = 30,
        rng: TensorLike,
        l_bounds: Any = None,
        u_bounds: Any = None,
    ) -> None:
        one_of("PoissonDisk", "hypersphere", hypersphere, ("volume", "surface"))
        self.d, self.radius, self.rng = dimensions("PoissonDisk", d), float(radius), rng
        self.is_full, self.ncandidates = hypersphere == "volume", ncandidates
        self.low = np.broadcast_to(0.0 if l_bounds is None else np.asarray(l_bounds, float), d)
        self.high = np.broadcast_to(1.0 if u_bounds is None else np.asarray(u_bounds, float), d)
        if not self.radius > 0 or not (self.low < self.high).all():
            raise ValueError(
                f"PoissonDisk: radius is above 0, and bounds rise, not {radius!r}, {l_bounds!r} "
                f"and {u_bounds!r}{called()}"
            )
        # of cells whose diagonal is the radius each has one point at most
        cells = np.ceil((self.high - self.low) * sqrt(d) / self.radius)
        self._most = float(cells.prod())

    def random(self, n: int = 1) -> _T:
        """The first n points, one a row, or as many as there is room for."""
        return self._filled(min(n, self._most))

    def fill_space(self) -> _T:
        """All points, one a row, until there is no room."""
        return self._filled(self._most)

    def _filled(self, most: float) -> _T:
        if most > _MOST:
            raise ValueError(
                f"PoissonDisk: there may be {most:.0f} points, of at most {_MOST}: give a larger "
                f"radius{called()}"
            )
        rows = int(most)
        if rows < 1:
            return zeros((0, self.d))
        first, later = (k for k in split(self.rng))
        low, high = constant(self.low), constant(self.high)
        begin = low + (high - low) * uniform(first, size=(self.d,))
        places = arange(rows)

        def is_free(s: _State) -> _T:
            return (s.count < rows) & any(s.is_open)

        def around(s: _State) -> _State:
            which, *keys = (fold_in(later, 3 * s.step + k) for k in range(3))
            number = integers(which, 0, sum(s.is_open))
            own = argmax(cumsum(s.is_open.astype("int64")) > number)
            near = index(s.points, own) + self._offsets(keys[0], keys[1])
            inside = all((near >= low) & (near <= high), -1)

            def add(k: _T, s: _State) -> _State:
                point = index(near, k)
                far = sum((s.points - point) ** 2, -1) >= self.radius**2
                fits = index(inside, k) & all(far | (places >= s.count)) & (s.count < rows)
                at = where(fits, s.count, rows - 1)
                return _State(
                    s.step,
                    s.points[at].set(where(fits, point, index(s.points, at))),
                    s.count + fits,
                    s.is_open[at].set(fits | index(s.is_open, at)),
                )

            after: _State = fori_loop(
                0, self.ncandidates, add, s._replace(is_open=s.is_open[own].set(False))
            )
            return after._replace(step=s.step + 1)

        start = _State(constant(0), zeros((rows, self.d))[0].set(begin), constant(1), places < 1)
        end: _State = while_loop(is_free, around, start)
        return stop_gradient(end.points)[: end.count]

    def _offsets(self, key: _T, other: _T) -> _T:
        """Steps from a point, one a row: of all directions."""
        x = normal(key, size=(self.ncandidates, self.d))
        lengths = root(sum(x * x, -1, keepdims=True))
        if not self.is_full:
            return 1.001 * self.radius * x / lengths  # as SciPy has it, lest rounding refuse it
        share = uniform(other, size=(self.ncandidates, 1)) ** (1 / self.d)
        return 2 * self.radius * share * x / lengths
