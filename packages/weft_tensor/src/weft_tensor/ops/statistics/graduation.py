"""Smooth values near those of a signal: a penalty on their differences."""

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
from weft_tensor.ops.creation.creation import arange, ones_like, zeros_like
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.interpolate.conditions import (
    demand,
    demand_length,
    real_vector,
)
from weft_tensor.ops.matrices.hermitian_bands import (
    cho_solve_banded,
    cholesky_banded,
)
from weft_tensor.ops.optimize.scalar_minimum import minimize_scalar
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.statistics.differences import diff

__all__ = ["Graduation", "whittaker_henderson"]


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
    right = weights * y
    x: TensorVariable = _solution(order, weights.type, lamb.type, right.type)(weights, lamb, right)
    return x


@lru_cache(maxsize=16)
def _solution(order: int, *kinds: Type) -> OpFromGraph:
    """The Op that takes weights, `lamb` and b, of x where a x = b: a's diagonals are `_system`'s.

    Its derivatives are solutions of the same system, dx = a⁻¹ (db - da x), with the same factor.
    """
    weights, lamb, right = free = [kind() for kind in kinds]
    factor = cholesky_banded(_system(weights, lamb, order), lower=True)

    def solution(inputs: Sequence[Any], b: Any) -> Any:
        return _solution(order, *kinds[:2], b.type)(*inputs[:2], b)

    def bent(inputs: Sequence[Any], outputs: Sequence[Any], slopes: Sequence[Any]) -> list[Any]:
        x, b = outputs[0], solution(inputs, slopes[0])
        return [-b * x, -sum(diff(b, n=order) * diff(x, n=order)), b]

    def moved(inputs: Sequence[Any], outputs: Sequence[Any], ways: Sequence[Any]) -> list[Any]:
        x, (weight, size, b) = outputs[0], ways
        parts = [] if b is None else [b]
        parts += [] if weight is None else [-weight * x]
        if size is not None:
            none = zeros_like(index(x, slice(0, order)))
            around = concatenate([none, diff(x, n=order), none])
            parts += [(-1.0) ** (order + 1) * size * diff(around, n=order)]
        return [solution(inputs, fold(add, parts))]

    return OpFromGraph(free, cho_solve_banded((factor, True), right), "graduated", bent, moved)


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
def _log_determinant(order: int, *kinds: Type) -> OpFromGraph:
    """The Op that takes weights and `lamb`, of the logarithm of the system's determinant.

    Its slope by `lamb` follows the pivots in forward mode; that by weights is the diagonal of the
    inverse. Second derivatives are the same in both orders: forward mode finds those of reverse
    mode, and keeps nothing of the loops.
    """
    free: list[Any] = [kind() for kind in kinds]
    bands = _system(free[0], free[1], order)
    columns = _pivots(bands)
    rate = pushforward(sum(log(columns[0])), free[1], ones_like(free[1]))
    slopes = [_inverse_diagonal(columns), rate]

    def bent(inputs: Sequence[Any], outputs: object, ways: Sequence[Any]) -> list[Any]:
        pairs = [pair for pair in zip(free, ways, strict=True) if pair[1] is not None]
        at, given = zip(*pairs, strict=True)
        freely = [v.type() for v in given]
        moved = pushforward(slopes, at, freely)
        return replace(moved, dict(zip([*free, *freely], [*inputs, *given], strict=True)))

    sloping = OpFromGraph(free, slopes, "log_determinant_slopes", bent, bent)

    def moved(inputs: Sequence[Any], outputs: object, ways: Sequence[Any]) -> list[Any]:
        parts = zip(sloping(*inputs), ways, strict=True)
        return [fold(add, [sum(slope * way) for slope, way in parts if way is not None])]

    return OpFromGraph(
        free,
        2 * sum(log(index(cholesky_banded(bands, lower=True), 0))),
        "log_determinant",
        lambda inputs, outputs, cotangents: [cotangents[0] * v for v in sloping(*inputs)],
        moved,
    )


def _pivots(bands: Any) -> list[Any]:
    """The diagonals of d and l, where the matrix with these is l d lᵀ: d's is the first.

    Steps are about single numbers, which become one function of machine code; those about vectors
    become many.
    """
    width = bands.type.shape[0] - 1
    rows = [index(bands, k) for k in range(width + 1)]
    zero = 0 * index(rows[0], 0)

    def down(before: list[list[Any]], column: list[Any]) -> tuple[list[list[Any]], list[Any]]:
        """A column of both; those before, the latest first."""
        taken = [
            fold(add, [c[i + k] * c[k] * c[0] for k, c in enumerate(before[: width - i], 1)], zero)
            for i in range(width + 1)
        ]
        size, *others = [v - w for v, w in zip(column, taken, strict=True)]
        own = [size, *[v / size for v in others]]
        return [own, *before][:width], own

    columns: list[Any] = scan(down, [[zero] * (width + 1)] * width, rows)[1]
    return columns


def _inverse_diagonal(columns: list[Any]) -> TensorVariable:
    """The diagonal of the inverse, from the `_pivots`.

    By K. Takahashi and others, Formation of a sparse bus impedance matrix, 1973.
    """
    width = len(columns) - 1
    zero = 0 * index(columns[0], 0)

    def up(known: list[list[Any]], column: list[Any]) -> tuple[list[list[Any]], Any]:
        """A column of the inverse; those after, the next first."""
        size, *factors = column

        def at(i: int, k: int) -> Any:
            return known[min(i, k) - 1][abs(i - k)]

        after = range(1, width + 1)
        beside = [-fold(add, [f * at(i, k) for k, f in enumerate(factors, 1)]) for i in after]
        taken = fold(add, [f * v for f, v in zip(factors, beside, strict=True)], zero)
        own = [1 / size - taken, *beside]
        return [own, *known][:width], own[0]

    backwards = slice(None, None, -1)
    nothing = [[zero] * (width + 1)] * width
    main: TensorVariable = scan(up, nothing, [index(v, backwards) for v in columns])[1]
    return index(main, backwards)


def _unlikely(
    y: TensorVariable, weights: TensorVariable, log_lamb: TensorVariable, order: int
) -> TensorVariable:
    """Twice minus the logarithm of the restricted likelihood, but for a constant."""
    lamb = exp(log_lamb)
    size = _log_determinant(order, weights.type, lamb.type)(weights, lamb)
    squares = _least_squares(order, y.type, weights.type, lamb.type)(y, weights, lamb)
    free, count = sum((weights > 0).astype(y.dtype)) - order, lengths_of(y)[0] - order
    return free * log(squares) - count.astype(y.dtype) * log_lamb + size
