"""Splines of one variable, by the classes that SciPy had first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from weft_graph.extend import called
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.interpolate.b_spline import BSpline
from weft_tensor.ops.interpolate.conditions import of_one_dtype, real_vector
from weft_tensor.ops.interpolate.older_names import splev, splint
from weft_tensor.ops.interpolate.spline_fits import (
    knots_through,
    make_interp_spline,
    make_lsq_spline,
)
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.sample_statistics.samples import one_of
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.reshape import reshape

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

    def __init__(self, spline: BSpline, ext: int | str = 0) -> None:
        self.spline, self.ext = spline, _number(ext)

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


def _knots(
    x: TensorLike, inner: TensorLike | None, bbox: Ends, k: int, name: str
) -> tuple[TensorVariable, TensorVariable]:
    """Places, and knots: inner ones, or those of a spline through the places, and k + 1 ends."""
    places = real_vector(x, f"{name}: x")
    if inner is None:
        whole = knots_through(places, k, (None, None))
        inner = index(whole, slice(k + 1, -k - 1))
    places, between = of_one_dtype(places, real_vector(inner, f"{name}: t"))
    if len(bbox) != 2:
        raise ValueError(f"{name}: bbox is a pair of ends, not {bbox!r}{called()}")
    first, last = (
        reshape(of_one_dtype(index(places, at) if end is None else end, places)[0], (1,))
        for at, end in zip((0, -1), bbox, strict=True)
    )
    return places, concatenate([*[first] * (k + 1), between, *[last] * (k + 1)])


class UnivariateSpline(FittedSpline):
    """The spline through points, `s=0`: that which chooses its own knots is not here.

    See `scipy.interpolate.UnivariateSpline`.

    Parameters
    ----------
    x
        A vector, strictly increasing.
    y
        Values, a vector.
    w
        Makes no difference.
    bbox
        Where the first and the last piece end, if not at the first and the last place.
    k
        The degree.
    s
        0.
    ext
        What is outside, as for `FittedSpline`.

    Raises
    ------
    ValueError
        for another `s`, and as `make_interp_spline`.

    Examples
    --------
    >>> curve = UnivariateSpline([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 4.0, 9.0], s=0)
    >>> curve(1.5).eval().round(6), curve.integral(0.0, 3.0).eval().round(6)
    (np.float64(2.25), np.float64(9.0))
    """

    def __init__(
        self,
        x: TensorLike,
        y: TensorLike,
        w: TensorLike | None = None,
        bbox: Ends = (None, None),
        k: int = 3,
        s: float | None = None,
        ext: int | str = 0,
    ) -> None:
        if s != 0:
            raise ValueError(
                f"UnivariateSpline: s is 0, not {s!r}: knots that values choose are not here; take "
                f"LSQUnivariateSpline with knots t, or make_smoothing_spline{called()}"
            )
        places, knots = _knots(x, None, bbox, k, type(self).__name__)
        super().__init__(make_interp_spline(places, y, k, knots), ext)


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
        places, knots = _knots(x, t, bbox, k, "LSQUnivariateSpline")
        self._parts = places, y, w
        super().__init__(make_lsq_spline(places, y, knots, k, w), ext)

    def get_residual(self) -> TensorVariable:
        """The sum of the squares of weights times what is missed."""
        places, y, w = self._parts
        missed = (y - self.spline(places)) ** 2
        return sum(missed if w is None else missed * of_one_dtype(w, missed)[0] ** 2)
