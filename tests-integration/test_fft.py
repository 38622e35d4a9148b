"""Fourier transforms of no points."""

from __future__ import annotations

import numpy as np
import pytest

import weft.tensor as wt


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_no_points_are_an_error_on_every_backend(mode: str) -> None:
    x = wt.vector("x")
    for make in (wt.fft.fft, wt.fft.rfft, lambda v: wt.fft.fft(v * 1j)):
        f = wt.function([x], make(x), mode=mode)
        with pytest.raises(ValueError, match=r"Invalid number of FFT data points \(0\) specified"):
            f(np.zeros(0))
