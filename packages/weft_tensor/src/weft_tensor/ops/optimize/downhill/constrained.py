"""Minima under constraints, by multipliers.

What constraints ask for is added to the function, with multipliers that are found in turn: D. P.
Bertsekas, Constrained Optimization and Lagrange Multiplier Methods (1982), chapters 2 and 3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from weft_graph import grad, value_and_grad
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.creation.creation import zeros_like
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import maximum
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.implicit.roots import custom_root
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.optimize.bounds import Bounds
from weft_tensor.ops.optimize.downhill.constraints import Constraints
from weft_tensor.ops.optimize.downhill.descent import (
    Descent,
    ValueAndSlopes,
    descended,
    first_descent,
    free_slopes,
)
from weft_tensor.ops.optimize.downhill.directions import Method
from weft_tensor.ops.optimize.problem import evaluated, resolution, size_of, solve_linear
from weft_tensor.ops.reduction.standard import max as largest
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["constrained_minimum"]

Function = Callable[[TensorVariable], TensorVariable]
_ROUNDS = 50
"""So many times multipliers are found anew, at most."""
_HEAVIEST = 1e12
"""No violation weighs more."""
_FLATTEST = 1e-4
"""What changes less, where the search begins, is not made to change more."""


class _Search(NamedTuple):
    at: Descent
    multipliers: Any
    weight: Any
    violation: Any
    """How far constraints are from holding, or multipliers of those that hold anyway from 0."""
    roughness: Any
    """How steep it may be where the steps of a round end."""
    rounds: Any


def constrained_minimum(
    scalar: Function,
    constraints: Constraints,
    start: TensorVariable,
    most: TensorVariable,
    how: Method,
    tol: float | None,
    bounds: Bounds | None,
) -> tuple[TensorVariable, TensorVariable, TensorVariable, TensorVariable]:
    """Where steps lead from `start`, how many they and the function's calls are, and the status."""
    precision = resolution(start) ** 0.5 if tol is None else tol
    least = constraints.least_multipliers(start)
    of_value, of_constraints = _scales(scalar, constraints.values, start)

    def moved(multipliers: Any, weight: Any, v: TensorVariable) -> TensorVariable:
        return maximum(multipliers - weight * of_constraints * constraints.values(v), least)

    def penalised(multipliers: Any, weight: Any) -> tuple[Function, ValueAndSlopes]:
        def function(v: TensorVariable) -> TensorVariable:
            penalty = sum(moved(multipliers, weight, v) ** 2 - multipliers**2) / (2 * weight)
            return of_value * scalar(v) + penalty

        def value_and_slopes(v: TensorVariable) -> Any:
            return evaluated(lambda v: value_and_grad(function(v), v), v)

        return function, value_and_slopes

    def limit(value: Any) -> TensorVariable:
        size = of_value if tol is not None else maximum(of_value, absolute(value))
        return precision * size

    def body(s: _Search) -> _Search:
        function, value_and_slopes = penalised(s.multipliers, s.weight)

        def flat_at(d: Descent) -> TensorVariable:
            return size_of(free_slopes(d, bounds)) <= maximum(s.roughness, limit(d.fun))

        begin = s.at._replace(is_new=as_tensor(True))
        end = descended(value_and_slopes, function, begin, most, how, flat_at, bounds)
        multipliers = moved(s.multipliers, s.weight, end.x)
        violation = size_of((multipliers - s.multipliers) / s.weight)
        weight = where(violation > s.violation / 4, 10 * s.weight, s.weight)
        return _Search(end, multipliers, weight, violation, s.roughness / 10, s.rounds + 1)

    def is_rough(s: _Search) -> TensorVariable:
        return (s.violation > precision) | (s.roughness > limit(s.at.fun))

    def going(s: _Search) -> TensorVariable:
        able = (s.at.nit < most) & (s.rounds < _ROUNDS) & (s.weight <= _HEAVIEST)
        return s.rounds.eq(0) | (s.at.is_finite & able & is_rough(s))

    far = of_constraints * constraints.values(start)
    size = maximum(1.0, absolute(of_value * scalar(start))) / maximum(1.0, sum(far**2) / 2)
    weight, none = clip(10 * size, 1e-3, 1e3).astype(start.dtype), zeros_like(least)
    one = zeros_like(weight) + 1
    first = _Search(
        first_descent(penalised(none, weight)[0], start, how),
        none,
        weight,
        np.inf * one,
        0.01 * one,
        as_tensor(0),
    )
    end: _Search = while_loop(going, body, first)
    stopped = where(end.at.nit >= most, 1, where(end.violation > precision, 4, 2))
    status = where(end.at.is_finite, where(is_rough(end), stopped, 0), 3)
    multipliers = end.multipliers * of_constraints / of_value
    x = _with_slopes(scalar, constraints, end.at.x, multipliers, bounds)
    return x, end.at.nit, end.at.nfev, status


def _scales(
    scalar: Function, values: Function, start: TensorVariable
) -> tuple[TensorVariable, TensorVariable]:
    """By what to multiply a function, if it is steep, and constraints, to change like x."""
    jacobian = lazy_import("weft_tensor.batching.derivatives.jacobian")

    def slopes(v: TensorVariable) -> list[Any]:
        rows = jacobian(values(v), v, disconnected_inputs="ignore")
        return [grad(scalar(v), v, disconnected_inputs="ignore"), rows]

    of_value, rows = evaluated(slopes, start)
    sizes = largest(absolute(rows), 1, initial=0.0)
    return 1 / maximum(size_of(of_value), 1.0), 1 / where(sizes > _FLATTEST, sizes, 1.0)


def _with_slopes(
    scalar: Function, constraints: Constraints, x: Any, multipliers: Any, bounds: Bounds | None
) -> TensorVariable:
    """`x`, as a root of the equations of Karush, Kuhn and Tucker."""
    n = lengths_of(x)[0]

    def balance(both: TensorVariable) -> TensorVariable:
        x, multipliers = index(both, slice(0, n)), index(both, slice(n, None))

        def lagrangian(v: TensorVariable) -> TensorVariable:
            return scalar(v) - sum(multipliers * constraints.values(v))

        (slopes,) = evaluated(lambda v: [grad(lagrangian(v), v)], x)
        rest = slopes if bounds is None else bounds.balance(x, slopes)
        counts = (multipliers > 0) | (constraints.least_multipliers(x) < 0)
        return concatenate([rest, where(counts, constraints.values(x), multipliers)])

    both = concatenate([x, multipliers])
    root = custom_root(balance, both, lambda f, v: v, lambda g, y: solve_linear(g, y))
    return index(root, slice(0, n))
