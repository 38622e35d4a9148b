"""A scalar function that is an expression of others is one row, on every backend."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, grad
from weft_tensor.extend import SCALARS, floating, unary
from weft_testing import check_op


@pytest.fixture
def mish() -> Iterator[Any]:
    yield unary(
        "mish", None, "x tanh(softplus(x)).", (-3.0, 3.0), (0.0, 0.0),
        lambda x, r: (wt.tanh(wt.softplus(x)) + x * wt.sigmoid(x) / wt.cosh(wt.softplus(x)) ** 2,),
        lambda x: x * wt.tanh(wt.softplus(x)), dtypes=floating,
    )  # fmt: skip
    del SCALARS["mish"]


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int16"])
def test_a_row_of_a_user(mish: Any, mode: str, dtype: str) -> None:
    x = wt.vector("x", dtype=dtype)
    values = np.arange(-20, 20).astype(dtype)
    found = function([x], mish(x), mode=mode)(values)
    exact = values * np.tanh(np.logaddexp(0.0, values))
    assert found.dtype == ("float64" if dtype == "float64" else "float32")
    np.testing.assert_allclose(found, exact, rtol=1e-6 if found.dtype == "float32" else 1e-14)


def test_its_examples(mish: Any) -> None:
    check_op(wt.Elemwise("mish"))
    x = wt.vector("x")
    slope = function([x], grad(mish(x).sum(), x), mode="numba")(np.linspace(-2, 2, 5))
    assert np.isfinite(slope).all()


@pytest.mark.parametrize("size", [1, 3, 8192, 8193, 40_000])
@pytest.mark.parametrize("name", ["softplus", "erfinv", "log1mexp", "logerfc"])
def test_many_numbers_are_computed_as_few_are(name: str, size: int) -> None:
    values = -np.linspace(0.01, 0.99, size)
    many = wt.Elemwise(name).impl(values[:, None] if size > 1 else values)
    np.testing.assert_array_equal(many.ravel()[:3], wt.Elemwise(name).impl(values[:3]))
    assert many.shape == ((size, 1) if size > 1 else (1,))
