"""Distribution functions and expectations as integrals and sums."""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import Any, Final

import numpy as np

from weft_tensor.build.convert import as_tensor, constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.distributions.ratios import log_of
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.special.quadrature import UNIT_INTERVAL, along

__all__ = ["expectation", "log_integral", "mean_by_quantiles", "mean_over_integers"]

_PANELS: Final = 4
_LEAST_SHARE: Final = 1e-9
"""A larger part of a mean, in what comes last, says that there is none."""
_LAST: Final = 16
_COUNTED: Final = 4096


def _levels() -> tuple[np.ndarray, np.ndarray]:
    """Probabilities below one half, down to 1e-300, and weights: Gauss' rule of their logarithm."""
    ends, counts = (0.0, 2.0, 12.0, 60.0, 690.0), (20, 20, 32, 32)
    levels, weights = [], []
    for start, stop, count in zip(ends, ends[1:], counts, strict=False):
        nodes, parts = np.polynomial.legendre.leggauss(count)
        levels.append(0.5 * np.exp(-start - 0.5 * (stop - start) * (nodes + 1)))
        weights.append(0.5 * (stop - start) * parts * levels[-1])
    return np.concatenate(levels), np.concatenate(weights)


_LEVELS, _WEIGHTS = _levels()


def expectation(
    of: Callable[..., TensorVariable],
    density: Callable[..., TensorVariable],
    start: TensorVariable,
    stop: TensorVariable,
    *parameters: TensorVariable,
) -> TensorVariable:
    """The integral of `of` times `density` from start to stop, in four panels of 64 places.

    Both take places, and parameters that broadcast with them.
    """
    nodes, weights = (v.astype(start.dtype) for v in UNIT_INTERVAL)
    width = (stop - start) / _PANELS
    panels = (np.arange(_PANELS)[:, None] + nodes).ravel().astype(start.dtype)
    places = along(start) + along(width) * panels
    wide = [along(v) for v in parameters]
    parts = np.tile(weights, _PANELS) * of(places, *wide) * density(places, *wide)
    return width * parts.sum(axis=-1)


def mean_by_quantiles(
    of: Callable[..., TensorLike],
    lower: Callable[..., TensorLike],
    upper: Callable[..., TensorLike],
    *parameters: TensorVariable,
) -> TensorVariable:
    """The mean of `of` over the places that have each probability below, and above them.

    NaN where the furthest places, of probability 1e-300, still count: there is no mean then, or
    it is approached too slowly.
    """
    wide = [along(v.astype("float64")) for v in parameters]
    total: Any = 0.0
    for side in (lower, upper):
        places = as_tensor(side(constant(_LEVELS), *wide))
        values = maximum(minimum(as_tensor(of(places, *wide)), 1e308), -1e308)
        total = total + _converged(_WEIGHTS * values, abs(values) * _LEVELS)
    return total


def mean_over_integers(
    of: Callable[..., TensorLike],
    logpmf: Callable[..., TensorLike],
    first: TensorVariable,
    last: TensorLike,
    *parameters: TensorVariable,
) -> TensorVariable:
    """The mean of `of` over the 4,096 integers from `first` on, up to `last`.

    NaN where those beyond them count.
    """
    wide = [along(v.astype("float64")) for v in parameters]
    counts = along(first) + np.arange(float(_COUNTED))
    stop = along(as_tensor(last).astype("float64"))
    inside = counts <= stop
    places = where(inside, counts, along(first))
    parts = where(inside, exp(logpmf(places, *wide)) * of(places, *wide), 0.0)
    return _converged(parts, _COUNTED * abs(parts))


def _converged(parts: TensorVariable, rests: TensorVariable) -> TensorVariable:
    """The sum of parts, unless too much is left after one of the last."""
    whole = abs(parts[..., : -2 * _LAST]).sum(axis=-1)
    is_done = rests[..., -_LAST:].max(axis=-1) <= _LEAST_SHARE * whole
    return where(is_done, parts.sum(axis=-1), nan)


def log_integral(
    log_density: Callable[..., TensorLike],
    start: TensorVariable,
    stop: TensorVariable,
    top: TensorVariable,
    *parameters: TensorVariable,
) -> TensorVariable:
    """The logarithm of the integral of exp(log_density) from start to stop.

    `top` is about the largest logarithm between them, so that nothing underflows.
    """
    width = stop - start
    places = along(start) + along(width) * UNIT_INTERVAL[0].astype(start.dtype)
    arguments = [along(v) for v in parameters]
    parts = UNIT_INTERVAL[1].astype(start.dtype) * exp(log_density(places, *arguments) - along(top))
    return top + log_of(width) + log_of(parts.sum(axis=-1))
