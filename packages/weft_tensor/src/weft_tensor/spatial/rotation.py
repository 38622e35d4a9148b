"""Rotations of space, one or arrays of them."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import Any, Final

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor, as_tensors, constant
from weft_tensor.build.variable import SizesLike, TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import ones
from weft_tensor.ops.elementwise.arithmetic import abs, maximum, sqrt
from weft_tensor.ops.elementwise.comparison import neq, where
from weft_tensor.ops.elementwise.trigonometric import arctan2
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.searchsorted import searchsorted
from weft_tensor.ops.linalg.det import det
from weft_tensor.ops.linalg.eigh import eigh
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.svd import svd
from weft_tensor.ops.random.distributions import normal
from weft_tensor.ops.reduction.standard import all, mean, sum
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import atleast_2d, expand_dims
from weft_tensor.ops.shape.transpose import matrix_transpose
from weft_tensor.spatial import quaternions
from weft_tensor.types.axes import Axes, as_axes

__all__ = ["Rotation", "Slerp", "of_unit"]

_DEGREE: Final = pi / 180


class Rotation:
    """Rotations of space; the last axes of what they are made of are those of one rotation.

    They broadcast: `r.apply(v)` turns vectors, `r * s` turns by s first. Derivatives go through
    all of it, also where nothing turns. See `scipy.spatial.transform.Rotation`.

    Examples
    --------
    >>> r = Rotation.from_euler("z", 90, degrees=True)
    >>> r.apply([1.0, 0.0, 0.0]).eval().round(12) + 0
    array([0., 1., 0.])
    >>> (r * r).as_rotvec().eval().round(6)
    array([0.      , 0.      , 3.141593])
    """

    quat: TensorVariable

    def __init__(self, quat: TensorLike, *, scalar_first: bool = False) -> None:
        q = as_floating(quat)
        ordered = concatenate([q[..., 1:], q[..., :1]], -1) if scalar_first else q
        self.quat = quaternions.unit(ordered)

    @classmethod
    def from_quat(cls, quat: TensorLike, *, scalar_first: bool = False) -> Rotation:
        """Of quaternions x, y, z, w, or w, x, y, z, of any length but 0.

        Raises ValueError for 0, at the call if it is not known before.
        """
        return cls(quat, scalar_first=scalar_first)

    @classmethod
    def from_matrix(cls, matrix: TensorLike, *, assume_valid: bool = False) -> Rotation:
        """Of matrices with orthonormal columns and determinant 1.

        Raises ValueError for others, at the call if they are not known before; with
        `assume_valid` they are not looked at.
        """
        return of_unit(quaternions.of_matrix(matrix, assume_valid))

    @classmethod
    def from_rotvec(cls, rotvec: TensorLike, degrees: bool = False) -> Rotation:
        """Of vectors along the axis, as long as the angle."""
        v = as_floating(rotvec)
        return of_unit(quaternions.of_vector(v * _DEGREE if degrees else v))

    @classmethod
    def from_mrp(cls, mrp: TensorLike) -> Rotation:
        """Of vectors along the axis, as long as the tangent of a quarter of the angle."""
        v = as_floating(mrp)
        squares = sum(v * v, -1, keepdims=True)
        return of_unit(concatenate([2 * v, 1 - squares], -1) / (1 + squares))

    @classmethod
    def from_euler(cls, seq: str, angles: TensorLike, degrees: bool = False) -> Rotation:
        """Of one to three angles along the last axis, and the axes that they are about in turn.

        "xyz" are axes that stay, "XYZ" those that have turned with what is before. Of one axis,
        there may be a number or a vector of angles. Raises ValueError for others.
        """
        turns = as_floating(angles)
        return of_unit(quaternions.of_angles(seq, turns * _DEGREE if degrees else turns))

    @classmethod
    def identity(cls, num: int | None = None, *, shape: Any = None) -> Rotation:
        """What turns nothing, so many."""
        one = constant([0.0, 0.0, 0.0, 1.0])
        return of_unit(broadcast_to(one, (*_shape(num, shape), 4)))

    @classmethod
    def random(
        cls, num: int | None = None, rng: TensorLike | None = None, *, shape: SizesLike = ()
    ) -> Rotation:
        """All equally likely, drawn by a key: `Rotation.random(3, rng=wt.random.key(0))`.

        Raises ValueError without a key.
        """
        if rng is None:
            raise ValueError(f"Rotation.random needs a key, as rng=wt.random.key(0){called()}")
        return cls(normal(rng, size=(*_shape(num, shape), 4)))

    @classmethod
    def concatenate(cls, rotations: Sequence[Rotation]) -> Rotation:
        """One behind another, along the first axis."""
        return of_unit(concatenate([atleast_2d(r.quat) for r in rotations], 0))

    @classmethod
    def align_vectors(
        cls, a: TensorLike, b: TensorLike, weights: TensorLike | None = None
    ) -> tuple[Rotation, TensorVariable]:
        """What turns the rows of b so that they are nearest to those of a, and how far they stay.

        The root of the sum of squared distances, by `weights`. W. Kabsch's method, 1976. Raises
        ValueError for what is no matrix of two rows or more.
        """
        x, y = (as_floating(v) for v in as_tensors((a, b)))
        if x.ndim != 2 or y.ndim != 2 or 1 in (x.type.shape[0], y.type.shape[0]):
            raise ValueError(
                f"align_vectors takes two vectors or more, as rows, not {x!r} and {y!r}{called()}"
            )
        share = ones(lengths_of(x)[:1], x.dtype) if weights is None else as_floating(weights)
        share = expand_dims(share, -1)
        left, sizes, right = svd(matmul(matrix_transpose(share * x), y), full_matrices=False)
        sign = where(det(matmul(left, right)) < 0, -1.0, 1.0).astype(x.dtype)
        one = constant(1, x.dtype)
        signs = stack([one, one, sign])
        rest = sum(share * (x * x + y * y)) - 2 * sum(signs * sizes)
        turn = cls.from_matrix(matmul(left * signs, right), assume_valid=True)
        return turn, sqrt(maximum(rest, 0))

    def as_quat(self, canonical: bool = False, *, scalar_first: bool = False) -> TensorVariable:
        """Quaternions x, y, z, w, of length 1; the two of one rotation differ by the sign.

        With `canonical`, w is not negative, or the first number that is not 0 behind it.
        """
        q = _canonical(self.quat) if canonical else self.quat
        return concatenate([q[..., 3:], q[..., :3]], -1) if scalar_first else q

    def as_matrix(self) -> TensorVariable:
        """Matrices that turn what they are multiplied by."""
        return quaternions.matrix_of(self.quat)

    def as_rotvec(self, degrees: bool = False) -> TensorVariable:
        """Vectors along the axis, as long as the angle, which is at most half a turn."""
        v = quaternions.vector_of(self.quat)
        return v / _DEGREE if degrees else v

    def as_mrp(self) -> TensorVariable:
        """Vectors along the axis, as long as the tangent of a quarter of the angle."""
        q = where(self.quat[..., 3:] < 0, -self.quat, self.quat)
        return q[..., :3] / (1 + q[..., 3:])

    def as_euler(self, seq: str, degrees: bool = False) -> TensorVariable:
        """Angles about three axes, as for `from_euler`, along the last axis.

        The one in the middle is from -pi / 2 to pi / 2, or from 0 to pi if the first axis is the
        last, too. Where it leaves one of the others free, the last is 0.
        """
        angles = quaternions.angles_of(self.quat, seq)
        return angles / _DEGREE if degrees else angles

    def apply(self, vectors: TensorLike, inverse: bool = False) -> TensorVariable:
        """Vectors along the last axis, turned, or turned back."""
        return quaternions.rotated(self.inv().quat if inverse else self.quat, vectors)

    def inv(self) -> Rotation:
        """What turns back."""
        return of_unit(self.quat * constant([-1.0, -1.0, -1.0, 1.0]).astype(self.quat.dtype))

    def magnitude(self) -> TensorVariable:
        """The angles, from 0 to half a turn."""
        v, w = self.quat[..., :3], self.quat[..., 3]
        squares = sum(v * v, -1)
        nothing = squares <= 0
        length = where(nothing, 0.0, sqrt(where(nothing, 1.0, squares))).astype(w.dtype)
        return 2 * arctan2(length, abs(w))

    def approx_equal(
        self, other: Rotation, atol: TensorLike | None = None, degrees: bool = False
    ) -> TensorVariable:
        """Whether one is at most an angle from the other; 1e-8 if none is given."""
        limit = as_tensor(1e-8 if atol is None else atol)
        return (self * other.inv()).magnitude() < (limit * _DEGREE if degrees else limit)

    def mean(self, weights: TensorLike | None = None, axis: Axes = None) -> Rotation:
        """The one nearest to all along axes, by squares of distances of matrices.

        After F. L. Markley and others, Averaging quaternions, 2007.
        """
        q = self.quat
        places = as_axes(axis, q.ndim - 1)
        squares = expand_dims(q, -1) * expand_dims(q, -2)
        if weights is not None:
            squares = squares * expand_dims(as_floating(weights), (-1, -2))
        return of_unit(eigh(mean(squares, places))[1][..., -1])

    def __mul__(self, other: Rotation) -> Rotation:
        """Turn by the other, and then by this."""
        return of_unit(quaternions.product(self.quat, other.quat))

    def __pow__(self, n: TensorLike) -> Rotation:
        """n times the angle."""
        times = expand_dims(as_tensor(n), -1) if as_tensor(n).ndim else as_tensor(n)
        return Rotation.from_rotvec(times * self.as_rotvec())

    def __getitem__(self, places: Any) -> Rotation:
        """Some of the rotations."""
        key = places if isinstance(places, tuple) else (places,)
        if self.single:
            raise TypeError(f"a single rotation has no axis to index{called()}")
        return of_unit(index(self.quat, (*key, slice(None))) if Ellipsis in key else self.quat[key])

    @property
    def single(self) -> bool:
        """Whether it is one rotation, without axes."""
        return self.quat.ndim == 1

    @property
    def shape(self) -> Any:
        """The lengths of the axes before those of one rotation."""
        return self.quat.shape[:-1]

    def __repr__(self) -> str:
        return f"Rotation({self.quat!r})"


def of_unit(q: TensorVariable) -> Rotation:
    """Of quaternions that are of length 1.

    >>> of_unit(constant([0.0, 0.0, 1.0, 0.0])).apply([1.0, 2.0, 3.0]).eval()
    array([-1., -2.,  3.])
    """
    rotation = object.__new__(Rotation)
    rotation.quat = q
    return rotation


def _shape(num: int | None, shape: Any) -> tuple[Any, ...]:
    several = () if shape is None else shape if isinstance(shape, (tuple, list)) else (shape,)
    return tuple(several) if num is None else (num,)


def _canonical(q: TensorVariable) -> TensorVariable:
    x, y, z, w = (q[..., k] for k in range(4))
    first = where(neq(w, 0), w, where(neq(x, 0), x, where(neq(y, 0), y, z)))
    return where(expand_dims(first < 0, -1), -q, q)


class Slerp:
    """Turns with constant speed between rotations at times, which increase.

    See `scipy.spatial.transform.Slerp`. Raises ValueError for a single rotation, and where times
    do not increase or a call asks for others than between them, at the call.

    >>> turn = Slerp([0.0, 1.0], Rotation.from_euler("z", [0.0, 90.0], degrees=True))
    >>> turn(0.5).as_rotvec(degrees=True).eval().round(9)
    array([ 0.,  0., 45.])
    """

    def __init__(self, times: TensorLike, rotations: Rotation) -> None:
        at = as_floating(times)
        if rotations.quat.ndim != 2 or at.ndim != 1:
            raise ValueError(
                f"Slerp takes a vector of times, and a rotation for each, not {at!r} and "
                f"{rotations!r}{called()}"
            )
        gaps = index(at, slice(1, None)) - index(at, slice(None, -1))
        self.times = check_and_raise(
            at, all(gaps > 0), ValueError, "times of Slerp increase strictly"
        )
        self.rotations = rotations
        self._steps = (rotations[:-1].inv() * rotations[1:]).as_rotvec()

    def __call__(self, times: TensorLike) -> Rotation:
        """The rotations at these times."""
        at = as_floating(times)
        inside = (at >= self.times[0]) & (at <= self.times[-1])
        message = "Slerp: times are within those of the rotations"
        at = check_and_raise(at, all(inside), ValueError, message)
        place = maximum(searchsorted(self.times, at, "left") - 1, 0)
        start, end = index(self.times, place), index(self.times, place + 1)
        share = (at - start) / (end - start)
        step = Rotation.from_rotvec(expand_dims(share, -1) * index(self._steps, place))
        return of_unit(index(self.rotations.quat, place)) * step
