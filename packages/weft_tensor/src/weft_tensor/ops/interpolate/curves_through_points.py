"""Splines through points of a plane or a space, and through values, by SciPy's names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.interpolate.b_spline import BSpline
from weft_tensor.ops.interpolate.older_names import splrep
from weft_tensor.ops.interpolate.spline_fits import make_interp_spline
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.concatenate import concatenate, stack

__all__ = ["make_splprep", "make_splrep", "splprep"]

Points = TensorLike | Sequence[TensorLike]


def make_splrep(
    x: TensorLike,
    y: TensorLike,
    *,
    w: TensorLike | None = None,
    k: int = 3,
    s: float = 0,
    t: TensorLike | None = None,
) -> BSpline:
    """The spline through points, or the nearest one with inner knots `t`.

    As `splrep` has it, but a BSpline. See `scipy.interpolate.make_splrep`. Raises ValueError for an
    s that is not 0, which would choose how many knots there are.

    >>> make_splrep([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 4.0, 9.0])(1.5).eval().round(6)
    np.float64(2.25)
    """
    return BSpline(*splrep(x, y, w, k=k, s=s, t=t))


def make_splprep(
    x: Points, *, u: TensorLike | None = None, k: int = 3, s: float = 0
) -> tuple[BSpline, TensorVariable]:
    """The curve through points, as a spline of values from 0 to 1, and these at the points.

    Parameters
    ----------
    x
        Points: a vector for each axis of space, or these as rows of a matrix.
    u
        The values at the points, in ascending order; by default the length of the way through the
        points before, as a share of the whole.
    k
        The degree.
    s
        0: ValueError for others, which would choose how many knots there are. Take
        `make_smoothing_spline(u, x)` then.

    Examples
    --------
    >>> curve, u = make_splprep([[0.0, 3.0, 3.0], [0.0, 0.0, 1.0]], k=1)
    >>> u.eval(), curve(0.5).eval()
    (array([0.  , 0.75, 1.  ]), array([2., 0.]))
    """
    if s != 0:
        raise ValueError(
            f"splprep: s is 0, not {s!r}: for smooth curves take make_smoothing_spline(u, x, "
            f"lam=lam){called()}"
        )
    points = as_floating(stack([*x]) if isinstance(x, (list, tuple)) else as_tensor(x))
    if points.ndim != 2:
        raise ValueError(f"splprep: x has a vector for each axis, not {points!r}{called()}")
    if u is None:
        steps = points[:, 1:] - points[:, :-1]
        way = cumsum(sqrt(sum(steps * steps, 0)))
        places = concatenate([0 * way[:1], way / way[-1]])
    else:
        places = as_floating(u)
    return make_interp_spline(places, points, k, axis=1), places


def splprep(
    x: Points,
    u: TensorLike | None = None,
    *,
    k: int = 3,
    s: float | None = None,
) -> tuple[tuple[TensorVariable, list[TensorVariable], int], TensorVariable]:
    """The curve through points: (t, [a vector of coefficients for each axis], k), and values u.

    Arguments, but that `s` must be given, and errors are those of `make_splprep`; `splev` takes the
    result. See `scipy.interpolate.splprep`. Raises ValueError for knots of an unknown number of
    axes.

    >>> tck, u = splprep([[0.0, 3.0, 3.0], [0.0, 0.0, 1.0]], k=1, s=0)
    >>> [tck[1][0].eval(), tck[1][1].eval()]
    [array([0., 3., 3.]), array([0., 0., 1.])]
    """
    curve, places = make_splprep(x, u=u, k=k, s=s)  # type: ignore[arg-type]  # None is an error
    count: Any = curve.c.type.shape[1]
    if not isinstance(count, int):
        raise ValueError(f"splprep: how many axes x has must be known{called()}")
    return (curve.t, [curve.c[:, axis] for axis in range(count)], curve.k), places
