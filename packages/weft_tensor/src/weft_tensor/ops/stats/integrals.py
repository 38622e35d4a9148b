"""Distribution functions and expectations as integrals, by Gauss' rule where it is not small."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.special.quadrature import UNIT_INTERVAL, along
from weft_tensor.ops.stats.ratios import log_of

__all__ = ["expectation", "log_integral"]

_PANELS: Final = 4


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
