"""Motions of rigid bodies in space: rotations, and ways after them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor, constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import zeros
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import eq
from weft_tensor.ops.elementwise.op import broadcast_dims
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.reduction.standard import all, mean, sum
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import atleast_2d, expand_dims
from weft_tensor.spatial import quaternions
from weft_tensor.spatial.rotation import Rotation, of_unit
from weft_tensor.spatial.turning import carried, carried_back
from weft_tensor.types.axes import Axes, as_axes

__all__ = ["RigidTransform"]


class RigidTransform:
    """Rotations, and what is added after them; one, or arrays of them, which broadcast.

    `t.apply(v)` moves vectors, `t * s` moves by s first. Derivatives go through all of it, also
    where nothing turns. See `scipy.spatial.transform.RigidTransform`.

    Examples
    --------
    >>> turn = Rotation.from_euler("z", 90, degrees=True)
    >>> t = RigidTransform.from_components([0.0, 0.0, 1.0], turn)
    >>> t.apply([1.0, 0.0, 0.0]).eval().round(12) + 0
    array([0., 1., 1.])
    >>> (t * t.inv()).as_matrix().eval().round(12).diagonal()
    array([1., 1., 1., 1.])
    """

    rotation: Rotation
    """What turns."""
    translation: TensorVariable
    """What is added."""

    def __init__(self, matrix: TensorLike, normalize: bool = True, copy: bool = True) -> None:
        made = RigidTransform.from_matrix(matrix)
        self.rotation, self.translation = made.rotation, made.translation

    @classmethod
    def from_matrix(cls, matrix: TensorLike) -> RigidTransform:
        """Of matrices of 4 by 4, of which the last row is 0, 0, 0, 1.

        Raises ValueError for others, at the call if they are not known before.
        """
        m = as_floating(matrix)
        if m.ndim < 2 or quaternions.any_other(m.type.shape[-2:], 4):
            raise ValueError(f"a RigidTransform is a matrix of 4 by 4, not {m!r}{called()}")
        last = eq(index(m, (..., 3, slice(None))), constant([0.0, 0.0, 0.0, 1.0]))
        message = "the last row of a RigidTransform's matrix is 0, 0, 0, 1"
        m = check_and_raise(m, all(last), ValueError, message)
        turn = Rotation.from_matrix(m[..., :3, :3])
        return _of(turn, m[..., :3, 3])

    @classmethod
    def from_rotation(cls, rotation: Rotation) -> RigidTransform:
        """Of rotations alone."""
        return cls.from_components(zeros(3), rotation)

    @classmethod
    def from_translation(cls, translation: TensorLike) -> RigidTransform:
        """Of ways alone: vectors along the last axis."""
        return cls.from_components(translation, Rotation.identity())

    @classmethod
    def from_components(cls, translation: TensorLike, rotation: Rotation) -> RigidTransform:
        """Of ways, which are vectors along the last axis, and rotations before them."""
        way = as_floating(translation)
        if not way.ndim or quaternions.any_other(way.type.shape[-1:], 3):
            raise ValueError(f"translations are vectors of 3 numbers, not {way!r}{called()}")
        return _of(rotation, way)

    @classmethod
    def from_exp_coords(cls, exp_coords: TensorLike) -> RigidTransform:
        """Of what moves steadily: vectors of rotation, and ways in the directions as they turn.

        Both are 3 of 6 numbers along the last axis.
        """
        both = _vectors(exp_coords, 6, "exp_coords")
        about, way = both[..., :3], both[..., 3:]
        return _of(Rotation.from_rotvec(about), carried(about, way))

    @classmethod
    def from_dual_quat(cls, dual_quat: TensorLike, *, scalar_first: bool = False) -> RigidTransform:
        """Of quaternions, and others: half the way, times the first; of any length but 0."""
        both = _vectors(dual_quat, 8, "dual_quat")
        q, other = both[..., :4], both[..., 4:]
        if scalar_first:
            q, other = (concatenate([v[..., 1:], v[..., :1]], -1) for v in (q, other))
        size = sqrt(sum(q * q, -1, keepdims=True))
        turn = Rotation.from_quat(q)
        other = other / size
        other = other - turn.quat * sum(turn.quat * other, -1, keepdims=True)
        return _of(turn, 2 * quaternions.product(other, turn.inv().quat)[..., :3])

    @classmethod
    def identity(cls, num: int | None = None, *, shape: Any = None) -> RigidTransform:
        """What moves nothing, so many."""
        return cls.from_rotation(Rotation.identity(num, shape=shape))

    @classmethod
    def concatenate(cls, transforms: Sequence[RigidTransform]) -> RigidTransform:
        """One behind another, along the first axis."""
        ways = concatenate([atleast_2d(t.translation) for t in transforms], 0)
        return _of(Rotation.concatenate([t.rotation for t in transforms]), ways)

    def as_matrix(self) -> TensorVariable:
        """Matrices of 4 by 4."""
        ahead = concatenate([self.rotation.as_matrix(), expand_dims(self.translation, -1)], -1)
        last = constant([[0.0, 0.0, 0.0, 1.0]]).astype(ahead.dtype)
        return concatenate([ahead, broadcast_to(last, (*lengths_of(ahead)[:-2], 1, 4))], -2)

    def as_components(self) -> tuple[TensorVariable, Rotation]:
        """Ways, and the rotations before them."""
        return self.translation, self.rotation

    def as_exp_coords(self) -> TensorVariable:
        """What moves steadily to where this does, with at most half a turn."""
        about = self.rotation.as_rotvec()
        return concatenate([about, carried_back(about, self.translation)], -1)

    def as_dual_quat(self, *, scalar_first: bool = False) -> TensorVariable:
        """Quaternions, and half the way times these."""
        q = self.rotation.quat
        way = concatenate([self.translation, 0 * self.translation[..., :1]], -1)
        parts = [q, quaternions.product(way, q) / 2]
        if scalar_first:
            parts = [concatenate([v[..., 3:], v[..., :3]], -1) for v in parts]
        return concatenate(parts, -1)

    def apply(self, vector: TensorLike, inverse: bool = False) -> TensorVariable:
        """Vectors along the last axis, moved, or moved back."""
        if inverse:
            return self.rotation.apply(as_tensor(vector) - self.translation, inverse=True)
        return self.rotation.apply(vector) + self.translation

    def inv(self) -> RigidTransform:
        """What moves back."""
        back = self.rotation.inv()
        return _of(back, -back.apply(self.translation))

    def mean(self, weights: TensorLike | None = None, axis: Axes = None) -> RigidTransform:
        """The means of rotations and of ways, along axes."""
        turn, way = self.rotation.mean(weights, axis), self.translation
        axes = as_axes(axis, way.ndim - 1)
        if weights is None:
            return _of(turn, mean(way, axes))
        share = expand_dims(as_floating(weights), -1)
        return _of(turn, sum(share * way, axes) / sum(share, axes))

    def __mul__(self, other: RigidTransform) -> RigidTransform:
        """Move by the other, and then by this."""
        return _of(self.rotation * other.rotation, self.apply(other.translation))

    def __pow__(self, n: TensorLike) -> RigidTransform:
        """n times what moves steadily."""
        return RigidTransform.from_exp_coords(as_tensor(n) * self.as_exp_coords())

    def __getitem__(self, places: Any) -> RigidTransform:
        """Some of them."""
        key = places if isinstance(places, tuple) else (places,)
        way = self.translation
        some = index(way, (*key, slice(None))) if Ellipsis in key else way[key]
        return _of(self.rotation[places], some)

    @property
    def single(self) -> bool:
        """Whether it is one, without axes."""
        return self.rotation.single

    @property
    def shape(self) -> Any:
        """The lengths of the axes before those of one."""
        return self.rotation.shape

    def __repr__(self) -> str:
        return f"RigidTransform({self.rotation!r}, {self.translation!r})"


def _vectors(values: TensorLike, n: int, name: str) -> TensorVariable:
    v = as_floating(values)
    if not v.ndim or quaternions.any_other(v.type.shape[-1:], n):
        raise ValueError(f"{name} are {n} numbers along the last axis, not {v!r}{called()}")
    return v


def _of(rotation: Rotation, way: TensorVariable) -> RigidTransform:
    """Both for all that there are of either."""
    made = object.__new__(RigidTransform)
    q = rotation.quat
    if q.ndim > 1 or way.ndim > 1:
        axes = broadcast_dims(lengths_of(q)[:-1], lengths_of(way)[:-1])
        q, way = broadcast_to(q, (*axes, 4)), broadcast_to(way, (*axes, 3))
    made.rotation, made.translation = of_unit(q), way
    return made
