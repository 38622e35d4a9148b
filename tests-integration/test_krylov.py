"""Linear systems by products with their matrix, on all backends."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import weft.tensor as wt

OURS: Any = wt.optimize
MODES = ["py", "numba", "jax"]
RANDOM = np.random.default_rng(4)
ROOT = RANDOM.normal(size=(6, 6))
NOT_SYMMETRIC = ROOT / 4 + 2 * np.eye(6)
MATRICES = {
    "cg": ROOT @ ROOT.T + np.eye(6),
    "bicgstab": NOT_SYMMETRIC,
    "gmres": NOT_SYMMETRIC,
}
SIDE = RANDOM.normal(size=6)


@pytest.mark.cases("jax-cg", "py-bicgstab", "py-gmres")
@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("mode", MODES)
def test_solutions_and_derivatives_of_a_dense_solve(mode: str, name: str) -> None:
    m, b, scale = wt.matrix("m"), wt.vector("b"), wt.scalar("scale")
    solve = getattr(OURS, name)
    outputs: list[Any] = []
    for x, info in (solve(m, b, rtol=1e-12), solve(lambda v: m @ v, b, scale * b, rtol=1e-12)):
        cost = wt.sum(x**3)
        ahead = wt.pushforward(x, b, wt.cos(b))
        outputs += [x, info, *wt.grad(cost, [m, b]), ahead]
    direct = wt.linalg.solve(m, b)
    wanted = [direct, *wt.grad(wt.sum(direct**3), [m, b]), wt.pushforward(direct, b, wt.cos(b))]
    f = wt.function([m, b, scale], outputs + wanted, mode=mode)
    values = f(MATRICES[name], SIDE, 0.3)
    assert values[1] == values[6] == 0
    for k in (0, 5):
        found = [values[k], *values[k + 2 : k + 5]]
        for mine, other in zip(found, values[10:], strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-7, atol=1e-9)


@pytest.mark.cases("py-bicgstab", "jax-gmres")
@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("mode", MODES)
def test_batches_of_systems(mode: str, name: str) -> None:
    sides, shift = wt.matrix("sides"), wt.vector("shift")
    matrix = MATRICES[name]

    def solved(b: Any, by: Any) -> Any:
        x, info = getattr(OURS, name)(lambda v: matrix @ v + by * v, b, rtol=1e-12)
        return x, info, wt.grad(x.sum(), by)

    f = wt.function([sides, shift], wt.vmap(solved)(sides, shift), mode=mode)
    given = np.stack([SIDE, 0 * SIDE, 100 * SIDE[::-1]])
    by = np.array([0.0, 1.0, 2.0])
    x, info, slopes = f(given, by)
    assert not info.any()
    for k in range(3):
        shifted = matrix + by[k] * np.eye(6)
        wanted = np.linalg.solve(shifted, given[k])
        np.testing.assert_allclose(x[k], wanted, rtol=1e-8, atol=1e-12)
        slope = -np.linalg.solve(shifted, wanted).sum()
        np.testing.assert_allclose(slopes[k], slope, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("name", MATRICES)
def test_small_systems_and_single_precision(name: str) -> None:
    solve = getattr(OURS, name)
    b = wt.vector("b")
    f = wt.function([b], [*solve(lambda v: 4 * v, b, rtol=1e-12)], mode="py")
    for n in (0, 1, 3):
        x, info = f(np.ones(n))
        assert (x.shape, info) == ((n,), 0)
        np.testing.assert_allclose(x, 0.25)
    x, info = solve(MATRICES[name].astype("float32"), SIDE.astype("float32"))
    assert x.dtype == x.eval().dtype == "float32"
    np.testing.assert_allclose(x.eval(), np.linalg.solve(MATRICES[name], SIDE), rtol=1e-3)
    started, steps = solve(np.eye(6), SIDE, x0=SIDE)
    np.testing.assert_array_equal(started.eval(), SIDE)
    assert steps.eval() == 0


@pytest.mark.parametrize("name", MATRICES)
def test_what_is_not_solved_says_so(name: str) -> None:
    solve = partial(getattr(OURS, name), **({"restart": 1} if name == "gmres" else {}))
    assert solve(MATRICES[name], SIDE, rtol=1e-12, maxiter=2)[1].eval() == 2
    assert solve(MATRICES[name], SIDE, rtol=1e-12, maxiter=0)[1].eval() == -1
    assert solve(MATRICES[name], SIDE * np.nan)[1].eval() != 0
    with np.errstate(all="ignore"):
        assert solve(np.zeros((6, 6)), SIDE)[1].eval() != 0
    cases: list[tuple[Any, type[Exception], str]] = [
        (lambda: solve(SIDE, SIDE), ValueError, "A must be a matrix or a function"),
        (lambda: solve(np.eye(6), np.eye(6)), ValueError, "b must be a vector"),
        (lambda: solve(np.eye(6), SIDE, x0=1.0), ValueError, "x0 must be a vector"),
        (lambda: solve(wt.sum, SIDE), ValueError, "A must return a vector"),
        (lambda: solve(np.eye(6), SIDE * 1j), TypeError, "must be real"),
    ]
    for call, error, message in cases:
        with pytest.raises(error, match=message):
            call()


@pytest.mark.parametrize("mode", MODES)
def test_a_product_that_pads_and_cuts_its_vector(mode: str) -> None:
    """Its lengths are of vectors that are nowhere in the graph of the derivative."""
    b, scale = wt.vector("b"), wt.scalar("scale")

    def product(u: Any) -> Any:
        inner = wt.pad(u, 1)
        return scale * (2 * u - inner[2:] - inner[:-2]) + u

    x, info = OURS.cg(product, b, rtol=1e-12)
    f = wt.function([b, scale], [x, info, wt.grad(x.sum(), scale)], mode=mode)
    found, done, slope = f(SIDE, 0.5)
    second = 2 * np.eye(6) - np.eye(6, k=1) - np.eye(6, k=-1)
    wanted = np.linalg.solve(0.5 * second + np.eye(6), SIDE)
    assert done == 0
    np.testing.assert_allclose(found, wanted)
    by_scale = -np.linalg.solve(0.5 * second + np.eye(6), second @ wanted).sum()
    np.testing.assert_allclose(slope, by_scale, rtol=1e-7)


@pytest.mark.cases(0)
def test_spaces_are_begun_anew_and_may_end_early() -> None:
    b = wt.vector("b")
    large = RANDOM.normal(size=(60, 60)) / 10 + 2 * np.eye(60)
    sides = np.linspace(-1, 1, 60)
    for restart in (1, 5, 20, 100):
        x, info = wt.function([b], [*OURS.gmres(large, b, rtol=1e-10, restart=restart)], mode="py")(
            sides
        )
        assert info == 0
        np.testing.assert_allclose(large @ x, sides, atol=1e-9)
    turned = np.roll(np.eye(6), 1, 0)  # no space but the last has a part of the solution
    np.testing.assert_allclose(OURS.gmres(turned, SIDE)[0].eval(), turned.T @ SIDE, atol=1e-12)
    few = np.diag([1.0, 1.0, 1.0, 2.0, 2.0, 2.0])
    np.testing.assert_allclose(OURS.gmres(few, SIDE)[0].eval(), SIDE / np.diag(few), atol=1e-12)
    with pytest.raises(ValueError, match="restart is 1 or more"):
        OURS.gmres(turned, SIDE, restart=0)
