"""Windows: weights that fall off to both sides."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import maximum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.trigonometric import cos
from weft_tensor.ops.shape.length import as_size
from weft_tensor.ops.special.bessel import i0

__all__ = ["bartlett", "blackman", "hamming", "hanning", "kaiser"]


def _window(count: SizeLike, weight: Callable[[Any], Any]) -> TensorVariable:
    """`weight` of numbers from -1 to 1; a single one is 1."""
    n = as_size(count)
    places = 2 * arange(maximum(n, 0)) - (n - 1)
    weights = weight(places / maximum(n - 1, 1).astype("float64"))
    return where(eq(n, 1), 1.0, weights)


def bartlett(M: SizeLike) -> TensorVariable:
    """M weights that rise from 0 to 1 and fall again in straight lines. See `numpy.bartlett`.

    >>> bartlett(5).eval()
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    return _window(M, lambda x: 1 - absolute(x))


def hanning(M: SizeLike) -> TensorVariable:
    """M weights of a raised cosine. See `numpy.hanning`.

    >>> hanning(3).eval()
    array([0., 1., 0.])
    """
    return _window(M, lambda x: 0.5 + 0.5 * cos(pi * x))


def hamming(M: SizeLike) -> TensorVariable:
    """M weights of a cosine that is raised a little more. See `numpy.hamming`.

    >>> hamming(3).eval().round(2)
    array([0.08, 1.  , 0.08])
    """
    return _window(M, lambda x: 0.54 + 0.46 * cos(pi * x))


def blackman(M: SizeLike) -> TensorVariable:
    """M weights of two cosines, which fall off to almost nothing. See `numpy.blackman`.

    >>> blackman(3).eval().round(2) + 0
    array([0., 1., 0.])
    """
    return _window(M, lambda x: 0.42 + 0.5 * cos(pi * x) + 0.08 * cos(2.0 * pi * x))


def kaiser(M: SizeLike, beta: TensorLike) -> TensorVariable:
    """M weights by the Bessel function `i0`, steep for large beta. See `numpy.kaiser`.

    >>> kaiser(3, 2.0).eval().round(4)
    array([0.4387, 1.    , 0.4387])
    """
    beta = as_tensor(beta).astype("float64")
    return _window(M, lambda x: i0(beta * sqrt(maximum(1 - x * x, 0))) / i0(beta))
