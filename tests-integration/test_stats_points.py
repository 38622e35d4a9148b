"""Points that fill a cube: SciPy's where they are not scrambled, and as even where they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
import scipy.spatial
import scipy.stats
from against_scipy import Row, assert_as_on_python, assert_as_scipy, assert_slopes, of
from scipy.stats import qmc as theirs

import weft.tensor as wt

OURS: Any = wt.stats.qmc
KEY: Final = wt.random.key(20261129)
SAMPLE: Final = np.random.default_rng(1).uniform(0, 1, (9, 3))
ROWS: Final = {
    **{f"discrepancy, {k}": Row(of("discrepancy", method=k), [[SAMPLE], [SAMPLE[:, :1]]])
       for k in ("CD", "WD", "MD", "L2-star")},
    "geometric_discrepancy": Row(of("geometric_discrepancy"), [[SAMPLE]]),
    "scale": Row(of("scale", [-1.0, 0.0, 2.0], [1.0, 3.0, 4.0]), [[SAMPLE]]),
    "scale back": Row(of("scale", [-1.0, 0.0, -2.0], [1.0, 3.0, 4.0], reverse=True), [[SAMPLE]]),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_values(name: str) -> None:
    for arrays in ROWS[name].arrays:
        assert_as_scipy(OURS, theirs, ROWS[name].call, arrays)
    assert_slopes(OURS, ROWS[name])


@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_backends(mode: str) -> None:
    def everything(m: Any, x: Any) -> Any:
        return [m.discrepancy(x, method=k) for k in ("CD", "L2-star")], m.geometric_discrepancy(x)

    assert_as_on_python(OURS, Row(everything, [[SAMPLE]]), mode)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_plain_sequences(mode: str) -> None:
    n = wt.lscalar("n")
    for name, d in (("Sobol", 1), ("Sobol", 64), ("Halton", 5)):
        plain = getattr(OURS, name)(d, scramble=False)
        f = wt.function([n], [plain.random(n), plain.fast_forward(n).random(3)], mode=mode)
        whole = getattr(theirs, name)(d, scramble=False).random(64)
        first, later = f(37)
        np.testing.assert_allclose(first, whole[:37], rtol=0, atol=1e-15)
        np.testing.assert_allclose(later, whole[37:40], rtol=0, atol=1e-15)


@pytest.mark.parametrize("name", ["Sobol", "Halton", "LatinHypercube"])
def test_scrambled_points(name: str, few: Any) -> None:
    """The same on every backend, uniform over keys, and more even than independent ones."""
    draw = getattr(OURS, name)(3, rng=KEY).random(128)
    found = [wt.function([], draw, mode=mode)() for mode in few(("py", "numba", "jax"), 2)]
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=1e-15, atol=1e-16)
    assert ((found[0] >= 0) & (found[0] < 1)).all()
    alone = theirs.discrepancy(np.random.default_rng(2).uniform(size=(128, 3)))
    assert theirs.discrepancy(found[0]) < (0.6 if name == "LatinHypercube" else 0.1) * alone
    keys = wt.random.split(KEY, 400)
    one = wt.vmap(lambda key: getattr(OURS, name)(2, rng=key).random(5)[4])(keys).eval()
    for column in one.T:
        assert abs(column.mean() - 0.5) < 4 / np.sqrt(12 * 400)
        assert abs((column < 0.25).mean() - 0.25) < 0.09


BOXES: Final[dict[str, tuple[int, dict[str, Any]]]] = {
    "a square": (2, {"radius": 0.1}),
    "a line": (1, {"radius": 0.05, "hypersphere": "surface"}),
    "a block": (3, {"radius": 0.3, "l_bounds": [0, 0, -1], "u_bounds": [1, 2, 0.5]}),
    "a dense square": (2, {"radius": 0.2, "hypersphere": "surface", "ncandidates": 60}),
}


@pytest.mark.cases(0)
@pytest.mark.parametrize("name", BOXES)
def test_points_at_a_distance(name: str, few: Any) -> None:
    """The same on every backend, as far apart as is said, about as many as SciPy's, all over."""
    d, more = BOXES[name]
    disks = OURS.PoissonDisk(d, rng=KEY, **more)
    draws = [disks.fill_space(), disks.random(4), disks.random(10**6)]
    found = [wt.function([], draws, mode=mode)() for mode in few(("py", "numba", "jax"), 2)]
    for others in found[1:]:
        for other, own in zip(others, found[0], strict=True):
            np.testing.assert_allclose(other, own, rtol=1e-12, atol=1e-12)
    points, first, many = found[0]
    np.testing.assert_array_equal(first, points[:4])
    np.testing.assert_array_equal(many, points)
    assert scipy.spatial.distance.pdist(points).min() >= more["radius"]
    low, high = (np.broadcast_to(more.get(k, v), d) for k, v in (("l_bounds", 0), ("u_bounds", 1)))
    assert ((points >= low) & (points <= high)).all()
    theirs_of = [len(theirs.PoissonDisk(d, rng=k, **more).fill_space()) for k in range(3)]
    assert abs(len(points) / np.mean(theirs_of) - 1) < 0.2
    anywhere = np.random.default_rng(5).uniform(low, high, (300, d))
    nearest = scipy.spatial.distance.cdist(anywhere, points).min(1)
    assert nearest.max() < 2 * more["radius"]


def test_disks_of_many_keys() -> None:
    keys = wt.random.split(KEY, 200)
    ones = [OURS.PoissonDisk(2, radius=0.4, rng=key).random(2) for key in (keys[0], keys[1])]
    assert not np.isclose(*wt.function([], ones, mode="py")()).any()
    first = wt.vmap(lambda key: OURS.PoissonDisk(2, radius=0.4, rng=key).random(1)[0])(keys).eval()
    for column in first.T:
        assert abs(column.mean() - 0.5) < 4 / np.sqrt(12 * 200)
    assert OURS.PoissonDisk(2, rng=KEY).random(0).eval().shape == (0, 2)


def test_what_disks_refuse() -> None:
    calls: dict[str, Callable[[], Any]] = {
        "hypersphere is one of": lambda: OURS.PoissonDisk(2, rng=KEY, hypersphere="ball"),
        "d must be an integer": lambda: OURS.PoissonDisk(0, rng=KEY),
        "radius is above 0": lambda: OURS.PoissonDisk(2, rng=KEY, radius=0.0),
        "and bounds rise": lambda: OURS.PoissonDisk(2, rng=KEY, l_bounds=2, u_bounds=[3, 2]),
        "give a larger radius": lambda: OURS.PoissonDisk(9, rng=KEY).fill_space(),
    }
    for message, call in calls.items():
        with pytest.raises(ValueError, match=message):
            call()


def test_nets() -> None:
    """Of 2^m scrambled Sobol points, each of 2^m slices has one; so has each cell of a plane."""
    points = OURS.Sobol(2, rng=KEY).random_base2(6).eval()
    for axis in range(2):
        assert sorted((64 * points[:, axis]).astype(int)) == list(range(64))
    cells = (8 * points).astype(int) @ [8, 1]
    assert sorted(cells) == list(range(64))
    for column in OURS.LatinHypercube(3, rng=KEY).random(11).eval().T:
        assert sorted((11 * column).astype(int)) == list(range(11))


MEAN: Final = np.array([1.0, -2.0, 0.5])
COVARIANCE: Final = np.array([[2.0, 0.3, 0.0], [0.3, 1.0, 0.2], [0.0, 0.2, 1.5]])


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_normal_vectors(mode: str) -> None:
    """Of plain points SciPy's; of scrambled ones nearer to their moments than independent draws."""
    m, c = wt.vector("m", shape=(3,)), wt.matrix("c", shape=(3, 3))
    plain = OURS.MultivariateNormalQMC(m, c, engine=OURS.Sobol(3, scramble=False)).random(8)
    by_angles = OURS.MultivariateNormalQMC(
        m, cov_root=c, inv_transform=False, engine=OURS.Halton(4, scramble=False).fast_forward(1)
    ).random(8)
    found = wt.function([m, c], [plain, by_angles, wt.grad((plain**2).sum(), m)], mode=mode)
    one, other, slope = found(MEAN, COVARIANCE)
    engine = theirs.Sobol(3, scramble=False)
    wanted = theirs.MultivariateNormalQMC(MEAN, COVARIANCE, engine=engine).random(8)
    np.testing.assert_allclose(one, wanted, rtol=1e-12)
    np.testing.assert_allclose(slope, 2 * wanted.sum(0), rtol=1e-10)
    later = theirs.Halton(4, scramble=False).fast_forward(1)
    wanted = theirs.MultivariateNormalQMC(
        MEAN, cov_root=COVARIANCE, inv_transform=False, engine=later
    ).random(8)
    np.testing.assert_allclose(other, wanted, rtol=1e-12)
    drawn = OURS.MultivariateNormalQMC(MEAN, COVARIANCE, rng=KEY).random(1024)
    points = wt.function([], drawn, mode=mode)()
    np.testing.assert_allclose(points.mean(0), MEAN, atol=0.01)
    np.testing.assert_allclose(np.cov(points.T), COVARIANCE, atol=0.02)


def test_counts_of_trials() -> None:
    chances = [0.2, 0.5, 0.3]
    counts = OURS.MultinomialQMC(chances, 64, rng=KEY).random(4).eval()
    assert counts.shape == (4, 3)
    np.testing.assert_array_equal(counts.sum(1), 64)
    np.testing.assert_allclose(counts / 64, np.tile(chances, (4, 1)), atol=0.05)


def ishigami(x: Any, m: Any = wt) -> Any:
    return m.sin(x[0]) + 7 * m.sin(x[1]) ** 2 + 0.1 * x[2] ** 4 * m.sin(x[0])


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_shares_of_variance(mode: str) -> None:
    """T. Ishigami and T. Homma, 1990: a function whose indices are known."""
    laws = [wt.stats.uniform(-np.pi, 2 * np.pi)] * 3
    found = wt.stats.sobol_indices(func=ishigami, n=1024, dists=laws, rng=KEY)
    first, total = wt.function([], list(found), mode=mode)()
    np.testing.assert_allclose(first, [0.3139, 0.4424, 0.0], atol=0.02)
    np.testing.assert_allclose(total, [0.5576, 0.4424, 0.2437], atol=0.02)


def test_shares_of_variance_of_values() -> None:
    rng = np.random.default_rng(3)
    for s in (1, 2):
        a, b, mixed = (
            rng.normal(size=(s, 16)),
            rng.normal(size=(s, 16)),
            rng.normal(size=(3, s, 16)),
        )
        given: Any = {"f_A": a, "f_B": b, "f_AB": mixed}
        found = wt.stats.sobol_indices(func=given, n=16)
        wanted = scipy.stats.sobol_indices(func=given, n=16)
        np.testing.assert_allclose(found.first_order.eval(), wanted.first_order, rtol=1e-12)
        np.testing.assert_allclose(found.total_order.eval(), wanted.total_order, rtol=1e-12)
    several = wt.stats.sobol_indices(
        func=lambda x: wt.stack([x[0] + x[1], x[1]]),
        n=64,
        dists=[wt.stats.norm, wt.stats.norm],
        method=lambda f_A, f_B, f_AB: (f_A.mean(-1), f_AB.mean((0, 2))),
        rng=KEY,
    )
    assert [v.eval().shape for v in several] == [(2,), (2,)]


ERRORS: dict[str, Callable[[], Any]] = {
    "d must be an integer from 1 to 64": lambda: OURS.Sobol(65, rng=KEY),
    "d must be an integer from 1 to 1000": lambda: OURS.Halton(0, rng=KEY),
    "Sobol: give a key": lambda: OURS.Sobol(2),
    "the mean is a vector": lambda: OURS.MultivariateNormalQMC(wt.vector("m"), rng=KEY),
    "must have 3 dimensions, not 2": lambda: OURS.MultivariateNormalQMC(
        MEAN, engine=OURS.Sobol(2, rng=KEY)
    ),
    "MultinomialQMC: give a key": lambda: OURS.MultinomialQMC([0.5, 0.5], 3),
    "places are drawn": lambda: wt.stats.sobol_indices(func=ishigami, n=8, rng=KEY),
    "method is 'saltelli_2010'": lambda: wt.stats.sobol_indices(
        func=ishigami, n=8, method="jansen"
    ),
    "method is one of": lambda: OURS.discrepancy(SAMPLE, method="best"),
    "takes points as rows": lambda: OURS.discrepancy(SAMPLE[0]),
    "not in the unit cube": lambda: OURS.discrepancy(SAMPLE + 1).eval(),
    "l_bounds are below": lambda: OURS.scale(SAMPLE, [0.0, 1.0, 0.0], 1.0).eval(),
    "outside of the box": lambda: OURS.scale(SAMPLE, 0.0, 0.1, reverse=True).eval(),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message]()
