"""Unit quaternions (x, y, z, w) along the last axis, and what turns are written as otherwise."""

from __future__ import annotations

from itertools import pairwise
from math import pi
from typing import Any, Final

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensors, constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import eye
from weft_tensor.ops.elementwise.arithmetic import abs, hypot, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.trigonometric import arctan2, cos, sin
from weft_tensor.ops.indexing.argmax import argmax
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.products.products import cross
from weft_tensor.ops.reduction.standard import all, sum
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.shape.transpose import matrix_transpose

__all__ = [
    "angles_of",
    "matrix_of",
    "of_angles",
    "of_matrix",
    "of_vector",
    "product",
    "rotated",
    "unit",
    "vector_of",
]

_SMALL: Final = 1e-3
"""Below the square of so large an angle, four terms of a series have all digits."""
_GIMBAL: Final = 1e-7
"""Nearer than this to 0 or a half turn, an angle in the middle leaves one of the others free."""


def _last_axis(x: TensorLike, n: int, what: str) -> TensorVariable:
    v = as_floating(x)
    if v.is_complex or not v.ndim or v.type.shape[-1] not in (None, n):
        raise ValueError(f"{what} are {n} real numbers along the last axis, not {v!r}{called()}")
    return v


def unit(q: TensorLike) -> TensorVariable:
    """Quaternions of length 1. ValueError, at the call if it is not known before, for zeros.

    >>> unit([0.0, 0.0, 3.0, 4.0]).eval()
    array([0. , 0. , 0.6, 0.8])
    """
    v = _last_axis(q, 4, "quaternions")
    squares = sum(v * v, -1, keepdims=True)
    message = "quaternions of rotations are not zero"
    return v / sqrt(check_and_raise(squares, all(squares > 0), ValueError, message))


def product(p: TensorLike, q: TensorLike) -> TensorVariable:
    """The turn by q, and then by p.

    >>> product([1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]).eval()
    array([0., 0., 1., 0.])
    """
    p, q = as_tensors((p, q))
    (a, u), (b, v) = ((r[..., 3:], r[..., :3]) for r in (p, q))
    real = a * b - sum(u * v, -1, keepdims=True)
    return concatenate([a * v + b * u + cross(u, v), real], -1)


def rotated(q: TensorVariable, vectors: TensorLike) -> TensorVariable:
    """Vectors, turned.

    >>> rotated(unit([0.0, 0.0, 1.0, 1.0]), [1.0, 0.0, 0.0]).eval().round(12) + 0
    array([0., 1., 0.])
    """
    u, v = as_tensors((q, _last_axis(vectors, 3, "vectors")))
    axis, real = u[..., :3], u[..., 3:]
    across = 2 * cross(axis, v)
    return v + real * across + cross(axis, across)


def of_vector(vector: TensorLike) -> TensorVariable:
    """Of axes times angles; with derivatives at 0, too.

    >>> of_vector([0.0, 0.0, 3.141592653589793]).eval().round(12)
    array([0., 0., 1., 0.])
    """
    v = _last_axis(vector, 3, "vectors of rotation")
    squares = sum(v * v, -1, keepdims=True)
    small = squares < _SMALL
    angle = sqrt(where(small, constant(1, v.dtype), squares))
    terms = squares / 4
    near = 0.5 * (1 - terms / 6 * (1 - terms / 20 * (1 - terms / 42)))
    nearly_one = 1 - terms / 2 * (1 - terms / 12 * (1 - terms / 30))
    share = where(small, near, sin(angle / 2) / angle)
    return concatenate([v * share, where(small, nearly_one, cos(angle / 2))], -1)


def vector_of(q: TensorVariable) -> TensorVariable:
    """Axes times angles, of at most half a turn; with derivatives where nothing turns, too.

    >>> vector_of(unit([0.0, 0.0, 1.0, 1.0])).eval().round(6)
    array([0.      , 0.      , 1.570796])
    """
    q = where(q[..., 3:] < 0, -q, q)
    v, real = q[..., :3], q[..., 3:]
    squares = sum(v * v, -1, keepdims=True)
    small = squares < _SMALL
    length = sqrt(where(small, constant(1, v.dtype), squares))
    divisor = where(small, real, constant(1, v.dtype))
    t = squares / divisor**2
    near = 2 / divisor * (1 - t * (1 / 3 - t * (1 / 5 - t * (1 / 7 - t * (1 / 9 - t / 11)))))
    return v * where(small, near, 2 * arctan2(length, real) / length)


def matrix_of(q: TensorVariable) -> TensorVariable:
    """Matrices that turn what they are multiplied by.

    >>> matrix_of(unit([0.0, 0.0, 1.0, 1.0])).eval().round(12) + 0
    array([[ 0., -1.,  0.],
           [ 1.,  0.,  0.],
           [ 0.,  0.,  1.]])
    """
    x, y, z, w = (q[..., k] for k in range(4))
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), w * w - x * x + y * y - z * z, 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), w * w - x * x - y * y + z * z],
    ]
    return stack([stack(row, -1) for row in rows], -2)


def of_matrix(matrix: TensorLike, assume_valid: bool) -> TensorVariable:
    """Of matrices, by that of four formulas which divides by the largest number.

    After S. W. Shepperd, Quaternion from rotation matrix, 1978.

    >>> of_matrix([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], False).eval().round(6)
    array([0.      , 0.      , 0.707107, 0.707107])
    """
    m = as_floating(matrix)
    if m.is_complex or m.ndim < 2 or any_other(m.type.shape[-2:], 3):
        raise ValueError(f"matrices of rotation are real, 3 x 3, not {m!r}{called()}")
    if not assume_valid:
        m = check_and_raise(
            m,
            all(_is_turn(m)),
            ValueError,
            "matrices of rotation have orthonormal columns and a positive determinant: take "
            "linalg.polar(matrix)[0], the nearest of orthonormal columns",
        )
    a = [[m[..., i, j] for j in range(3)] for i in range(3)]
    total = a[0][0] + a[1][1] + a[2][2]
    both = [a[2][1] + a[1][2], a[0][2] + a[2][0], a[1][0] + a[0][1]]
    apart = [a[2][1] - a[1][2], a[0][2] - a[2][0], a[1][0] - a[0][1]]
    ends = [1 - total + 2 * a[k][k] for k in range(3)]
    forms = [
        [ends[0], both[2], both[1], apart[0]],
        [both[2], ends[1], both[0], apart[1]],
        [both[1], both[0], ends[2], apart[2]],
        [*apart, 1 + total],
    ]
    best = argmax(stack([a[0][0], a[1][1], a[2][2], total], -1), -1)
    choices = stack([stack(form, -1) for form in forms], -2)
    places = expand_dims(best, (-2, -1)) + 0 * choices[..., :1, :].astype("int64")
    return unit(take_along_axis(choices, places, -2)[..., 0, :])


def any_other(lengths: Any, n: int) -> bool:
    """Whether one of the lengths is known, and another one.

    >>> any_other((3, None), 3), any_other((3, 2), 3)
    (False, True)
    """
    return not set(lengths) <= {None, n}


def _is_turn(m: TensorVariable) -> TensorVariable:
    tolerance = 1e-3 if m.dtype == "float32" else 1e-6
    apart = abs(matmul(matrix_transpose(m), m) - eye(3, dtype=m.dtype))
    rows = (m[..., k, :] for k in range(3))
    volume = sum(next(rows) * cross(next(rows), next(rows)), -1)
    return all(apart < tolerance, (-2, -1)) & (volume > 0)


def of_angles(seq: str, angles: TensorLike) -> TensorVariable:
    """Of turns about axes: fixed ones, or for capital letters those that turn with them.

    >>> of_angles("z", 3.141592653589793).eval().round(12)
    array([0., 0., 1., 0.])
    """
    places, turns = _axes(seq), as_floating(angles)
    if len(places) == 1 and turns.ndim < 2:
        turns = expand_dims(turns, -1)
    if not turns.ndim or turns.type.shape[-1] not in (None, len(places)):
        raise ValueError(
            f"from_euler: there is an angle for each axis of {seq!r} along the last axis, not "
            f"{turns!r}{called()}"
        )
    parts = []
    for k, axis in enumerate(places):
        half = turns[..., k] / 2
        values = [sin(half) if j == axis else 0 * half for j in range(3)]
        parts.append(stack([*values, cos(half)], -1))
    result, *others = parts
    for part in others:
        result = product(result, part) if seq.isupper() else product(part, result)
    return result


def _axes(seq: str) -> list[int]:
    is_one_kind = seq.isupper() or seq.islower()
    letters = seq.lower()
    if not is_one_kind or not 1 <= len(seq) <= 3 or set(letters) - set("xyz"):
        raise ValueError(
            "axes are one to three letters of 'xyz', or of 'XYZ' if they turn, too, not "
            f"{seq!r}{called()}"
        )
    if any(one == other for one, other in pairwise(letters)):
        raise ValueError(f"consecutive axes differ, not {seq!r}{called()}")
    return ["xyz".index(letter) for letter in letters]


def angles_of(q: TensorVariable, seq: str) -> TensorVariable:
    """Angles of three turns about axes, that in the middle from 0 or -pi / 2 over half a turn.

    After E. Bernardes and S. Viollet, Quaternion to Euler angles conversion, 2022. Where the one
    in the middle leaves one of the others free, the last is 0.

    >>> angles_of(unit([0.0, 0.0, 1.0, 1.0]), "zyx").eval().round(6) + 0
    array([1.570796, 0.      , 0.      ])
    """
    places = _axes(seq)
    if len(places) != 3:
        raise ValueError(f"as_euler takes three axes, not {seq!r}{called()}")
    turning = seq.isupper()
    i, j, k = places[::-1] if turning else places
    is_same = i == k
    k = 3 - i - j if is_same else k
    sign = (i - j) * (j - k) * (k - i) // 2
    w, one, two, three = q[..., 3], q[..., i], q[..., j], sign * q[..., k]
    if not is_same:
        w, one, two, three = w - two, one + three, two + w, three - one
    middle = 2 * arctan2(hypot(two, three), hypot(w, one))
    low, high = middle <= _GIMBAL, middle >= pi - _GIMBAL
    total, difference = arctan2(one, w), arctan2(three, two)
    first, third = total - difference, total + difference
    if turning:
        first, third = third, first
    alone = where(low, 2 * total, (2 if turning else -2) * difference)
    first, third = where(low | high, alone, first), where(low | high, 0 * third, third)
    if not is_same:
        first, third = (sign * first, third) if turning else (first, sign * third)
        middle = middle - pi / 2
    return stack([_within_half_turns(first), middle, _within_half_turns(third)], -1)


def _within_half_turns(angle: TensorVariable) -> TensorVariable:
    return where(angle > pi, angle - 2 * pi, where(angle < -pi, angle + 2 * pi, angle))
