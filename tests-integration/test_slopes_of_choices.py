"""What a `where` has not chosen has no part in slopes, be its own infinite or NaN."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft.tensor as wt
from weft import function, grad, pushforward

X = np.array([0.0, 4.0, -1.0])
CASES: dict[str, tuple[Callable[[Any], Any], list[float]]] = {
    "root": (lambda x: wt.where(x > 0, wt.sqrt(x), 0), [0, 0.25, 0]),
    "other side": (lambda x: wt.where(x <= 0, x, wt.log(x)), [1, 0.25, 1]),
    "quotient": (lambda x: wt.where(wt.neq(x, 0), 1 / x, 1), [0, -1 / 16, -1]),
    "steps": (lambda x: wt.where(x > 0, wt.exp(wt.sqrt(wt.log(x + 0.0) + 1)), x), [1, 0, 1]),
    "nested": (
        lambda x: wt.where(x >= 0, wt.where(x > 0, x**0.5 * wt.log(x), x), 2 * x),
        [1, 0.25 * np.log(4) + 0.5, 2],
    ),
    "power": (lambda x: wt.where(x > 1, x ** (x / 4), 1), [0, np.log(4) + 1, 0]),
}
CASES["steps"][1][1] = float(np.exp(np.sqrt(np.log(4) + 1)) / np.sqrt(np.log(4) + 1) / 8)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_slopes_are_finite_in_both_modes(mode: str) -> None:
    x = wt.vector("x")
    results = [make(x) for make, _ in CASES.values()]
    slopes = [grad(r.sum(), x) for r in results]
    ahead = [pushforward(r, x, wt.ones_like(x)) for r in results]
    f = function([x], [slopes, ahead], mode=mode)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for values in f(X):
            np.testing.assert_allclose(values, [right for _, right in CASES.values()], rtol=1e-12)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_second_slopes_and_stretched_numbers(mode: str) -> None:
    x, a, chosen = wt.vector("x"), wt.scalar("a"), wt.vector("chosen", dtype="bool")
    twice = grad(grad(wt.where(x > 0, x**1.5, 0).sum(), x).sum(), x)
    row = wt.where(chosen, wt.log(a) * x, 0).sum()
    column = wt.where(chosen[:, None], wt.sqrt(x), 0).sum()
    f = function([x, a, chosen], [twice, grad(row, a), grad(column, x)], mode=mode)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        second, by_a, by_x = f([0.0, 4.0, 1.0], 2.0, [True, False, True])
    np.testing.assert_allclose(second, [0, 0.375, 0.75])
    np.testing.assert_allclose(by_a, 0.5)
    np.testing.assert_allclose(by_x, [np.inf, 0.5, 1])


def test_float32_and_complex_stay_what_they_are() -> None:
    for dtype in ("float32", "complex64"):
        x = wt.vector("x", dtype=dtype)
        slope = grad(wt.real(wt.where(wt.real(x) > 0, 1 / x, 0)).sum(), x)
        assert slope.dtype == dtype
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            np.testing.assert_allclose(function([x], slope, mode="py")([0, 2]), [0, -0.25])
