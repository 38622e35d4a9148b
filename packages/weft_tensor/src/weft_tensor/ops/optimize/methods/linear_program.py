"""The least value of a linear function where linear functions are bounded: the simplex method.

G. B. Dantzig, Linear programming and extensions, 1963; with R. G. Bland, New finite pivoting rules
for the simplex method, 1977, once there have been many steps, so that there is an end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.creation.creation import arange, eye, ones, zeros
from weft_tensor.ops.elementwise.arithmetic import abs
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.indexing.argmax import argmax, argmin
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.solve import solve
from weft_tensor.ops.optimize.problem import by_options
from weft_tensor.ops.reduction.standard import any, max, min, sum
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["LinearProgram", "linprog"]

_SMALL: Final = 1e-9
"""What is no more beside numbers of size 1 is 0."""


class LinearProgram(NamedTuple):
    """What `linprog` has found."""

    x: TensorVariable
    """Where the function is least: a corner; NaN without success."""
    fun: TensorVariable
    """Its value there."""
    slack: TensorVariable
    """`b_ub - A_ub x`."""
    con: TensorVariable
    """`b_eq - A_eq x`."""
    status: TensorVariable
    """0 for success, 1 if there were no more steps, 2 if nothing fulfils the conditions, 3 if the
    function has no least value, 4 if rounding errors are too large."""
    success: TensorVariable
    nit: TensorVariable
    """How many steps were made."""


class _Sides(NamedTuple):
    """How each x is made of y that are not negative: `offset + sign y`, less another if free."""

    offset: TensorVariable
    sign: Any
    free: Any
    """Which have no bounds."""
    both: Any
    """Which have two."""
    width: TensorVariable
    """How far the two are from each other."""


def linprog(
    c: TensorLike,
    A_ub: TensorLike | None = None,
    b_ub: TensorLike | None = None,
    A_eq: TensorLike | None = None,
    b_eq: TensorLike | None = None,
    bounds: Any = (0, None),
    method: str = "highs",
    callback: None = None,
    options: Mapping[str, Any] | None = None,
    x0: TensorLike | None = None,
    integrality: Any = None,
    *,
    maxiter: int | None = None,
) -> LinearProgram:
    """The x for which `c @ x` is least where `A_ub x <= b_ub` and `A_eq x = b_eq`, within bounds.

    By the simplex method with a dense table, for some hundred rows and columns. It is computed in
    float64. See `scipy.optimize.linprog`.

    Parameters
    ----------
    c
        A vector.
    A_ub, b_ub, A_eq, b_eq
        Matrices with a column for each x, and vectors with an element for each row.
    bounds
        The least and the largest x: a pair, or a sequence with one for each x, None for none. They
        are numbers, or scalars: these are taken for finite. By default x is not negative.
    method, x0
        SciPy's, and not looked at.
    callback
        None: a graph calls nothing between its steps.
    options
        `maxiter`, again.
    integrality
        None, or zeros: none looks for whole numbers.
    maxiter
        How many steps at most: by default 50 for each row and column of the table.

    Returns
    -------
    A `LinearProgram`. `x` and `fun` have derivatives by all arguments: those of the corner, which
    stays one of least value. Where several have the least value, it is one of them.

    Raises
    ------
    ValueError
        for a callback, other options, whole numbers, other ranks, a matrix without its vector, and
        bounds that are not as many as x.

    Examples
    --------
    >>> A = [[-3.0, 1.0], [1.0, 2.0]]
    >>> found = linprog([-1.0, 4.0], A, [6.0, 4.0], bounds=[(None, None), (-3, None)])
    >>> found.x.eval().tolist(), found.fun.eval().item()
    ([10.0, -3.0], -22.0)
    """
    if callback is not None:
        raise ValueError(f"linprog: a graph calls nothing between its steps: no callback{called()}")
    if integrality is not None and np.any(integrality):
        raise ValueError(f"linprog looks for no whole numbers: integrality is None{called()}")
    given = by_options("linprog", options, {"maxiter": "maxiter"}, {"maxiter": maxiter})
    maxiter = given["maxiter"]
    cost = as_floating(c).astype("float64")
    if cost.ndim != 1:
        raise ValueError(f"linprog: c is a vector, not {c!r}{called()}")
    n = lengths_of(cost)[0]
    upper, most = _conditions(A_ub, b_ub, n, "ub")
    equal, wanted = _conditions(A_eq, b_eq, n, "eq")
    sides = _sides(bounds, cost)
    table, right, costs = _standard(cost, upper, most, equal, wanted, sides)
    known = stop_gradient(table), stop_gradient(right), stop_gradient(costs)
    basis, status, steps = _search(*known, maxiter)
    rows = lengths_of(table)[0]
    whole = concatenate([table, eye(rows)], 1)
    values = solve(whole[:, basis], right)
    columns = lengths_of(whole)[1]
    chosen = eq(arange(columns).expand_dims(-1), basis)
    y = sum(where(chosen, values, 0), -1)
    x = sides.offset + sides.sign * y[:n]
    free = x[sides.free]
    x = free.inc(-y[n : n + lengths_of(free)[0]])
    is_off = any(y < -1e-7 * (1 + max(abs(y), initial=0)))
    status = where(eq(status, 0) & is_off, 4, status)
    x = where(eq(status, 0), x, np.nan)
    return LinearProgram(
        x, cost @ x, most - upper @ x, wanted - equal @ x, status, eq(status, 0), steps
    )


def _conditions(
    A: TensorLike | None, b: TensorLike | None, n: Any, name: str
) -> tuple[TensorVariable, TensorVariable]:
    if A is None and b is None:
        return zeros((0, n)), zeros((0,))
    if A is None or b is None:
        raise ValueError(f"linprog: A_{name} and b_{name} come together{called()}")
    matrix, right = (as_floating(v).astype("float64") for v in (A, b))
    right = right.reshape((-1,)) if not right.ndim else right
    if (matrix.ndim, right.ndim) != (2, 1):
        raise ValueError(
            f"linprog: A_{name} is a matrix, and b_{name} a vector, not {A!r} and {b!r}{called()}"
        )
    return matrix, right


def _sides(bounds: Any, cost: TensorVariable) -> _Sides:
    """How bounds make x of what is not negative."""
    n: Any = cost.type.shape[0]
    if hasattr(bounds, "lb"):
        pairs: Any = np.broadcast_arrays(bounds.lb, bounds.ub)
        bounds = list(zip(*[np.atleast_1d(p) for p in pairs], strict=True))
    if bounds is None:
        bounds = (0, None)
    is_one = len(bounds) == 2 and not isinstance(bounds[0], (Sequence, np.ndarray))
    rows = [bounds] if is_one else list(bounds)
    is_one = is_one or len(rows) == 1
    if {len(row) for row in rows} != {2}:
        raise ValueError(f"linprog: bounds are pairs of least and greatest, not {bounds}{called()}")
    if not is_one and len(rows) != n:
        raise ValueError(f"linprog: there are {len(rows)} bounds for c, {cost!r}{called()}")
    low, high = ([_bound(row[k]) for row in rows] for k in (0, 1))
    kinds = [(a is not None, b is not None) for a, b in zip(low, high, strict=True)]

    def which(*kind: bool) -> Any:
        if is_one:
            return slice(None) if kinds[0] == kind else slice(0, 0)
        return np.array([k for k, own in enumerate(kinds) if own == kind], dtype=int)

    def filled(values: list[Any]) -> TensorVariable:
        return concatenate([as_tensor(v).astype("float64").reshape((1,)) for v in values])

    zipped = list(zip(low, high, strict=True))
    begin = [0.0 if a is None and b is None else b if a is None else a for a, b in zipped]
    apart = [0.0 if a is None or b is None else as_tensor(b) - a for a, b in zipped]
    sign = np.array([-1.0 if kind == (False, True) else 1.0 for kind in kinds])
    both = which(True, True)
    return _Sides(
        filled(begin) + 0 * cost, sign, which(False, False), both, (filled(apart) + 0 * cost)[both]
    )


def _bound(value: Any) -> Any:
    """None for none."""
    if value is None or isinstance(value, TensorVariable):
        return value
    return float(value) if np.isfinite(value) else None


def _standard(
    cost: TensorVariable,
    upper: TensorVariable,
    most: TensorVariable,
    equal: TensorVariable,
    wanted: TensorVariable,
    sides: _Sides,
) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
    """A table, right sides that are not negative, and costs, of equations of what is not negative.

    A row of zeros is the last, so that there is one.
    """
    n, m, k = lengths_of(cost)[0], lengths_of(upper)[0], lengths_of(equal)[0]
    wide = lengths_of(sides.width)[0]
    begun = concatenate([upper, equal], 0)
    right = concatenate([most, wanted]) - begun @ sides.offset
    begun = concatenate([begun, eye(n)[sides.both]], 0)
    alone = concatenate([eye(m), zeros((k + wide, m))], 0)
    beside = concatenate([zeros((m + k, wide)), eye(wide)], 0)
    table = concatenate([begun * sides.sign, -begun[:, sides.free], alone, beside], 1)
    right = concatenate([right, sides.width, zeros(1)])
    table = concatenate([table, 0 * ones((1, lengths_of(table)[1]))], 0)
    turn = where(right < 0, -1.0, 1.0)
    costs = concatenate([cost * sides.sign, -cost[sides.free], zeros(m + wide)])
    return table * turn.expand_dims(-1), right * turn, costs


def _search(
    table: TensorVariable, right: TensorVariable, costs: TensorVariable, maxiter: int | None
) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
    """Which columns are not 0 at the end, the status, and how many steps there were."""
    rows, columns = lengths_of(table)
    size = max(abs(table), 1, keepdims=True, initial=0)
    size = where(size > 0, size, 1)
    scale = max(abs(costs), initial=0)
    scale = where(scale > 0, scale, 1)
    height = 1 + max(right / size[:, 0], initial=0)
    whole = concatenate([table / size, eye(rows), right.expand_dims(-1) / size], 1)
    is_made = arange(columns + rows) >= columns
    prices = concatenate([costs / scale, zeros(rows)])
    limit = 50 * (rows + columns) if maxiter is None else as_tensor(maxiter)

    def step(state: Any) -> Any:
        t, basis, is_second, _, steps = state
        price = where(is_second, prices, is_made.astype("float64"))
        reduced = price - matmul(price[basis], t[:, :-1])
        reduced = where(is_made, 0, reduced)
        is_open = reduced < -_SMALL
        first = argmax(is_open)
        column = where(steps < 5 * (rows + columns), argmin(reduced), first)
        entries = t[:, column]
        must_go = is_second & is_made[basis] & (abs(entries) > _SMALL)
        goes = (entries > _SMALL) | must_go
        ratios = where(goes, t[:, -1] / where(goes, entries, 1), np.inf)
        ratios = where(must_go, 0, ratios)
        least = min(ratios)
        is_tied = goes & (ratios <= least + 1e-12 * (1 + abs(least)))
        row = argmin(where(is_tied, basis, columns + rows))
        ends = ~any(is_open)
        missing = sum(where(is_made[basis], t[:, -1], 0))
        is_none = ends & ~is_second & (missing > _SMALL * height)
        is_endless = ~ends & is_second & ~any(goes)
        status = where(is_none, 2, where(is_endless, 3, where(ends & is_second, 0, 1)))
        pivoted = ~ends & any(goes)
        line = t[row] / where(pivoted, entries[row], 1)
        is_row = eq(arange(rows), row)
        after = where(is_row.expand_dims(-1), line, t - entries.expand_dims(-1) * line)
        return (
            where(pivoted, after, t),
            where(pivoted & is_row, column, basis),
            is_second | ends,
            where(status > 1, status, where(ends & is_second, 0, 1)),
            steps + 1,
        )

    def goes_on(state: Any) -> Any:
        _, _, _, status, steps = state
        return eq(status, 1) & (steps < limit)

    begun = whole, columns + arange(rows), as_tensor(False), as_tensor(1), as_tensor(0)
    _, basis, _, status, steps = while_loop(goes_on, step, begun)
    return basis, status, steps
