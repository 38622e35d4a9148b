"""Fourier transforms of 2^16 complex points, and of 64 times 1024; a convolution of images."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from tools.bench.bounds import Bound
from tools.bench.workload import WEFT, Call, Prepared, Workload, by_mode, jitted

_SHAPES: Final = {"long": (2**16,), "many": (64, 1024)}


def data(shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Complex numbers."""
    rng = np.random.default_rng(0)
    return (rng.normal(size=shape) + 1j * rng.normal(size=shape),)


def with_scipy() -> Call:
    import scipy.fft

    return scipy.fft.fft


def with_weft(rank: int, mode: str) -> Call:
    import weft.tensor as wt

    x = wt.tensor("x", "complex128", [None] * rank)
    return wt.function([x], wt.fft.fft(x), mode=mode)


def with_jax() -> Call:
    import jax

    return jitted(jax.numpy.fft.fft)


def _fft(size: str) -> Workload:
    shape = _SHAPES[size]
    peers: dict[str, Callable[[], Prepared | Call]] = {
        **by_mode(partial(with_weft, len(shape)), WEFT),
        "numpy": with_scipy,
        "jax": with_jax,
    }
    return Workload(
        f"fft-{size}",
        f"Fourier transform of {' x '.join(map(str, shape))} complex numbers",
        peers,
        data=partial(data, shape),
        quick=False,
        bounds=(Bound("weft-numba", "numpy", 1.1), Bound("weft-jax", "jax", 1.05)),
    )


def images() -> tuple[Any, ...]:
    """Eight images of 16 channels, and 32 kernels."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(8, 16, 32, 32)), rng.normal(size=(32, 16, 3, 3))


def conv_with_weft(mode: str) -> Call:
    import weft.tensor as wt

    x, w = wt.tensor4("x"), wt.tensor4("w")
    return wt.function([x, w], wt.nn.conv(x, w), mode=mode)


def conv_with_jax() -> Call:
    import jax

    return jitted(lambda x, w: jax.lax.conv(x, w, (1, 1), "VALID", precision="highest"))


def conv_with_numpy() -> Call:
    def conv(x: Any, w: Any) -> Any:
        parts = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], (2, 3))
        found = np.tensordot(parts, w, ([1, 4, 5], [1, 2, 3]))
        return np.ascontiguousarray(np.moveaxis(found, -1, 1))

    return conv


_CONV: Final = Workload(
    "conv",
    "convolution of 8 images of 16 channels with 32 kernels",
    {**by_mode(conv_with_weft, WEFT), "numpy": conv_with_numpy, "jax": conv_with_jax},
    data=images,
    quick=False,
    bounds=(Bound("weft-jax", "jax", 1.05),),
)

WORKLOADS = [*map(_fft, _SHAPES), _CONV]
