"""Scans along an axis: loops on CPUs, what XLA has elsewhere."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, grad

BY_NUMPY: dict[Any, Any] = {
    wt.cumsum: np.cumsum,
    wt.cumprod: np.cumprod,
    wt.cummax: np.maximum.accumulate,
    wt.cummin: np.minimum.accumulate,
}


@pytest.fixture(params=["cpu", "default"])
def platform(request: Any, monkeypatch: Any) -> str:
    """The way that is taken, also that of other devices."""

    def chosen(*values: Any, **ways: Any) -> Any:
        return ways[request.param](*values)

    monkeypatch.setattr(jax.lax, "platform_dependent", chosen)
    return str(request.param)


def values(*shape: int) -> Any:
    return np.random.default_rng(0).normal(size=shape)


@pytest.mark.parametrize("scan", BY_NUMPY)
def test_along_each_axis_of_any_length(scan: Any, platform: str) -> None:
    for shape in ((0,), (1,), (8,), (19,), (2, 3), (20, 9), (0, 3), (3, 0), (2, 3, 4)):
        X = wt.tensor("X", shape=(None,) * len(shape))
        axes = range(len(shape))
        f = function([X], [scan(X, axis) for axis in axes], mode="jax")
        for axis, found in zip(axes, f(values(*shape)), strict=True):
            by_numpy = BY_NUMPY[scan](values(*shape), axis=axis)
            np.testing.assert_allclose(found, by_numpy, rtol=1e-13, atol=1e-14)


def test_loops_add_in_numpys_order() -> None:
    x = wt.vector("x")
    found = function([x], wt.cumsum(x), mode="jax")(values(1001))
    np.testing.assert_array_equal(found, np.cumsum(values(1001)))
    zeros = function([x], wt.cumsum(x), mode="jax")([-0.0, -0.0, 0.0])
    assert np.signbit(zeros).tolist() == [True, True, False]


@pytest.mark.parametrize("scan", BY_NUMPY)
@pytest.mark.parametrize("dtype", ["float32", "int8", "uint16", "bool"])
def test_dtypes_and_what_is_no_number(scan: Any, dtype: str, platform: str) -> None:
    x = wt.tensor("x", dtype, (None,))
    of = [3, -1, np.nan, 2] if dtype == "float32" else [3, 0, 100, 1]
    found = function([x], scan(x), mode="jax")(np.array(of).astype(dtype))
    by_numpy = BY_NUMPY[scan](np.array(of).astype(dtype))
    np.testing.assert_array_equal(found, by_numpy)
    assert found.dtype == by_numpy.dtype


@pytest.mark.cases(0)
@pytest.mark.parametrize("axis", [0, 1])
def test_slopes_of_products_with_and_without_zeros(axis: int, platform: str) -> None:
    X, g = wt.matrix("X"), wt.matrix("g")
    slope = grad((wt.cumprod(X, axis) * g).sum(), X)
    outputs = [slope, grad((slope**2).sum(), X)]
    ours, reference = (function([X, g], outputs, mode=mode) for mode in ("jax", "py"))
    for shape in ((0, 2), (1, 1), (4, 11), (11, 3)):
        x = np.where(values(*shape) < -1, 0, values(*shape))
        for found, of in zip(ours(x, x + 1), reference(x, x + 1), strict=True):
            np.testing.assert_allclose(found, of, rtol=1e-11, atol=1e-12)


def test_slopes_of_products_that_overflow() -> None:
    """Dividing the products would give NaN."""
    x = wt.vector("x")
    slope = function([x], grad(wt.cumprod(x)[0], x), mode="jax")
    np.testing.assert_array_equal(slope([2.0, 1e200, 1e200]), [1, 0, 0])
