"""Fourier transforms at other frequencies: on spirals, and between two frequencies.

By convolution with a chirp (Bluestein, "A linear filtering approach to the computation of discrete
Fourier transform", 1970): n k = (n^2 + k^2 - (k - n)^2) / 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from math import pi
from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.fft.numpy_names import sized
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.ops.signal.convolution import fftconvolve
from weft_tensor.types.axes import as_axis

__all__ = ["CZT", "ZoomFFT", "czt", "czt_points", "zoom_fft"]

_T = TensorVariable


def czt(
    x: TensorLike,
    m: SizeLike | None = None,
    w: TensorLike | None = None,
    a: TensorLike = 1 + 0j,
    axis: int = -1,
) -> TensorVariable:
    """The z-transform at m points of a spiral. See `scipy.signal.czt`.

    Parameters
    ----------
    x
        Numbers.
    m
        How many points, as many as there are numbers by default.
    w
        The ratio of one point to the next, a number: by default, that of as many on the circle.
    a
        The first point, a number.
    axis
        Along which axis.

    Raises
    ------
    ValueError
        for an `m` below 1 (at the call, if it is not known before).

    Examples
    --------
    >>> czt([1.0, 2.0, 4.0], 2, w=-1j).eval().round(12)
    array([ 7.-0.j, -3.-2.j])
    """
    v = as_floating(x)
    n: Any = lengths_of(v)[as_axis(axis, v.ndim)]
    points: Any = n if m is None else sized(m)
    start = _log(a)
    if w is None:  # whole turns are taken off, which leaves more digits
        return _transform(
            v, points, lambda k: exp(-1j * pi / points * (k * k % (2 * points))), start, axis
        )
    step = _log(w)
    return _transform(v, points, lambda k: exp(0.5 * k * k * step), start, axis)


def czt_points(m: SizeLike, w: TensorLike | None = None, a: TensorLike = 1 + 0j) -> TensorVariable:
    """The m points at which `czt` takes the z-transform: a / w^k. See `scipy.signal.czt_points`.

    They are on the circle, if there is no `w`. Raises ValueError for an `m` below 1 (at the call,
    if it is not known before).

    >>> czt_points(4).eval().round(12)
    array([ 1.+0.j,  0.+1.j, -1.+0.j, -0.-1.j])
    """
    points: Any = sized(m)
    k = arange(points).astype("float64")
    return as_tensor(a) * (exp(2j * pi * k / points) if w is None else exp(-k * _log(w)))


def zoom_fft(
    x: TensorLike,
    fn: TensorLike,
    m: SizeLike | None = None,
    *,
    fs: TensorLike = 2.0,
    endpoint: bool = False,
    axis: int = -1,
) -> TensorVariable:
    """The Fourier transform at m frequencies between two. See `scipy.signal.zoom_fft`.

    Parameters
    ----------
    x
        Numbers.
    fn
        The first frequency and that after the last; or that alone, and the first is 0.
    m
        How many frequencies, as many as there are numbers by default.
    fs
        How many numbers there are in a unit of time.
    endpoint
        Whether the second frequency is the last one.
    axis
        Along which axis.

    Raises
    ------
    ValueError
        for an `fn` that is no number and no pair, and for an `m` below 1 (at the call, if it is not
        known before).

    Examples
    --------
    >>> zoom_fft([1.0, -1.0, 1.0], [0.5, 1.0], 2, endpoint=True).eval().round(12)
    array([0.+1.j, 3.+0.j])
    """
    v = as_floating(x)
    n: Any = lengths_of(v)[as_axis(axis, v.ndim)]
    points: Any = n if m is None else sized(m)
    start, step = _band(fn, points, fs, endpoint)
    return _transform(v, points, lambda k: exp(0.5 * k * k * step), start, axis)


@dataclass(frozen=True, eq=False)
class CZT:
    """`czt` of as many numbers as `n`, by the same points each time. See `scipy.signal.CZT`.

    A call with `x` and `axis=-1` transforms; `points()` gives `czt_points`. The other arguments are
    as for `czt`. Raises ValueError for an `m` below 1, and for another length than `n` (at the
    call, if it is not known before).

    >>> transform = CZT(3, 2, w=-1j)
    >>> transform([1.0, 2.0, 4.0]).eval().round(12), transform.points().eval().round(12)
    (array([ 7.-0.j, -3.-2.j]), array([1.+0.j, 0.+1.j]))
    """

    n: SizeLike
    m: SizeLike | None = None
    w: TensorLike | None = None
    a: TensorLike = 1 + 0j

    def __call__(self, x: TensorLike, *, axis: int = -1) -> TensorVariable:
        """The transform of `x` along an axis."""
        return czt(_of_length(x, axis, self.n), self.m, self.w, self.a, axis)

    def points(self) -> TensorVariable:
        """Where the transform is taken."""
        return czt_points(self.n if self.m is None else self.m, self.w, self.a)


@dataclass(frozen=True, eq=False)
class ZoomFFT:
    """`zoom_fft` of as many numbers as `n`, at the same frequencies. See `scipy.signal.ZoomFFT`.

    A call with `x` and `axis=-1` transforms; `points()` gives the places on the circle. The other
    arguments are as for `zoom_fft`. Raises ValueError as it does, and for another length than `n`
    (at the call, if it is not known before).

    >>> transform = ZoomFFT(3, [0.5, 1.0], 2, endpoint=True)
    >>> transform([1.0, -1.0, 1.0]).eval().round(12), transform.points().eval().round(12)
    (array([0.+1.j, 3.+0.j]), array([ 0.+1.j, -1.+0.j]))
    """

    n: SizeLike
    fn: TensorLike
    m: SizeLike | None = None
    _: KW_ONLY
    fs: TensorLike = 2.0
    endpoint: bool = False

    def __call__(self, x: TensorLike, *, axis: int = -1) -> TensorVariable:
        """The transform of `x` along an axis."""
        v = _of_length(x, axis, self.n)
        return zoom_fft(v, self.fn, self.m, fs=self.fs, endpoint=self.endpoint, axis=axis)

    def points(self) -> TensorVariable:
        """Where the transform is taken."""
        points: Any = sized(self.n if self.m is None else self.m)
        start, step = _band(self.fn, points, self.fs, self.endpoint)
        return exp(start - arange(points) * step)


def _of_length(x: TensorLike, axis: int, n: SizeLike) -> _T:
    v = as_floating(x)
    lengths: list[Any] = [None] * v.ndim
    lengths[as_axis(axis, v.ndim)] = sized(n)
    return specify_shape(v, *lengths)


def _band(fn: TensorLike, points: Any, fs: TensorLike, endpoint: bool) -> tuple[_T, _T]:
    """The logarithms of the first point, and of the step to the next."""
    ends = as_floating(fn)
    if ends.type.shape not in ((), (2,)):
        raise ValueError(f"fn must be a number or a pair of them, not {fn!r}{called()}")
    first, last = (ends[0], ends[1]) if ends.ndim else (as_tensor(0.0), ends)
    step = -2j * pi * (last - first) / (as_tensor(fs) * (points - 1 if endpoint else points))
    return 2j * pi * first / as_tensor(fs), step


def _log(z: TensorLike) -> _T:
    return log(as_floating(z).astype("complex128"))


def _transform(x: _T, m: Any, chirp: Callable[[_T], _T], log_start: _T, axis: int) -> _T:
    """`chirp` gives w^(k^2 / 2)."""
    rows = moveaxis(x, axis, -1)
    n = lengths_of(rows)[-1]
    before = arange(n)
    weighted = rows * exp(-before * log_start) * chirp(before)
    inverse = 1 / chirp(arange(1 - n, m))
    lined = expand_dims(inverse, tuple(range(rows.ndim - 1)))
    result = chirp(arange(m)) * fftconvolve(lined, weighted, "valid", axes=-1)[..., :m]
    return moveaxis(result, -1, axis)
