"""Signals and layers on all backends: values, derivatives in both modes, batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft.tensor as wt
from weft_testing import check_grad

RANDOM = np.random.default_rng(2)
LONG, SHORT = RANDOM.normal(size=9), RANDOM.normal(size=4)
IMAGE, SMALL = RANDOM.normal(size=(5, 6)), RANDOM.normal(size=(2, 3))
DEEP, KERNELS = RANDOM.normal(size=(2, 4, 6, 5)), RANDOM.normal(size=(6, 2, 3, 2))
SECTIONS = np.array([[0.2, 0.1, 0.3, 1.0, -0.3, 0.1], [0.5, 0.2, 0.0, 1.0, 0.2, 0.0]])
MADE: dict[str, tuple[Any, list[Any]]] = {
    "convolve": (wt.signal.convolve, [LONG, SHORT]),
    "convolve by transforms": (
        lambda x, y: wt.signal.convolve(x, y, "same", "fft"),
        [LONG, SHORT],
    ),
    "correlate": (lambda x, y: wt.signal.correlate(x, y, "valid", "direct"), [LONG, SHORT]),
    "fftconvolve": (wt.signal.fftconvolve, [IMAGE, SMALL]),
    "convolve2d": (lambda x, y: wt.signal.convolve2d(x, y, "same", "wrap"), [IMAGE, SMALL]),
    "lfilter": (lambda x: wt.signal.lfilter([0.5, 0.2], [1.0, -0.3, 0.1], x), [IMAGE]),
    "lfilter without feedback": (
        lambda b, x: wt.signal.lfilter(wt.specify_shape(b, (4,)), [2.0], x),
        [SHORT, IMAGE],
    ),
    "savgol_filter": (lambda x: wt.signal.savgol_filter(x, 3, 1), [IMAGE]),
    "conv": (lambda x, w: wt.nn.conv(x, w, 2, 1, (1, 2), 2), [DEEP, KERNELS]),
    "conv same": (lambda x, w: wt.nn.conv(x, w, padding="same", groups=2), [DEEP, KERNELS]),
    "max_pool": (lambda x: wt.nn.max_pool(x, 2, padding="same"), [DEEP]),
    "avg_pool": (lambda x: wt.nn.avg_pool(x, (3, 2), 1, 1), [DEEP]),
}


LONGER: dict[str, tuple[Any, list[Any]]] = {
    "sosfiltfilt": (lambda x: wt.signal.sosfiltfilt(SECTIONS, x, padlen=3), [LONG]),
    "welch": (lambda x: wt.signal.welch(x, nperseg=4, detrend="linear")[1], [LONG]),
    "hilbert": (lambda x: abs(wt.signal.hilbert(x)), [LONG]),
    "coherence": (
        lambda x: wt.signal.coherence(x[0], x[1], nperseg=4)[1],
        [IMAGE],
    ),
    "firwin": (lambda x: wt.signal.firwin(5, wt.specify_shape(x, (1,))), [np.array([0.3])]),
    "dctn": (lambda x: wt.fft.dctn(x, norm="ortho"), [IMAGE]),
    "medfilt": (lambda x: wt.signal.medfilt(x), [LONG]),
}
"""Of these, the full run alone compiles each on all backends."""


@pytest.mark.parametrize("name", [*MADE, *LONGER])
def test_derivatives_in_both_modes(name: str) -> None:
    make, values = (MADE | LONGER)[name]
    check_grad(make, values)


@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_values_and_gradients_are_those_of_python(mode: str, few: Any) -> None:
    compare(mode, dict(few([*MADE.items()], 12)))


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_values_and_gradients_of_longer_ones(mode: str) -> None:
    compare(mode, LONGER)


def compare(mode: str, functions: dict[str, tuple[Any, list[Any]]]) -> None:
    inputs: list[Any] = []
    outputs: list[Any] = []
    values: list[Any] = []
    for make, given in functions.values():
        own: list[Any] = [wt.tensor("x", "float64", [None] * v.ndim) for v in given]
        made = make(*own)
        outputs += [made, *wt.grad(wt.sum(made**2), own)]
        inputs += own
        values += given
    actual = wt.function(inputs, outputs, mode=mode)(*values)
    expected = wt.function(inputs, outputs, mode="py")(*values)
    for a, e in zip(actual, expected, strict=True):
        np.testing.assert_allclose(a, e, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("in_axes", [(0, None), (None, 0), (0, 0)])
@pytest.mark.parametrize("known", [True, False])
def test_batches_of_convolutions_are_one_convolution(in_axes: Any, known: bool) -> None:
    x, w = (np.stack([v, v * 2, v + 1]) for v in (DEEP, KERNELS))
    values = [v if axis == 0 else v[0] for v, axis in zip((x, w), in_axes, strict=True)]
    inputs: list[Any] = [
        wt.tensor(name, "float64", v.shape if known else [None] * v.ndim)
        for name, v in zip("xw", values, strict=True)
    ]
    many = wt.vmap(lambda a, b: wt.nn.conv(a, b, 2, 1, 1, 2), in_axes)(*inputs)
    rewritten = wt.rewrite_graph(wt.FunctionGraph(inputs, [many]))
    assert sum(isinstance(v.op, wt.nn.Conv) for v in rewritten.order) == 1
    modes = ("py", "numba", "jax") if in_axes == (0, 0) and not known else ("py",)
    for mode in modes[1:]:
        np.testing.assert_allclose(
            wt.function(inputs, many, mode=mode)(*values),
            wt.function(inputs, many, mode="py")(*values),
            atol=1e-12,
        )
    actual = wt.function(inputs, many, mode="py")(*values)
    one = [wt.tensor(name, "float64", [None] * 4) for name in "ab"]
    f = wt.function(one, wt.nn.conv(one[0], one[1], 2, 1, 1, 2), mode="py")
    for k in range(3):
        parts = [v[k] if axis == 0 else v for v, axis in zip(values, in_axes, strict=True)]
        np.testing.assert_allclose(actual[k], f(*parts), atol=1e-12)
