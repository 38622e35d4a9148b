"""The largest of several differences from one control, over an estimate of their spread.

With c the share of the control in each difference's variance, the differences are
sqrt(c) z + sqrt(1 - c) e with one z for all: so there are integrals over z and the spread alone.
C. W. Dunnett, A multiple comparison procedure for comparing several treatments with a control,
1955.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.distributions.groups.spread import log_over_spread
from weft_tensor.ops.distributions.ratios import log_mass, log_of
from weft_tensor.ops.elementwise.arithmetic import abs, maximum, sqrt
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, log1p
from weft_tensor.ops.elementwise.special import log_ndtr
from weft_tensor.ops.shape.broadcast_to import broadcast_arrays
from weft_tensor.ops.special.quadrature import along

__all__ = ["log_many_to_one_sf"]

_PANELS: Final = 3
_FAR: Final = 9.0
_TURN: Final = 2.0
_LEAST: Final = 1e-300


def _log_more(
    w: TensorVariable, shares: TensorVariable, count: int, is_two_sided: bool
) -> TensorVariable:
    """The logarithm of the normal probability that a difference, or its size, is above w."""
    places, weights = np.polynomial.legendre.leggauss(count)
    parts = 0.5 * (np.arange(_PANELS)[:, None] + 0.5 * (places + 1)).ravel() * 2 / _PANELS
    width = 2 * _FAR + maximum(w, 0.0)
    z = along(along(width) * parts - _FAR)
    level = along(along(w))
    own, rest = sqrt(shares), sqrt(1 - shares)
    high = (level - own * z) / rest
    logs = log_mass(-(level + own * z) / rest, high) if is_two_sided else log_ndtr(high)
    missing = -expm1(logs.sum(axis=-1))
    square = z.squeeze(-1) ** 2
    density = exp(-0.5 * square) * np.tile(weights, _PANELS) * (0.5 / _PANELS / np.sqrt(2 * np.pi))
    return log_of((density * missing).sum(axis=-1) * width)


def log_many_to_one_sf(
    x: TensorVariable, shares: TensorVariable, df: TensorVariable, is_two_sided: bool
) -> TensorVariable:
    """The logarithm of the probability that the largest difference, or size of one, is above x.

    `shares` are those of the control in the variances of the differences, along the last axis.
    """
    place, spread = broadcast_arrays(x.astype("float64"), df.astype("float64"))
    size = maximum(abs(place), _LEAST)
    turn, low = log(_TURN / size), -0.5 * log1p(size * (size / spread))
    return log_over_spread(
        lambda w, count: _log_more(w, shares, count, is_two_sided),
        place,
        spread,
        turn,
        low,
        0 * low,
    )
