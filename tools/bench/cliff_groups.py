"""Expressions on groups, neighbours and numbers that are sought, beside `cliff_cases`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from tools.bench.cliff_cases import Cliff
from tools.bench.cliff_expressions import looped, windows
from tools.bench.functions import drawn

__all__ = ["GROUPS", "GROUPS_BY_HAND"]

_GROUPS: Final = 2000


def of_groups() -> tuple[Any, ...]:
    """Numbers, and to which group each belongs."""
    return *drawn(50_000)(), np.random.default_rng(1).integers(0, _GROUPS, 50_000)


def shares(m: Any, x: Any, groups: Any) -> Any:
    """Softmax within groups."""
    ours = not hasattr(m.zeros(1), "at")
    most = m.full(_GROUPS, -np.inf)
    largest = most[groups].maximum(x) if ours else most.at[groups].max(x)
    e = m.exp(x - largest[groups])
    zero = m.zeros(_GROUPS)
    return e / (zero[groups].inc(e) if ours else zero.at[groups].add(e))[groups]


def _shares(x: Any, groups: Any) -> Any:
    largest, total, e = np.full(_GROUPS, -np.inf), np.zeros(_GROUPS), np.empty(len(x))
    for k in range(len(x)):
        largest[groups[k]] = max(largest[groups[k]], x[k])
    for k in range(len(x)):
        e[k] = math.exp(x[k] - largest[groups[k]])
        total[groups[k]] += e[k]
    for k in range(len(x)):
        e[k] /= total[groups[k]]
    return e


def in_order() -> tuple[Any, ...]:
    """Numbers, their groups one after the other, and where each group begins."""
    x, groups = of_groups()
    groups = np.sort(groups)
    return x, groups, np.searchsorted(groups, np.arange(_GROUPS))


def running(m: Any, x: Any, groups: Any, begins: Any) -> Any:
    """Sums so far, anew for each group."""
    sums = m.cumsum(x)
    return sums - (sums - x)[begins][groups]


def _running(x: Any, groups: Any, begins: Any) -> Any:
    result, total = np.empty(len(x)), 0.0
    for k in range(len(x)):
        if k and groups[k] != groups[k - 1]:
            total = 0.0
        total += x[k]
        result[k] = total
    return result


def nearest(m: Any, x: Any, y: Any) -> Any:
    """The squared distances to the ten nearest points."""
    d = m.sum(x * x, axis=1)[:, None] - 2 * x @ y.T + m.sum(y * y, axis=1)
    return m.sort(m.partition(d, 9, axis=1)[:, :10], axis=1)


def fifties(m: Any, x: Any) -> Any:
    """Each fifty in a row."""
    return x[m.arange(x.shape[0] - 49)[:, None] + m.arange(50)]


def escapes(m: Any, c: Any) -> Any:
    """How many steps of Mandelbrot's z² + c stay near."""

    def step(i: Any, state: Any) -> Any:
        z, count = state
        near = abs(z) < 2.0
        return m.where(near, z * z + c, z), count + near

    return looped(m, 0, 40, step, (c * 0, m.zeros(c.shape, dtype="int64")))[1]


def _escapes(c: Any) -> Any:
    result = np.zeros(c.shape, np.int64)
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            z = 0j
            for _ in range(40):
                if z.real * z.real + z.imag * z.imag >= 4.0:
                    break
                z = z * z + c[i, j]
                result[i, j] += 1
    return result


def plane() -> tuple[Any, ...]:
    """Complex numbers on a grid."""
    return (np.linspace(-2, 1, 150)[:, None] + 1j * np.linspace(-1, 1, 100),)


def roots(m: Any, a: Any, b: Any, c: Any) -> Any:
    """Twenty of Newton's steps to a root of each cubic."""

    def step(i: Any, x: Any) -> Any:
        return x - (((x + a) * x + b) * x + c) / ((3 * x + 2 * a) * x + b + 1e-9)

    return looped(m, 0, 20, step, a * 0 + 3)


def _roots(a: Any, b: Any, c: Any) -> Any:
    result = np.empty(len(a))
    for k in range(len(a)):
        x = 3.0
        for _ in range(20):
            x -= (((x + a[k]) * x + b[k]) * x + c[k]) / ((3 * x + 2 * a[k]) * x + b[k] + 1e-9)
        result[k] = x
    return result


GROUPS: Final[Mapping[str, Cliff]] = {
    "windows, deviations": Cliff(lambda m, x: m.std(fifties(m, x), axis=-1), drawn(20_000)),
    "slope of windows, deviations": Cliff(
        lambda m, x: m.sum(m.std(fifties(m, x), axis=-1)), drawn(20_000), slope=True
    ),
    "windows times weights": Cliff(lambda m, x, w: fifties(m, x) @ w, drawn(20_000, 50)),
    "stacked, deviations": Cliff(lambda m, x: m.std(windows(m, x), axis=-1), drawn(20_000)),
    "softmax of groups": Cliff(shares, of_groups, unknown=("numpy",)),
    "sums so far by group": Cliff(running, in_order),
    "ten nearest": Cliff(nearest, drawn((300, 8), (1000, 8))),
    "loop: escape times": Cliff(escapes, plane, unknown=("numpy",)),
    "loop: roots of cubics": Cliff(roots, drawn(5000, 5000, 5000), unknown=("numpy",)),
}
"""By name, as `CLIFFS`."""

GROUPS_BY_HAND: Final[Mapping[str, Callable[..., Any]]] = {
    "softmax of groups": _shares,
    "sums so far by group": _running,
    "loop: escape times": _escapes,
    "loop: roots of cubics": _roots,
}
