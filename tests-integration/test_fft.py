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
