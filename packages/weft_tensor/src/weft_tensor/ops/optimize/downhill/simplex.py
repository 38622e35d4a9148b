"""Minima without slopes: a simplex of points that moves downhill.

J. A. Nelder and R. Mead, A simplex method for function minimization, The Computer Journal 7 (1965),
308-313; with coefficients by the number of dimensions, F. Gao and L. Han, Implementing the
Nelder-Mead simplex algorithm with adaptive parameters, Computational Optimization and Applications
51 (2012), 259-277.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.creation.creation import arange, eye, full_like
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import eq, isfinite, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.optimize.bounds import Bounds
from weft_tensor.ops.optimize.downhill.without_slopes import SearchEnd, most_of, search_end
from weft_tensor.ops.optimize.problem import (
    size_of,
)
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["simplex_minimum"]

_REFLECT, _EXPAND, _OUTSIDE, _INSIDE, _MEASURE = range(5)
"""Where the function is computed next: beyond the face opposite to the worst corner, further, less
far, on this side of the face, or at a corner itself, of a simplex that is new or has shrunk."""


class _Simplex(NamedTuple):
    corners: Any
    """From the best to the worst, but while they are measured."""
    values: Any
    stage: Any
    corner: Any
    """Which corner is measured next."""
    reflected: Any
    """The function at the point that was reflected last."""
    nit: Any
    nfev: Any


def simplex_minimum(
    scalar: Callable[[TensorVariable], TensorVariable],
    start: TensorVariable,
    bounds: Bounds | None,
    options: Mapping[str, Any],
) -> SearchEnd:
    """Where the simplex around `start` has become small, and the function there as flat.

    Each turn of the loop computes the function at one point. What is not a number is worse than
    any number. Steps and calls are counted as SciPy's, of which the first makes the simplex.
    """
    first = _first_corners(start, options["initial_simplex"])
    n, inside = lengths_of(first)[1], (lambda x: x) if bounds is None else bounds.inside
    if bounds is not None:
        first = inside(where(first > bounds.high, 2 * bounds.high - first, first))
    reaches, shrinkage = _coefficients(options["adaptive"], n, start.dtype)
    default, given = 200 * maximum(n, 1), (options["maxiter"], options["maxfev"])
    most, most_calls = most_of(*given, default), most_of(*given[::-1], default)
    numbers = arange(n + 1)

    def body(s: _Simplex) -> _Simplex:
        best, worst = index(s.values, 0), index(s.values, n)
        second_worst = index(s.values, n - 1)
        middle = sum(index(s.corners, slice(0, -1)), 0) / n

        def beyond(reach: TensorVariable) -> TensorVariable:
            return inside((1 + reach) * middle - reach * index(s.corners, n))

        measures, reflects, expands, outside = (
            eq(s.stage, k) for k in (_MEASURE, _REFLECT, _EXPAND, _OUTSIDE)
        )
        point = where(measures, index(s.corners, s.corner), beyond(index(reaches, s.stage)))
        value = scalar(point)
        calls = s.nfev + 1
        stays = reflects & ~(value < best) & (value < second_worst)
        nearer = where(outside, value <= s.reflected, value < worst)
        takes = where(measures | expands, True, where(reflects, stays, nearer))
        shrinks = ~(takes | reflects)
        returns = expands & ~(value < s.reflected)
        here = takes & eq(numbers, where(measures, s.corner, n))
        point = where(returns, beyond(index(reaches, _REFLECT)), point)
        values = where(here, where(returns, s.reflected, value), s.values)
        corners = where(here.expand_dims(1), point, s.corners)
        lowest = index(corners, slice(0, 1))
        corners = where(shrinks, inside(lowest + shrinkage * (corners - lowest)), corners)
        further = where(value < worst, _OUTSIDE, _INSIDE)
        further = where(value < best, _EXPAND, where(stays, _REFLECT, further))
        unmeasured = (measures & (s.corner < n)) | shrinks
        stage = where(unmeasured, _MEASURE, where(reflects, further, _REFLECT))
        is_whole = eq(stage, _REFLECT)
        order = where(is_whole | (calls >= most_calls), argsort(values), numbers)
        return _Simplex(
            index(corners, order),
            index(values, order),
            stage,
            where(measures & unmeasured, s.corner + 1, minimum(n, 1)),
            where(reflects, value, s.reflected),
            s.nit + is_whole,
            calls,
        )

    def is_small(s: _Simplex) -> TensorVariable:
        size = size_of(index(s.corners, slice(1, None)) - index(s.corners, 0))
        best, others = index(s.values, 0), index(s.values, slice(1, None))
        rise = size_of(others - where(isfinite(best), best, 0))
        return isfinite(best) & (size <= options["xatol"]) & (rise <= options["fatol"])

    def goes_on(s: _Simplex) -> TensorVariable:
        ends = eq(s.stage, _REFLECT) & ((s.nit >= most) | is_small(s))
        return (s.nfev < most_calls) & ~ends

    none, far = as_tensor(0), as_tensor(np.inf).astype(scalar(start).dtype)
    values = full_like(numbers, np.inf, dtype=far.dtype)
    begun = _Simplex(first, values, as_tensor(_MEASURE), none, far, none, none)
    end: _Simplex = while_loop(goes_on, body, begun)
    found, counts = (index(end.corners, 0), index(end.values, 0)), (maximum(end.nit, 1), end.nfev)
    return search_end(scalar, found, counts, (most, most_calls), bounds, options["xatol"])


def _first_corners(start: TensorVariable, given: Any) -> TensorVariable:
    """`start`, and for each element what has another one by a twentieth; or those that are given.

    Raises ValueError for others than one more than `start` has elements.
    """
    n = lengths_of(start)[0]
    if given is None:
        moved = where(start.neq(0), (1 + 0.05) * start, 0.00025)
        others = where(eye(n).astype(start.dtype) > 0, moved, start)
        return concatenate([start.expand_dims(0), others])
    corners = as_tensor(given).astype(start.dtype)
    if corners.ndim != 2:
        text = f"minimize: initial_simplex has a row for each corner, not {given!r}{called()}"
        raise ValueError(text)
    return specify_shape(corners, (n + 1, n))


def _coefficients(adaptive: bool, n: Any, dtype: str) -> tuple[TensorVariable, TensorVariable]:
    """How far points are beyond the face in each stage, and by what a simplex shrinks."""
    if adaptive:
        size = maximum(n, 1).astype("float64")
        expansion, contraction, shrinkage = 1 + 2 / size, 0.75 - 1 / (2 * size), 1 - 1 / size
    else:
        expansion, contraction, shrinkage = (as_tensor(v) for v in (2.0, 0.5, 0.5))
    one = as_tensor(1.0)
    reaches = stack([one, expansion, contraction, -contraction, 0 * one])
    return reaches.astype(dtype), shrinkage.astype(dtype)
