"""Updates of small arrays in known places, which read what they write: the same results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, grad

KEYS: dict[str, tuple[tuple[int, ...], tuple[int, ...], Any]] = {
    "one each": ((5,), (3,), np.array([4, 0, 2])),
    "several in one": ((4,), (6,), np.array([1, 1, 3, 1, 3, 0])),
    "from the end": ((4,), (3,), np.array([-1, 0, -4])),
    "all in one": ((3,), (700,), np.zeros(700, int)),
    "far more in one": ((300,), (700,), np.minimum(np.arange(700), 299)),
    "rows": ((3, 2), (4, 2), np.array([2, 0, 2, -3])),
    "columns": ((2, 3), (2, 4), (slice(None), np.array([2, 0, 2, -3]))),
    "elements": ((3, 4), (3,), (np.array([0, 2, 0]), np.array([-1, 1, 3]))),
    "in one row": ((3, 4), (2,), (1, np.array([0, 3]))),
    "every other": ((5, 3), (3, 2), (slice(None, None, 2), np.array([0, 2]))),
    "matrix of places": ((4,), (2, 3), np.array([[0, 1, 1], [3, 0, 1]])),
    "none": ((4,), (0,), np.zeros(0, int)),
    "many": ((3000,), (5,), np.arange(5) * 7),
}


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int32", "bool"])
@pytest.mark.parametrize("name", KEYS)
def test_results_are_those_of_python(name: str, dtype: str) -> None:
    shape, of_y, key = KEYS[name]
    rng = np.random.default_rng(0)
    x, y = (wt.tensor(n, dtype=dtype, shape=s) for n, s in (("x", shape), ("y", of_y)))
    outputs = [x[key].set(y), x[key].inc(y), x[key].inc(wt.any(y).astype(dtype))]
    values = [(3 * rng.normal(size=s)).astype(dtype) for s in (shape, of_y)]
    found, expected = (function([x, y], outputs, mode=mode)(*values) for mode in ("jax", "py"))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5 if dtype == "float32" else 1e-13)
        assert a.dtype == b.dtype


def test_other_elements_stay_as_they_are() -> None:
    x, y = wt.vector("x", shape=(5,)), wt.vector("y", shape=(2,))
    key = np.array([1, 1])
    f = function([x, y], [x[key].inc(y), x[key].set(y[0])], mode="jax")
    at = np.array([-0.0, 1.0, np.nan, np.inf, -0.0])
    for result in f(at, np.array([np.nan, np.inf])):
        np.testing.assert_array_equal(result, [-0.0, np.nan, np.nan, np.inf, -0.0])
        assert np.signbit(result[[0, 4]]).all()


def test_slopes_and_no_scatter() -> None:
    x = wt.vector("x", shape=(6,))
    key = np.array([0, 3, 3, 1])
    slope = grad((wt.exp(x)[key] ** 2).sum() + wt.square(x[key].set(2 * x[:4])).sum(), x)
    f, exact = (function([x], slope, mode=mode) for mode in ("jax", "py"))
    at = np.linspace(-1, 1, 6)
    np.testing.assert_allclose(f(at), exact(at), rtol=1e-13)
    assert "scatter" not in f.lower_text("stablehlo", at)


def test_a_known_place_may_be_out_of_bounds() -> None:
    x = wt.vector("x", shape=(3,))
    with pytest.raises(IndexError, match="out of bounds"):
        function([x], x[np.array([0, 3])].inc(1.0), mode="jax")(np.ones(3))
