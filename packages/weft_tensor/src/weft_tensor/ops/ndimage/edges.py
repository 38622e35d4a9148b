"""Edges: first and second differences, of the image or of it smoothed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Any

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.ndimage.borders import Axes, along_axes, chosen_axes, for_each_axis
from weft_tensor.ops.ndimage.gaussians import gaussian_filter
from weft_tensor.ops.ndimage.linear import correlate1d
from weft_tensor.ops.ndimage.output import with_output
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

Modes = str | Sequence[str]


@with_output
def sobel(
    input: TensorLike, axis: int = -1, *, mode: Modes = "reflect", cval: TensorLike = 0.0
) -> TensorVariable:
    """Differences along an axis, smoothed along the others. See `scipy.ndimage.sobel`.

    All functions here take one `mode`, or a list with one for each axis.

    >>> sobel([[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]]).eval()
    array([[4., 8., 4.],
           [4., 8., 4.]])
    """
    return _edges(input, axis, [1.0, 2.0, 1.0], mode, cval)


@with_output
def prewitt(
    input: TensorLike, axis: int = -1, *, mode: Modes = "reflect", cval: TensorLike = 0.0
) -> TensorVariable:
    """Differences along an axis, summed along the others. See `scipy.ndimage.prewitt`.

    >>> prewitt([[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]]).eval()
    array([[3., 6., 3.],
           [3., 6., 3.]])
    """
    return _edges(input, axis, [1.0, 1.0, 1.0], mode, cval)


@with_output
def generic_laplace(
    input: TensorLike,
    derivative2: Callable[..., TensorVariable],
    *,
    mode: Modes = "reflect",
    cval: TensorLike = 0.0,
    axes: Axes = None,
) -> TensorVariable:
    """The sum of `derivative2(input, axis, mode=mode, cval=cval)` over axes.

    See `scipy.ndimage.generic_laplace`.

    >>> generic_laplace([1.0, 4.0, 9.0], lambda x, axis, **how: x).eval()
    array([1., 4., 9.])
    """
    return reduce(add, _along_each(input, derivative2, mode, cval, axes))


@with_output
def generic_gradient_magnitude(
    input: TensorLike,
    derivative: Callable[..., TensorVariable],
    *,
    mode: Modes = "reflect",
    cval: TensorLike = 0.0,
    axes: Axes = None,
) -> TensorVariable:
    """The root of the sum of squares of `derivative(input, axis, mode=mode, cval=cval)`.

    See `scipy.ndimage.generic_gradient_magnitude`.

    >>> generic_gradient_magnitude([[0.0, 3.0], [0.0, 3.0]], sobel).eval()
    array([[12., 12.],
           [12., 12.]])
    """
    slopes = _along_each(input, derivative, mode, cval, axes)
    return sqrt(reduce(add, [slope**2 for slope in slopes])).astype(as_tensor(input).dtype)


@with_output
def laplace(
    input: TensorLike, *, mode: Modes = "reflect", cval: TensorLike = 0.0, axes: Axes = None
) -> TensorVariable:
    """The sum of second differences along `axes`. See `scipy.ndimage.laplace`.

    >>> laplace([0.0, 1.0, 4.0, 9.0]).eval()
    array([ 1.,  2.,  2., -5.])
    """

    def bend(x: Any, axis: int, **how: Any) -> TensorVariable:
        return correlate1d(x, [1.0, -2.0, 1.0], axis, **how)

    return generic_laplace(input, bend, mode=mode, cval=cval, axes=axes)


@with_output
def gaussian_laplace(
    input: TensorLike,
    sigma: Any,
    *,
    mode: Modes = "reflect",
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


@with_output
def gaussian_gradient_magnitude(
    input: TensorLike,
    sigma: Any,
    *,
    mode: Modes = "reflect",
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


def _along_each(
    input: TensorLike, apply: Callable[..., TensorVariable], mode: Modes, cval: Any, axes: Axes
) -> list[TensorVariable]:
    x = as_tensor(input)
    chosen = chosen_axes(axes, x.ndim)
    modes = for_each_axis(mode, chosen, "mode")
    return [apply(x, a, mode=own, cval=cval) for a, own in zip(chosen, modes, strict=True)]


def _edges(
    input: TensorLike, axis: int, smoother: Sequence[float], mode: Modes, cval: TensorLike
) -> TensorVariable:
    x = as_tensor(input)
    across = as_axis(axis, x.ndim)
    order = [across, *(a for a in range(x.ndim) if a != across)]
    modes = for_each_axis(mode, order, "mode")

    def part(x: Any, axis: int, mode: str) -> TensorVariable:
        weights = [-1.0, 0.0, 1.0] if axis == across else smoother
        return correlate1d(x, weights, axis, mode=mode, cval=cval)

    return along_axes(x, order, part, mode=[modes[a] for a in order])
