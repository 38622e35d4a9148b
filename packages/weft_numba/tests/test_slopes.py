"""The derivatives of decompositions by machine code: those of their expansions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Mode, function

RNG = np.random.default_rng(36)
SHAPES: Final = [(4, 4), (3, 5), (5, 3), (1, 1), (1, 4), (0, 3), (3, 0), (2, 3, 20, 20), (0, 2, 2)]
DTYPES: Final = ["float32", "float64", "complex64", "complex128"]
PAIRS: Final[dict[str, tuple[Any, Any, Callable[..., list[Any]]]]] = {
    "lu": (wt.LUFactor(), wt.LUSlope(), lambda x, y, g: [y[0], y[2], g[0]]),
    "qr": (wt.QR(), wt.QRSlope(), lambda x, y, g: [x, *y, *g]),
    "qr, complete": (wt.QR(True), wt.QRSlope(True), lambda x, y, g: [x, *y, *g]),
    "svd": (wt.SVD(), wt.SVDSlope(), lambda x, y, g: [*y, *g]),
    "svd, reduced": (wt.SVD(False), wt.SVDSlope(False), lambda x, y, g: [*y, *g]),
    "eigh": (wt.Eigh(), wt.EighSlope(), lambda x, y, g: [*y, *g]),
    "eigh, upper": (wt.Eigh(False), wt.EighSlope(False), lambda x, y, g: [*y, *g]),
}
"""An Op, its slope, and of x, results and cotangents what that takes."""


def drawn(shape: Sequence[int], dtype: str) -> Any:
    x = RNG.normal(size=shape)
    return (x + 1j * RNG.normal(size=shape) if "c" in dtype else x).astype(dtype)


def both(op: Any, values: Sequence[Any]) -> tuple[Any, Any]:
    """By Numba, and by Python."""
    inputs = [wt.tensor(f"x{k}", str(v.dtype), [None] * v.ndim) for k, v in enumerate(values)]
    modes = (Mode(linker, books=[]) for linker in ("numba", "py"))
    ours, expected = (function(inputs, op(*inputs), mode=mode) for mode in modes)
    return ours, expected


def values_of(name: str, x: Any) -> list[Any]:
    of, _, chosen = PAIRS[name]
    results = of.impl(x)
    return chosen(x, results, [drawn(y.shape, str(y.dtype)) for y in results])


def strided(x: Any) -> Any:
    """The same numbers, with others between them."""
    return np.repeat(x, 2, axis=-1)[..., ::2]


@pytest.mark.cases(7)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("ndim", [2, 3, 4])
@pytest.mark.parametrize("name", PAIRS)
def test_slopes_are_those_of_the_expansions(name: str, ndim: int, dtype: str) -> None:
    shapes = [shape for shape in SHAPES if len(shape) == ndim]
    if "eigh" in name:
        shapes = [shape for shape in shapes if shape[-1] == shape[-2]]
    tolerance = 2e-3 if dtype in ("float32", "complex64") else 1e-9
    functions: Any = None
    for shape in shapes:
        values = values_of(name, drawn(shape, dtype))
        functions = functions or both(PAIRS[name][1], values)
        for layout in (np.asarray, strided, lambda v: v.mT.copy().mT if v.ndim == ndim else v):
            ours, expected = (f(*map(layout, values)) for f in functions)
            assert (ours.shape, ours.dtype) == (expected.shape, expected.dtype)
            np.testing.assert_allclose(ours, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", ["svd", "eigh"])
def test_equal_values_divide_by_zero_only_what_is_not_zero(name: str) -> None:
    ones = np.eye(3) * 2.0
    values = values_of(name, ones)
    functions = both(PAIRS[name][1], values)
    zeros = [v if k < len(values) // 2 or v.ndim == 1 else 0 * v for k, v in enumerate(values)]
    with np.errstate(all="ignore"):
        ours, expected = (f(*values) for f in functions)
        still, smooth = (f(*zeros) for f in functions)
    assert np.isfinite(expected).all() == np.isfinite(ours).all() is np.False_
    assert np.isfinite(smooth).all()
    np.testing.assert_allclose(still, smooth)


@pytest.mark.parametrize("name", ["lu", "qr"])
def test_singular_matrices_have_no_slope(name: str) -> None:
    x = np.array([[1.0, 2.0], [0.0, 0.0]])
    for f in both(PAIRS[name][1], values_of(name, x)):
        with pytest.raises(np.linalg.LinAlgError, match="singular"):
            f(*values_of(name, x))


@pytest.mark.parametrize("name", PAIRS)
def test_what_is_not_a_number_stays_so(name: str) -> None:
    values = values_of(name, drawn((3, 3), "float64"))
    values[-1] = np.full_like(values[-1], np.nan)
    for f in both(PAIRS[name][1], values):
        assert np.isnan(f(*values)).any()


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_doubling_ends_for_matrices_that_shrink_slowly_and_for_nan(dtype: str) -> None:
    turn = np.array([[0.6, 0.8], [-0.8, 0.6]]).astype(dtype)
    a, q = (1 - 1e-7) * turn, np.array([[2.0, 1.0], [0.5, 3.0]]).astype(dtype)
    f, _ = both(wt.StableLyapunov(), [a, q])
    x = f(a, q)
    np.testing.assert_allclose(x - a @ x @ a.conj().T, q, rtol=1e-6, atol=1e-6)
    assert np.isnan(f(a, q * np.nan)).all()
    assert np.isnan(f(a * np.nan, q)).all()
