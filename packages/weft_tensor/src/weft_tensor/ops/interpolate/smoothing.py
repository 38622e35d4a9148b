"""Smooth curves near points: a penalty on their bend."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from functools import reduce as fold
from math import comb
from operator import add
from typing import Any, NamedTuple

from weft_graph import OpFromGraph, Type, pushforward, replace
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import scan
from weft_tensor.ops.creation.creation import arange, eye, ones_like, zeros_like
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.implicit.following import deriving
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.interpolate.b_spline import BSpline
from weft_tensor.ops.interpolate.conditions import (
    demand,
    demand_length,
    increasing,
    real_vector,
    with_values,
)
from weft_tensor.ops.interpolate.curve import beside
from weft_tensor.ops.interpolate.spline_fits import make_interp_spline
from weft_tensor.ops.interpolate.systems import solved
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.matrices.hermitian_bands import (
    cho_solve_banded,
    cholesky_banded,
    solveh_banded,
)
from weft_tensor.ops.optimize.scalar_minimum import minimize_scalar
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.ops.statistics.differences import diff

__all__ = ["Graduation", "make_smoothing_spline", "whittaker_henderson"]


def make_smoothing_spline(
    x: TensorLike,
    y: TensorLike,
    w: TensorLike | None = None,
    lam: TensorLike | None = None,
    axis: int = 0,
) -> BSpline:
    """The natural cubic spline with the least squares to points and `lam` times squared bend.

    It solves a system with five diagonals: C. H. Reinsch, Smoothing by spline functions, 1967. See
    `scipy.interpolate.make_smoothing_spline`.

    Parameters
    ----------
    x
        A vector of 5 places or more, strictly increasing.
    y
        Real values along `axis`.
    w
        Weights of squares: positive, 1 by default.
    lam
        The weight of the bend, the integral of the squared second derivative: 0 or more. It may be
        a variable. By default it is that for which each value is foretold best by the others, by
        generalised cross-validation: the minimum that `minimize_scalar` finds from 0 to the number
        of points.
    axis
        Which axis of `y` belongs to `x`.

    Raises
    ------
    ValueError
        for other ranks and lengths; at the call, where unknown before, for places that do not
        increase and weights that are not positive.

    Examples
    --------
    >>> curve = make_smoothing_spline([0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, 1.0, 0.0], lam=1.0)
    >>> curve([1.0, 2.0]).eval().round(4)
    array([0.4783, 0.5217])
    """
    places = increasing(real_vector(x, "make_smoothing_spline: x"), "make_smoothing_spline: x")
    places = demand_length(places, 5, "make_smoothing_spline needs 5 points or more")
    places, values, along = with_values(places, y, axis)
    weights = ones_like(places)
    if w is not None:
        weights = real_vector(w, "make_smoothing_spline: w").astype(places.dtype)
        weights = specify_shape(weights, lengths_of(places)[0])
        weights = demand(weights, lambda v: v > 0, "make_smoothing_spline: w must be positive")
    if lam is None:
        n = lengths_of(places)[0].astype(places.dtype)
        guess = minimize_scalar(lambda v: _foretold(places, values, weights, v), bounds=(0 * n, n))
        bend: TensorVariable = guess.x
    else:
        text = "make_smoothing_spline: lam must be 0 or more"
        bend = demand(as_tensor(lam), lambda v: v >= 0, text)
    missed = bend * _missed(places, values, weights, bend)
    smooth = values - missed.astype(values.dtype)
    return make_interp_spline(places, moveaxis(smooth, 0, along), bc_type="natural", axis=along)


def _bands(x: TensorVariable, spreads: TensorVariable, lam: TensorVariable) -> TensorVariable:
    """The five diagonals of the system whose solution is the second derivatives inside."""
    h = diff(x)
    a = 1 / h
    first, second = index(a, slice(None, -1)), index(a, slice(1, None))
    both = first + second
    v = [index(spreads, slice(k, lengths_of(spreads)[0] - 2 + k)) for k in range(3)]
    middle = first**2 * v[0] + both**2 * v[1] + second**2 * v[2]
    middle = lam * middle + (index(h, slice(None, -1)) + index(h, slice(1, None))) / 3
    inner = slice(None, -1), slice(1, None)
    next_v = index(v[2], inner[0])
    beside_it = -index(both, inner[0]) * index(second, inner[0]) * index(v[1], inner[0])
    beside_it = beside_it - index(second, inner[0]) * index(both, inner[1]) * next_v
    beside_it = lam * beside_it + index(h, slice(1, -1)) / 6
    far = (
        lam * index(second, slice(None, -2)) * index(a, slice(2, -1)) * index(v[2], slice(None, -2))
    )
    one = zeros_like(index(middle, slice(0, 1)))
    rows = [
        concatenate([one, one, far]),
        concatenate([one, beside_it]),
        middle,
        concatenate([beside_it, one]),
        concatenate([far, one, one]),
    ]
    return stack(rows, 0)


def _bends(x: TensorVariable, y: TensorVariable) -> TensorVariable:
    """How slopes between neighbours change at the inner points."""
    return diff(diff(y, axis=0) / beside(diff(x), y.ndim - 1), axis=0)


def _missed(
    x: TensorVariable, y: TensorVariable, weights: TensorVariable, lam: TensorVariable
) -> TensorVariable:
    """How far values are from the smooth curve, divided by `lam`."""
    spreads = 1 / weights
    inner = solved(2, _bands(x, spreads, lam), _bends(x, y))
    none = zeros_like(index(y, slice(0, 1)))
    slopes = diff(concatenate([none, inner, none]), axis=0) / beside(diff(x), y.ndim - 1)
    change = diff(concatenate([none, slopes, none]), axis=0)
    return beside(spreads, y.ndim - 1) * change


def _foretold(
    x: TensorVariable, y: TensorVariable, weights: TensorVariable, lam: Any
) -> TensorVariable:
    """The mean square of what values miss that the others foretell.

    By P. Craven and G. Wahba, Smoothing noisy data with spline functions, 1979; a factor of `lam`
    is left out on both sides of the fraction.
    """
    n = lengths_of(x)[0]
    rest = _missed(x, y, weights, lam)
    spreads = 1 / weights
    each = _bends(x, eye(n, dtype=x.dtype))
    share = solved(2, _bands(x, spreads, lam), matmul(each * spreads, each.T))
    free = sum(share.diagonal()) / n
    return sum(beside(weights, y.ndim - 1) * rest**2) / n / free**2


class Graduation(NamedTuple):
    """What `whittaker_henderson` finds."""

    x: TensorVariable
    """The smooth values."""
    lamb: TensorVariable
    """The weight of their differences."""


def whittaker_henderson(
    signal: TensorLike,
    lamb: TensorLike = "reml",
    order: int = 2,
    weights: TensorLike | None = None,
) -> Graduation:
    """The values with the least squares to `signal` and `lamb` times squared differences.

    Of order 2 it is the filter of Hodrick and Prescott. See `scipy.signal.whittaker_henderson`,
    and P. H. C. Eilers, A perfect smoother, 2003. Values may be missing: where weights are 0.

    Parameters
    ----------
    signal
        A vector of real values, at least one more than `order`.
    lamb
        The weight of the differences, 0 or more. It may be a variable. By "reml" it is the
        likeliest: by the restricted likelihood with the best variance (G. Biessy, Revisiting
        Whittaker-Henderson smoothing, 2023, equation 12, of the values that are there; SciPy
        counts the missing ones, too), which `minimize_scalar` finds.
    order
        Which differences are to be small: 1 or more.
    weights
        Of squares: not negative, 1 by default.

    Raises
    ------
    ValueError
        for another `lamb` or `order`, ranks and lengths; at the call, where unknown before.

    Examples
    --------
    >>> whittaker_henderson([1.0, 3.0, 2.0, 4.0], lamb=10.0).x.eval().round(3)
    array([1.297, 2.109, 2.891, 3.703])
    """
    name = "whittaker_henderson"
    if order < 1:
        raise ValueError(f"{name}: order must be 1 or more, not {order}{called()}")
    y = real_vector(signal, f"{name}: signal")
    y = demand_length(y, order + 1, f"{name} needs {order + 1} values or more")
    w = ones_like(y)
    if weights is not None:
        w = specify_shape(real_vector(weights, f"{name}: weights"), lengths_of(y)[0])
        w = demand(w.astype(y.dtype), lambda v: v >= 0, f"{name}: weights must not be negative")
    y = where(eq(w, 0), 0.0, y)
    if not isinstance(lamb, str):
        size = demand(as_tensor(lamb), lambda v: v >= 0, f"{name}: lamb must be 0 or more")
        size = size.astype(y.dtype)
    elif lamb == "reml":
        size = exp(minimize_scalar(lambda v: _unlikely(y, w, v, order), bracket=(-10.0, 10.0)).x)
    else:
        raise ValueError(f'{name}: lamb must be a number or "reml", not {lamb!r}{called()}')
    return Graduation(_graduated(y, w, size, order), size)


def _system(weights: TensorVariable, lamb: TensorVariable, order: int) -> TensorVariable:
    """The diagonals of the matrix with which smooth values give the weighted ones."""
    n, place = lengths_of(weights)[0], arange(lengths_of(weights)[0])
    steps = [(-1) ** k * comb(order, k) for k in range(order + 1)]
    rows = []
    for k in range(order + 1):
        row = zeros_like(weights)
        for m in range(order + 1 - k):
            inside = (place >= m) & (place < n - order + m)
            row = row + where(inside, float(steps[m] * steps[m + k]), 0.0).astype(weights.dtype)
        rows.append(lamb * row + weights if k == 0 else lamb * row)
    return stack(rows, 0)


def _graduated(
    y: TensorVariable, weights: TensorVariable, lamb: TensorVariable, order: int
) -> TensorVariable:
    """The smooth values."""
    bands, right = _system(weights, lamb, order), weights * y
    x = cho_solve_banded((cholesky_banded(bands, lower=True), True), right)
    return deriving(x, solveh_banded(bands, right, lower=True))


@lru_cache(maxsize=16)
def _least_squares(order: int, *kinds: Type) -> OpFromGraph:
    """The Op that takes values, weights and `lamb`, of the sum that smooth values make least.

    Since that is the least, they have no share in its slopes (the envelope theorem).
    """

    def slopes(y: Any, weights: Any, lamb: Any) -> list[TensorVariable]:
        x = _graduated(y, weights, lamb, order)
        return [2 * weights * (y - x), (y - x) ** 2, sum(diff(x, n=order) ** 2)]

    def moved(inputs: Sequence[Any], outputs: object, ways: Sequence[Any]) -> list[Any]:
        parts = zip(slopes(*inputs), ways, strict=True)
        return [fold(add, [sum(slope * way) for slope, way in parts if way is not None])]

    _, weights, lamb = free = [kind() for kind in kinds]
    _, squares, bends = slopes(*free)
    return OpFromGraph(
        free,
        sum(weights * squares) + lamb * bends,
        "least_squares",
        lambda inputs, outputs, cotangents: [cotangents[0] * v for v in slopes(*inputs)],
        moved,
    )


@lru_cache(maxsize=16)
def _log_determinant(kind: Type) -> OpFromGraph:
    """The Op that takes the diagonals of a positive definite matrix.

    Second derivatives of a number are the same in both orders: forward mode finds those of reverse
    mode, and keeps nothing of the loops.
    """
    bands, way = kind(), kind()
    total = 2 * sum(log(index(cholesky_banded(bands, lower=True), 0)))
    slope = _inverse(bands)
    bend = pushforward(slope, bands, way)

    def bent(inputs: Sequence[Any], outputs: object, ways: Sequence[Any]) -> list[Any]:
        return replace([bend], {bands: inputs[0], way: ways[0]})

    inverse = OpFromGraph([bands], slope, "inverse_bands", bent, bent)
    return OpFromGraph(
        [bands],
        total,
        "log_determinant",
        lambda inputs, outputs, slopes: [slopes[0] * inverse(*inputs)],
        lambda inputs, outputs, ways: [sum(ways[0] * inverse(*inputs))],
    )


def _inverse(bands: Any) -> TensorVariable:
    """The diagonals of the inverse, of which those beside the main one count twice.

    By K. Takahashi and others, Formation of a sparse bus impedance matrix, 1973. Steps are about
    single numbers, which become one function of machine code; those about vectors become many.
    """
    width = bands.type.shape[0] - 1
    after = range(1, width + 1)
    rows = [index(bands, k) for k in range(width + 1)]
    zero = 0 * index(rows[0], 0)

    def down(before: list[list[Any]], column: list[Any]) -> tuple[list[list[Any]], list[Any]]:
        """A column of l and d of l d lᵀ; those before, the latest first."""
        taken = [
            fold(add, [c[i + k] * c[k] * c[0] for k, c in enumerate(before[: width - i], 1)], zero)
            for i in range(width + 1)
        ]
        size, *others = [v - w for v, w in zip(column, taken, strict=True)]
        own = [size, *[v / size for v in others]]
        return [own, *before][:width], own

    def up(known: list[list[Any]], column: list[Any]) -> tuple[list[list[Any]], list[Any]]:
        """A column of the inverse; those after, the next first."""
        size, *factors = column

        def at(i: int, k: int) -> Any:
            return known[min(i, k) - 1][abs(i - k)]

        beside = [-fold(add, [f * at(i, k) for k, f in enumerate(factors, 1)]) for i in after]
        taken = fold(add, [f * v for f, v in zip(factors, beside, strict=True)], zero)
        own = [1 / size - taken, *beside]
        return [own, *known][:width], own

    nothing = [[zero] * (width + 1)] * width
    _, factor = scan(down, nothing, rows)
    _, columns = scan(up, nothing, [index(v, slice(None, None, -1)) for v in factor])
    main, *others = [index(v, slice(None, None, -1)) for v in columns]
    return stack([main, *[2 * v for v in others]], 0)


def _unlikely(
    y: TensorVariable, weights: TensorVariable, log_lamb: TensorVariable, order: int
) -> TensorVariable:
    """Twice minus the logarithm of the restricted likelihood, but for a constant."""
    lamb = exp(log_lamb)
    bands = _system(weights, lamb, order)
    size = _log_determinant(bands.type)(bands)
    squares = _least_squares(order, y.type, weights.type, lamb.type)(y, weights, lamb)
    free, count = sum((weights > 0).astype(y.dtype)) - order, lengths_of(y)[0] - order
    return free * log(squares) - count.astype(y.dtype) * log_lamb + size
