"""Filters of images whose Fourier transform is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.numbers.waves import sinc
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.types.axes import as_axis

__all__ = ["fourier_gaussian", "fourier_shift", "fourier_uniform"]


def fourier_gaussian(input: TensorLike, sigma: Any, n: int = -1, axis: int = -1) -> TensorVariable:
    """A transform times that of a Gaussian. See `scipy.ndimage.fourier_gaussian`.

    The functions of transforms take the following arguments, and have derivatives by both first.

    Parameters
    ----------
    input
        The transform of an image: real or complex.
    sigma
        The standard deviation: a number, or one for each axis. They may be variables.
    n
        If it is not negative, the transform is that of `rfft` along `axis`, of so many elements.
    axis
        The axis of a real transform.

    Examples
    --------
    >>> fourier_gaussian([1.0, 1.0, 1.0, 1.0], 1.0).eval().round(4)
    array([1.    , 0.2912, 0.0072, 0.2912])
    """
    return _filtered(input, sigma, n, axis, lambda s, f: exp(-2 * (np.pi * s * f) ** 2))


def fourier_uniform(input: TensorLike, size: Any, n: int = -1, axis: int = -1) -> TensorVariable:
    """A transform times that of a box of that size. See `scipy.ndimage.fourier_uniform`.

    >>> fourier_uniform([1.0, 1.0, 1.0, 1.0], 2.0).eval().round(4)
    array([1.    , 0.6366, 0.    , 0.6366])
    """
    return _filtered(input, size, n, axis, lambda s, f: sinc(s * f))


def fourier_shift(input: TensorLike, shift: Any, n: int = -1, axis: int = -1) -> TensorVariable:
    """The transform of an image that is moved round. See `scipy.ndimage.fourier_shift`.

    >>> fourier_shift([1.0, 1.0, 1.0, 1.0], 1.0).eval().round(4) + 0
    array([ 1.+0.j,  0.-1.j, -1.+0.j,  0.+1.j])
    """
    return _filtered(input, shift, n, axis, lambda s, f: exp(-2j * np.pi * s * f))


def _filtered(
    input: TensorLike,
    parameters: Any,
    n: int,
    axis: int,
    factor: Callable[[TensorVariable, TensorVariable], TensorVariable],
) -> TensorVariable:
    """`input` times the factor of the parameter and the frequency along each axis."""
    given = x = as_floating(input)
    along, values = as_axis(axis, x.ndim), as_tensor(parameters)
    for k, length in enumerate(lengths_of(x)):
        is_half = n >= 0 and k == along
        count: Any = n if is_half else length
        place = arange(length)
        place = place if is_half else where(place < (count + 1) // 2, place, place - count)
        frequency = expand_dims(place / count, tuple(range(1, x.ndim - k)))
        x = x * factor(values[k] if values.ndim else values, frequency)
    return x.astype(given.dtype) if x.is_complex == given.is_complex else x
