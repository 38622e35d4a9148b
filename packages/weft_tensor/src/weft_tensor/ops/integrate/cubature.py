"""Integrals over boxes, which are cut in all directions where the error is largest."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from itertools import combinations, product
from math import inf, sqrt
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor, as_tensors, constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import fori_loop, while_loop
from weft_tensor.ops.creation.creation import zeros, zeros_like
from weft_tensor.ops.elementwise.arithmetic import abs, maximum, minimum, sign
from weft_tensor.ops.elementwise.comparison import eq, isfinite, where
from weft_tensor.ops.indexing.argmax import argmax
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.integrate.adaptive import gauss_kronrod, infinity
from weft_tensor.ops.interpolate.curve import beside
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.optimize.problem import tuple_of
from weft_tensor.ops.reduction.standard import all, max, prod, sum
from weft_tensor.ops.sample_statistics.samples import one_of
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.types.dtypes import promote

__all__ = ["CubatureRegion", "CubatureResult", "cubature"]

_T = TensorVariable
_WITHIN: Final = 0.41421356
"""Where a function is read in place of what does not count."""


class CubatureRegion(NamedTuple):
    """Boxes from `a` to `b`, their integrals and errors; those that are not used are empty."""

    a: TensorVariable
    b: TensorVariable
    estimate: TensorVariable
    error: TensorVariable


class CubatureResult(NamedTuple):
    """An integral, and how it was found; `status` is 0 if its error is small, else 1."""

    estimate: TensorVariable
    error: TensorVariable
    status: TensorVariable
    regions: CubatureRegion
    subdivisions: TensorVariable
    atol: float
    rtol: float


class _State(NamedTuple):
    """Boxes, which are parts of cells, from 0 to 1 in each direction, and how many there are."""

    cells: Any
    begins: Any
    widths: Any
    areas: Any
    errors: Any
    count: Any
    divisions: Any


def cubature(
    f: Callable[..., Any],
    a: TensorLike | Sequence[TensorLike],
    b: TensorLike | Sequence[TensorLike],
    *,
    rule: str = "gk21",
    rtol: float = 1e-8,
    atol: float = 0.0,
    max_subdivisions: int = 100,
    args: Any = (),
    points: Sequence[TensorLike] | None = None,
) -> CubatureResult:
    """The integral of `f(x, *args)`, a tensor, over the box with corners `a` and `b`.

    The box with the largest error is halved in each direction until all errors are small, or there
    were `max_subdivisions`. Derivatives in both modes, by the limits, the points and by all that
    `f` uses, are those of the rule on these boxes. See `scipy.integrate.cubature`.

    Parameters
    ----------
    f
        Takes places, one a row, and `args`, and returns a tensor with a value for each place along
        its first axis. It is never called at a corner.
    a, b
        Real vectors of known length; a limit that is infinite is a number, not a variable's.
    rule
        "gk21", which is "gauss-kronrod" too, or "gk15": 21 or 15 places in each direction, to the
        power of the number of these; or "genz-malik", of fewer places in two directions or more.
    rtol, atol
        Which errors are small: those up to `atol + rtol * abs(estimate)`.
    max_subdivisions
        How often boxes are halved at most.
    args
        Further arguments: a tuple, or the only one.
    points
        Vectors, at which the box is cut in each direction: where `f` is not smooth.

    Returns
    -------
    `estimate`, its `error`, `status`, which is 0, or 1 if errors are not small or not finite, the
    number of `subdivisions`, and the `regions`, along a first axis of as many as there can be:
    their corners `a` and `b` (to infinity as numbers that go to 0, as SciPy has them), `estimate`
    and `error`, without derivatives.

    Raises
    ------
    ValueError
        for limits that are no vectors of one known length, points of another length, another rule,
        fewer than two directions with "genz-malik", and results without a value for each place.
    TypeError
        for complex limits.

    Examples
    --------
    >>> from weft_graph import grad
    >>> from weft_tensor import exp, scalar
    >>> rate, inf = scalar("rate"), float("inf")
    >>> bell = cubature(lambda x: exp(-rate * (x * x).sum(-1)), [-inf, -inf], [inf, inf], rtol=1e-6)
    >>> [v.eval({rate: 2.0}).round(6).item() for v in (bell.estimate, grad(bell.estimate, rate))]
    [1.570796, -0.785398]
    """
    one_of("cubature", "rule", rule, ("gk21", "gk15", "gauss-kronrod", "genz-malik"))
    if max_subdivisions < 0:
        raise ValueError(
            f"cubature: max_subdivisions is 0 or more, not {max_subdivisions}{called()}"
        )
    low, high = _numbers(a), _numbers(b)
    n = len(low)
    if not n or len(high) != n:
        raise ValueError(f"cubature: a and b have one length, not {n} and {len(high)}{called()}")
    kind = promote([v.dtype for v in as_tensors([*low, *high])])
    kind = kind if kind.startswith(("float", "complex")) else "float64"
    if kind.startswith("complex"):
        raise TypeError(f"cubature: a and b are real, not {a!r} and {b!r}{called()}")
    ways = [_Way(*pair, kind) for pair in zip(low, high, strict=True)]
    cuts = [_numbers(p) for p in (() if points is None else points)]
    if not {len(p) for p in cuts} <= {n}:
        raise ValueError(f"cubature: points are vectors of {n} numbers, not {points!r}{called()}")
    more, places = tuple_of(args), _places("gk21" if rule == "gauss-kronrod" else rule, n)
    table = tuple(v.astype(kind) for v in places)
    grid = _Grid(lambda x: f(x, *more), ways, cuts, (table[0], table[1], table[2]))

    def small(estimate: _T, error: _T) -> _T:
        return all(error <= atol + rtol * abs(estimate))

    found = _halved(grid, small, max_subdivisions)

    def add(k: _T, total: _T) -> _T:
        part = (index(v, k).expand_dims(0) for v in (found.cells, found.begins, found.widths))
        return total + grid.estimates(*part)[0][0]

    estimate = fori_loop(0, found.count, add, zeros_like(found.areas[0]))
    error = sum(found.errors, 0)
    status = where(small(sum(found.areas, 0), error), 0, 1)
    corner, size = grid.boxes(found.cells, found.begins, found.widths)
    ends = [stop_gradient(grid.corners(t)) for t in (corner, corner + size)]
    ends = [minimum(*ends), maximum(*ends)]
    regions = CubatureRegion(ends[0], ends[1], found.areas, found.errors)
    return CubatureResult(estimate, error, status, regions, found.divisions, atol, rtol)


def _numbers(v: Any) -> list[Any]:
    """The elements of a vector of known length, as they are given: the infinite ones are told."""
    if isinstance(v, TensorVariable):
        length = static_length(lengths_of(v)[0]) if v.ndim == 1 else None
        if not isinstance(length, int):
            raise ValueError(
                f"cubature takes vectors of known lengths, not {v!r}: give it one with "
                f"specify_shape{called()}"
            )
        return [v[k] for k in range(length)]
    elements = list(v) if isinstance(v, Sequence) else list(np.atleast_1d(v))
    if builtins.any(np.ndim(e) for e in elements if not isinstance(e, TensorVariable)):
        raise ValueError(f"cubature takes vectors of numbers, not {v!r}{called()}")
    return elements


def _places(rule: str, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places in the box from 0 to 1, one a row, their weights, and those of the lower rule."""
    if rule == "genz-malik":
        return _genz_malik(n)
    each = gauss_kronrod(int(rule[2:]))
    grids = [np.stack(np.meshgrid(*[v] * n, indexing="ij"), -1).reshape(-1, n) for v in each]
    return grids[0], grids[1].prod(-1), grids[2].prod(-1)


def _genz_malik(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of degrees 7 and 5, by A. C. Genz and A. A. Malik, 1980, Remarks on algorithm 006."""
    if n < 2:
        raise ValueError(f"cubature: genz-malik is for two directions or more, not {n}{called()}")
    units = np.eye(n)
    near, far = sqrt(9 / 70), sqrt(9 / 10)
    axes = np.concatenate([units, -units])
    pairs = [
        s * units[i] + t * units[j]
        for i, j in combinations(range(n), 2)
        for s in (-1, 1)
        for t in (-1, 1)
    ]
    corners = sqrt(9 / 19) * np.array(list(product((-1, 1), repeat=n)))
    groups = [np.zeros((1, n)), near * axes, far * axes, far * np.array(pairs), corners]
    own = (12824 - 9120 * n + 400 * n**2) / 19683, 980 / 6561, (1820 - 400 * n) / 19683, 200 / 19683
    fewer = (729 - 950 * n + 50 * n**2) / 729, 245 / 486, (265 - 100 * n) / 1458, 25 / 729, 0.0
    counts = [len(v) for v in groups]
    weights = [np.repeat(v, counts) for v in ((*own, 6859 / 19683 / 2**n), fewer)]
    return (1 + np.concatenate(groups)) / 2, weights[0], weights[1]


class _Way:
    """One direction: how a number t becomes a place, and from where to where it goes.

    From 0 to 1, to infinity by (1 - t) / t; and from -1 to 1, if both limits are infinite.
    """

    def __init__(self, low: Any, high: Any, kind: str) -> None:
        self.low, self.high = infinity(low), infinity(high)
        self.a, self.b = (as_tensor(v).astype(kind) for v in (low, high))
        self.is_finite = not self.low and not self.high
        self.is_empty = not self.is_finite and self.low == self.high
        self.is_whole = bool(self.low and self.high) and not self.is_empty
        self.end, way = (self.b, self.low) if self.low else (self.a, self.high)
        self.turn = 1.0 if way > 0 else -1.0

    def place(self, t: _T) -> tuple[_T, _T]:
        """Where t is, and by what a value there is multiplied."""
        if self.is_finite:
            return self.a + (self.b - self.a) * t, zeros_like(t) + (self.b - self.a)
        if self.is_empty:
            return t, zeros_like(t)
        x = (1 - abs(t)) / t if self.is_whole else self.end + self.turn * (1 - t) / t
        return x, (-1.0 if self.low > 0 or self.high < 0 else 1.0) / (t * t)

    def edges(self, places: Sequence[Any]) -> list[_T]:
        """Where it is cut, as numbers t that rise, from the first to the last."""
        kind = self.a.dtype
        ends = [-1.0, 0.0, 1.0] if self.is_whole else [0.0, 1.0]
        if not places or self.is_empty:
            return [constant(v, kind) for v in ends]
        x = stack([as_tensor(p).astype(kind) for p in places])
        if self.is_finite:
            none = eq(self.a, self.b)
            t = where(none, 0.0, (x - self.a) / where(none, 1.0, self.b - self.a))
        elif self.is_whole:
            t = where(eq(x, 0), 1.0, 1 / (x + where(eq(x, 0), 1.0, sign(x))))
        else:
            t = 1 / (1 + maximum(self.turn * (x - self.end), 0.0))
        t = sort(concatenate([constant(np.array(ends), kind), clip(t, ends[0], ends[-1])]))
        return [t[k] for k in range(len(ends) + len(places))]


class _Grid:
    """The box, cut into cells at the points, and the rule for parts of cells."""

    def __init__(
        self,
        f: Callable[[_T], Any],
        ways: Sequence[_Way],
        points: Sequence[Sequence[Any]],
        rule: tuple[np.ndarray, np.ndarray, np.ndarray],
    ) -> None:
        self.f, self.ways, self.rule = f, ways, [constant(v) for v in rule]
        edges = [way.edges([p[k] for p in points]) for k, way in enumerate(ways)]
        cells = list(product(*[range(len(e) - 1) for e in edges]))
        self.count = len(cells)
        low, high = (
            stack([stack([e[k + j] for e, k in zip(edges, cell, strict=True)]) for cell in cells])
            for j in (0, 1)
        )
        self.low, self.size = low, high - low

    def boxes(self, cells: _T, begins: _T, widths: _T) -> tuple[_T, _T]:
        """Where parts of cells begin, and their widths, as numbers t."""
        size = index(self.size, cells)
        return index(self.low, cells) + size * begins, size * widths

    def corners(self, t: _T) -> _T:
        """Numbers t, in directions of two finite limits as places."""
        columns = [w.place(t[:, k])[0] if w.is_finite else t[:, k] for k, w in enumerate(self.ways)]
        return stack(columns, -1)

    def estimates(self, cells: _T, begins: _T, widths: _T) -> tuple[_T, _T]:
        """The integrals over parts of cells, and how far those of the lower rule are."""
        places, weights, fewer = self.rule
        corner, size = self.boxes(cells, begins, widths)
        volume = prod(size, -1)
        some = volume > 0
        t = corner.expand_dims(1) + size.expand_dims(1) * places
        t = where(beside(some, 2), t, _WITHIN).astype(size.dtype)
        found = [way.place(t[:, :, k]) for k, way in enumerate(self.ways)]
        share = beside(volume, 1) * prod(stack([factor for _, factor in found]), 0)
        x = stack([x for x, _ in found], -1)
        values = as_tensor(self.f(reshape(x, (-1, len(found)))))
        if not values.ndim:
            raise ValueError(f"cubature: f returns a value for each row, not {values!r}{called()}")
        kind = promote([values.dtype, size.dtype]) if values.is_complex else size.dtype
        values = reshape(values, (*lengths_of(share), *lengths_of(values)[1:])).astype(kind)
        rank = values.ndim - 2
        parts = where(beside(some, rank + 1), values * beside(share, rank), 0.0)
        area, apart = (sum(parts * beside(w, rank), 1) for w in (weights, weights - fewer))
        return area, abs(apart)


def _halved(grid: _Grid, small: Callable[[_T, _T], _T], most: int) -> _State:
    """The boxes, after the worst was cut in all directions until the errors are small."""
    n, kind = len(grid.ways), grid.low.dtype
    corners = constant(np.array(list(product((0.0, 1.0), repeat=n))).astype(kind))
    own = constant(np.arange(2**n))
    length = grid.count + most * (2**n - 1)

    def is_open(s: _State) -> _T:
        return (s.divisions < most) & ~small(sum(s.areas, 0), sum(s.errors, 0))

    def cut(s: _State) -> _State:
        size = max(reshape(s.errors, (length, -1)), -1, initial=0.0)
        worst = argmax(where(isfinite(size), size, inf))
        half = index(s.widths, worst) / 2
        widths = broadcast_to(half, (2**n, n))
        begins = index(s.begins, worst) + corners * half
        cells = broadcast_to(index(s.cells, worst), (2**n,))
        new = cells, begins, widths, *grid.estimates(cells, begins, widths)
        at = where(eq(own, 0), worst, s.count - 1 + own)
        parts = [v[at].set(w) for v, w in zip(s[:5], new, strict=True)]
        return _State._make([*parts, s.count + 2**n - 1, s.divisions + 1])

    cells = constant(np.arange(grid.count))
    begins, widths = (constant(np.full((grid.count, n), v, kind)) for v in (0, 1))
    first = cells, begins, widths, *grid.estimates(cells, begins, widths)
    filled = [
        zeros((length, *lengths_of(v)[1:]), dtype=v.dtype)[: grid.count].set(v) for v in first
    ]
    begin = _State._make([*filled, constant(grid.count), constant(0)])
    return _State._make([stop_gradient(v) for v in while_loop(is_open, cut, begin)])
