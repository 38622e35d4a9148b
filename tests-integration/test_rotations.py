"""Rotations and figures of points, on all backends, beside SciPy's."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
import scipy.spatial
from against_scipy import Row, assert_as_on_python, assert_as_scipy, assert_slopes, compiled_mode
from scipy.spatial.transform import Rotation

import weft.tensor as wt
from weft_testing import check_grad

OURS: Any = wt.spatial
RNG: Final = np.random.default_rng(3)
Q: Final = RNG.normal(size=(6, 4))
V: Final = RNG.normal(size=(6, 3))
FAR: Final = np.array([[3.0, 0.5, -0.2], [1e-9, 0, 0], [0, 0, 3.1], [0.02, 0, 0.01], [0, 4.0, 5.0]])
TURNS: Final = Rotation.from_rotvec(V).as_matrix()
SEQUENCES: Final = ("xyz", "zyx", "ZYX", "zxz", "XYX", "yzx", "YXZ", "yxy", "XZY")
UNIT: Final = V[0] / np.linalg.norm(V[0])
OTHER: Final = V[1] / np.linalg.norm(V[1])


def made_of(m: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    """A constructor of either library, which are in different places."""
    return getattr(m.transform.Rotation, name)(*args, **kwargs)


def written(r: Any) -> list[Any]:
    """All forms of rotations; quaternions by their products, as signs are free."""
    q = r.as_quat()
    return [
        q[..., :, None] * q[..., None, :], r.as_quat(canonical=True, scalar_first=True),
        r.as_matrix(), r.as_rotvec(), r.as_rotvec(degrees=True), r.as_mrp(), r.magnitude(),
        r.inv().as_matrix(),
    ]  # fmt: skip


ROWS: Final[dict[str, Row]] = {
    "from_quat": Row(lambda m, q: written(made_of(m, "from_quat", q)), [[Q], [Q[0]]]),
    "scalar first": Row(lambda m, q: written(made_of(m, "from_quat", q, scalar_first=True)), [[Q]]),
    "from_rotvec": Row(lambda m, v: written(made_of(m, "from_rotvec", v)), [[V], [FAR], [V[0]]]),
    "from_mrp": Row(lambda m, v: written(made_of(m, "from_mrp", v)), [[V], [FAR]]),
    "from_matrix": Row(
        lambda m, x: [*written(made_of(m, "from_matrix", x)),
            made_of(m, "from_matrix", x, assume_valid=True).as_rotvec()],
        [[TURNS], [TURNS[0]], [np.stack([np.diag(s) for s in ([1.0, -1, -1], [-1.0, -1, 1])])]],
        False,
    ),
    "from_euler": Row(
        lambda m, v: [made_of(m, "from_euler", s, v).as_matrix() for s in (*SEQUENCES, "XYZ")],
        [[V], [V[0]]],
    ),
    "fewer angles": Row(
        lambda m, v: [
            *written(made_of(m, "from_euler", "y", v[:, :1], degrees=True)),
            *written(made_of(m, "from_euler", "ZX", v[:, :2], degrees=True)),
        ],
        [[50 * V]],
    ),
    "as_euler": Row(
        lambda m, q: [
            *[made_of(m, "from_quat", q).as_euler(s) for s in SEQUENCES],
            made_of(m, "from_quat", q).as_euler("xyz", degrees=True),
        ],
        [[Q], [Q[0]]],
    ),
    "apply": Row(
        lambda m, q, v: [
            made_of(m, "from_quat", q).apply(v), made_of(m, "from_quat", q).apply(v, inverse=True),
            made_of(m, "from_quat", q[0]).apply(v), made_of(m, "from_quat", q).apply(v[0]),
        ],
        [[Q, V]],
    ),
    "products": Row(
        lambda m, q, v: [
            part.as_matrix()
            for r, s in [(made_of(m, "from_quat", q), made_of(m, "from_rotvec", v))]
            for part in (r * s, s * r[0], r**2, s**-0.5, r[1:3], r[-1])
        ],
        [[Q, V]],
    ),
    "mean": Row(
        lambda m, v: [
            made_of(m, "from_rotvec", v).mean().as_matrix(),
            made_of(m, "from_rotvec", v).mean(v[:, 0] ** 2).as_rotvec(),
        ],
        [[V]],
    ),
    "align_vectors": Row(
        lambda m, a, b: [
            part
            for w in ([], [a[:, 0] ** 2])
            for r, left in [made_of(m, "align_vectors", a, b, *w)]
            for part in (r.as_matrix(), left)
        ],
        [[V, RNG.normal(size=(6, 3))], [V[:3], -V[:3]]],
    ),
    "slerp": Row(
        lambda m, q, t: written(m.transform.Slerp(t, made_of(m, "from_quat", q))(0.7 * t + 0.1)),
        [[Q, np.array([0.1, 0.4, 0.6, 1.0, 2.0, 2.5])]],
    ),
    "geometric_slerp": Row(
        lambda m, t: [m.geometric_slerp(UNIT, OTHER, t), m.geometric_slerp(UNIT, UNIT, t)],
        [[np.linspace(0, 1, 5)]],
    ),
    "procrustes": Row(lambda m, a, b: list(m.procrustes(a, b)), [[V, V @ TURNS[0] + 1], [V, V**2]]),
    "distances": Row(
        lambda m, a, b: [
            f(x, y, p)
            for p in (1, 2, 3.5, np.inf)
            for f, x, y in ((m.distance_matrix, a, b), (m.minkowski_distance, a[:4], b))
        ],
        [[V, RNG.normal(size=(4, 3))]],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_values_are_scipys(name: str) -> None:
    row = ROWS[name]
    for arrays in row.arrays:
        assert_as_scipy(OURS, scipy.spatial, row.call, arrays, row.tolerance)
        if name not in ("mean", "as_euler"):
            single = [x.astype("float32") for x in arrays]
            assert_as_scipy(OURS, scipy.spatial, row.call, single)


@pytest.mark.cases(4)
@pytest.mark.parametrize("k", range(len(ROWS)))
def test_backends_agree(k: int) -> None:
    assert_as_on_python(OURS, list(ROWS.values())[k], compiled_mode(k))


@pytest.mark.cases(0)
@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.has_slopes])
def test_slopes(name: str) -> None:
    assert_slopes(OURS, ROWS[name])


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_slopes_where_nothing_turns(mode: str) -> None:
    """exp and log of a turn are the identity there, and beside it a turn of v is v + r x v."""
    r, v = wt.vector("r", shape=3), wt.vector("v", shape=3)
    turn = OURS.Rotation.from_rotvec(r)
    outputs = [
        wt.jacobian(turn.as_rotvec(), r), wt.jacobian(turn.apply(v), r),
        wt.grad(turn.magnitude(), r),
    ]  # fmt: skip
    there, across, steepness = wt.function([r, v], outputs, mode=mode)(np.zeros(3), [1.0, 2.0, 3.0])
    np.testing.assert_allclose(there, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(across, [[0, 3, -2], [-3, 0, 1], [2, -1, 0]], atol=1e-15)
    assert np.isfinite(steepness).all()


def test_slopes_by_matrices_that_stay_rotations() -> None:
    def along(v: Any) -> Any:
        matrix = OURS.Rotation.from_rotvec(v).as_matrix()
        return [OURS.Rotation.from_matrix(matrix).as_rotvec()]

    check_grad(along, [V])


def test_middle_angles_that_leave_one_free() -> None:
    for seq, angles in (("xyz", [0.3, np.pi / 2, 0.5]), ("ZYX", [0.3, -np.pi / 2, 0.5]),
                        ("zxz", [0.3, 0.0, 0.5]), ("XYX", [0.3, np.pi, 0.5])):  # fmt: skip
        r = OURS.Rotation.from_euler(seq, angles)
        found = r.as_euler(seq)
        assert found.eval()[2] == 0
        back = OURS.Rotation.from_euler(seq, found).as_matrix().eval()
        np.testing.assert_allclose(back, r.as_matrix().eval(), atol=1e-7)


def test_turns_about_one_axis_need_no_axis_of_their_own() -> None:
    angles = np.array([0.5, -1.0, 2.0])
    r = OURS.Rotation.from_euler("z", angles)
    np.testing.assert_allclose(r.as_rotvec().eval()[:, 2], angles, rtol=1e-12)
    assert OURS.Rotation.from_euler("Z", 0.5).single


def test_random_ones_are_spread_evenly_and_as_many_as_asked_for() -> None:
    r = OURS.Rotation.random(4000, rng=wt.random.key(1))
    assert np.abs(r.as_matrix().eval().mean(0)).max() < 0.04
    assert OURS.Rotation.random(rng=wt.random.key(1)).single
    assert OURS.Rotation.random(shape=(2, 0), rng=wt.random.key(1)).as_rotvec().eval().shape == (
        2,
        0,
        3,
    )
    assert OURS.Rotation.identity(2).as_matrix().eval().shape == (2, 3, 3)
    both = OURS.Rotation.concatenate([OURS.Rotation.identity(2), r[0]])
    assert both.as_quat().eval().shape == (3, 4)
    assert r[0].approx_equal(r[0]).eval()
    assert not r[0].approx_equal(r[1], 1e-3, degrees=True).eval()
    assert "Rotation(" in repr(r)
    assert r.as_quat().eval().shape == (*map(int, r.shape), 4)


WRONG: Final[dict[str, Any]] = {
    "are not zero": lambda: OURS.Rotation([0.0, 0.0, 0.0, 0.0]).as_quat().eval(),
    "quaternions are 4 real": lambda: OURS.Rotation([1.0, 0.0, 0.0]),
    "vectors of rotation are 3": lambda: OURS.Rotation.from_rotvec([1.0, 0.0]),
    "orthonormal columns": lambda: OURS.Rotation.from_matrix(np.diag([1.0, 1, -1])).quat.eval(),
    "and a positive": lambda: OURS.Rotation.from_matrix(2 * np.eye(3)).quat.eval(),
    "3 x 3": lambda: OURS.Rotation.from_matrix(np.eye(2)),
    "one to three letters": lambda: OURS.Rotation.from_euler("xyq", [1.0, 2.0, 3.0]),
    "of 'XYZ' if they turn": lambda: OURS.Rotation.from_euler("xY", [1.0, 2.0]),
    "consecutive axes differ": lambda: OURS.Rotation.from_euler("xxz", [1.0, 2.0, 3.0]),
    "an angle for each axis": lambda: OURS.Rotation.from_euler("xyz", [1.0, 2.0]),
    "takes three axes": lambda: OURS.Rotation.identity().as_euler("xy"),
    "needs a key": lambda: OURS.Rotation.random(2),
    "two vectors or more": lambda: OURS.Rotation.align_vectors([[1.0, 0, 0]], [[1.0, 0, 0]]),
    "takes a vector of times": lambda: OURS.Slerp([0.0], OURS.Rotation.identity()),
    "increase strictly": lambda: OURS.Slerp([1.0, 0.0], OURS.Rotation.identity(2))(0.5).quat.eval(),
    "within those": lambda: OURS.Slerp([0.0, 1.0], OURS.Rotation.identity(2))(2.0).quat.eval(),
    "takes matrices": lambda: OURS.procrustes([1.0, 2.0], [1.0, 2.0]),
    "more than one point": lambda: OURS.procrustes(np.ones((2, 2)), np.eye(2))[2].eval(),
    "vectors of length 1": lambda: OURS.geometric_slerp([1.0, 1.0], [0.0, 1.0], 0.5).eval(),
}  # fmt: skip


@pytest.mark.parametrize("message", WRONG)
def test_bad_input(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        WRONG[message]()


def test_one_rotation_has_no_axis() -> None:
    with pytest.raises(TypeError, match="single rotation"):
        OURS.Rotation.identity()[0]


def test_opposite_directions_have_no_shorter_arc() -> None:
    assert np.isnan(OURS.geometric_slerp([1.0, 0.0], [-1.0, 0.0], 0.5).eval()).all()
