"""Morphology: surfaces that grow and shrink by a structure.

The structure of a dilation is reflected, and so is its place.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.comparison import neq
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.ndimage.borders import (
    Axes,
    chosen_axes,
    footprint_neighbours,
    for_each_axis,
    reflected,
)
from weft_tensor.ops.ndimage.output import with_output
from weft_tensor.ops.ndimage.ranks import maximum_filter, minimum_filter
from weft_tensor.ops.reduction.standard import max, min
from weft_tensor.ops.shape.reshape import reshape

__all__ = [
    "black_tophat",
    "grey_closing",
    "grey_dilation",
    "grey_erosion",
    "grey_opening",
    "morphological_gradient",
    "morphological_laplace",
    "white_tophat",
]

_T = TensorVariable


@with_output
def grey_erosion(
    input: TensorLike,
    size: Any = None,
    footprint: Any = None,
    structure: TensorLike | None = None,
    *,
    mode: str = "reflect",
    cval: TensorLike = 0.0,
    origin: Any = 0,
    axes: Axes = None,
) -> TensorVariable:
    """The least of each element's neighbours, less the structure. See `scipy.ndimage.grey_erosion`.

    The functions of surfaces take the following arguments, and return what `input` is. They have
    derivatives by `input`, `structure` and `cval`.

    Parameters
    ----------
    input
        Real numbers.
    size, footprint, mode, cval, origin, axes, output
        As for `maximum_filter`; neither of the first two is needed with a structure.
    structure
        What is taken from each neighbour, or added to it where a surface grows: an array whose
        lengths are known, with an axis for each of `axes`.

    Raises
    ------
    ValueError
        for none of `size`, `footprint` and `structure`, and where `maximum_filter` does.
    TypeError
        for bools and a structure.

    Examples
    --------
    >>> grey_erosion([3.0, 9.0, 2.0, 3.0], structure=[0.0, 0.0, 2.0]).eval()
    array([3., 0., 1., 1.])
    """
    return _grey(False, input, size, footprint, structure, mode, cval, origin, axes)


@with_output
def grey_dilation(
    input: TensorLike,
    size: Any = None,
    footprint: Any = None,
    structure: TensorLike | None = None,
    *,
    mode: str = "reflect",
    cval: TensorLike = 0.0,
    origin: Any = 0,
    axes: Axes = None,
) -> TensorVariable:
    """The largest of the neighbours plus the structure. See `scipy.ndimage.grey_dilation`.

    >>> grey_dilation([1.0, 9.0, 2.0, 3.0], structure=[0.0, 0.0, 2.0]).eval()
    array([ 9.,  9., 11.,  4.])
    """
    return _grey(True, input, size, footprint, structure, mode, cval, origin, axes)


@with_output
def grey_opening(input: TensorLike, *places: Any, **how: Any) -> TensorVariable:
    """An erosion, then a dilation. See `scipy.ndimage.grey_opening`; arguments of `grey_erosion`.

    >>> grey_opening([1.0, 9.0, 2.0, 3.0], 3).eval()
    array([1., 2., 2., 2.])
    """
    return grey_dilation(grey_erosion(input, *places, **how), *places, **how)


@with_output
def grey_closing(input: TensorLike, *places: Any, **how: Any) -> TensorVariable:
    """A dilation, then an erosion. See `scipy.ndimage.grey_closing`; arguments of `grey_erosion`.

    >>> grey_closing([1.0, 9.0, 2.0, 3.0], 3).eval()
    array([9., 9., 3., 3.])
    """
    return grey_erosion(grey_dilation(input, *places, **how), *places, **how)


@with_output
def morphological_gradient(input: TensorLike, *places: Any, **how: Any) -> TensorVariable:
    """The dilation less the erosion. See `scipy.ndimage.morphological_gradient`.

    >>> morphological_gradient([1.0, 9.0, 2.0, 3.0], 3).eval()
    array([8., 8., 7., 1.])
    """
    x = as_tensor(input)
    return grey_dilation(x, *places, **how) - grey_erosion(x, *places, **how)


@with_output
def morphological_laplace(input: TensorLike, *places: Any, **how: Any) -> TensorVariable:
    """Dilation and erosion, less twice the input. See `scipy.ndimage.morphological_laplace`.

    >>> morphological_laplace([1.0, 9.0, 2.0, 3.0], 3).eval()
    array([ 8., -8.,  7., -1.])
    """
    x = as_tensor(input)
    return grey_dilation(x, *places, **how) + grey_erosion(x, *places, **how) - 2 * x


@with_output
def white_tophat(input: TensorLike, *places: Any, **how: Any) -> TensorVariable:
    """What an opening takes away. See `scipy.ndimage.white_tophat`.

    >>> white_tophat([1.0, 9.0, 2.0, 3.0], 3).eval()
    array([0., 7., 0., 1.])
    """
    x = as_tensor(input)
    return _difference(x, grey_opening(x, *places, **how))


@with_output
def black_tophat(input: TensorLike, *places: Any, **how: Any) -> TensorVariable:
    """What a closing adds. See `scipy.ndimage.black_tophat`.

    >>> black_tophat([1.0, 9.0, 2.0, 3.0], 3).eval()
    array([8., 0., 1., 0.])
    """
    x = as_tensor(input)
    return _difference(grey_closing(x, *places, **how), x)


def _grey(
    grows: bool,
    input: TensorLike,
    size: Any,
    footprint: Any,
    structure: TensorLike | None,
    mode: str,
    cval: TensorLike,
    origin: Any,
    axes: Axes,
) -> TensorVariable:
    x = as_tensor(input)
    heights = None if structure is None else as_tensor(structure)
    if heights is not None and x.dtype == "bool":
        raise TypeError(f"a structure is added to numbers, not {x!r}: give a footprint{called()}")
    if footprint is None and heights is not None:
        if None in heights.type.shape:
            raise ValueError(f"the lengths of a structure must be known{called()}")
        footprint = np.ones(heights.type.shape, bool)
    if footprint is not None:
        size, footprint = None, np.asarray(footprint, bool)
    elif size is None:
        raise ValueError(f"size, footprint or structure must be given{called()}")
    if grows:
        chosen = chosen_axes(axes, x.ndim)
        sizes = for_each_axis(size, chosen, "size") if footprint is None else footprint.shape
        footprint, origin = reflected(footprint, sizes, origin)
        if heights is not None:
            heights = index(heights, (slice(None, None, -1),) * heights.ndim)
    if heights is None:
        extreme = maximum_filter if grows else minimum_filter
        return extreme(x, size, footprint, mode=mode, cval=cval, origin=origin, axes=axes)
    flat = index(reshape(heights, (-1,)), np.flatnonzero(footprint))
    parts = footprint_neighbours(x, None, footprint, mode, cval, origin, axes)
    result: _T = max(parts + flat, -1) if grows else min(parts - flat, -1)
    return result.astype(x.dtype)


def _difference(x: _T, y: _T) -> _T:
    return neq(x, y) if x.dtype == "bool" else x - y
