"""The least of many minima on all backends: by a population, and by a grid."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.optimize

import weft.tensor as wt

OURS: Any = wt.optimize
THEIRS: Any = scipy.optimize
MODES = ["py", "numba", "jax"]
KEY = wt.random.key(3)


def waves(x: Any, at: Any = 0.0) -> Any:
    """Rastrigin's function: a minimum in each unit square, the least at 0."""
    y = x - at
    return (y**2 - 10 * wt.cos(2 * np.pi * y) + 10).sum()


@pytest.mark.cases("py")  # minima of other ways have derivatives on each backend
@pytest.mark.parametrize("mode", MODES)
def test_the_least_is_found_and_has_derivatives(mode: str) -> None:
    at, way = wt.vector("at", shape=(2,)), wt.vector("way", shape=(2,))
    found = OURS.differential_evolution(waves, [(-5, 4), (-3, 5)], (at,), rng=KEY)
    slopes = [wt.jacobian(found.x, at), wt.pushforward(found.x, at, way)]
    outputs = [found.x, found.fun, found.success, found.population_energies, *slopes]
    x, fun, success, energies, by_at, ahead = wt.function([at, way], outputs, mode=mode)(
        [0.3, -0.2], [1.0, 2.0]
    )
    np.testing.assert_allclose(x, [0.3, -0.2], atol=1e-7)
    np.testing.assert_allclose([fun, *by_at.ravel(), *ahead], [0, 1, 0, 0, 1, 1, 2], atol=1e-6)
    assert success
    assert energies.std() <= 0.01 * energies.mean()


@pytest.mark.parametrize("crossing", ["bin", "exp"])
@pytest.mark.parametrize(
    "mix", ["best1", "best2", "rand1", "rand2", "randtobest1", "currenttobest1"]
)
def test_strategies(mix: str, crossing: str) -> None:
    found = OURS.differential_evolution(
        lambda x: ((x - wt.constant([0.5, 1.5])) ** 2).sum() + 1,
        [(0, 2), (0, 2)],
        strategy=mix + crossing,
        popsize=8,
        tol=1e-6,
        mutation=0.7,
        init="random",
        polish=False,
        rng=KEY,
    )
    outputs = [found.x, found.nit, found.nfev, found.population]
    x, generations, calls, population = wt.function([], outputs, mode="numba")()
    np.testing.assert_allclose(x, [0.5, 1.5], atol=0.02)
    assert 5 < generations < 300
    assert calls == 16 * (generations + 1)
    assert population.shape == (16, 2)
    assert ((population >= 0) & (population <= 2)).all()


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", MODES)
def test_whole_numbers_and_bounds(mode: str) -> None:
    def cost(x: Any) -> Any:
        return (x[0] - 2.7) ** 2 + (x[1] - 9) ** 2 + x[0] * x[1] / 100

    bounds = scipy.optimize.Bounds([-1, 0], [4.5, 1.25])
    found = OURS.differential_evolution(cost, bounds, integrality=[True, False], rng=KEY)
    x, population = wt.function([], [found.x, found.population], mode=mode)()
    np.testing.assert_allclose(x, [3, 1.25], atol=1e-9)
    assert set(population[:, 0]) <= set(range(-1, 5))


@pytest.mark.cases(0)
def test_equal_keys_draw_equal_points_on_all_backends() -> None:
    found = OURS.differential_evolution(waves, [(-5, 4)] * 2, rng=KEY, maxiter=3, polish=False)
    first, *others = [wt.function([], found.population, mode=mode)() for mode in MODES]
    for other in others:
        np.testing.assert_allclose(other, first, rtol=1e-12)


def test_what_is_given_at_the_start() -> None:
    start = np.random.default_rng(0).uniform(-1, 1, (9, 2))
    found = OURS.differential_evolution(
        lambda x: (x**2).sum(0), [(-1, 1)] * 2, init=start, maxiter=0, polish=False, rng=KEY,
        x0=[0.01, 0.02], vectorized=True,
    )  # fmt: skip
    x, population, success = wt.function(
        [], [found.x, found.population, found.success], mode="py"
    )()
    np.testing.assert_allclose(x, [0.01, 0.02])
    np.testing.assert_allclose(population[1:], start[1:])
    assert not success


def test_what_is_not_a_number_is_never_best() -> None:
    def part(x: Any) -> Any:
        return wt.where(x[0] > 0.25, x[0], np.nan)

    found = OURS.differential_evolution(part, [(-1.0, 1.0)], polish=False, rng=KEY)
    assert 0.25 <= found.x.eval()[0] < 0.26


def test_population_errors() -> None:
    bounds = [(0.0, 1.0)]
    with pytest.raises(ValueError, match="give a key"):
        OURS.differential_evolution(waves, bounds)
    with pytest.raises(ValueError, match="no constraints"):
        OURS.differential_evolution(waves, bounds, rng=KEY, constraints=({},))
    with pytest.raises(ValueError, match="strategy"):
        OURS.differential_evolution(waves, bounds, rng=KEY, strategy="best")
    with pytest.raises(ValueError, match="init"):
        OURS.differential_evolution(waves, bounds, rng=KEY, init="sobol")
    with pytest.raises(ValueError, match="must return a scalar"):
        OURS.differential_evolution(lambda x: x, bounds, rng=KEY)


@pytest.mark.cases("py", "numba")
@pytest.mark.parametrize("mode", MODES)
def test_on_a_grid(mode: str) -> None:
    ranges = ((-4, 4.5), slice(-2, 2, 5j), slice(0, 1, 0.25))

    def bowl(x: Any) -> Any:
        return (x[0] - 1) ** 2 + x[1] ** 2 * 3 + x[0] * x[2] + x[2] ** 2

    theirs: Any = THEIRS.brute(bowl, ranges, Ns=7, full_output=True, finish=None)
    ours = OURS.brute(bowl, ranges, Ns=7, full_output=True, finish=None)
    for value, wanted in zip(wt.function([], list(ours), mode=mode)(), theirs, strict=True):
        np.testing.assert_allclose(value, wanted, rtol=1e-12)
    line = OURS.brute(bowl_of_one := lambda x: (x[0] - 0.3) ** 2, [(0, 1)], full_output=True)
    grid = THEIRS.brute(bowl_of_one, [(0, 1)], full_output=True, finish=None)
    place = OURS.brute(bowl_of_one, [(0, 1)], finish=None)
    np.testing.assert_allclose(place.eval(), grid[0], strict=True)
    np.testing.assert_allclose(line[0].eval(), [0.3], atol=1e-9)
    np.testing.assert_allclose(line[2].eval(), grid[2])
    np.testing.assert_allclose(line[3].eval(), grid[3])


def test_derivatives_beyond_a_grid() -> None:
    at = wt.vector("at", shape=(1,))
    x = OURS.brute(waves, [(-5, 5)], (at,), 101)
    value, slope = wt.function([at], [x, wt.grad(x[0], at)], mode="py")([0.4])
    np.testing.assert_allclose([*value, *slope], [0.4, 1], atol=1e-6)


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", MODES)
def test_hops(mode: str) -> None:
    at, way = wt.vector("at", shape=(2,)), wt.vector("way", shape=(2,))
    found = OURS.basinhopping(
        lambda x: waves(x, at), [1.2, -2.3], 60, 2.0, 1.0, {"method": "L-BFGS-B"}, rng=KEY
    )
    slopes = [wt.jacobian(found.x, at), wt.pushforward(found.x, at, way)]
    outputs = [found.x, found.fun, found.success, found.nit, found.minimization_failures, *slopes]
    x, fun, success, jumps, failures, by_at, ahead = wt.function([at, way], outputs, mode=mode)(
        [0.3, -0.2], [1.0, 2.0]
    )
    np.testing.assert_allclose(x, [0.3, -0.2], atol=1e-7)
    np.testing.assert_allclose([fun, *by_at.ravel(), *ahead], [0, 1, 0, 0, 1, 1, 2], atol=1e-6)
    assert success
    assert (jumps, failures) == (60, 0)


@pytest.mark.cases(0)
def test_hops_end_early_and_are_asked() -> None:
    found = OURS.basinhopping(waves, [0.1], 50, niter_success=4, rng=KEY)
    assert 4 <= found.nit.eval() < 20
    asked = OURS.basinhopping(
        waves, [1.99], 20, 10.0, 1.0, accept_test=lambda f_new, **of: f_new < 0, rng=KEY
    )
    first = OURS.minimize(waves, [1.99])
    np.testing.assert_allclose(asked.x.eval(), first.x.eval())
    assert OURS.basinhopping(waves, [1.99], 20, 10.0, 1.0, rng=KEY).fun.eval() < first.fun.eval()
    assert OURS.basinhopping(waves, [1.99], 20, 0, 0.1, rng=KEY).fun.eval() <= first.fun.eval()


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", MODES)
def test_annealing(mode: str) -> None:
    at, way = wt.vector("at", shape=(3,)), wt.vector("way", shape=(3,))
    found = OURS.dual_annealing(waves, [(-5.12, 5.12)] * 3, (at,), maxiter=120, rng=KEY)
    slopes = [wt.jacobian(found.x, at), wt.pushforward(found.x, at, way)]
    outputs = [found.x, found.fun, found.success, found.nit, *slopes]
    x, fun, success, count, by_at, ahead = wt.function([at, way], outputs, mode=mode)(
        [0.3, -0.2, 1.1], [1.0, 2.0, 3.0]
    )
    np.testing.assert_allclose(x, [0.3, -0.2, 1.1], atol=1e-7)
    np.testing.assert_allclose(by_at, np.eye(3), atol=1e-6)
    np.testing.assert_allclose([fun, *ahead], [0, 1, 2, 3], atol=1e-6)
    assert success
    assert count == 120


def test_annealing_alone_and_begun_anew() -> None:
    def found(**how: Any) -> Any:
        return OURS.dual_annealing(waves, [(-5, 4)] * 2, rng=KEY, no_local_search=True, **how)

    rough = found(maxiter=300, restart_temp_ratio=0.01)
    value, calls = wt.function([], [rough.fun, rough.nfev], mode="numba")()
    assert value < 2
    assert calls == 300 * 4 + 1
    best = wt.function([], found(maxiter=2, x0=[0.0, 0.0]).x, mode="py")()
    np.testing.assert_array_equal(best, 0)
    ended = wt.function([], found(maxiter=1000, maxfun=50).nfev, mode="py")()
    assert 50 <= ended <= 54


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: OURS.basinhopping(waves, [0.0]), "basinhopping: points are drawn: give a key"),
        (lambda: OURS.dual_annealing(waves, [(0, 1)]), "dual_annealing: points are drawn"),
        (lambda: OURS.basinhopping(waves, [0.0], take_step=abs, rng=KEY), "take_step is None"),
        (lambda: OURS.dual_annealing(waves, [(0, 1)], visit=3, rng=KEY), "visit is above 1"),
        (lambda: OURS.dual_annealing(lambda x: x, [(0, 1)], rng=KEY), "must return a scalar"),
    ],
)
def test_jumps_that_are_refused(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
