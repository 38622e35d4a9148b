"""NumPy implementations of functions that are written for their accuracy."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_tensor.build.lazy_import import borrowed

__all__ = ["log1mexp", "logerfc", "softplus"]

_LOG_HALF = np.log(0.5)


def softplus(x: Any) -> Any:
    """log(1 + exp(x)) without overflow: max(x, 0) + log1p(exp(-|x|)).

    >>> float(softplus(1000.0)), float(softplus(-1000.0))
    (1000.0, 0.0)
    """
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def log1mexp(x: Any) -> Any:
    """log(1 - exp(x)) for x < 0, by log(-expm1(x)) near 0 and log1p(-exp(x)) elsewhere.

    Source: M. Mächler, Accurately Computing log(1 - exp(-|a|)), 2012.

    >>> round(float(log1mexp(-1e-20)), 6), float(log1mexp(-800.0))
    (-46.051702, -0.0)
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(x > _LOG_HALF, np.log(-np.expm1(x)), np.log1p(-np.exp(x)))


def logerfc(x: Any) -> Any:
    """log(erfc(x)), by erf up to 1 and, where erfc underflows in the end, by erfcx beyond.

    >>> round(float(logerfc(30.0)), 6), round(float(logerfc(-30.0)), 6)
    (-903.974117, 0.693147)
    """
    near, far = np.minimum(x, 1), np.maximum(x, 1)
    erf, erfcx = borrowed("scipy.special.erf"), borrowed("scipy.special.erfcx")
    return np.where(x > 1, np.log(erfcx(far)) - far * far, np.log1p(-erf(near)))
