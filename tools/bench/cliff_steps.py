"""Expressions that go in steps: systems of equations, grids, words, and recurrences."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any, Final

import numpy as np

from tools.bench.cliff_cases import Cliff
from tools.bench.cliff_expressions import looped, put
from tools.bench.functions import drawn

__all__ = ["STEPS", "STEPS_BY_HAND"]

_STEPS: Final = 400


def lorenz(m: Any, s: Any) -> Any:
    """Where Lorenz's system is after some steps of Runge and Kutta."""

    def rates(s: Any) -> Any:
        x, y, z = s[0], s[1], s[2]
        return m.stack([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z])

    def step(i: Any, s: Any) -> Any:
        a = rates(s)
        b = rates(s + 0.005 * a)
        c = rates(s + 0.005 * b)
        return s + 0.01 / 6 * (a + 2 * b + 2 * c + rates(s + 0.01 * c))

    return looped(m, 0, _STEPS, step, s)


def _lorenz(s: Any) -> Any:
    x, y, z, h = s[0], s[1], s[2], 0.01
    for _ in range(_STEPS):
        a, p, u = 10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z
        k, n, w = x + h / 2 * a, y + h / 2 * p, z + h / 2 * u
        b, q, v = 10.0 * (n - k), k * (28.0 - w) - n, k * n - 8.0 / 3.0 * w
        k, n, w = x + h / 2 * b, y + h / 2 * q, z + h / 2 * v
        c, r, t = 10.0 * (n - k), k * (28.0 - w) - n, k * n - 8.0 / 3.0 * w
        k, n, w = x + h * c, y + h * r, z + h * t
        x += h / 6 * (a + 2 * b + 2 * c + 10.0 * (n - k))
        y += h / 6 * (p + 2 * q + 2 * r + k * (28.0 - w) - n)
        z += h / 6 * (u + 2 * v + 2 * t + k * n - 8.0 / 3.0 * w)
    return np.array([x, y, z])


def relaxed(m: Any, u: Any) -> Any:
    """Five sweeps of Gauss and Seidel over a grid."""
    n = u.shape[0]

    def cell(i: Any, j: Any, u: Any) -> Any:
        return put(u, (i, j), 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]))

    def row(i: Any, u: Any) -> Any:
        return looped(m, 1, n - 1, partial(cell, i), u)

    return looped(m, 0, 5, lambda k, u: looped(m, 1, n - 1, row, u), u)


def _relaxed(u: Any) -> Any:
    u, n = u.copy(), len(u)
    for _ in range(5):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return u


def edits(m: Any, a: Any, b: Any) -> Any:
    """How many letters have to be put in, left out or changed."""
    n = b.shape[0]

    def row(i: Any, before: Any) -> Any:
        def cell(j: Any, now: Any) -> Any:
            changed = before[j] + m.not_equal(a[i], b[j]) * 1
            return put(now, j + 1, m.minimum(m.minimum(before[j + 1], now[j]) + 1, changed))

        return looped(m, 0, n, cell, put(before * 0, 0, i + 1))

    return looped(m, 0, a.shape[0], row, m.arange(n + 1))[n]


def _edits(a: Any, b: Any) -> Any:
    n = len(b)
    before, now = np.arange(n + 1), np.zeros(n + 1, np.int64)
    for i in range(len(a)):
        now[0] = i + 1
        for j in range(n):
            now[j + 1] = min(before[j + 1] + 1, now[j] + 1, before[j] + (a[i] != b[j]))
        before, now = now, before
    return before[n]


def filtered(m: Any, y: Any, move: Any) -> Any:
    """The likelihood of a series by Kalman's filter of two states, of which one is seen."""

    def step(i: Any, state: Any) -> Any:
        x, p, total = state
        x, p = move @ x, move @ p @ move.T + 0.1 * m.eye(2)
        s, e = p[0, 0] + 0.5, y[i] - x[0]
        gain = p[:, 0] / s
        total = total - 0.5 * (m.log(s) + e * e / s)
        return x + gain * e, p - gain[:, None] * p[0][None], total

    return looped(m, 0, y.shape[0], step, (m.zeros(2), m.eye(2), y[0] * 0))[2]


def _filtered(y: Any, move: Any) -> Any:
    a, b, c, d = move[0, 0], move[0, 1], move[1, 0], move[1, 1]
    u, v, p, q, r, total = 0.0, 0.0, 1.0, 0.0, 1.0, 0.0
    for value in y:
        u, v = a * u + b * v, c * u + d * v
        p, q, r = (
            a * a * p + 2 * a * b * q + b * b * r + 0.1,
            a * c * p + (a * d + b * c) * q + b * d * r,
            c * c * p + 2 * c * d * q + d * d * r + 0.1,
        )
        s, e = p + 0.5, value - u
        k, n = p / s, q / s
        u, v, p, q, r = u + k * e, v + n * e, p - k * p, q - k * q, r - n * q
        total -= 0.5 * (math.log(s) + e * e / s)
    return total


def heated(m: Any, u: Any) -> Any:
    """Heat in a rod, whose ends are kept."""

    def step(i: Any, u: Any) -> Any:
        return put(u, slice(1, -1), u[1:-1] + 0.2 * (u[2:] - 2 * u[1:-1] + u[:-2]))

    return looped(m, 0, 200, step, u)


def _heated(u: Any) -> Any:
    u, new = u.copy(), u.copy()
    for _ in range(200):
        for i in range(1, len(u) - 1):
            new[i] = u[i] + 0.2 * (u[i + 1] - 2 * u[i] + u[i - 1])
        u, new = new, u
    return u


def hermite(m: Any, x: Any) -> Any:
    """Hermite's polynomial of degree 20."""
    before, now = x * 0 + 1, 2 * x
    for k in range(1, 20):
        before, now = now, 2 * x * now - 2 * k * before
    return now


def _hermite(x: Any) -> Any:
    result = np.empty(len(x))
    for i in range(len(x)):
        before, now = 1.0, 2 * x[i]
        for k in range(1, 20):
            before, now = now, 2 * x[i] * now - 2 * k * before
        result[i] = now
    return result


def _third(x: Any) -> Any:
    n, k = x.shape
    result = np.empty((n, k - 3))
    for i in range(n):
        for j in range(k - 3):
            result[i, j] = x[i, j + 3] - 3 * x[i, j + 2] + 3 * x[i, j + 1] - x[i, j]
    return result


def losses(m: Any, x: Any) -> Any:
    """The largest loss after a maximum, of each series of returns."""
    worth = m.cumprod(1 + x / 100, axis=1)
    if hasattr(m, "cummax"):
        highest = m.cummax(worth, axis=1)
    else:
        highest = m.maximum.accumulate(worth, axis=1)
    return m.max(1 - worth / highest, axis=1)


def _losses(x: Any) -> Any:
    n, k = x.shape
    result = np.empty(n)
    for i in range(n):
        worth, highest, loss = 1.0, 0.0, 0.0
        for j in range(k):
            worth *= 1 + x[i, j] / 100
            highest = max(highest, worth)
            loss = max(loss, 1 - worth / highest)
        result[i] = loss
    return result


def epidemic(m: Any, rates: Any) -> Any:
    """The squares of how many are ill, day after day."""

    def step(state: Any, day: Any) -> tuple[Any, Any]:
        well, ill = state[0], state[1]
        new = rates[0] * well * ill
        return m.stack([well - 0.1 * new, ill + 0.1 * (new - rates[1] * ill)]), ill + 0 * day

    first = m.stack([rates[0] * 0 + 0.99, rates[0] * 0 + 0.01])
    loops = import_module("jax.lax") if m.__name__ == "jax.numpy" else m.loop
    return m.sum(loops.scan(step, first, m.arange(200.0))[1] ** 2)


def words() -> tuple[Any, ...]:
    """Two of four letters."""
    return tuple(np.random.default_rng(0).integers(0, 4, (2, 200)))


STEPS: Final[Mapping[str, Cliff]] = {
    "loop: Lorenz": Cliff(lorenz, drawn(3), unknown=("numpy",)),
    "loop: Gauss-Seidel": Cliff(relaxed, drawn((50, 50)), unknown=("numpy",)),
    "loop: edits": Cliff(edits, words, unknown=("numpy",)),
    "loop: Kalman, two states": Cliff(
        filtered,
        lambda: (drawn(200)()[0], np.array([[1, 0.1], [0, 0.95]])),
        unknown=("numpy",),
    ),
    "loop: heat in a rod": Cliff(heated, drawn(1000), unknown=("numpy",)),
    "slope of an epidemic": Cliff(
        epidemic, lambda: (np.array([0.3, 0.1]),), slope=True, unknown=("numpy",)
    ),
    "Hermite polynomials": Cliff(hermite, drawn(10_000)),
    "third differences": Cliff(lambda m, x: m.diff(x, n=3, axis=1), drawn((500, 1000))),
    "losses of rows": Cliff(losses, drawn((1000, 250))),
}
"""By name, as `CLIFFS`."""

STEPS_BY_HAND: Final[Mapping[str, Callable[..., Any]]] = {
    "loop: Lorenz": _lorenz,
    "loop: Gauss-Seidel": _relaxed,
    "loop: edits": _edits,
    "loop: Kalman, two states": _filtered,
    "loop: heat in a rod": _heated,
    "Hermite polynomials": _hermite,
    "third differences": _third,
    "losses of rows": _losses,
}
"""Loops that a user would write for Numba, by their names."""
