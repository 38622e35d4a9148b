"""Minima without slopes: lines in directions that become conjugate.

M. J. D. Powell, An efficient method for finding the minimum of a function of several variables
without calculating derivatives, The Computer Journal 7 (1964), 155-162.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.creation.creation import arange, eye, zeros_like
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import eq, isnan, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.optimize.bounds import Bounds
from weft_tensor.ops.optimize.downhill.brent_line import (
    FIRST,
    Line,
    after_point,
    first_line,
    next_place,
)
from weft_tensor.ops.optimize.downhill.without_slopes import SearchEnd, most_of, search_end
from weft_tensor.ops.reduction.standard import any as any_of
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["powell_minimum"]

_START, _BEYOND = 0, 7
"""Where the search begins, and beyond the end of a turn; between are stages of a line."""


class _Search(NamedTuple):
    x: Any
    fun: Any
    directions: Any
    """A row each, and one more for that from the last turn."""
    last: Any
    begun: Any
    """The function when the turn began."""
    drop: Any
    steepest: Any
    row: Any
    stage: Any
    line: Line
    nit: Any
    nfev: Any
    done: Any


def powell_minimum(
    scalar: Callable[[TensorVariable], TensorVariable],
    start: TensorVariable,
    bounds: Bounds | None,
    options: Mapping[str, Any],
) -> SearchEnd:
    """Where all lines together gain nothing. Each turn of the loop computes one point.

    Raises ValueError for bounds.
    """
    if bounds is not None:
        raise ValueError(f"minimize: Powell takes no bounds, as Nelder-Mead and BFGS do{called()}")
    n, tol = lengths_of(start)[0], options["xtol"] * 100
    limits, default = (options["maxiter"], options["maxfev"]), 1000 * maximum(n, 1)
    most, most_calls = most_of(*limits, default), most_of(*limits[::-1], default)
    numbers = arange(n + 1)

    def body(s: _Search) -> _Search:
        line, stage = s.line, s.stage
        starts, beyond = eq(stage, _START), eq(stage, _BEYOND)
        at = where(starts, 0, where(beyond, 1, next_place(line, stage, tol)))
        at = at.astype(start.dtype)
        ahead = s.x - s.last
        value = scalar(s.x + at * where(beyond, ahead, index(s.directions, s.row)))
        calls = s.nfev + 1
        line, after, ends, place, low = after_point(line, stage, at, value, tol)
        ends = ends & ~(starts | beyond)
        step = place * index(s.directions, s.row)
        x = where(ends, s.x + step, s.x)
        fun = where(starts, value, where(ends, low, s.fun))
        gain, is_line = s.fun - fun, ends & (s.row < n)
        steeper = is_line & (gain > s.drop)
        drop, steepest = where(steeper, gain, s.drop), where(steeper, s.row, s.steepest)
        whole = is_line & eq(s.row + 1, n)
        nit = s.nit + whole
        bound = options["ftol"] * (absolute(s.begun) + absolute(fun)) + 1e-20
        stops = (2 * (s.begun - fun) <= bound) | (nit >= most) | (isnan(s.begun) & isnan(fun))
        done = (whole & stops) | (starts & eq(n, 0))
        t = 2 * (s.begun + value - 2 * s.fun) * (s.begun - s.fun - s.drop) ** 2
        t = t - s.drop * (s.begun - value) ** 2
        extra = beyond & (s.begun > value) & (t < 0)
        turns = ends & eq(s.row, n) & any_of(step.neq(0))
        again = starts | (beyond & ~extra) | (ends & eq(s.row, n))
        rows = numbers.expand_dims(1)
        replaced = where(eq(rows, s.steepest), index(s.directions, n - 1), s.directions)
        replaced = where(eq(rows, n - 1), step, replaced)
        directions = where(turns, replaced, s.directions)
        directions = where(extra & eq(rows, n), ahead, directions)
        row = where(again, 0, where(extra, n, where(is_line, minimum(s.row + 1, n), s.row)))
        new = again | extra | (is_line & ~whole)
        stage = where(new, FIRST, where(whole, _BEYOND, after))
        return _Search(
            x, fun, directions, where(starts | beyond, x, s.last),
            where(again, fun, s.begun), where(again, 0, drop), where(again, 0, steepest),
            row, stage, line, nit, calls, done,
        )  # fmt: skip

    none = as_tensor(0)
    zero, rise = as_tensor(0.0).astype(start.dtype), as_tensor(np.inf)
    rise = rise.astype(scalar(start).dtype)
    rows = concatenate([eye(n).astype(start.dtype), zeros_like(start).expand_dims(0)])
    first = _Search(
        start, rise, rows, start, rise, 0 * zero.astype(rise.dtype), none, none,
        as_tensor(_START), first_line(zero, rise), none, none, as_tensor(False),
    )  # fmt: skip
    end: _Search = while_loop(lambda s: ~s.done & (s.nfev < most_calls), body, first)
    found, counts = (end.x, end.fun), (end.nit, end.nfev)
    return search_end(scalar, found, counts, (most, most_calls), None, options["xtol"])
