"""Sums weighted by Gaussians and their derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.ndimage.borders import Axes, along_axes, chosen_axes
from weft_tensor.ops.ndimage.linear import convolve1d
from weft_tensor.ops.ndimage.output import with_output
from weft_tensor.ops.reduction.standard import sum

__all__ = [
    "gaussian_filter",
    "gaussian_filter1d",
]


@with_output
def gaussian_filter1d(
    input: TensorLike,
    sigma: TensorLike,
    axis: int = -1,
    order: int = 0,
    *,
    mode: str = "reflect",
    cval: TensorLike = 0.0,
    truncate: float = 4.0,
    radius: int | None = None,
) -> TensorVariable:
    """Sums weighted by a Gaussian, or its derivative. See `scipy.ndimage.gaussian_filter1d`.

    Parameters
    ----------
    input
        A tensor.
    sigma
        The standard deviation: a number; with a `radius`, it may be a variable, by which the
        result has a derivative.
    axis
        Along which axis.
    order
        Which derivative of the Gaussian; 0 for itself.
    mode, cval
        As for `correlate`.
    truncate
        After how many standard deviations the weights end.
    radius
        How many neighbours on either side have weights, instead of `truncate`.

    Raises
    ------
    ValueError
        for an order or a radius that is negative, a variable `sigma` without `radius`, and another
        mode.

    Examples
    --------
    >>> gaussian_filter1d([0.0, 0.0, 1.0, 0.0, 0.0], 1.0).eval().round(3)
    array([0.058, 0.242, 0.399, 0.242, 0.058])
    """
    if radius is None:
        if isinstance(sigma, TensorVariable):
            raise ValueError(f"a sigma that is a variable needs a radius{called()}")
        radius = int(truncate * float(np.asarray(sigma)) + 0.5)
    if radius < 0 or order < 0:
        raise ValueError(f"radius and order must not be negative: {radius}, {order}{called()}")
    places = np.arange(-radius, radius + 1.0)
    narrow = 1 / as_tensor(sigma) ** 2
    weights = exp(-0.5 * narrow * places**2)
    weights = weights / sum(weights)
    factors: list[Any] = [1.0]
    for _ in range(order):  # of p(x) exp(-x² / 2s²) the slope has the polynomial p' - x p / s²
        slopes = [k * factor for k, factor in enumerate(factors)][1:]
        pulled = [0.0, *(-narrow * factor for factor in factors)]
        slopes += [0.0] * (len(pulled) - len(slopes))
        factors = [a + b for a, b in zip(slopes, pulled, strict=True)]
    terms = [factor * places**k for k, factor in enumerate(factors)]
    return convolve1d(input, weights * reduce(add, terms), axis, mode=mode, cval=cval)


@with_output
def gaussian_filter(
    input: TensorLike,
    sigma: Any,
    order: int | Sequence[int] = 0,
    *,
    mode: str | Sequence[str] = "reflect",
    cval: TensorLike = 0.0,
    truncate: float = 4.0,
    radius: int | Sequence[int] | None = None,
    axes: Axes = None,
) -> TensorVariable:
    """`gaussian_filter1d` along `axes`, all by default. See `scipy.ndimage.gaussian_filter`.

    `sigma`, `order`, `mode` and `radius` are one, or lists with one for each axis.

    >>> from weft_graph import function, grad
    >>> from weft_tensor import matrix, scalar
    >>> image, width = matrix("image"), scalar("width")
    >>> smooth = gaussian_filter(image, width, radius=3)
    >>> f = function([image, width], [smooth[1, 1], grad(smooth[1, 1], width)])
    >>> [v.round(4).item() for v in f([[0, 0, 0], [0, 9, 0], [0, 0, 0]], 0.5)]
    [5.5682, -19.1559]
    """
    x = as_tensor(input)

    def smooth(x: Any, axis: int, sigma: Any, order: int, radius: Any, mode: str) -> TensorVariable:
        if not isinstance(sigma, TensorVariable) and sigma < 1e-15:
            return x
        return gaussian_filter1d(
            x, sigma, axis, order, mode=mode, cval=cval, truncate=truncate, radius=radius
        )

    chosen = chosen_axes(axes, x.ndim)
    return along_axes(x, chosen, smooth, sigma=sigma, order=order, radius=radius, mode=mode)
