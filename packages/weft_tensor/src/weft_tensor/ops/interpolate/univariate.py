"""Splines of one variable, by the classes that SciPy had first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from weft_graph.extend import called
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.interpolate.b_spline import BSpline
from weft_tensor.ops.interpolate.chosen_knots import is_zero, smooth_spline
from weft_tensor.ops.interpolate.conditions import of_one_dtype, real_vector
from weft_tensor.ops.interpolate.older_names import splev, splint
from weft_tensor.ops.interpolate.spline_fits import (
    make_interp_spline,
    make_lsq_spline,
    whole_knots,
)
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.sample_statistics.samples import one_of
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.shape.length import lengths_of

__all__ = [
    "FittedSpline",
    "InterpolatedUnivariateSpline",
    "LSQUnivariateSpline",
    "UnivariateSpline",
]

Ends = Sequence[TensorLike | None]
_EXT: Final = ("extrapolate", "zeros", "raise", "const")


class FittedSpline:
    """A spline, and what it is outside of its knots; see `scipy.interpolate.UnivariateSpline`.

    `ext` is "extrapolate" (0), "zeros" (1), "raise" (2: a ValueError at the call) or "const" (3).
    """

    def __init__(
        self, spline: BSpline, ext: int | str = 0, points: Sequence[Any] | None = None
    ) -> None:
        self.spline, self.ext, self._points = spline, _number(ext), points

    def __call__(self, x: TensorLike, nu: int = 0, ext: int | str | None = None) -> TensorVariable:
        """The values at places, or the derivatives of order `nu` there."""
        return splev(x, self.spline, nu, self.ext if ext is None else _number(ext))

    def derivative(self, n: int = 1) -> FittedSpline:
        """The spline of derivatives of order `n`."""
        return FittedSpline(self.spline.derivative(n), 1 if self.ext == 3 else self.ext)

    def antiderivative(self, n: int = 1) -> FittedSpline:
        """The spline whose derivative of order `n` this is."""
        return FittedSpline(self.spline.antiderivative(n), self.ext)

    def derivatives(self, x: TensorLike) -> TensorVariable:
        """The value at a place, and all derivatives."""
        return stack([self.spline(x, nu) for nu in range(self.spline.k + 1)])

    def integral(self, a: TensorLike, b: TensorLike) -> TensorVariable:
        """The integral from `a` to `b`, of 0 outside the knots."""
        return splint(a, b, self.spline)

    def get_residual(self) -> TensorVariable:
        """The sum of the squares of weights times what is missed; ValueError of derivatives."""
        if self._points is None:
            raise ValueError(f"get_residual: a derivative is near no points{called()}")
        places, y, w = self._points
        missed = (y - self.spline(places)) ** 2
        return sum(missed if w is None else missed * of_one_dtype(w, missed)[0] ** 2)

    def get_knots(self) -> TensorVariable:
        """Where pieces meet, and the ends."""
        k = self.spline.k
        return index(self.spline.t, slice(k, -k or None))

    def get_coeffs(self) -> TensorVariable:
        """What each B-spline is multiplied by."""
        return self.spline.c


def _number(ext: int | str) -> int:
    number = _EXT.index(ext) if ext in _EXT else ext
    one_of("a spline", "ext", number, (0, 1, 2, 3, *_EXT))
    return int(number)


def _pair(bbox: Ends, name: str) -> Ends:
    if len(bbox) != 2:
        raise ValueError(f"{name}: bbox is a pair of ends, not {bbox!r}{called()}")
    return bbox


class UnivariateSpline(FittedSpline):
    """The spline near points that is as smooth as the squares that it may leave allow.

    Its knots are points, as few as leave no more than `s`, chosen by SciPy on the host; with these
    it leaves just that, SciPy's up to .001 more or less. See `scipy.interpolate.UnivariateSpline`.

    Parameters
    ----------
    x
        A vector in increasing order, strictly if `s` is 0.
    y
        Values, a vector.
    w
        What each distance is multiplied by: 1 by default.
    bbox
        Where the first and the last piece end, if not at the first and the last place.
    k
        The degree, 1 to 5.
    s
        The sum of the squares of weights times what is missed: by default the number of points, as
        it is if weights are the inverse standard deviations of errors. It may be a variable. With
        0 the spline goes through the points.
    ext
        What is outside, as for `FittedSpline`.

    Raises
    ------
    ValueError
        for a negative `s`, other degrees, too few points and what is not in order, and as
        `make_interp_spline`.

    Examples
    --------
    >>> curve = UnivariateSpline([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 4.0, 9.0], s=0)
    >>> curve(1.5).eval().round(6), curve.integral(0.0, 3.0).eval().round(6)
    (np.float64(2.25), np.float64(9.0))
    >>> smooth = UnivariateSpline([0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, 1.0, 0.0], k=1, s=0.5)
    >>> smooth.get_residual().eval().round(6), smooth([0.0, 2.0]).eval().round(3)
    (np.float64(0.5), array([0.142, 0.443]))
    """

    def __init__(
        self,
        x: TensorLike,
        y: TensorLike,
        w: TensorLike | None = None,
        bbox: Ends = (None, None),
        k: int = 3,
        s: TensorLike | None = None,
        ext: int | str = 0,
    ) -> None:
        name = type(self).__name__
        places = real_vector(x, f"{name}: x")
        if is_zero(s):
            places, knots = whole_knots(places, None, _pair(bbox, name), k)
            spline = make_interp_spline(places, y, k, knots)
        else:
            size = lengths_of(places)[0] if s is None else s
            spline = smooth_spline(places, y, w, _pair(bbox, name), k, size, name)
        super().__init__(spline, ext, (places, y, w))


class InterpolatedUnivariateSpline(UnivariateSpline):
    """The spline through points: `UnivariateSpline` with `s=0`.

    See `scipy.interpolate.InterpolatedUnivariateSpline`.

    >>> InterpolatedUnivariateSpline([0.0, 1.0, 2.0], [0.0, 1.0, 4.0], k=2)(1.5).eval().round(6)
    np.float64(2.25)
    """

    def __init__(
        self,
        x: TensorLike,
        y: TensorLike,
        w: TensorLike | None = None,
        bbox: Ends = (None, None),
        k: int = 3,
        ext: int | str = 0,
    ) -> None:
        super().__init__(x, y, w, bbox, k, 0, ext)


class LSQUnivariateSpline(FittedSpline):
    """The spline with inner knots `t` that is nearest to points, by weighted squares.

    As `UnivariateSpline` otherwise. See `scipy.interpolate.LSQUnivariateSpline`.

    >>> x = [0.0, 1.0, 2.0, 3.0, 4.0]
    >>> LSQUnivariateSpline(x, [0.0, 1.0, 0.0, 1.0, 0.0], [2.0], k=1).get_coeffs().eval().round(3)
    array([0.286, 0.571, 0.286])
    """

    def __init__(
        self,
        x: TensorLike,
        y: TensorLike,
        t: TensorLike,
        w: TensorLike | None = None,
        bbox: Ends = (None, None),
        k: int = 3,
        ext: int | str = 0,
    ) -> None:
        name = "LSQUnivariateSpline"
        places, inner = real_vector(x, f"{name}: x"), real_vector(t, f"{name}: t")
        places, knots = whole_knots(places, inner, _pair(bbox, name), k)
        super().__init__(make_lsq_spline(places, y, knots, k, w), ext, (places, y, w))
