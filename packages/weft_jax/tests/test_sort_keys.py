"""Order by integers: that of NumPy for all dtypes, and with slopes where JAX differentiates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function
from weft_jax import as_jax
from weft_jax.lowering.x64 import enable_x64

DTYPES = ["float64", "float32", "int64", "int32", "int8", "uint64", "uint16", "bool"]
SPECIAL = (np.nan, -np.nan, np.inf, -np.inf, -0.0, 0.0)


def numbers(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """Many of them equal, with the least and the largest, and what is none."""
    rng = np.random.default_rng(3)
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if dtype[0] != "f":
        ends = np.iinfo(dtype)
        drawn = rng.integers(ends.min, ends.max, shape, dtype, endpoint=True)
        return np.where(rng.random(shape) < 0.5, drawn, drawn // (ends.max // 5))
    x = rng.normal(size=shape).round(1).astype(dtype)
    for value in (*SPECIAL, np.finfo(dtype).tiny / 4):
        x[rng.random(shape) < 0.05] = value
    return x


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1000,), (3, 100, 4)])
def test_order_is_numpys(dtype: str, shape: tuple[int, ...]) -> None:
    x = numbers(dtype, shape)
    v = wt.tensor("v", dtype, (None,) * x.ndim)
    for axis in range(x.ndim):
        f = function([v], [wt.sort(v, axis=axis), wt.argsort(v, axis=axis)], mode="jax")
        for found, order in zip(f(x), (np.sort, np.argsort), strict=True):
            expected = order(x, axis=axis, kind="stable")
            np.testing.assert_array_equal(found, expected, strict=True)


def test_zeros_keep_their_signs() -> None:
    v = wt.vector("v")
    x = np.tile([1.0, -0.0, 0.0, -1.0], 100)
    found = function([v], wt.sort(v), mode="jax")(x)
    assert np.signbit(found[found == 0]).sum() == 100


@pytest.mark.cases(0)
@pytest.mark.parametrize("n", [30, 1001])
@pytest.mark.parametrize(
    ("of", "by_hand"),
    [
        (lambda x: (wt.sort(x) ** 3).sum(), lambda x: (jnp.sort(x) ** 3).sum()),
        (wt.median, jnp.median),
        (lambda x: x[wt.argsort(x)[7]], lambda x: x[jnp.argsort(x)[7]]),
    ],
)
def test_jax_differentiates_it(of: Callable[[Any], Any], by_hand: Any, n: int) -> None:
    v = wt.vector("v")
    x = np.random.default_rng(0).normal(size=n)
    f = as_jax(function([v], of(v), mode="jax"))
    for wide in (False, True):
        with enable_x64(wide):
            np.testing.assert_allclose(f(x), by_hand(x), rtol=1e-5)
            np.testing.assert_allclose(jax.grad(f)(x), jax.grad(by_hand)(x), rtol=1e-5)
