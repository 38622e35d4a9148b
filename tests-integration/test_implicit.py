"""Roots, fixed points and linear solves with derivatives of their own, on three backends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft.tensor as wt

MODES = ["py", "numba", "jax"]
a, b, x, m = wt.scalar("a"), wt.scalar("b"), wt.vector("x"), wt.matrix("m")
M = np.array([[0.3, -0.2, 0.1], [0.1, 0.4, 0.2], [-0.3, 0.1, 0.2]])
V = np.array([0.5, -1.0, 0.7])


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    """A backend."""
    return str(request.param)


def newton(f: Any, start: Any) -> Any:
    """A root of a function of a scalar."""

    def step(s: Any) -> Any:
        value = f(s)
        return s - value / wt.pushforward(value, s, wt.ones_like(s))

    return wt.while_loop(lambda s: abs(f(s)) > 1e-13, step, start)


def test_a_root_by_newtons_method(mode: str) -> None:
    scale = 1 + b * b
    root = wt.custom_root(lambda s: s**3 + a * s - scale * a, 1.0, newton, lambda g, y: y / g(1.0))
    by_a, by_b = wt.grad(root, [a, b])
    second = wt.grad(by_a, b)
    forward = wt.pushforward(root, b, wt.as_tensor(1.0))
    twice = wt.pushforward(by_a, b, wt.as_tensor(1.0))
    f = wt.function([a, b], [root, by_a, by_b, forward, second, twice], mode=mode)
    found = f(0.7, 0.3)
    s = found[0]
    np.testing.assert_allclose(s**3 + 0.7 * s, 0.7 * 1.09)
    h = 1e-6
    np.testing.assert_allclose(found[1], (f(0.7 + h, 0.3)[0] - f(0.7 - h, 0.3)[0]) / (2 * h), 1e-6)
    wanted = [(p - q) / (2 * h) for p, q in zip(f(0.7, 0.3 + h), f(0.7, 0.3 - h), strict=True)]
    np.testing.assert_allclose(found[2:4], wanted[0], rtol=1e-6)
    np.testing.assert_allclose(found[4:6], wanted[1], rtol=1e-6)


def test_a_root_of_a_structure(mode: str) -> None:
    def f(v: Any) -> Any:
        return {"p": v["p"] * v["q"] - a, "q": v["p"] - b * v["q"]}

    def solve(f: Any, start: Any) -> Any:
        q = wt.sqrt(a / b)
        return {"p": b * q, "q": q}

    def tangent_solve(g: Any, y: Any) -> Any:
        zero, one = wt.as_tensor(0.0), wt.as_tensor(1.0)
        first, second = g({"p": one, "q": zero}), g({"p": zero, "q": one})
        columns = wt.stack([wt.stack([c["p"], c["q"]]) for c in (first, second)], axis=1)
        found = wt.linalg.solve(columns, wt.stack([y["p"], y["q"]]))
        return {"p": found[0], "q": found[1]}

    root = wt.custom_root(f, {"p": 1.0, "q": 1.0}, solve, tangent_solve)
    cost = root["p"] * 2 + root["q"] ** 2
    compiled = wt.function(
        [a, b],
        [root["p"], *wt.grad(cost, [a, b]), wt.pushforward(cost, b, wt.as_tensor(1.0))],
        mode=mode,
    )
    found = compiled(2.0, 0.5)

    def total(p: float, q: float) -> Any:
        return 2 * (p * q) ** 0.5 + p / q

    h = 1e-6
    np.testing.assert_allclose(
        found[1], (total(2 + h, 0.5) - total(2 - h, 0.5)) / (2 * h), rtol=1e-6
    )
    np.testing.assert_allclose(
        found[2:], (total(2, 0.5 + h) - total(2, 0.5 - h)) / (2 * h), rtol=1e-6
    )


def test_a_linear_solve_that_is_not_symmetric(mode: str) -> None:
    def richardson(matvec: Any, side: Any) -> Any:
        return wt.fori_loop(0, 60, lambda i, v: v + 0.8 * (side - matvec(v)), side)

    system = wt.eye(3) + m * a
    solved = wt.custom_linear_solve(lambda v: system @ v, x, richardson, richardson)
    cost = (solved**2).sum()
    direct = (wt.linalg.solve(system, x) ** 2).sum()
    ours, theirs = (
        [
            *wt.grad(y, [a, x, m]),
            wt.pushforward(y, a, wt.as_tensor(1.0)),
            wt.grad(wt.grad(y, a), x),
        ]
        for y in (cost, direct)
    )
    f = wt.function([a, x, m], [cost, *ours], mode=mode)
    g = wt.function([a, x, m], [direct, *theirs], mode="py")
    for got, wanted in zip(f(0.7, V, M), g(0.7, V, M), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-7)


@pytest.mark.cases(1)
def test_symmetric_systems_and_those_that_have_no_transpose(mode: str) -> None:
    def divided(matvec: Any, side: Any) -> Any:
        return side / matvec(wt.ones_like(side))

    solved = wt.custom_linear_solve(lambda v: v * x**2, wt.exp(x), divided, symmetric=True)
    f = wt.function([x], [solved, wt.grad(solved.sum(), x)], mode=mode)
    value, slope = f(V)
    np.testing.assert_allclose(value, np.exp(V) / V**2)
    np.testing.assert_allclose(slope, np.exp(V) * (1 / V**2 - 2 / V**3))
    one_way = wt.custom_linear_solve(lambda v: v * x**2, x, divided)
    forward = wt.pushforward(one_way, x, wt.ones_like(x))
    np.testing.assert_allclose(wt.function([x], forward, mode=mode)(V), -1 / V**2)
    with pytest.raises(TypeError, match="give transpose_solve, or symmetric=True"):
        wt.grad(one_way.sum(), x)


@pytest.mark.cases("py", "jax")
def test_fixed_points(mode: str) -> None:
    point = wt.fixed_point(
        lambda s: {"u": wt.tanh(m @ s["u"] + x * s["c"]), "c": a * wt.cos(s["c"])},
        {"u": wt.zeros(3), "c": 0.0},
    )
    cost = point["u"].sum() * point["c"]
    slopes = wt.grad(cost, [a, x, m])
    forward = wt.pushforward(cost, a, wt.as_tensor(1.0))
    f = wt.function([a, x, m], [cost, *slopes, forward], mode=mode)

    def total(a: float, x: Any, m: Any) -> Any:
        u, c = np.zeros(3), 0.0
        for _ in range(300):
            u, c = np.tanh(m @ u + x * c), a * np.cos(c)
        return u.sum() * c

    found = f(0.7, V, M)
    np.testing.assert_allclose(found[0], total(0.7, V, M), rtol=1e-10)
    h = 1e-6
    by_a = (total(0.7 + h, V, M) - total(0.7 - h, V, M)) / (2 * h)
    np.testing.assert_allclose([found[1], found[4]], by_a, rtol=1e-6)
    for k in range(3):
        d = h * np.eye(3)[k]
        wanted = (total(0.7, V + d, M) - total(0.7, V - d, M)) / (2 * h)
        np.testing.assert_allclose(found[2][k], wanted, rtol=1e-6)
        d = h * np.outer(np.eye(3)[1], np.eye(3)[k])
        wanted = (total(0.7, V, M + d) - total(0.7, V, M - d)) / (2 * h)
        np.testing.assert_allclose(found[3][1, k], wanted, rtol=1e-6)


@pytest.mark.cases(1)
def test_steps_that_lead_nowhere(mode: str) -> None:
    f = wt.function([a], wt.fixed_point(lambda s: s * a, 1.0, max_steps=50), mode=mode)
    assert abs(f(0.3)) < 1e-12
    for value in (-1.0, 3.0, np.nan):
        with pytest.raises(ValueError, match="no fixed point"):
            f(value)


def test_what_is_refused() -> None:
    with pytest.raises(TypeError, match="what f returns must be of the dtype and rank"):
        wt.custom_root(lambda s: s + x, 1.0, lambda f, s: s, lambda g, y: y)
    with pytest.raises(TypeError, match="what solve returns must be a dict"):
        wt.custom_root(lambda s: s, {"u": 1.0}, lambda f, s: s["u"], lambda g, y: y)
    with pytest.raises(TypeError, match="what f returns must be of the dtype"):
        wt.fixed_point(lambda s: s > 0, 1.0)


@pytest.mark.cases(1)
def test_batches_of_roots(mode: str) -> None:
    def root(p: Any) -> Any:
        return wt.custom_root(
            lambda s: s * s - p, 1.0, lambda f, s: wt.sqrt(p), lambda g, y: y / g(1.0)
        )

    roots = wt.vmap(root)(x)
    f = wt.function([x], [roots, wt.grad(roots.sum(), x)], mode=mode)
    value, slope = f([1.0, 4.0, 9.0])
    np.testing.assert_allclose(value, [1.0, 2.0, 3.0])
    np.testing.assert_allclose(slope, [0.5, 0.25, 1 / 6])
