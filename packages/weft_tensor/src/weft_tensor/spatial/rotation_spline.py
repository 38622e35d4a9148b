"""Smooth turns through rotations at times."""

from __future__ import annotations

from typing import Any, Literal, overload

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange, eye, zeros, zeros_like
from weft_tensor.ops.elementwise.comparison import eq
from weft_tensor.ops.implicit.fixed_points import fixed_point
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.searchsorted import searchsorted
from weft_tensor.ops.interpolate.pieces.power_basis import PPoly
from weft_tensor.ops.matrices.banded import solve_banded
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.reduction.standard import all
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.ops.shape.transpose import matrix_transpose
from weft_tensor.spatial.rotation import Rotation
from weft_tensor.spatial.turning import acceleration, carried, carried_back

__all__ = ["RotationSpline"]


class RotationSpline:
    """Turns through rotations at times, which increase, with a steady acceleration.

    The vector of rotation from each on is a cubic polynomial of time; the first and last rates are
    those of a steady turn. See `scipy.spatial.transform.RotationSpline`. Raises ValueError for a
    single rotation, and where times do not increase or are not as many, at the call.

    >>> turns = Rotation.from_euler("z", [0.0, 90.0, 90.0], degrees=True)
    >>> spline = RotationSpline([0.0, 1.0, 2.0], turns)
    >>> spline(0.5).as_rotvec(degrees=True).eval().round(6)
    array([ 0.   ,  0.   , 50.625])
    >>> spline(1.0, 1).eval().round(6)
    array([0.      , 0.      , 0.785398])
    """

    times: TensorVariable
    rotations: Rotation
    interpolator: PPoly
    """Vectors of rotation, from the last rotation on."""

    def __init__(self, times: TensorLike, rotations: Rotation) -> None:
        at = as_floating(times)
        n = rotations.quat.type.shape[0]
        if rotations.quat.ndim != 2 or at.ndim != 1 or n == 1:
            raise ValueError(
                f"RotationSpline takes a vector of times, and a rotation for each, two or more, "
                f"not {at!r} and {rotations!r}{called()}"
            )
        (count,) = lengths_of(at)
        fits = eq(count, lengths_of(rotations.quat)[0])
        gaps = index(at, slice(1, None)) - index(at, slice(None, -1))
        message = "times of RotationSpline increase strictly, as many as rotations"
        self.times = check_and_raise(at, fits & all(gaps > 0), ValueError, message)
        self.rotations = rotations
        dt = index(self.times, slice(1, None)) - index(self.times, slice(None, -1))
        turns = (rotations[:-1].inv() * rotations[1:]).as_rotvec()
        dt = dt.expand_dims(1)
        ends = turns / dt if n == 2 else _rates(dt, turns)
        begins = concatenate([index(turns / dt, slice(0, 1)), index(ends, slice(None, -1))], 0)
        ends = carried_back(-turns, ends)
        self.interpolator = PPoly(
            stack(
                [
                    (dt * (begins + ends) - 2 * turns) / dt**3,
                    (3 * turns - dt * (2 * begins + ends)) / dt**2,
                    begins,
                    zeros_like(begins),
                ]
            ),
            self.times,
        )

    @overload
    def __call__(self, times: TensorLike, order: Literal[0] = 0) -> Rotation: ...

    @overload
    def __call__(self, times: TensorLike, order: Literal[1, 2]) -> TensorVariable: ...

    def __call__(self, times: TensorLike, order: int = 0) -> Rotation | TensorVariable:
        """The rotations at times, or of order 1 their angular rates, of order 2 accelerations.

        Rates are vectors in the directions that stay as the body turns. Raises ValueError for
        another order.
        """
        if order not in (0, 1, 2):
            raise ValueError(f"RotationSpline: order is 0, 1 or 2, not {order!r}{called()}")
        at = as_floating(times)
        turned = self.interpolator(at)
        if order == 0:
            last = lengths_of(self.times)[0] - 2
            place = clip(searchsorted(self.times, at, "right") - 1, 0, last)
            return self.rotations[place] * Rotation.from_rotvec(turned)
        moving = self.interpolator(at, 1)
        if order == 1:
            return carried(-turned, moving)
        return carried(-turned, self.interpolator(at, 2)) + acceleration(turned, moving)


def _rates(dt: TensorVariable, turns: TensorVariable) -> TensorVariable:
    """The angular rates at all times but the first, of steady accelerations: by iteration.

    SciPy ends it after 10 steps, which may leave jumps of the acceleration.
    """
    first, last = (index(turns / dt, slice(k, k + 1 or None)) for k in (0, -1))
    inner, before, after = slice(1, -1), slice(None, -1), slice(1, None)
    units = eye(3, dtype=turns.dtype)
    about = index(turns, inner).expand_dims(1)
    gaps = index(dt, inner).expand_dims(2)
    lower, upper = (2 * matrix_transpose(f(-about, units)) / gaps for f in (carried, carried_back))
    short, long = index(dt, before), index(dt, after)
    bands = _bands(lower, upper, 4 / short + 4 / long)
    side = 6 * (index(turns, before) / short**2 + index(turns, after) / long**2)
    ahead = carried(-index(turns, slice(0, 1)), first) * 2 / index(dt, slice(0, 1))
    behind = carried_back(-index(turns, slice(-1, None)), last) * 2 / index(dt, slice(-1, None))
    side = side[:1].inc(-ahead)[-1:].inc(-behind)

    def improved(rates: Any) -> Any:
        speeds = carried_back(-index(turns, before), rates)
        missing = side - acceleration(index(turns, before), speeds)
        return reshape(solve_banded((5, 5), bands, reshape(missing, (-1,))), (-1, 3))

    inside: TensorVariable = fixed_point(improved, index(turns / dt, before))
    return concatenate([inside, last], 0)


def _bands(lower: TensorVariable, upper: TensorVariable, middle: TensorVariable) -> TensorVariable:
    """A matrix of blocks of 3 by 3 beside a diagonal, by its diagonals."""
    blocks, size = lengths_of(lower)[0], 3 * lengths_of(middle)[0]
    k, three = (3 * arange(blocks)).reshape((-1, 1, 1)), arange(3)
    i, j = three.expand_dims(1), three
    whole = zeros((11, size), lower.dtype)
    whole = whole[5 + 3 + i - j + 0 * k, k + j + 0 * i].set(lower)
    whole = whole[5 - 3 + i - j + 0 * k, k + 3 + j + 0 * i].set(upper)
    place = arange(size)
    return whole[5, place].set(index(middle, (place // 3, 0)))
