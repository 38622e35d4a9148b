"""Connected parts of an image, and distances to what is not in it."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from operator import add
from typing import Any, Final

import numpy as np

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import floor, maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import neq, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.ndimage.connected import FirstConnected, neighbours, steps_of
from weft_tensor.ops.ndimage.nearest import nearest_along
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.extremes_so_far import cummax, cummin
from weft_tensor.ops.reduction.standard import any
from weft_tensor.ops.sample_statistics.samples import one_of
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims, reshape
from weft_tensor.ops.shape.transpose import moveaxis

__all__ = [
    "distance_transform_bf",
    "distance_transform_cdt",
    "distance_transform_edt",
    "generate_binary_structure",
    "iterate_structure",
    "label",
]


def generate_binary_structure(rank: int, connectivity: int) -> Any:
    """A structure of neighbours, for `label` and the functions of sets: an array of bools.

    It is SciPy's function. See `scipy.ndimage.generate_binary_structure`.

    >>> generate_binary_structure(2, 1).astype(int).tolist()
    [[0, 1, 0], [1, 1, 1], [0, 1, 0]]
    """
    return lazy_import("scipy.ndimage.generate_binary_structure")(rank, connectivity)


def iterate_structure(structure: Any, iterations: int, origin: Any = None) -> Any:
    """A structure that grows by itself so often: an array of bools.

    It is SciPy's function. See `scipy.ndimage.iterate_structure`.

    >>> iterate_structure([1, 1, 1], 2).astype(int).tolist()
    [1, 1, 1, 1, 1]
    """
    return lazy_import("scipy.ndimage.iterate_structure")(structure, iterations, origin)


def label(input: TensorLike, structure: Any = None) -> tuple[TensorVariable, TensorVariable]:
    """A number for each connected part of what is not 0, and how many parts there are.

    Numbers are int32, from 1 on in the order of the parts' first elements; 0 is what is 0. See
    `scipy.ndimage.label`.

    Parameters
    ----------
    input
        A tensor.
    structure
        Which neighbours are connected: a symmetric array of bools, of length 3 along each axis; by
        default the next ones along each axis.

    Raises
    ------
    ValueError
        for another structure.

    Examples
    --------
    >>> numbers, count = label([1, 1, 0, 2, 0, 3])
    >>> numbers.eval(), count.eval().item()
    (array([1, 1, 0, 2, 0, 3], dtype=int32), 3)
    """
    mask = neq(as_tensor(input), 0)
    footprint = neighbours(structure, mask.ndim)
    steps = steps_of(footprint)
    if steps is None or footprint.ndim != mask.ndim:
        raise ValueError(
            f"label: structure is symmetric, with 3 along each of {mask.ndim} axes{called()}"
        )
    first = FirstConnected(tuple(steps))(mask)
    inside, roots = reshape(mask, (-1,)), reshape(first, (-1,))
    places = arange(lengths_of(inside)[0])
    numbers = cumsum(inside & roots.eq(places))
    labels = where(inside, index(numbers, roots), 0).astype("int32")
    return reshape(labels, lengths_of(mask)), (inside & roots.eq(places)).sum()


def distance_transform_edt(
    input: TensorLike,
    sampling: Any = None,
    return_distances: bool = True,
    return_indices: bool = False,
) -> Any:
    """How far each element that is not 0 is from the nearest that is; inf if there is none.

    Along one axis after another the nearest is chosen, in time linear in the number of elements.
    There are derivatives by `sampling`. See `scipy.ndimage.distance_transform_edt`.

    Parameters
    ----------
    input
        A tensor with an axis at least.
    sampling
        How far neighbours are from each other: a number, or one for each axis; 1 by default.
    return_distances, return_indices
        Whether to return the distances, and the subscripts of the nearest elements, along a first
        axis; of several as near any may be chosen. One of both alone is no tuple.

    Raises
    ------
    ValueError
        if neither is to be returned, and for no axis.

    Examples
    --------
    >>> distance_transform_edt([0, 1, 1, 1, 0]).eval()
    array([0., 1., 2., 1., 0.])
    """
    mask = _mask(input, "distance_transform_edt")
    apart = as_tensor(1.0 if sampling is None else sampling)
    steps = [apart[k] if apart.ndim else apart for k in range(mask.ndim)]
    places, squares = _nearest_along_first(mask)
    squares = squares * stop_gradient(steps[0]) ** 2
    nearest = [places]
    for axis in range(1, mask.ndim):
        wide = stop_gradient(steps[axis])
        nearest, squares = _nearest_along(
            axis,
            nearest,
            squares,
            lambda far, k, wide=wide: far + (wide * k) ** 2,
            lambda k, u, a, b, wide=wide: floor(
                ((b - a) / wide**2 / maximum(u - k, 1) + u + k) / 2
            ),
        )
    own = [_axis_places(mask, axis) for axis in range(mask.ndim)]
    parts = zip(steps, nearest, own, strict=True)
    total = reduce(add, [(step * (at - k)) ** 2 for step, at, k in parts])
    distances = where(mask, sqrt(where(mask, total, 1)), 0)
    distances = where(any(~mask), distances, np.inf).astype("float64")
    return _asked(distances, nearest, return_distances, return_indices)


def distance_transform_cdt(
    input: TensorLike,
    metric: str = "chessboard",
    return_distances: bool = True,
    return_indices: bool = False,
) -> Any:
    """How many steps each element that is not 0 is from the nearest that is; -1 if there is none.

    Steps go to all neighbours ("chessboard"), or along axes ("taxicab", "cityblock",
    "manhattan"). int32; otherwise as `distance_transform_edt`. See
    `scipy.ndimage.distance_transform_cdt`, whose metric may be a structure. Raises ValueError for
    another.

    >>> distance_transform_cdt([[1, 1, 1], [0, 1, 1]]).eval()
    array([[1, 1, 2],
           [0, 1, 2]], dtype=int32)
    """
    one_of("distance_transform_cdt", "metric", str(metric), ("chessboard", *_TAXICAB))
    mask = _mask(input, "distance_transform_cdt")
    join, end = (add, _end_of_sums) if metric in _TAXICAB else (maximum, _end_of_larger)
    first, squares = _nearest_along_first(mask)
    nearest, distances = [first], sqrt(squares)
    for axis in range(1, mask.ndim):
        nearest, distances = _nearest_along(
            axis, nearest, distances, lambda far, k: join(far, absolute(k)), end
        )
    distances = where(any(~mask), distances, -1).astype("int32")
    return _asked(distances, nearest, return_distances, return_indices)


_TAXICAB: Final = ("taxicab", "cityblock", "manhattan")
_NOWHERE: Final = 1e200
"""The square of the distance to what is not there: farther than all, and a number."""
_Join = Callable[..., Any]


def _end_of_squares(wide: Any, k: Any, u: Any, a: Any, b: Any) -> Any:
    return floor(((b - a) / wide**2 / maximum(u - k, 1) + u + k) / 2)


def _end_of_sums(k: Any, u: Any, a: Any, b: Any) -> Any:
    return where(b >= a + u - k, np.inf, floor((b - a + u + k) / 2))


def _end_of_larger(k: Any, u: Any, a: Any, b: Any) -> Any:
    middle = (k + u) // 2
    return where(a <= b, maximum(k + b, middle), minimum(u - a, middle))


def distance_transform_bf(
    input: TensorLike,
    metric: str = "euclidean",
    sampling: Any = None,
    return_distances: bool = True,
    return_indices: bool = False,
) -> Any:
    """`distance_transform_edt` for the metric "euclidean", else `distance_transform_cdt`.

    See `scipy.ndimage.distance_transform_bf`.

    >>> distance_transform_bf([0, 1, 1, 1, 0], "taxicab").eval()
    array([0, 1, 2, 1, 0], dtype=int32)
    """
    if metric == "euclidean":
        return distance_transform_edt(input, sampling, return_distances, return_indices)
    return distance_transform_cdt(input, metric, return_distances, return_indices)


def _mask(input: TensorLike, name: str) -> TensorVariable:
    mask = neq(as_tensor(input), 0)
    if not mask.ndim:
        raise ValueError(f"{name} needs an axis{called()}")
    return mask


def _asked(distances: TensorVariable, nearest: list[Any], far: bool, where_to: bool) -> Any:
    """Distances, indices, or both."""
    results = [v for v, wanted in ((distances, far), (stack(nearest, 0), where_to)) if wanted]
    if not results:
        raise ValueError(f"a transform returns distances, indices or both{called()}")
    return tuple(results) if len(results) == 2 else results[0]


def _axis_places(x: TensorVariable, axis: int) -> TensorVariable:
    """The subscript along an axis of each element."""
    return broadcast_to(
        expand_dims(arange(lengths_of(x)[axis]), tuple(range(1, x.ndim - axis))), lengths_of(x)
    )


def _nearest_along_first(mask: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    """Where the nearest 0 along the first axis is, and the square of its distance."""
    n, at = lengths_of(mask)[0], _axis_places(mask, 0)
    back = slice(None, None, -1)
    before = cummax(where(mask, -1, at), 0)
    after = index(cummin(index(where(mask, n, at), back), 0), back)
    is_before = (before >= 0) & ((after >= n) | (at - before <= after - at))
    nearest = where(is_before, before, after)
    none = nearest >= n
    return where(none, 0, nearest), where(none, _NOWHERE, (at - nearest) ** 2)


def _nearest_along(
    axis: int, nearest: list[TensorVariable], sizes: TensorVariable, join: _Join, end: _Join
) -> tuple[list[TensorVariable], TensorVariable]:
    """The nearest of what lies along one axis more: `join` of its size and how many steps off."""
    rows = moveaxis(sizes, axis, -1)
    lines = reshape(rows, (math.prod(lengths_of(rows)[:-1]), lengths_of(rows)[-1]))
    chosen = moveaxis(reshape(nearest_along(lines, join, end), lengths_of(rows)), -1, axis)
    taken = [take_along_axis(v, chosen, axis) for v in (*nearest, sizes)]
    return [*taken[:-1], chosen], join(taken[-1], chosen - _axis_places(sizes, axis))
