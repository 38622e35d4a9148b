"""Steps that write into several arrays: what they write is computed before, and nothing copied."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, grad

D, Y = wt.vector("d"), wt.vector("y")
N = Y.shape[0]


def elimination(d: Any, y: Any) -> list[Any]:
    """Of one triangle of a tridiagonal matrix, whose other diagonals are 1/2."""

    def step(i: Any, state: Any) -> Any:
        c, z = state
        w = 1.0 / (d[i] - 0.5 * c[i - 1])
        return c[i].set(0.5 * w), z[i].set((y[i] - 0.5 * z[i - 1]) * w)

    first = wt.zeros(N)[0].set(0.5 / d[0]), wt.zeros(N)[0].set(y[0] / d[0])
    return list(wt.fori_loop(1, N, step, first))


def swaps(d: Any, y: Any) -> list[Any]:
    """What is written to one array comes from what was in the other before."""

    def step(i: Any, state: Any) -> Any:
        a, b = state
        return a[i].set(b[i - 1] + 1), b[i].inc(a[i - 1] * a[i])

    return list(wt.fori_loop(0, N, step, (d, y)))


def chained(d: Any, y: Any) -> list[Any]:
    """What is written second depends on what was written first."""

    def step(i: Any, state: Any) -> Any:
        a, b = state
        a = a[i].set(a[i - 1] + b[i])
        return a, b[i].set(a[i] * 0.5 + b[i - 1])

    return list(wt.fori_loop(1, N, step, (d, y)))


def rows(d: Any, y: Any) -> list[Any]:
    def step(i: Any, state: Any) -> Any:
        a, b, total = state
        r = a[i - 1] + b[i]
        return a[i].set(r), b[i].set(r * 0.5), total + r.sum()

    first = wt.outer(d, y), wt.outer(y, d), 0.0
    return list(wt.fori_loop(1, N, step, first))


@pytest.mark.cases(2)
@pytest.mark.parametrize("made", [elimination, swaps, chained, rows])
@pytest.mark.parametrize("n", [7, 1])
def test_values_are_pythons(made: Any, n: int) -> None:
    results = made(D, Y)
    outputs = [*results, *grad(sum((r**2).sum() for r in results), [D, Y])]
    rng = np.random.default_rng(1)
    values = 2 + rng.random(n), rng.normal(size=n)
    f, g = (function([D, Y], outputs, mode=mode) for mode in ("py", "jax"))
    for expected, found in zip(f(*values), g(*values), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def test_no_step_copies_an_array() -> None:
    values = np.full(50, 3.0), np.ones(50)
    text = function([D, Y], elimination(D, Y), mode="jax").lower_text("hlo", *values)
    assert "dynamic-update-slice" in text
    assert "f64[50]{0} copy(" not in text
