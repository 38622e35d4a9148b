"""Elimination in matrices of three diagonals, as LAPACK's gttrf and gttrs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from pytensor.graph.op import Op

import weft_tensor as wt
from weft_pytensor.convert.table import register_names
from weft_tensor import TensorVariable

_Rows: TypeAlias = Sequence[TensorVariable]


def _shifted(v: TensorVariable, places: int) -> TensorVariable:
    """With zeros for what comes in: at the end, or in front if `places` is negative."""
    zeros = wt.zeros((abs(places), *v.shape[1:]), dtype=v.dtype)
    return wt.concatenate([v, zeros] if places > 0 else [zeros, v])


@register_names("LUFactorTridiagonal")
def factor(op: Op, below: TensorVariable, diagonal: TensorVariable, above: TensorVariable) -> _Rows:
    """The factors, of which the upper one has two diagonals above its own; which rows change."""

    def step(state: _Rows, row: _Rows) -> Any:
        (own, right), (under, following, beyond) = state, row
        swap = wt.abs(own) < wt.abs(under)
        pivot, other = wt.where(swap, under, own), wt.where(swap, own, under)
        ratio = other / wt.where(wt.equal(pivot, 0), 1.0, pivot)  # then the other one is 0, too
        upper, lower = wt.where(swap, following, right), wt.where(swap, right, following)
        second, kept = wt.where(swap, beyond, 0.0), wt.where(swap, -ratio * beyond, beyond)
        return (lower - ratio * upper, kept), (ratio, pivot, upper, second, swap)

    start = diagonal[0], _shifted(above, 1)[0]
    rows = below, diagonal[1:], _shifted(above[1:], 1)
    (last, _), (ratios, pivots, uppers, seconds, swaps) = wt.loop.scan(step, start, rows)
    n = diagonal.shape[0]
    order = wt.arange(1, n + 1) + wt.concatenate([swaps, wt.zeros((1,), dtype="bool")])
    return ratios, wt.concatenate([pivots, last[None]]), uppers, seconds[:-1], order


@register_names("SolveLUFactorTridiagonal")
def solve(op: Op, *inputs: TensorVariable) -> TensorVariable:
    """What the matrix, or its transpose, takes to the last input."""
    ratios, pivots, above, second, order, b = inputs
    swaps = wt.greater(order, wt.arange(1, order.shape[0] + 1))[:-1]
    if op.transposed:
        return _lower(ratios, swaps, _upper(pivots, above, second, b, -1), True)
    return _upper(pivots, above, second, _lower(ratios, swaps, b, False), 1)


def _upper(
    pivots: TensorVariable,
    above: TensorVariable,
    second: TensorVariable,
    b: TensorVariable,
    way: int,
) -> TensorVariable:
    """By the upper factor from the last row on, or its transpose from the first row on."""

    def step(state: _Rows, row: _Rows) -> Any:
        (one, two), (pivot, first, other, right) = state, row
        x = (right - first * one - other * two) / pivot
        return (x, one), x

    zero = wt.zeros_like(b[0])
    rows = pivots, _shifted(above, way), _shifted(second, 2 * way), b
    return wt.loop.scan(step, (zero, zero), rows, reverse=way > 0)[1]


def _lower(
    ratios: TensorVariable, swaps: TensorVariable, b: TensorVariable, transposed: bool
) -> TensorVariable:
    """By the lower factor, or its transpose: rows are swapped before, or after that."""

    def step(own: TensorVariable, row: _Rows) -> Any:
        ratio, swap, other = row
        if transposed:
            rest = other - ratio * own
            return wt.where(swap, own, rest), wt.where(swap, rest, own)
        pivot, lower = wt.where(swap, other, own), wt.where(swap, own, other)
        return lower - ratio * pivot, pivot

    first, others = (b[-1], b[:-1]) if transposed else (b[0], b[1:])
    last, rows = wt.loop.scan(step, first, (ratios, swaps, others), reverse=transposed)
    return wt.concatenate([last[None], rows] if transposed else [rows, last[None]])
