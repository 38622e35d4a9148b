"""Morphology: surfaces and sets that grow and shrink by a structure.

The structure of a dilation is reflected, and so is its place.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import index as whole
from typing import Any

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.creation.creation import zeros_like
from weft_tensor.ops.elementwise.comparison import eq, neq, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.ndimage.borders import (
    Axes,
    chosen_axes,
    footprint_neighbours,
    for_each_axis,
)
from weft_tensor.ops.ndimage.ranks import maximum_filter, minimum_filter
from weft_tensor.ops.reduction.standard import max, min
from weft_tensor.ops.shape.reshape import reshape

__all__ = [
    "binary_closing",
    "binary_dilation",
    "binary_erosion",
    "binary_fill_holes",
    "binary_hit_or_miss",
    "binary_opening",
    "binary_propagation",
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
    size, footprint, mode, cval, origin, axes
        As for `maximum_filter`; neither of the first two is needed with a structure.
    structure
        What is taken from each neighbour, or added to it where a surface grows: an array whose
        lengths are known, with an axis for each of `axes`.

    Raises
    ------
    ValueError
        for none of `size`, `footprint` and `structure`, and where `maximum_filter` does.

    Examples
    --------
    >>> grey_erosion([3.0, 9.0, 2.0, 3.0], structure=[0.0, 0.0, 2.0]).eval()
    array([3., 0., 1., 1.])
    """
    return _grey(False, input, size, footprint, structure, mode, cval, origin, axes)


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


def grey_opening(input: TensorLike, *places: Any, **how: Any) -> TensorVariable:
    """An erosion, then a dilation. See `scipy.ndimage.grey_opening`; arguments of `grey_erosion`.

    >>> grey_opening([1.0, 9.0, 2.0, 3.0], 3).eval()
    array([1., 2., 2., 2.])
    """
    return grey_dilation(grey_erosion(input, *places, **how), *places, **how)


def grey_closing(input: TensorLike, *places: Any, **how: Any) -> TensorVariable:
    """A dilation, then an erosion. See `scipy.ndimage.grey_closing`; arguments of `grey_erosion`.

    >>> grey_closing([1.0, 9.0, 2.0, 3.0], 3).eval()
    array([9., 9., 3., 3.])
    """
    return grey_erosion(grey_dilation(input, *places, **how), *places, **how)


def morphological_gradient(input: TensorLike, *places: Any, **how: Any) -> TensorVariable:
    """The dilation less the erosion. See `scipy.ndimage.morphological_gradient`.

    >>> morphological_gradient([1.0, 9.0, 2.0, 3.0], 3).eval()
    array([8., 8., 7., 1.])
    """
    x = as_tensor(input)
    return grey_dilation(x, *places, **how) - grey_erosion(x, *places, **how)


def morphological_laplace(input: TensorLike, *places: Any, **how: Any) -> TensorVariable:
    """Dilation and erosion, less twice the input. See `scipy.ndimage.morphological_laplace`.

    >>> morphological_laplace([1.0, 9.0, 2.0, 3.0], 3).eval()
    array([ 8., -8.,  7., -1.])
    """
    x = as_tensor(input)
    return grey_dilation(x, *places, **how) + grey_erosion(x, *places, **how) - 2 * x


def white_tophat(input: TensorLike, *places: Any, **how: Any) -> TensorVariable:
    """What an opening takes away. See `scipy.ndimage.white_tophat`.

    >>> white_tophat([1.0, 9.0, 2.0, 3.0], 3).eval()
    array([0., 7., 0., 1.])
    """
    x = as_tensor(input)
    return _difference(x, grey_opening(x, *places, **how))


def black_tophat(input: TensorLike, *places: Any, **how: Any) -> TensorVariable:
    """What a closing adds. See `scipy.ndimage.black_tophat`.

    >>> black_tophat([1.0, 9.0, 2.0, 3.0], 3).eval()
    array([8., 0., 1., 0.])
    """
    x = as_tensor(input)
    return _difference(grey_closing(x, *places, **how), x)


def binary_erosion(
    input: TensorLike,
    structure: Any = None,
    iterations: int = 1,
    mask: TensorLike | None = None,
    border_value: int = 0,
    origin: Any = 0,
    *,
    axes: Axes = None,
) -> TensorVariable:
    """Where all of an element's neighbours are in the set. See `scipy.ndimage.binary_erosion`.

    The functions of sets return bools.

    Parameters
    ----------
    input
        Numbers; those that are not 0 are in the set.
    structure
        Which neighbours count, an array of bools: the element itself and the next ones along each
        axis by default.
    iterations
        How often; for a number below 1, until nothing changes.
    mask
        Where the set may change, of the shape of `input`.
    border_value
        Whether what lies beyond the border is in the set: 0 or 1.
    origin, axes
        As for `maximum_filter`.

    Examples
    --------
    >>> binary_erosion([1, 1, 1, 0, 1]).eval().astype(int)
    array([0, 1, 0, 0, 0])
    """
    return _binary(False, input, structure, iterations, mask, border_value, origin, axes)


def binary_dilation(
    input: TensorLike,
    structure: Any = None,
    iterations: int = 1,
    mask: TensorLike | None = None,
    border_value: int = 0,
    origin: Any = 0,
    *,
    axes: Axes = None,
) -> TensorVariable:
    """Where one of an element's neighbours is in the set. See `scipy.ndimage.binary_dilation`.

    >>> binary_dilation([0, 0, 1, 0, 0]).eval().astype(int)
    array([0, 1, 1, 1, 0])
    """
    x = as_tensor(input)
    shape = _structure(structure, chosen_axes(axes, x.ndim))
    shape, origins = _reflected(shape, shape.shape, origin)
    return _binary(True, x, shape, iterations, mask, border_value, origins, axes)


def binary_opening(
    input: TensorLike,
    structure: Any = None,
    iterations: int = 1,
    origin: Any = 0,
    mask: TensorLike | None = None,
    border_value: int = 0,
    *,
    axes: Axes = None,
) -> TensorVariable:
    """An erosion, then a dilation. See `scipy.ndimage.binary_opening`.

    >>> binary_opening([1, 1, 1, 0, 1]).eval().astype(int)
    array([1, 1, 1, 0, 0])
    """
    places = (structure, iterations, mask, border_value, origin)
    return binary_dilation(binary_erosion(input, *places, axes=axes), *places, axes=axes)


def binary_closing(
    input: TensorLike,
    structure: Any = None,
    iterations: int = 1,
    origin: Any = 0,
    mask: TensorLike | None = None,
    border_value: int = 0,
    *,
    axes: Axes = None,
) -> TensorVariable:
    """A dilation, then an erosion. See `scipy.ndimage.binary_closing`.

    >>> binary_closing([0, 1, 0, 1, 0]).eval().astype(int)
    array([0, 1, 1, 1, 0])
    """
    places = (structure, iterations, mask, border_value, origin)
    return binary_erosion(binary_dilation(input, *places, axes=axes), *places, axes=axes)


def binary_propagation(
    input: TensorLike,
    structure: Any = None,
    mask: TensorLike | None = None,
    border_value: int = 0,
    origin: Any = 0,
    *,
    axes: Axes = None,
) -> TensorVariable:
    """A dilation until nothing changes. See `scipy.ndimage.binary_propagation`.

    >>> binary_propagation([0, 1, 0, 0, 1], mask=[1, 1, 1, 0, 1]).eval().astype(int)
    array([1, 1, 1, 0, 1])
    """
    return binary_dilation(input, structure, 0, mask, border_value, origin, axes=axes)


def binary_fill_holes(
    input: TensorLike, structure: Any = None, origin: Any = 0, *, axes: Axes = None
) -> TensorVariable:
    """The set with what no way leads to from the border. See `scipy.ndimage.binary_fill_holes`.

    >>> binary_fill_holes([0, 1, 0, 1, 0]).eval().astype(int)
    array([0, 1, 1, 1, 0])
    """
    outside = ~neq(as_tensor(input), 0)
    none = zeros_like(outside)
    return ~binary_dilation(none, structure, 0, outside, 1, origin, axes=axes)


def binary_hit_or_miss(
    input: TensorLike,
    structure1: Any = None,
    structure2: Any = None,
    origin1: Any = 0,
    origin2: Any = None,
    *,
    axes: Axes = None,
) -> TensorVariable:
    """Where neighbours are in the set, and others are not. See `scipy.ndimage.binary_hit_or_miss`.

    >>> binary_hit_or_miss([0, 1, 0, 1, 1], [0, 1, 0]).eval().astype(int)
    array([0, 1, 0, 0, 0])
    """
    x = as_tensor(input)
    hit = _structure(structure1, chosen_axes(axes, x.ndim))
    miss = ~hit if structure2 is None else structure2
    hits = _binary(False, x, hit, 1, None, 0, origin1, axes)
    return hits & ~_binary(True, x, miss, 1, None, 0, origin1 if origin2 is None else origin2, axes)


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
        footprint, origin = _reflected(footprint, sizes, origin)
        if heights is not None:
            heights = index(heights, (slice(None, None, -1),) * heights.ndim)
    if heights is None:
        extreme = maximum_filter if grows else minimum_filter
        return extreme(x, size, footprint, mode=mode, cval=cval, origin=origin, axes=axes)
    flat = index(reshape(heights, (-1,)), np.flatnonzero(footprint))
    parts = footprint_neighbours(x, None, footprint, mode, cval, origin, axes)
    result: _T = max(parts + flat, -1) if grows else min(parts - flat, -1)
    return result.astype(x.dtype)


def _binary(
    grows: bool,
    input: TensorLike,
    structure: Any,
    iterations: int,
    mask: TensorLike | None,
    border_value: int,
    origin: Any,
    axes: Axes,
) -> TensorVariable:
    start = neq(as_tensor(input), 0)
    shape = _structure(structure, chosen_axes(axes, start.ndim))
    places = {"mode": "constant", "cval": bool(border_value), "origin": origin, "axes": axes}
    extreme: Callable[..., _T] = maximum_filter if grows else minimum_filter

    def step(v: _T) -> _T:
        none = neq(v, v) if grows else eq(v, v)  # what no neighbour says otherwise
        after = extreme(v, footprint=shape, **places) if shape.any() else none
        return after if mask is None else where(neq(as_tensor(mask), 0), after, v)

    v = step(start)
    times = whole(iterations)
    for _ in range(times - 1):
        v = step(v)
    if times >= 1:
        return v
    last: _T = while_loop(
        lambda state: neq(*state).any(), lambda state: (state[1], step(state[1])), (start, v)
    )[1]
    return last


def _structure(structure: Any, chosen: list[int]) -> Any:
    """Which neighbours count, as an array of bools."""
    if structure is not None:
        return np.asarray(structure, bool)
    return np.abs(np.indices([3] * len(chosen)) - 1).sum(0) <= 1


def _reflected(footprint: Any, sizes: Any, origin: Any) -> tuple[Any, Any]:
    """A footprint, and its origins, as seen from the other side."""
    origins = for_each_axis(origin, [*range(len(sizes))], "origin")
    moved = [-whole(o) - (whole(n) + 1) % 2 for o, n in zip(origins, sizes, strict=True)]
    return None if footprint is None else np.flip(footprint), moved


def _difference(x: _T, y: _T) -> _T:
    return neq(x, y) if x.dtype == "bool" else x - y
