"""Fourier transforms of no points, and Hankel transforms as SciPy has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.fft
from against_scipy import Row, assert_as_on_python, assert_as_scipy, assert_slopes, quietly

import weft.tensor as wt


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_no_points_are_an_error_on_every_backend(mode: str) -> None:
    x = wt.vector("x")
    for make in (wt.fft.fft, wt.fft.rfft, lambda v: wt.fft.fft(v * 1j)):
        f = wt.function([x], make(x), mode=mode)
        with pytest.raises(ValueError, match=r"Invalid number of FFT data points \(0\) specified"):
            f(np.zeros(0))


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_what_solves_systems_takes_what_was_transformed(mode: str) -> None:
    """It reads columns, and XLA's transforms write rows alone."""
    x = np.array([[4.0, 1.0], [1.0, 3.0]])
    v, w = wt.matrix("v"), wt.zmatrix("w")
    half = wt.fft.irfft(v + 0j, 2) + 9 * wt.eye(2)
    results = [
        wt.linalg.cholesky(half),
        *(wt.linalg.inv(y) for y in (wt.fft.fft(w), wt.fft.ifft(w), wt.fft.rfft(v))),
    ]
    actual = wt.function([v, w], results, mode=mode)(x, 1j * x)
    whole = np.fft.irfft(x, 2) + 9 * np.eye(2)
    lower = np.linalg.cholesky(whole)
    expected = [np.linalg.inv(y) for y in (np.fft.fft(1j * x), np.fft.ifft(1j * x), np.fft.rfft(x))]
    for a, b in zip(actual, [lower, *expected], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


OURS: Any = wt.fft
VALUES = np.random.default_rng(3).normal(size=(2, 8))
NUMBERS = [np.array(v) for v in (0.3, 1.0, 0.2, 0.4)]
SINGULAR = [np.array(v) for v in (0.2, 0.0, 0.0, -1.0)]


def hankel(m: Any, a: Any, *numbers: Any) -> Any:
    return [m.fht(a, *numbers), m.ifht(a, *numbers), m.fhtoffset(*numbers)]


def test_hankel_transforms() -> None:
    for a in (VALUES, VALUES[:, :7], VALUES[0, :1], VALUES.astype("float32")):
        for numbers in (NUMBERS, SINGULAR, [-v if k else v for k, v in enumerate(SINGULAR)]):
            quietly(assert_as_scipy, OURS, scipy.fft, hankel, [a, *numbers])
    assert_slopes(OURS, Row(hankel, [[VALUES, *NUMBERS]]))
    with pytest.raises(TypeError, match="fht takes real numbers"):
        OURS.fht([1j], 0.1, 0.0)


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_hankel_transforms_compiled(mode: str) -> None:
    assert_as_on_python(OURS, Row(hankel, [[VALUES, *NUMBERS]]), mode)
