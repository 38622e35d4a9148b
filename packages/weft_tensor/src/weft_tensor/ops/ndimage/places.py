"""Values of an image between its elements: at given places, moved, stretched, turned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import product
from operator import add, and_, mul
from typing import Any, Final

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import floor, maximum, minimum, mod, rint, trunc
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.ndimage.borders import as_image, bordered, for_each_axis
from weft_tensor.ops.ndimage.output import with_output
from weft_tensor.ops.ndimage.splines import ORDERS, spline_filter, spline_weights
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.ops.special.composed.degrees import cosdg, sindg
from weft_tensor.types.axes import as_axis

__all__ = [
    "affine_transform",
    "geometric_transform",
    "map_coordinates",
    "rotate",
    "shift",
    "zoom",
]

_MODES: Final = (
    *("constant", "grid-constant", "nearest", "wrap", "grid-wrap"),
    *("mirror", "reflect", "grid-mirror"),
)

_AROUND: Final = 12
"""So many elements are put around an image whose spline must be flat beyond it, as in SciPy."""
_BEYOND: Final = {"constant": "mirror", "wrap": "mirror", "nearest": "reflect"}
"""How coefficients of splines go on."""


@with_output
def map_coordinates(
    input: TensorLike,
    coordinates: Any,
    order: int = 3,
    mode: str = "constant",
    cval: TensorLike = 0.0,
    prefilter: bool = True,
) -> TensorVariable:
    """The values of `input` at `coordinates`, between its elements.

    All functions of this module read an image so, and have derivatives by it and by the places.
    See `scipy.ndimage.map_coordinates` and, for the order of arguments,
    `jax.scipy.ndimage.map_coordinates`.

    Parameters
    ----------
    input
        A tensor.
    coordinates
        For each axis of `input` the places along it: a tensor with these along its first axis, or
        a sequence of tensors that broadcast.
    order
        0 for the nearest element, 1 for lines between elements, 2 to 5 for splines through them.
    mode
        What is beyond the borders: "constant" `cval`, "grid-constant" the same, with lines that
        lead there, "nearest" the last element, "mirror", "reflect" ("grid-mirror") and "grid-wrap"
        as for `correlate`; "wrap" repeats after one element less, as SciPy has it.
    cval
        A number.
    prefilter
        Whether `input` has values; else what `spline_filter` makes of them.

    Returns
    -------
    A tensor of the dtype of `input` (integers are rounded, and kept within what it has; bools are
    truncated) and the shape of the places.

    Raises
    ------
    ValueError
        for another order or mode, and for another number of coordinates than axes.

    Examples
    --------
    >>> map_coordinates([[0.0, 1.0], [2.0, 3.0]], [[0.5, 1.0], [0.5, 0.25]], order=1).eval()
    array([1.5 , 2.25])
    """
    x = as_tensor(input)
    if not isinstance(coordinates, (tuple, list)):
        places = as_tensor(coordinates)
        count = places.type.shape[0] if places.ndim else 0
        if isinstance(count, int) and count != x.ndim:
            raise ValueError(f"{x.ndim} coordinates are needed, not {count}{called()}")
        return _read(x, [index(places, k) for k in range(x.ndim)], order, mode, cval, prefilter)
    if len(coordinates) != x.ndim:
        raise ValueError(f"{x.ndim} coordinates are needed, not {len(coordinates)}{called()}")
    return _read(x, [as_tensor(c) for c in coordinates], order, mode, cval, prefilter)


@with_output
def geometric_transform(
    input: TensorLike,
    mapping: Callable[..., Sequence[TensorLike]],
    output_shape: Sequence[SizeLike] | None = None,
    *,
    order: int = 3,
    mode: str = "constant",
    cval: TensorLike = 0.0,
    prefilter: bool = True,
    extra_arguments: tuple[Any, ...] = (),
    extra_keywords: dict[str, Any] | None = None,
) -> TensorVariable:
    """`input` at the places that `mapping` makes of those of the result.

    `mapping` is called once, with a tuple of tensors that broadcast, one for each axis of the
    result, and returns one for each of `input`: what it uses besides may be variables. See
    `scipy.ndimage.geometric_transform`, which calls it for each element.

    >>> geometric_transform([1.0, 2.0, 4.0], lambda at: (at[0] - 0.5,), order=1).eval()
    array([0. , 1.5, 3. ])
    """
    x = as_tensor(input)
    grid = tuple(_grid([*(lengths_of(x) if output_shape is None else output_shape)]))
    places = [*mapping(grid, *extra_arguments, **(extra_keywords or {}))]
    return map_coordinates(x, places, order, mode, cval, prefilter)


@with_output
def shift(
    input: TensorLike,
    shift: Any,
    *,
    order: int = 3,
    mode: str = "constant",
    cval: TensorLike = 0.0,
    prefilter: bool = True,
) -> TensorVariable:
    """`input`, moved: by one number, or one for each axis. See `scipy.ndimage.shift`.

    >>> shift([1.0, 2.0, 4.0], 0.5, order=1).eval()
    array([0. , 1.5, 3. ])
    """
    x = as_tensor(input)
    moves = _numbers(shift, x.ndim, "shift")
    places = [g - move for g, move in zip(_grid(lengths_of(x)), moves, strict=True)]
    return _read(x, places, order, mode, cval, prefilter)


@with_output
def zoom(
    input: TensorLike,
    zoom: Any,
    *,
    order: int = 3,
    mode: str = "constant",
    cval: TensorLike = 0.0,
    prefilter: bool = True,
    grid_mode: bool = False,
) -> TensorVariable:
    """`input` with so many times the elements: one number, or one for each axis.

    The first and last elements stay where they are, but with `grid_mode` the outer edges of these
    do. See `scipy.ndimage.zoom`.

    >>> zoom([0.0, 2.0, 4.0], 5 / 3, order=1).eval()
    array([0., 1., 2., 3., 4.])
    """
    x = as_tensor(input)
    lengths = lengths_of(x)
    after = [_times(n, z) for n, z in zip(lengths, _numbers(zoom, x.ndim, "zoom"), strict=True)]
    places: list[Any] = []
    for g, n, m in zip(_grid(after), lengths, after, strict=True):
        wide: Any = as_tensor(n).astype("float64")
        if grid_mode:
            places.append((g + 0.5) * wide / m - 0.5)
        else:
            places.append(g * (wide - 1) / maximum(as_tensor(m) - 1, 1))
    return _read(x, places, order, mode, cval, prefilter)


@with_output
def affine_transform(
    input: TensorLike,
    matrix: TensorLike,
    offset: Any = 0.0,
    output_shape: Sequence[SizeLike] | None = None,
    *,
    order: int = 3,
    mode: str = "constant",
    cval: TensorLike = 0.0,
    prefilter: bool = True,
) -> TensorVariable:
    """The values at `matrix @ place + offset` for each place of the result.

    `matrix` may be a vector for a diagonal, or have a further column for the offset, and a further
    row, which is ignored; columns of an unknown number must be as many as axes. `output_shape` is
    that of `input` by default. ValueError for a matrix of another shape. See
    `scipy.ndimage.affine_transform`.

    >>> affine_transform([1.0, 2.0, 4.0], [[2.0]], order=1).eval()
    array([1., 4., 0.])
    """
    x, m = as_tensor(input), as_tensor(matrix)
    columns = m.type.shape[-1] if m.ndim else None
    if m.ndim not in (1, 2) or columns not in (None, x.ndim, x.ndim + m.ndim - 1):
        raise ValueError(f"matrix does not fit {x.ndim} axes: {m!r}{called()}")
    if columns is None:
        m = specify_shape(m, [*[None] * (m.ndim - 1), x.ndim])
    moves = _numbers(offset, x.ndim, "offset")
    grid = _grid(lengths_of(x) if output_shape is None else output_shape)
    places: list[Any] = []
    for k, move in enumerate(moves):
        if m.ndim == 1:
            places.append(index(m, k) * grid[k] + move)
            continue
        start = index(m, (k, x.ndim)) if columns == x.ndim + 1 else move
        places.append(reduce(add, [index(m, (k, j)) * g for j, g in enumerate(grid)], start))
    return _read(x, places, order, mode, cval, prefilter)


@with_output
def rotate(
    input: TensorLike,
    angle: TensorLike,
    axes: tuple[int, int] = (1, 0),
    reshape: bool = True,
    *,
    order: int = 3,
    mode: str = "constant",
    cval: TensorLike = 0.0,
    prefilter: bool = True,
) -> TensorVariable:
    """`input`, turned by an angle in degrees in the plane of two axes. See `scipy.ndimage.rotate`.

    With `reshape` the result is as large as what is turned needs. ValueError for equal axes.

    >>> rotate([[1.0, 2.0], [3.0, 4.0]], 90, order=0).eval()
    array([[2., 4.],
           [1., 3.]])
    """
    x = as_tensor(input)
    first, second = sorted(as_axis(a, x.ndim) for a in axes)
    if first == second:
        raise ValueError(f"axes of a plane must differ: {axes}{called()}")
    cosine, sine = cosdg(as_tensor(angle)), sindg(as_tensor(angle))
    lengths: list[Any] = [*lengths_of(x)]
    high, wide = (as_tensor(lengths[a]).astype("float64") for a in (first, second))
    if reshape:
        c, s = absolute(cosine), absolute(sine)
        lengths[first] = (c * high + s * wide + 0.5).astype("int64")
        lengths[second] = (s * high + c * wide + 0.5).astype("int64")
    grid: list[Any] = _grid(lengths)
    down = grid[first] - (as_tensor(lengths[first]) - 1) / 2
    along = grid[second] - (as_tensor(lengths[second]) - 1) / 2
    grid[first] = cosine * down + sine * along + (high - 1) / 2
    grid[second] = cosine * along - sine * down + (wide - 1) / 2
    return _read(x, grid, order, mode, cval, prefilter)


def _read(
    x: TensorVariable,
    places: Sequence[Any],
    order: int,
    mode: str,
    cval: TensorLike,
    prefilter: bool,
) -> TensorVariable:
    if order not in ORDERS:
        raise ValueError(f"order must be from 0 to 5, not {order!r}{called()}")
    if mode not in _MODES:
        raise ValueError(f"mode must be one of {', '.join(_MODES)}, not {mode!r}{called()}")
    y, known = x, as_tensor(True)
    if mode == "constant":
        for place, n in zip(places, lengths_of(x), strict=True):
            known = known & (place >= 0) & (place <= n - 1)
    if order > 1:
        if mode in ("nearest", "grid-constant"):
            y = bordered(y, [2 * _AROUND + 1] * y.ndim, [0] * y.ndim, mode, cval)
            places = [place + _AROUND for place in places]
        y = spline_filter(y, order, mode) if prefilter else y
        beyond = _BEYOND.get(mode, mode)
    else:
        beyond = mode
    half = 0.5 if order % 2 == 0 else 0.0
    corners = []
    for place, n in zip(places, lengths_of(y), strict=True):
        at = _moved_inside(place.astype("float64"), n, mode) + half
        low = floor(at)
        start = low.astype("int64") - order // 2
        taps = enumerate(spline_weights(at - low, order))
        ends = [(start + k, weight) for k, weight in taps]
        corners.append([(_element(i, n, beyond), weight, (i >= 0) & (i < n)) for i, weight in ends])
    total: Any = 0.0
    for corner in product(*corners):
        value: Any = index(y, tuple(i for i, _, _ in corner))
        if mode == "grid-constant":
            value = where(reduce(and_, [is_inside for _, _, is_inside in corner]), value, cval)
        if order > 0:
            value = value * reduce(mul, [weight for _, weight, _ in corner])
        total = value if order == 0 else total + value
    result = where(known, total, cval) if mode == "constant" else total
    result = as_tensor(result)
    if x.dtype[0] in "iu" and order > 0:
        result = trunc(result + where(result < 0, -0.5, 0.5))
    if x.dtype[0] in "iu" and result.dtype == "float64":  # splines go beyond what the dtype has
        limits = np.iinfo(x.dtype)
        highest = min(limits.max, int(np.nextafter(limits.max + 1.0, 0)))
        result = clip(result, float(limits.min), float(highest))
    return as_image(result, x.dtype)


def _moved_inside(place: Any, n: Any, mode: str) -> Any:
    """Places beyond the borders, where the mode says what they are before elements are chosen."""
    if mode == "nearest":
        return clip(place, 0, n - 1)
    if mode != "wrap":
        return place
    period = maximum(as_tensor(n) - 1, 1)
    above = where(place > n - 1, mod(place, period), place)
    return where(place < 0, period - mod(-place, period), above)


def _element(i: Any, n: Any, mode: str) -> Any:
    """Which element stands at the integer i, on both sides of the borders."""
    if mode in ("reflect", "grid-mirror"):
        rest = mod(i, 2 * n)
        return minimum(rest, 2 * n - 1 - rest)
    if mode == "mirror":
        period = maximum(2 * as_tensor(n) - 2, 1)
        rest = mod(i, period)
        return minimum(rest, period - rest)
    return mod(i, n) if mode == "grid-wrap" else clip(i, 0, n - 1)


def _grid(lengths: Sequence[Any]) -> list[TensorVariable]:
    """The places of elements, along an axis each, which broadcast."""
    rank = len(lengths)
    return [
        reshape(arange(n), [-1 if a == axis else 1 for a in range(rank)])
        for axis, n in enumerate(lengths)
    ]


def _numbers(value: Any, rank: int, name: str) -> list[Any]:
    """One for each axis: of a sequence, of the elements of a vector, or the same for all."""
    v = value if isinstance(value, (tuple, list)) else as_tensor(value)
    if isinstance(v, TensorVariable) and v.ndim == 1:
        count = v.type.shape[0]
        if isinstance(count, int) and count != rank:
            raise ValueError(f"{name} must have {rank} elements, not {value!r}{called()}")
        return [index(v, k) for k in range(rank)]
    return for_each_axis(v, [*range(rank)], name)


def _times(n: Any, factor: Any) -> Any:
    """So many times n, rounded."""
    length = static_length(n)
    constant = getattr(factor, "value", factor)
    if isinstance(length, int) and not isinstance(constant, TensorVariable):
        return round(length * float(constant))
    return rint(as_tensor(n) * as_tensor(factor).astype("float64")).astype("int64")
