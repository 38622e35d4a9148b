"""Spectra of values at any times."""

from __future__ import annotations

from typing import Final

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import ones_like
from weft_tensor.ops.elementwise.arithmetic import maximum
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.elementwise.trigonometric import arctan2, cos, sin
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["lombscargle"]

_LEAST: Final = float(np.finfo("float64").epsneg)
_KINDS: Final = ("power", "normalize", "amplitude")


def lombscargle(
    x: TensorLike,
    y: TensorLike,
    freqs: TensorLike,
    normalize: bool | str = False,
    *,
    weights: TensorLike | None = None,
    floating_mean: bool = False,
) -> TensorVariable:
    """How well waves fit values at any times. See `scipy.signal.lombscargle`.

    Parameters
    ----------
    x, y
        Times and values, vectors.
    freqs
        Frequencies in radians for a unit of time, a vector.
    normalize
        False or "power" for power; True or "normalize" for its share in that of all values;
        "amplitude" for the complex amplitude of the wave.
    weights
        How much each value counts, from 0 on; all the same by default.
    floating_mean
        Whether a constant is fitted besides.

    Raises
    ------
    ValueError
        for another `normalize`, and for what is no vector.

    Examples
    --------
    >>> lombscargle([0.0, 1.0, 2.5, 4.0], [0.0, 1.0, 0.5, -0.9], [0.5, 1.5]).eval().round(3)
    array([0.489, 0.711])
    """
    kind = normalize if isinstance(normalize, str) else _KINDS[bool(normalize)]
    if kind not in _KINDS:
        choices = ", ".join(_KINDS)
        raise ValueError(f"normalize must be a bool or one of {choices}, not {kind!r}{called()}")
    times, values, rates = [v.astype("float64") for v in as_tensors((x, y, freqs))]
    shares = (ones_like(values) if weights is None else as_tensors((weights,))[0]).astype("float64")
    if any(v.ndim != 1 for v in (times, values, rates, shares)):
        raise ValueError(f"x, y, freqs and weights must be vectors{called()}")
    shares = shares / shares.sum()
    angles = rates[:, None] * times

    c, s, weighted = cos(angles), sin(angles), shares * values
    yc, ys, cs, cc = c @ weighted, s @ weighted, (c * s) @ shares, (c * c) @ shares
    ss = 1 - cc
    if floating_mean:
        mean, mean_c, mean_s = weighted.sum(), c @ shares, s @ shares
        yc, ys, cs = yc - mean * mean_c, ys - mean * mean_s, cs - mean_c * mean_s
        cc, ss = cc - mean_c**2, ss - mean_s**2
    # Waves that begin at tau are independent: their moments are those of the others, turned.
    tau = 0.5 * arctan2(2 * cs, cc - ss)
    c, s = cos(tau), sin(tau)
    yc, ys = c * yc + s * ys, c * ys - s * yc
    both = cc + ss
    cc = c * c * cc + 2 * c * s * cs + s * s * ss
    ss = both - cc
    a, b = yc / maximum(cc, _LEAST), ys / maximum(ss, _LEAST)
    if kind == "amplitude":
        return (a + 1j * b) * exp(1j * tau)
    power: TensorVariable = a * yc + b * ys
    if kind == "power":
        return power * (lengths_of(times)[0] / 2)
    return power / (weighted @ values - (mean**2 if floating_mean else 0))
