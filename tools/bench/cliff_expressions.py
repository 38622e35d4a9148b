"""What `cliff_cases` computes, of a module of NumPy's names and of values."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from tools.bench.functions import drawn


def stencil(m: Any, u: Any) -> Any:
    """The sum of windows of 5 x 5."""
    n, k = u.shape
    return sum(u[i : n - 4 + i, j : k - 4 + j] for i in range(5) for j in range(5))


def moving(m: Any, u: Any) -> Any:
    """The sum of windows of 16."""
    n = u.shape[0]
    return sum(u[j : n - 16 + j + 1] for j in range(16))


def laplacian(m: Any, u: Any) -> Any:
    """Second differences along both axes."""
    inner = u[1:-1, 1:-1]
    return u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * inner


def variation(m: Any, u: Any) -> Any:
    """Lengths of differences along both axes, summed."""
    down, right = u[1:, :-1] - u[:-1, :-1], u[:-1, 1:] - u[:-1, :-1]
    return m.sum(m.sqrt(down**2 + right**2 + 0.001))


def robust(m: Any, u: Any) -> Any:
    """Squares of small differences along the first axis, and sizes of large ones, summed."""
    change = u[1:] - u[:-1]
    return m.sum(m.where(m.abs(change) < 1, change**2, m.abs(change)))


def weighed(m: Any, u: Any) -> Any:
    """Means of neighbours, weighed by how alike windows of 5 x 5 around them are."""
    n, k = u.shape
    inner = u[1 : n - 1, 1 : k - 1]
    total, weights = 0.0, 0.0
    for i, j in ((i, j) for i in range(3) for j in range(3)):
        other = u[i : n - 2 + i, j : k - 2 + j]
        sums = m.cumsum(m.cumsum((other - inner) ** 2, 0), 1)
        weight = m.exp(sums[:-5, 5:] + sums[5:, :-5] - sums[5:, 5:] - sums[:-5, :-5])
        total, weights = total + weight * other[3:-2, 3:-2], weights + weight
    return total / weights


def distances(m: Any, x: Any) -> Any:
    """Between all points."""
    return m.sqrt(m.sum((x[:, None, :] - x[None, :, :]) ** 2, axis=-1) + 1e-9)


def counts(m: Any, x: Any, i: Any) -> Any:
    """The sums of x by i; JAX must know how many."""
    asked = {"length": 100} if m.__name__ == "jax.numpy" else {}
    return m.bincount(i, x, minlength=100, **asked)


def softmax(m: Any, x: Any) -> Any:
    """Of each row."""
    e = m.exp(x - m.max(x, axis=1, keepdims=True))
    return e / m.sum(e, axis=1, keepdims=True)


def windows(m: Any, x: Any) -> Any:
    """Those of 8, as rows."""
    n = x.shape[0]
    return m.stack([x[k : n - 7 + k] for k in range(8)], axis=1)


def autocovariance(m: Any, x: Any) -> Any:
    """At 10 distances."""
    n = x.shape[0]
    return m.stack([m.sum(x[: n - k] * x[k:]) for k in range(10)])


def pooled(m: Any, x: Any) -> Any:
    """The largest of each 2 x 2."""
    n, k = x.shape
    return m.max(m.reshape(x, (n // 2, 2, k // 2, 2)), axis=(1, 3))


def hitting(m: Any, x: Any) -> Any:
    """When each walk is above 2 first; -1 if it never is."""
    above = m.cumsum(x, axis=1) > 2.0
    return m.where(m.any(above, axis=1), m.argmax(above, axis=1), -1)


def least_distances(m: Any, x: Any, c: Any) -> Any:
    """The sum of the squares of the distances to the nearest of some points."""
    return m.sum(m.min(m.sum((x[:, None, :] - c[None]) ** 2, axis=-1), axis=1))


def energies(m: Any, x: Any, y: Any) -> Any:
    """Quadratic forms and logarithms of determinants, of each of a stack."""
    forms = m.sum(y[:, :, 0] * m.linalg.solve(x, y)[:, :, 0], axis=1)
    return forms + m.linalg.slogdet(x)[1]


def looped(m: Any, begin: Any, end: Any, step: Callable[[Any, Any], Any], first: Any) -> Any:
    """What `step(k, state)` makes of the first state, for each k."""
    loop = getattr(m, "fori_loop", None) or import_module("jax.lax").fori_loop
    return loop(begin, end, step, first)


def put(table: Any, place: Any, value: Any) -> Any:
    """A table with another value, as JAX writes it or as Weft does."""
    return getattr(table, "at", table)[place].set(value)


def warping(m: Any, x: Any) -> Any:
    """How far a series is from itself read backwards, with the best stretching."""
    n = x.shape[0]

    def cell(i: Any, j: Any, table: Any) -> Any:
        before = m.minimum(m.minimum(table[i - 1, j], table[i, j - 1]), table[i - 1, j - 1])
        return put(table, (i, j), abs(x[i - 1] - x[n - j]) + before)

    table = put(m.full((n + 1, n + 1), np.inf), (0, 0), 0.0)

    def row(i: Any, table: Any) -> Any:
        return looped(m, 1, n + 1, partial(cell, i), table)

    return looped(m, 1, n + 1, row, table)[n, n]


def increasing(m: Any, x: Any) -> Any:
    """The length of the longest increasing subsequence."""
    n = x.shape[0]

    def step(i: Any, best: Any) -> Any:
        earlier = (x < x[i]) & (m.arange(n) < i)
        return put(best, i, 1 + m.max(m.where(earlier, best, 0.0)))

    return m.max(looped(m, 0, n, step, m.ones(n)))


def counted(m: Any, x: Any) -> Any:
    """A histogram, one number after the other."""

    def step(i: Any, counts: Any) -> Any:
        place = (abs(x[i]) * 20).astype("int64") % 100
        return put(counts, place, counts[place] + 1.0)

    return looped(m, 0, x.shape[0], step, m.zeros(100))


def eliminated(m: Any, d: Any, y: Any) -> Any:
    """Half of solving a tridiagonal system: two arrays, each written from what is in both."""
    n = y.shape[0]

    def step(i: Any, state: Any) -> Any:
        c, z = state
        w = 1.0 / (d[i] - 0.5 * c[i - 1])
        return put(c, i, 0.5 * w), put(z, i, (y[i] - 0.5 * z[i - 1]) * w)

    first = put(m.zeros(n), 0, 0.5 / d[0]), put(m.zeros(n), 0, y[0] / d[0])
    return looped(m, 1, n, step, first)[1]


_GROUPS = drawn((200, 8))()[0]


def groups(m: Any, theta: Any) -> Any:
    """Log-normal densities of groups, and their slope: a loop of Python, or by hand for NumPy."""
    n, k = _GROUPS.shape
    means, scales = theta[:n], theta[n:]
    if m.__name__ == "numpy":
        z = (_GROUPS - means[:, None]) / scales[:, None]
        squares = m.sum(z * z, axis=1)
        value = -m.sum(_GROUPS) - k * m.sum(m.log(scales)) - 0.5 * m.sum(squares)
        slopes = m.sum(z, axis=1) / scales, (squares - k) / scales
        return m.concatenate([value[None], *slopes])
    value = 0.0
    for i, x in enumerate(np.exp(_GROUPS)):
        z = (m.log(x) - means[i]) / scales[i]
        value += m.sum(-m.log(x) - m.log(scales[i]) - 0.5 * z**2)
    return m.concatenate([value[None], m.grad(value, theta)])
