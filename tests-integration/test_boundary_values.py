"""Differential equations with conditions at both ends, on all backends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.integrate

import weft.tensor as wt

OURS: Any = wt.integrate
MODES = ["py", "numba", "jax"]
MESH = np.linspace(0, 1, 11)


def burning(a: Any, stack: Any = wt.stack, exp: Any = wt.exp) -> tuple[Any, Any]:
    return (
        lambda x, y: stack([y[1], -a[0] * exp(y[0]) - x]),
        lambda left, right: stack([left[0], right[0] - a[1]]),
    )


def swinging(k: Any, stack: Any = wt.stack) -> tuple[Any, Any]:
    """Which frequency a string has."""
    return (
        lambda x, y, p: stack([y[1], -(p[0] ** 2) * y[0]]),
        lambda left, right, p: stack([left[0], right[0], left[1] - k * p[0]]),
    )


def on_that_mesh(fun: Any, bc: Any, y: Any, p: Any = None) -> Any:
    """SciPy's, which with so small a tolerance solves the equations to rounding."""
    return scipy.integrate.solve_bvp(fun, bc, MESH, y, p, tol=1e-13, max_nodes=len(MESH))


@pytest.mark.parametrize("mode", MODES)
def test_as_in_scipy(mode: str) -> None:
    a, at = wt.vector("a"), np.array([1.0, 0.2])
    guess, places = np.zeros((2, 11)), np.linspace(-0.1, 1, 7)
    ours = OURS.solve_bvp(*burning(a), MESH, guess)
    wanted = on_that_mesh(*burning(at, np.array, np.exp), guess)
    outputs = [ours.y, ours.yp, ours.rms_residuals, ours.sol(places), ours.sol(places, 1)]
    *values, status, success = wt.function([a], [*outputs, ours.status, ours.success], mode=mode)(
        at
    )
    curves = [wanted.sol(places), wanted.sol(places, 1)]
    for value, other in zip(
        values, [wanted.y, wanted.yp, wanted.rms_residuals, *curves], strict=True
    ):
        np.testing.assert_allclose(value, other, rtol=1e-9, atol=1e-12)
    assert (status, success) == (0, True)


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", MODES)
def test_unknown_parameters(mode: str) -> None:
    k = wt.scalar("k")
    guess = 1.5 * np.array([np.sin(np.pi * MESH), np.pi * np.cos(np.pi * MESH)])
    ours = OURS.solve_bvp(*swinging(k), MESH, guess, [3.1])
    wanted = on_that_mesh(*swinging(1.5, np.array), guess, [3.1])
    slopes = wt.grad(ours.y[0].sum(), k), wt.grad(ours.p[0], k)
    p, y, errors, by_k, of_p = wt.function(
        [k], [ours.p, ours.y, ours.rms_residuals, *slopes], mode=mode
    )(1.5)
    np.testing.assert_allclose(p, wanted.p, rtol=1e-9)
    np.testing.assert_allclose(y, wanted.y, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(errors, wanted.rms_residuals, rtol=1e-7)
    np.testing.assert_allclose([by_k, of_p], [wanted.y[0].sum() / 1.5, 0], rtol=1e-9, atol=1e-11)


@pytest.mark.cases("py")
@pytest.mark.parametrize("mode", MODES)
def test_derivatives_of_both_modes(mode: str) -> None:
    a, x = wt.vector("a"), wt.vector("x")
    ours = OURS.solve_bvp(*burning(a), x, wt.zeros((2, x.shape[0])))
    weights = np.cos(np.arange(22.0)).reshape(2, 11)
    ways = [a.type(), x.type()]
    total = (weights * ours.y).sum()
    outputs = [total, *wt.grad(total, [a, x]), wt.pushforward(total, [a, x], ways)]
    f = wt.function([a, x, *ways], outputs, mode=mode)
    at, way = np.array([1.0, 0.2]), np.array([0.5, -0.3])
    bend = np.sin(np.arange(11.0)) * MESH * (1 - MESH) / 10
    mesh = MESH + bend
    _, by_a, by_x, ahead = f(at, mesh, way, bend)
    h = 1e-5
    before, after = (f(at + s * way, mesh + s * bend, way, bend)[0] for s in (-h, h))
    np.testing.assert_allclose(ahead, by_a @ way + by_x @ bend, rtol=1e-10)
    np.testing.assert_allclose(ahead, (after - before) / (2 * h), rtol=1e-7)


@pytest.mark.cases(0)
def test_second_derivatives() -> None:
    k = wt.scalar("k")
    swing = OURS.solve_bvp(
        lambda x, y: wt.stack([y[1], -k * k * y[0]]),
        lambda left, right: wt.stack([left[0], right[0] - 1]),
        np.linspace(0, 1, 81),
        np.zeros((2, 81)),
    )
    middle = swing.y[0, 40]  # 1 / (2 * cos(k / 2))
    slope = wt.grad(middle, k)
    values = wt.function([k], [middle, slope, wt.grad(slope, k)], mode="py")(1.0)
    c, t = np.cos(0.5), np.tan(0.5)
    np.testing.assert_allclose(values, [0.5 / c, t / c / 4, (1 + 2 * t * t) / c / 8], rtol=1e-7)


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", MODES)
def test_what_grows_in_both_directions(mode: str) -> None:
    """By the state at one end, the other would not be known: exp(400) lies between."""
    rate, end = wt.scalar("rate"), wt.scalar("end")
    mesh = np.concatenate([np.linspace(0, 0.1, 60), np.linspace(0.12, 0.9, 30)[:-1]])
    mesh = np.concatenate([mesh, np.linspace(0.9, 1, 60)])
    ours = OURS.solve_bvp(
        lambda x, y: wt.stack([rate * y[1], rate * y[0]]),
        lambda left, right: wt.stack([left[0] - 1, right[0] - end]),
        mesh,
        np.zeros((2, len(mesh))),
        tol=1e-2,
    )
    f = wt.function([rate, end], [ours.y[0], wt.grad(ours.y[0, -2], end)], mode=mode)
    y, by_end = f(400.0, 2.0)
    exact = np.exp(-400 * mesh) + 2 * np.exp(-400 * (1 - mesh))
    np.testing.assert_allclose(y, exact, atol=2e-3)
    np.testing.assert_allclose(by_end, np.exp(-400 / 590), rtol=1e-3)


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", MODES)
def test_batches_and_float32(mode: str) -> None:
    many = wt.matrix("many", dtype="float32")
    guess = np.zeros((2, 11), "float32")
    ours = wt.vmap(lambda a: OURS.solve_bvp(*burning(a), MESH, guess).y)(many)
    at = np.array([[1.0, 0.2], [0.5, -1.0]], "float32")
    y = wt.function([many], ours, mode=mode)(at)
    assert y.dtype == "float32"
    for value, a in zip(y, at, strict=True):
        np.testing.assert_allclose(
            value, on_that_mesh(*burning(a, np.array, np.exp), guess).y, rtol=2e-5, atol=2e-6
        )


@pytest.mark.parametrize("mode", ["py", "numba"])
def test_two_places_and_one_state(mode: str) -> None:
    k = wt.scalar("k")
    ours = OURS.solve_bvp(lambda x, y: -k * y, lambda a, b: a - 1, [0.0, 0.1], [[0.0, 0.0]])
    y, error = wt.function([k], [ours.y, ours.rms_residuals], mode=mode)(1.0)
    np.testing.assert_allclose(y, [[1, np.exp(-0.1)]], rtol=1e-6)
    assert error.shape == (1,)


@pytest.mark.parametrize(
    ("a", "tol", "status"),
    [([1.0, 0.2], 1e-8, 1), ([np.nan, 0.0], 1e-3, 2), ([9.0, 0.0], 1e-3, 3)],
)
def test_failures_are_told(a: list[float], tol: float, status: int) -> None:
    at = wt.vector("a")
    ours = OURS.solve_bvp(*burning(at), MESH, np.zeros((2, 11)), tol=tol)
    told, success = wt.function([at], [ours.status, ours.success], mode="py")(a)
    assert (told, success) == (status, False)


def test_singular_equations_are_told() -> None:
    ours = OURS.solve_bvp(lambda x, y: 0 * y, lambda a, b: 0 * a + 1, MESH, np.zeros((1, 11)))
    assert ours.status.eval() == 2


def test_wrong_arguments() -> None:
    fun, bc = burning([1.0, 0.0])
    y = np.zeros((2, 11))
    with pytest.raises(ValueError, match="there is no S"):
        OURS.solve_bvp(fun, bc, MESH, y, S=np.eye(2))
    with pytest.raises(ValueError, match="y a matrix"):
        OURS.solve_bvp(fun, bc, MESH, y[0])
    with pytest.raises(ValueError, match="p must be a vector"):
        OURS.solve_bvp(fun, bc, MESH, y, 3.0)
    with pytest.raises(ValueError, match="bc must return a vector"):
        OURS.solve_bvp(fun, lambda a, b: a[0], MESH, y)
    with pytest.raises(TypeError, match="real numbers"):
        OURS.solve_bvp(fun, bc, MESH, y + 0j)
    with pytest.raises(ValueError, match="as many numbers"):
        OURS.solve_bvp(fun, lambda a, b: a[:1], MESH, y).y.eval()
    with pytest.raises(ValueError, match="increasing"):
        OURS.solve_bvp(fun, bc, MESH[::-1], y).y.eval()
