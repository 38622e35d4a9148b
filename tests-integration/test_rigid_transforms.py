"""Rigid motions and smooth turns, on all backends, beside SciPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
import scipy.spatial
from against_scipy import Row, assert_as_on_python, assert_as_scipy, assert_slopes

import weft.tensor as wt
from weft_testing import check_grad

OURS: Any = wt.spatial
THEIRS: Any = scipy.spatial
RNG: Final = np.random.default_rng(3)
ABOUT: Final = np.array([[3.0, 0.5, -0.2], [1e-9, 0, 0], [0, 0, 0.4], [0.02, 0, 0.01], [1, -1, 2]])
WAYS: Final = RNG.normal(size=(5, 3))
BOTH: Final = np.hstack([ABOUT, WAYS])
MATRICES: Final = THEIRS.transform.RigidTransform.from_exp_coords(BOTH).as_matrix()
DUAL: Final = RNG.normal(size=(4, 8))
POINTS: Final = RNG.normal(size=(5, 3))
TIMES: Final = np.array([0.0, 0.4, 1.0, 2.5, 2.9, 4.0, 5.0])
TURNS: Final = 0.2 * RNG.normal(size=(7, 3))
PLACES: Final = np.array([-0.3, 0.0, 0.2, 0.4, 1.7, 2.9, 4.6, 5.0, 5.5])


def written(t: Any, points: Any = POINTS[0]) -> list[Any]:
    """All forms of motions; quaternions by their signs, which are free."""
    dual, first = t.as_dual_quat(), t.as_dual_quat(scalar_first=True)
    way, turn = t.as_components()
    return [
        t.as_matrix(), t.as_exp_coords(), way, turn.as_matrix(), dual * dual[..., 3:4],
        first * first[..., :1], t.apply(points), t.apply(points, inverse=True),
        t.inv().as_matrix(), (t**2.5).as_matrix(), (t * t.inv() * t).as_matrix(),
    ]  # fmt: skip


def tf(m: Any) -> Any:
    return m.transform.RigidTransform


def composed(m: Any, v: Any, w: Any) -> list[Any]:
    turn = m.transform.Rotation.from_rotvec(v)
    t = tf(m).from_components(w, turn)
    alone = [tf(m).from_rotation(turn), tf(m).from_translation(w), tf(m).identity(3)]
    many = tf(m).concatenate([t, tf(m).identity(2), t[1]])
    weights = np.arange(1.0, 6)
    means = [t.mean(), t.mean(weights)]
    parts = [t[0] * t, t * t[2], t[1:3], many, *alone, *means]
    return [part for t in parts for part in (t.as_matrix(), t.translation)]


def spline(n: int) -> Callable[..., Any]:
    def call(m: Any, times: Any, v: Any, at: Any) -> list[Any]:
        if m is OURS:
            v = wt.specify_shape(v, (7, 3))
        turns = m.transform.Rotation.from_rotvec(v[:n])
        s = m.transform.RotationSpline(times[:n], turns)
        return [s(at).as_matrix(), s(at, 1), s(at, 2), s(0.3).as_matrix(), s(0.3, 2)]

    return call


ROWS: Final[dict[str, Row]] = {
    "from_exp_coords": Row(lambda m, v: written(tf(m).from_exp_coords(v)), [[BOTH], [BOTH[2]]]),
    "from_matrix": Row(lambda m, x: [*written(tf(m).from_matrix(x)), tf(m)(x).as_matrix()],
                       [[MATRICES], [MATRICES[0]]], False),
    "from_dual_quat": Row(lambda m, q: [*written(tf(m).from_dual_quat(q)),
        *written(tf(m).from_dual_quat(q[1], scalar_first=True))], [[DUAL]]),
    "composed": Row(composed, [[ABOUT, WAYS]]),
    "one way, many turns": Row(lambda m, v, w: written(
        tf(m).from_components(w, m.transform.Rotation.from_rotvec(v))), [[ABOUT, WAYS[0]]]),
    **{f"a spline through {n}": Row(spline(n), [[TIMES, TURNS, PLACES]], True, 1e-8)
       for n in (2, 3, 4, 7)},
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_values(name: str) -> None:
    for arrays in ROWS[name].arrays:
        assert_as_scipy(OURS, THEIRS, ROWS[name].call, arrays, 1e-7)


@pytest.mark.cases("numba")
@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_backends(mode: str, few: Any) -> None:
    def everything(m: Any, both: Any, times: Any, v: Any, at: Any) -> Any:
        t = tf(m).from_exp_coords(both)
        turns = spline(4)(m, times, v, at)
        return [t.as_exp_coords(), t.as_dual_quat(), *few(turns, 1)]

    assert_as_on_python(OURS, Row(everything, [[BOTH, TIMES, TURNS, PLACES]]), mode)


def test_derivatives() -> None:
    """Also where nothing turns."""
    assert_slopes(OURS, Row(ROWS["from_dual_quat"].call, [[DUAL[:2]]]))
    steady = np.vstack([BOTH[2:], [0, 0, 0, 1.0, 2.0, -1.0], [0.3, -0.2, 0.3, 1.0, 1.0, 1.0]])
    check_grad(lambda v: written(tf(OURS).from_exp_coords(v))[:9], [steady])


@pytest.mark.cases(0)
def test_derivatives_of_splines() -> None:
    """By the rotations and times."""
    inner = np.array([0.1, 0.7, 1.7])
    check_grad(lambda t, v: spline(4)(OURS, t, v, inner)[:3], [TIMES, TURNS])


@pytest.mark.parametrize("size", [0.49, 0.5, 0.51, 1e-5])
def test_where_series_end(size: float) -> None:
    """The second rates of a steady turn about one axis and of a slow one are smooth."""
    v = size * np.array([[0.6, 0.0, 0.8]])
    back = tf(OURS).from_exp_coords(np.hstack([v, [[1.0, 2.0, 3.0]]])).as_exp_coords()
    np.testing.assert_allclose(back.eval(), np.hstack([v, [[1.0, 2.0, 3.0]]]), rtol=2e-15)


@pytest.mark.cases(0)
@pytest.mark.parametrize("size", [0.2, 1.0, 2.0])
def test_the_acceleration_has_no_jumps(size: float) -> None:
    """SciPy's has, of far turns, as it ends its iteration after 10 steps."""
    turns = OURS.Rotation.from_rotvec(size * RNG.normal(size=(7, 3)))
    s = OURS.RotationSpline(TIMES, turns)
    np.testing.assert_allclose(s(TIMES).as_matrix().eval(), turns.as_matrix().eval(), atol=1e-12)
    for order in (1, 2):
        before, after = (s(TIMES[1:-1] + d, order).eval() for d in (-1e-9, 1e-9))
        np.testing.assert_allclose(before, after, atol=1e-6)


ONE: Final[Any] = tf(OURS).identity()
ERRORS: dict[str, Callable[[], Any]] = {
    "a matrix of 4 by 4": lambda: tf(OURS).from_matrix(np.eye(3)),
    "the last row of": lambda: tf(OURS)(np.ones((4, 4))).as_matrix().eval(),
    "translations are vectors of 3": lambda: tf(OURS).from_translation([1.0, 2.0]),
    "exp_coords are 6": lambda: tf(OURS).from_exp_coords([1.0, 2.0]),
    "dual_quat are 8": lambda: tf(OURS).from_dual_quat(np.ones(4)),
    "two or more": lambda: OURS.RotationSpline([1.0], OURS.Rotation.identity(1)),
    "increase strictly": lambda: OURS.RotationSpline(
        TIMES[::-1], OURS.Rotation.from_rotvec(TURNS))(0.1).as_quat().eval(),
    "as many as rotations": lambda: OURS.RotationSpline(
        TIMES[:4], OURS.Rotation.from_rotvec(TURNS))(0.1).as_quat().eval(),
    "order is 0, 1 or 2": lambda: OURS.RotationSpline(
        TIMES, OURS.Rotation.from_rotvec(TURNS))(0.1, 3),
}  # fmt: skip


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message]()


def test_one_motion_has_no_axes() -> None:
    assert ONE.single
    assert ONE.shape == ()
    with pytest.raises(TypeError, match="no axis to index"):
        ONE[0]
