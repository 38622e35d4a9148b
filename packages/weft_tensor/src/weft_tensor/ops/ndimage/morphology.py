"""Morphology: sets that grow and shrink by a structure.

The structure of a dilation is reflected, and so is its place.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import index as whole
from typing import Any

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.creation.creation import ones_like, zeros, zeros_like
from weft_tensor.ops.elementwise.comparison import eq, neq, where
from weft_tensor.ops.ndimage.borders import Axes, chosen_axes, reflected
from weft_tensor.ops.ndimage.connected import FirstConnected, neighbours, steps_of
from weft_tensor.ops.ndimage.output import with_dtype
from weft_tensor.ops.ndimage.ranks import maximum_filter, minimum_filter

__all__ = [
    "binary_closing",
    "binary_dilation",
    "binary_erosion",
    "binary_fill_holes",
    "binary_hit_or_miss",
    "binary_opening",
    "binary_propagation",
]

_T = TensorVariable


@with_dtype
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

    The functions of sets return bools, or numbers 0 and 1 of the dtype `output`.

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


@with_dtype
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
    shape = neighbours(structure, len(chosen_axes(axes, x.ndim)))
    shape, origins = reflected(shape, shape.shape, origin)
    return _binary(True, x, shape, iterations, mask, border_value, origins, axes)


@with_dtype
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


@with_dtype
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


@with_dtype
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


@with_dtype
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


@with_dtype
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
    hit = neighbours(structure1, len(chosen_axes(axes, x.ndim)))
    miss = ~hit if structure2 is None else structure2
    hits = _binary(False, x, hit, 1, None, 0, origin1, axes)
    return hits & ~_binary(True, x, miss, 1, None, 0, origin1 if origin2 is None else origin2, axes)


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
    shape = neighbours(structure, len(chosen_axes(axes, start.ndim)))
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
    steps = _steps(shape, chosen_axes(axes, start.ndim), start.ndim)
    if steps is None or np.any(origin):
        last: _T = while_loop(
            lambda state: neq(*state).any(), lambda state: (state[1], step(state[1])), (start, v)
        )[1]
        return last
    allowed = ones_like(start) if mask is None else neq(as_tensor(mask), 0)
    reached = _connected_to(allowed & neq(v, not grows), allowed, steps)
    return v | reached if grows else v & ~reached


def _connected_to(chosen: _T, mask: _T, steps: Any) -> _T:
    """Where the mask hangs together with a chosen element: a walk, not a look around for each."""
    roots = FirstConnected(steps)(mask)
    counts = zeros((mask.size,), "int64")[roots.ravel()].inc(chosen.ravel())
    return mask & (counts[roots] > 0)


def _steps(shape: Any, chosen: list[int], ndim: int) -> tuple[tuple[int, ...], ...] | None:
    """Those to half of an element's neighbours; None if growing is no walk along such steps."""
    own = steps_of(shape)
    if own is None or not shape[(1,) * len(chosen)] or chosen != sorted(chosen):
        return None
    steps = np.zeros((len(own), ndim), int)
    steps[:, chosen] = np.reshape(own, (len(own), len(chosen)))
    return tuple([tuple(step) for step in steps.tolist()])
