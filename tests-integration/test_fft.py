"""Fourier transforms on all backends: values, derivatives in both modes, batches."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import weft.tensor as wt
from weft_testing import check_grad

RANDOM = np.random.default_rng(21)
X = RANDOM.normal(size=(3, 6))
Z = X + 1j * RANDOM.normal(size=(3, 6))
MADE: dict[str, tuple[Any, Any]] = {
    "fft of few points": (lambda v: wt.fft.fft(v, 4), X),
    "fft of more points": (lambda v: wt.fft.fft(v, 9, 0, "ortho"), Z),
    "ifft": (lambda v: wt.fft.ifft(v, axis=0), Z),
    "rfft": (lambda v: wt.fft.rfft(v, 5), X),
    "irfft": (lambda v: wt.fft.irfft(v, 7), Z),
    "irfft of the usual length": (lambda v: wt.fft.irfft(v, axis=0), Z),
    "hfft": (lambda v: wt.fft.hfft(v, norm="ortho"), Z),
    "ihfft": (wt.fft.ihfft, X),
    "fft2": (wt.fft.fft2, X),
    "ifftn": (lambda v: wt.fft.ifftn(v, (4, 4)), Z),
    "rfft2": (wt.fft.rfft2, X),
    "irfftn": (wt.fft.irfftn, Z),
    "fftshift": (wt.fft.fftshift, Z),
    "ifftshift": (wt.fft.ifftshift, X),
    **{
        f"{f.__name__} {kind}": (partial(f, type=kind, norm="ortho"), X)
        for f in (wt.fft.dct, wt.fft.idct, wt.fft.dst, wt.fft.idst)
        for kind in (1, 2, 3, 4)
    },
}


@pytest.mark.parametrize("name", MADE)
def test_derivatives_in_both_modes(name: str) -> None:
    make, value = MADE[name]
    check_grad(make, [value])


@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_values_and_gradients_are_those_of_python(mode: str, few: Any) -> None:
    x, z = wt.matrix("x"), wt.tensor("z", "complex128", (None, None))
    outputs: list[Any] = []
    for make, value in few([*MADE.values()], 12):
        v = z if np.iscomplexobj(value) else x
        made: Any = make(v)
        outputs += [made, wt.grad(wt.sum(wt.abs(made) ** 2 * 0.5), v)]
    actual = wt.function([x, z], outputs, mode=mode)(X, Z)
    expected = wt.function([x, z], outputs, mode="py")(X, Z)
    for a, e in zip(actual, expected, strict=True):
        np.testing.assert_allclose(a, e, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", ["fft of more points", "irfft", "rfft2", "fftshift", "dct 3"])
def test_batches_are_loops(name: str) -> None:
    make, value = MADE[name]
    many = np.stack([value, 2 * value, value - 1])
    v = wt.tensor("v", str(many.dtype), (None, None, None))
    actual = wt.function([v], wt.vmap(make)(v), mode="py")(many)
    one = wt.tensor("one", str(many.dtype), (None, None))
    f = wt.function([one], make(one), mode="py")
    np.testing.assert_allclose(actual, np.stack([f(part) for part in many]), atol=1e-12)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_no_points_are_an_error_on_every_backend(mode: str) -> None:
    x = wt.vector("x")
    for make in (wt.fft.fft, wt.fft.rfft, lambda v: wt.fft.fft(v * 1j)):
        f = wt.function([x], make(x), mode=mode)
        with pytest.raises(ValueError, match=r"Invalid number of FFT data points \(0\) specified"):
            f(np.zeros(0))
