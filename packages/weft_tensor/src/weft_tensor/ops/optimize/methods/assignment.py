"""Assignments of rows to columns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.control.loops import fori_loop, while_loop
from weft_tensor.ops.creation.creation import full, zeros
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import isnan, where
from weft_tensor.ops.indexing.argmax import argmin
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.optimize.problem import begun
from weft_tensor.ops.reduction.standard import any
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["linear_sum_assignment"]


class _Match(NamedTuple):
    """Prices of rows and columns, who is matched with whom (-1: none), whether it is possible."""

    u: Any
    v: Any
    column_of: Any
    row_of: Any
    possible: Any


class _Tree(NamedTuple):
    """The shortest ways from a row to columns."""

    row: Any
    least: Any
    before: Any
    rows_seen: Any
    columns_seen: Any
    distances: Any
    sink: Any


def linear_sum_assignment(
    cost_matrix: TensorLike, maximize: bool = False
) -> tuple[TensorVariable, TensorVariable]:
    """The rows and columns, each at most once, whose costs have the least sum.

    By shortest augmenting paths, in n³ steps: D. F. Crouse, On implementing 2D rectangular
    assignment algorithms, 2016. See `scipy.optimize.linear_sum_assignment`. The indices have no
    derivatives; the sum of `cost_matrix[rows, columns]` has.

    Parameters
    ----------
    cost_matrix
        A real matrix; infinite costs forbid a pair.
    maximize
        True for the largest sum.

    Returns
    -------
    Row numbers in order, and their columns: as many as the shorter axis is long.

    Raises
    ------
    ValueError
        for what is no matrix and, when it is computed, for NaN, costs of -inf, and where all
        assignments are forbidden.

    Examples
    --------
    >>> rows, columns = linear_sum_assignment([[4, 1, 3], [2, 0, 5], [3, 2, 2]])
    >>> rows.eval(), columns.eval()
    (array([0, 1, 2]), array([1, 0, 2]))
    """
    costs = begun(cost_matrix, "linear_sum_assignment: cost_matrix").astype("float64")
    if costs.ndim != 2:
        raise ValueError(f"linear_sum_assignment takes a matrix, not {cost_matrix!r}{called()}")
    cost = stop_gradient(-costs if maximize else costs)
    invalid = any(isnan(cost) | cost.eq(-np.inf))
    message = "linear_sum_assignment: a cost is NaN, or infinite the wrong way"
    cost = check_and_raise(cost, ~invalid, ValueError, message)
    rows, columns = lengths_of(cost)
    least = minimum(rows, columns)
    square = maximum(rows, columns)
    padded = zeros((square, square), "float64")[:rows, :columns].set(cost)
    end: _Match = fori_loop(0, square, lambda i, s: _with_row(padded, i, s), _start(square))
    message = "linear_sum_assignment: every assignment is forbidden"
    column_of = check_and_raise(end.column_of, end.possible, ValueError, message)
    # Rows and columns that were added come last; one of both kinds there is not.
    of_row = index(column_of, slice(0, rows))
    chosen = index(argsort(of_row >= columns, stable=True), slice(0, least))
    return chosen, of_row[chosen]


def _start(n: TensorVariable) -> _Match:
    prices, none = zeros((n,), "float64"), full((n,), -1, "int64")
    return _Match(prices, prices, none, none, as_tensor(True))


def _with_row(cost: TensorVariable, row: TensorVariable, s: _Match) -> _Match:
    """One row more is matched, along the shortest way to a column that is not."""
    n = lengths_of(cost)[0]
    no = zeros((n,), "bool")
    far = full((n,), np.inf, "float64")
    away = full((n,), -1, "int64")

    def body(t: _Tree) -> _Tree:
        rows_seen = t.rows_seen[t.row].set(True)
        reduced = t.least + cost[t.row] - s.u[t.row] - s.v
        shorter = ~t.columns_seen & (reduced < t.distances)
        distances = where(shorter, reduced, t.distances)
        before = where(shorter, t.row, t.before)
        open_ones = where(t.columns_seen, np.inf, distances)
        # Of the nearest columns a free one ends the way.
        nearest = open_ones.min()
        column = argmin(where(open_ones.eq(nearest) & ~t.columns_seen, s.row_of, n))
        owner = s.row_of[column]
        blocked = nearest.eq(np.inf)
        sink = where(blocked, -2, where(owner < 0, column, -1))
        return _Tree(
            where(owner < 0, t.row, owner),
            where(blocked, 0.0, nearest),
            before,
            rows_seen,
            t.columns_seen[column].set(True),
            distances,
            sink,
        )

    zero = as_tensor(0.0)
    first = _Tree(row, zero, away, no, no, far, as_tensor(-1))
    tree: _Tree = while_loop(lambda t: t.sink.eq(-1), body, first)
    own = where(s.column_of < 0, 0, s.column_of)
    gain = tree.least - tree.distances[own]
    u = s.u + where(tree.rows_seen & (s.column_of >= 0), gain, 0)
    u = u[row].set(s.u[row] + tree.least)
    v = s.v - where(tree.columns_seen, tree.least - tree.distances, 0)
    matched = _augmented(tree, row, s)
    possible = s.possible & (tree.sink >= 0)
    return _Match(
        where(possible, u, s.u),
        where(possible, v, s.v),
        where(possible, matched[0], s.column_of),
        where(possible, matched[1], s.row_of),
        possible,
    )


def _augmented(tree: _Tree, row: TensorVariable, s: _Match) -> tuple[Any, Any]:
    """Matches with those along the way to the last column turned round."""

    def body(state: tuple[Any, ...]) -> tuple[Any, ...]:
        column, column_of, row_of, _ = state
        owner = tree.before[column]
        following = column_of[owner]
        return following, column_of[owner].set(column), row_of[column].set(owner), owner.neq(row)

    begin = (tree.sink, s.column_of, s.row_of, tree.sink >= 0)
    _, column_of, row_of, _ = while_loop(lambda state: state[3], body, begin)
    return column_of, row_of
