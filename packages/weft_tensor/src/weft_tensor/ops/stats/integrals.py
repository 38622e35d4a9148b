"""Distribution functions as integrals of the density, by Gauss' rule where it is not small."""

from __future__ import annotations

from collections.abc import Callable

from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.special.quadrature import UNIT_INTERVAL, along
from weft_tensor.ops.stats.ratios import log_of

__all__ = ["log_integral"]


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
    given = [along(v) for v in parameters]
    parts = UNIT_INTERVAL[1].astype(start.dtype) * exp(log_density(places, *given) - along(top))
    return top + log_of(width) + log_of(parts.sum(axis=-1))
