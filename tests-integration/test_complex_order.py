"""Complex numbers are ordered as in NumPy: by the real parts, then by the imaginary ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, grad, pushforward

MODES = pytest.mark.parametrize("mode", ["py", "numba", "jax"])
PARTS = [0.0, 1.0, -1.0, 2.5, np.inf, -np.inf, np.nan]
SPECIAL = np.array([complex(a, b) for a in PARTS for b in PARTS])
PAIRS = ("lt", "le", "gt", "ge", "maximum", "minimum")
NUMPY = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}


@MODES
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of NumPy, for NaN
def test_pairs(dtype: str, mode: str) -> None:
    x, y = wt.matrix("x", dtype=dtype), wt.vector("y", dtype=dtype)
    outputs = [wt.Elemwise(name)(x, y) for name in PAIRS]
    values = SPECIAL.astype(dtype)
    found = function([x, y], outputs, mode=mode)(values[:, None], values)
    for name, got in zip(PAIRS, found, strict=True):
        wanted = NUMPY.get(name, getattr(np, name, None))(values[:, None], values)  # type: ignore[misc]  # found by name
        np.testing.assert_array_equal(np.isnan(got), np.isnan(wanted), name)
        np.testing.assert_array_equal(got[~np.isnan(got)], wanted[~np.isnan(got)], name)


@pytest.mark.cases("numba")
@MODES
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of NumPy, for NaN
def test_along_axes(mode: str) -> None:
    z = wt.matrix("z", dtype="complex128")
    pairs: list[tuple[Any, Any]] = [
        *((f(z, axis=a), (g, a)) for a in (0, 1) for f, g in ((wt.max, np.max), (wt.min, np.min))),
        (wt.max(z), (np.max, None)),
        (wt.min(z), (np.min, None)),
        *((wt.argmax(z, axis=a), (np.argmax, a)) for a in (0, 1)),
        *((wt.argmin(z, axis=a), (np.argmin, a)) for a in (0, 1)),
        *((wt.sort(z, axis=a), (np.sort, a)) for a in (0, 1)),
        *((wt.argsort(z, axis=a), (np.argsort, a)) for a in (0, 1)),
        (wt.median(z, axis=1), (np.median, 1)),
    ]
    f = function([z], [y for y, _ in pairs], mode=mode)
    rng = np.random.default_rng(0)
    finite = SPECIAL[np.isfinite(SPECIAL)]
    for pool in (finite, SPECIAL[~np.isnan(SPECIAL)], SPECIAL):
        for shape in ((3, 5), (1, 40), (6, 1)):
            values = rng.choice(pool, shape)
            for got, (numpy_function, axis) in zip(f(values), [p for _, p in pairs], strict=True):
                options = {"kind": "stable"} if numpy_function is np.argsort else {}
                wanted = numpy_function(values, axis=axis, **options)
                text = f"{numpy_function.__name__} over {axis} of {values}"
                np.testing.assert_array_equal(np.isnan(got), np.isnan(wanted), text)
                np.testing.assert_array_equal(got[~np.isnan(got)], wanted[~np.isnan(got)], text)


@MODES
def test_distinct_elements_and_masks(mode: str) -> None:
    z = wt.vector("z", dtype="complex128")
    outputs = [*wt.unique(z, True, True, True), z[z.real > 0].max(), z[z.real > 0].min()]
    values = np.array([1 + 1j, 2j, 1 - 1j, 1 + 1j, complex(np.nan, 1), -3, complex(np.nan, 1)])
    found = function([z], outputs, mode=mode)(values)
    for got, wanted in zip(found, np.unique(values, True, True, True), strict=False):
        np.testing.assert_array_equal(got, wanted)
    assert found[4:] == [1 + 1j, 1 - 1j]
    with pytest.raises(ValueError, match="max"):
        function([z], z[z.real > 9].max(), mode=mode)(values)


@MODES
def test_derivatives_go_to_what_is_chosen(mode: str) -> None:
    z, t = wt.vector("z", dtype="complex128"), wt.vector("t", dtype="complex128")
    top, low = wt.max(z), wt.minimum(z, 1.0)
    cost = (top * (2 - 3j)).real + (low * 1j).real.sum()
    outputs = [grad(cost, z), pushforward(top, z, t), pushforward(low, z, t)]
    values, steps = np.array([1 + 2j, 1 - 2j, 0.5 + 9j]), np.array([1j, 2.0, 3.0])
    slope, of_top, of_low = function([z, t], outputs, mode=mode)(values, steps)
    np.testing.assert_allclose(slope, [2 + 3j, -1j, -1j])
    np.testing.assert_allclose(of_top, 1j)
    np.testing.assert_allclose(of_low, [0, 2, 3])
