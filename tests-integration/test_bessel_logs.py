"""Logarithms of the modified Bessel function I, and their slopes, are mpmath's on every backend."""

from __future__ import annotations

from typing import Any, Final

import mpmath as mp
import numpy as np
import pytest

import weft.tensor as wt

ORDERS: Final = (-0.999, -0.5, 0.0, 1e-6, 0.3, 2.5, 29.9, 31.0, 900.0)
PLACES: Final = (1e-8, 0.1, 5.0, 29.0, 30.5, 400.0)


def exact(scaled: int, v: Any, x: Any) -> Any:
    return mp.log(mp.besseli(v, x)) - scaled * x


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("scaled", [0, 1])
def test_values_and_slopes(scaled: int, mode: str) -> None:
    """To 1e-12 of their size; of slopes in the order, which are 0 next to order 0, to 1e-14."""
    v, x = wt.dvectors("v", "x")
    y = (wt.special.log_ive if scaled else wt.special.log_iv)(v, x)
    call = wt.function([v, x], [y, *wt.grad(y.sum(), [v, x])], mode=mode)
    pairs = [(a, b) for a in ORDERS for b in PLACES]
    with mp.workdps(50):
        small = mp.mpf(10) ** -20
        rows = []
        for a, b in [(mp.mpf(a), mp.mpf(b)) for a, b in pairs]:
            along, across = small * (1 + a), small * b
            up, down = (exact(scaled, a + s * along, b) for s in (1, -1))
            right, left = (exact(scaled, a, b + s * across) for s in (1, -1))
            slopes = (up - down) / (2 * along), (right - left) / (2 * across)
            rows.append([float(w) for w in (exact(scaled, a, b), *slopes)])
    for got, expected in zip(call(*np.array(pairs).T), np.array(rows).T, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_ends(mode: str) -> None:
    """Large numbers of both dtypes, zeros, infinities, and what has no logarithm."""
    v, x = wt.dvectors("v", "x")
    outputs = [wt.special.log_iv(v, x), wt.special.log_ive(v, x)]
    call = wt.function([v, x], outputs, mode=mode)
    at = [(0, 0), (2, 0), (-0.5, 0), (2, np.inf), (1, 1e300), (-1, 1), (1, -1), (np.nan, 1)]
    nan, inf = np.nan, np.inf
    plain, scaled = call(*np.array(at, float).T)
    np.testing.assert_allclose(plain, [0, -inf, inf, inf, 1e300, nan, nan, nan])
    far = -0.5 * np.log(2 * np.pi * 1e300)
    np.testing.assert_allclose(scaled, [0, -inf, inf, -inf, far, nan, nan, nan])
    single = wt.special.log_ive(wt.fvector("v"), x.astype("float32"))
    assert single.dtype == "float32"
