"""What searches without slopes have in common: where they end, how many steps there are at most."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import OpFromGraph, UndefinedGradientError, grad, stop_gradient
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.creation.creation import full_like
from weft_tensor.ops.elementwise.arithmetic import maximum
from weft_tensor.ops.elementwise.comparison import isfinite, where
from weft_tensor.ops.implicit.following import deriving
from weft_tensor.ops.implicit.roots import custom_root
from weft_tensor.ops.optimize.bounds import Bounds
from weft_tensor.ops.optimize.problem import (
    evaluated,
    iterations,
    resolution,
    size_of,
    solve_linear,
)

__all__ = ["SearchEnd", "most_of", "search_end"]

_FAR: Final = 100
"""Newton's step is longer than so many times what is near only where the function has no minimum
with slopes and curvatures."""
_ENDLESS: Final = np.iinfo("int64").max


class SearchEnd(NamedTuple):
    """Where a search has ended, with the function and its slopes there."""

    x: TensorVariable
    fun: TensorVariable
    jac: TensorVariable
    nit: TensorVariable
    nfev: TensorVariable
    status: TensorVariable


def most_of(own: Any, other: Any, default: TensorVariable) -> TensorVariable:
    """How many steps or calls there are at most, as SciPy has it where the other has no limit."""
    unlimited = [isinstance(v, float) and v == np.inf for v in (own, other)]
    if own is None and (other is None or unlimited[1]):
        return as_tensor(default)
    return as_tensor(_ENDLESS) if own is None or unlimited[0] else iterations(own, default)


def search_end(
    scalar: Callable[[TensorVariable], TensorVariable],
    found: tuple[TensorVariable, TensorVariable],
    counts: tuple[TensorVariable, TensorVariable],
    most: tuple[TensorVariable, TensorVariable],
    bounds: Bounds | None,
    near: Any,
) -> SearchEnd:
    """A place with the function there, of so many steps and calls, with their derivatives."""
    stopped = (counts[0] >= most[0]) | (counts[1] >= most[1])
    status = where(isfinite(found[1]), where(stopped, 1, 0), 3)
    x, slopes = _with_slopes(scalar, found[0], bounds, near)
    return SearchEnd(x, deriving(found[1], scalar(x)), slopes, *counts, status)


def _with_slopes(
    scalar: Callable[[TensorVariable], TensorVariable],
    x: TensorVariable,
    bounds: Bounds | None,
    near: Any,
) -> tuple[TensorVariable, TensorVariable]:
    """`x`, as where there is no slope, and the slopes there: NaN of a function that has none.

    A bound holds what is `near` it and would go beyond. Derivatives of x are NaN where Newton's
    step from there is much longer than that: it has ended at a kink, or at no minimum.
    """

    def slopes_at(v: TensorVariable) -> TensorVariable:
        found = evaluated(lambda v: [grad(scalar(v), v, disconnected_inputs="ignore")], v)
        slopes: TensorVariable = found[0]
        return slopes

    def balance(v: TensorVariable) -> TensorVariable:
        slopes = slopes_at(v)
        if bounds is None:
            return slopes
        held = Bounds(bounds.low + near, bounds.high - near).held(v, slopes)
        return where(held.eq(0), slopes, v - where(held < 0, bounds.low, bounds.high))

    end = stop_gradient(x)
    try:
        slopes = slopes_at(x)
    except UndefinedGradientError as error:
        return _underived(x, str(error)), full_like(x, np.nan)
    try:
        root = custom_root(balance, x, lambda f, v: v, lambda g, y: solve_linear(g, y))
        step = _newton_step(balance, end)
    except UndefinedGradientError as error:
        return _underived(x, str(error)), slopes
    is_smooth = size_of(step) <= _FAR * maximum(near, resolution(x) ** 0.5 * size_of(end))
    used = root + scalar(end).astype(x.dtype)
    used = used if bounds is None else used + bounds.low + bounds.high
    return deriving(root, where(is_smooth, root, np.nan * used)), slopes_at(root)


def _newton_step(
    balance: Callable[[TensorVariable], TensorVariable], x: TensorVariable
) -> TensorVariable:
    jacobian = lazy_import("weft_tensor.batching.derivatives.jacobian")
    solve = lazy_import("weft_tensor.ops.matrices.systems.solve")

    def both(v: TensorVariable) -> list[Any]:
        rest = balance(v)
        return [jacobian(rest, v, disconnected_inputs="ignore"), rest]

    step: TensorVariable = solve(*evaluated(both, x))
    return step


def _underived(x: TensorVariable, reason: str) -> TensorVariable:
    """`x`, of which derivatives raise UndefinedGradientError."""

    def pullback(
        inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        raise UndefinedGradientError(
            f"the minimum of a function without derivatives has none: {reason}"
        )

    inside = x.type()
    result: TensorVariable = OpFromGraph([inside], inside, "underived", pullback)(x)
    return result
