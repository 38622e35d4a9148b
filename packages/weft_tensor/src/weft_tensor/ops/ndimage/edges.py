"""Edges: first and second differences, of the image or of it smoothed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Any

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.ndimage.borders import Axes, chosen_axes
from weft_tensor.ops.ndimage.gaussians import gaussian_filter
from weft_tensor.ops.ndimage.linear import correlate1d
from weft_tensor.types.axes import as_axis

__all__ = [
    "gaussian_gradient_magnitude",
    "gaussian_laplace",
    "generic_gradient_magnitude",
    "generic_laplace",
    "laplace",
    "prewitt",
    "sobel",
]


def sobel(
    input: TensorLike, axis: int = -1, *, mode: str = "reflect", cval: TensorLike = 0.0
) -> TensorVariable:
    """Differences along an axis, smoothed along the others. See `scipy.ndimage.sobel`.

    >>> sobel([[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]]).eval()
    array([[4., 8., 4.],
           [4., 8., 4.]])
    """
    return _edges(input, axis, [1.0, 2.0, 1.0], mode, cval)


def prewitt(
    input: TensorLike, axis: int = -1, *, mode: str = "reflect", cval: TensorLike = 0.0
) -> TensorVariable:
    """Differences along an axis, summed along the others. See `scipy.ndimage.prewitt`.

    >>> prewitt([[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]]).eval()
    array([[3., 6., 3.],
           [3., 6., 3.]])
    """
    return _edges(input, axis, [1.0, 1.0, 1.0], mode, cval)


def generic_laplace(
    input: TensorLike,
    derivative2: Callable[..., TensorVariable],
    *,
    mode: str = "reflect",
    cval: TensorLike = 0.0,
    axes: Axes = None,
) -> TensorVariable:
    """The sum of `derivative2(input, axis, mode=mode, cval=cval)` over axes.

    See `scipy.ndimage.generic_laplace`.

    >>> generic_laplace([1.0, 4.0, 9.0], lambda x, axis, **how: x).eval()
    array([1., 4., 9.])
    """
    x = as_tensor(input)
    return reduce(add, [derivative2(x, a, mode=mode, cval=cval) for a in chosen_axes(axes, x.ndim)])


def generic_gradient_magnitude(
    input: TensorLike,
    derivative: Callable[..., TensorVariable],
    *,
    mode: str = "reflect",
    cval: TensorLike = 0.0,
    axes: Axes = None,
) -> TensorVariable:
    """The root of the sum of squares of `derivative(input, axis, mode=mode, cval=cval)`.

    See `scipy.ndimage.generic_gradient_magnitude`.

    >>> generic_gradient_magnitude([[0.0, 3.0], [0.0, 3.0]], sobel).eval()
    array([[12., 12.],
           [12., 12.]])
    """
    x = as_tensor(input)
    slopes = [derivative(x, a, mode=mode, cval=cval) for a in chosen_axes(axes, x.ndim)]
    return sqrt(reduce(add, [slope**2 for slope in slopes])).astype(x.dtype)


def laplace(
    input: TensorLike, *, mode: str = "reflect", cval: TensorLike = 0.0, axes: Axes = None
) -> TensorVariable:
    """The sum of second differences along `axes`. See `scipy.ndimage.laplace`.

    >>> laplace([0.0, 1.0, 4.0, 9.0]).eval()
    array([ 1.,  2.,  2., -5.])
    """

    def bend(x: Any, axis: int, **how: Any) -> TensorVariable:
        return correlate1d(x, [1.0, -2.0, 1.0], axis, **how)

    return generic_laplace(input, bend, mode=mode, cval=cval, axes=axes)


def gaussian_laplace(
    input: TensorLike,
    sigma: Any,
    *,
    mode: str = "reflect",
    cval: TensorLike = 0.0,
    axes: Axes = None,
    **further: Any,
) -> TensorVariable:
    """`laplace` by second derivatives of Gaussians. See `scipy.ndimage.gaussian_laplace`.

    >>> gaussian_laplace([0.0, 0.0, 1.0, 0.0, 0.0], 1.0).eval().round(3)
    array([ 0.197,  0.002, -0.399,  0.002,  0.197])
    """
    return generic_laplace(
        input, _gaussian_slope(input, sigma, 2, axes, further), mode=mode, cval=cval, axes=axes
    )


def gaussian_gradient_magnitude(
    input: TensorLike,
    sigma: Any,
    *,
    mode: str = "reflect",
    cval: TensorLike = 0.0,
    axes: Axes = None,
    **further: Any,
) -> TensorVariable:
    """How steep the image is, smoothed. See `scipy.ndimage.gaussian_gradient_magnitude`.

    >>> gaussian_gradient_magnitude([0.0, 1.0, 2.0, 3.0, 4.0], 0.5).eval().round(3)
    array([0.428, 0.858, 0.86 , 0.858, 0.428])
    """
    return generic_gradient_magnitude(
        input, _gaussian_slope(input, sigma, 1, axes, further), mode=mode, cval=cval, axes=axes
    )


def _gaussian_slope(
    input: TensorLike, sigma: Any, order: int, axes: Axes, further: dict[str, Any]
) -> Callable[..., TensorVariable]:
    """A derivative along one axis, of the image smoothed along `axes`."""
    chosen = chosen_axes(axes, as_tensor(input).ndim)

    def slope(x: Any, axis: int, **how: Any) -> TensorVariable:
        orders = [order if a == axis else 0 for a in chosen]
        return gaussian_filter(x, sigma, orders, axes=chosen, **how, **further)

    return slope


def _edges(
    input: TensorLike, axis: int, smoother: Sequence[float], mode: str, cval: TensorLike
) -> TensorVariable:
    x = as_tensor(input)
    across = as_axis(axis, x.ndim)
    result = correlate1d(x, [-1.0, 0.0, 1.0], across, mode=mode, cval=cval)
    for other in range(x.ndim):
        if other != across:
            result = correlate1d(result, smoother, other, mode=mode, cval=cval)
    return result
