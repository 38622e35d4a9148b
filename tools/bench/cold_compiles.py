"""How long functions of signals take to compile: `python -m tools.bench.cold_compiles [NAME ...]`.

For each function of `wt.fft`, `wt.signal` and `wt.nn`, the CPU seconds of `wt.function` of its
result and the gradient of the sum of its squares, on Numba, without a cache. Each is compiled in a
process of its own, forked from one where Numba has compiled another function with its gradient.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from time import process_time
from typing import Any, Final

__all__ = ["LIMIT", "cases", "seconds"]

LIMIT: Final = 0.7
"""How many CPU seconds a function with its gradient may take."""

_OTHER: Final = ["EvensFirst", "FFT", "IRFFT", "RFFT", "FFTShift", "Conv", "windows"]
"""What is no function: Ops and modules."""
_FILTER: Final = ([1.0, 0.5], [1.0, -0.4])
_SECTIONS: Final = [[1.0, 0.5, 0.0, 1.0, -0.4, 0.1]] * 2
_WHOLE: Final = ["fftfreq", "rfftfreq"]
"""Functions of a number of points."""


def _given(wt: Any) -> dict[str, Callable[[Any], Any]]:
    """How functions are called that take more than one vector, by name."""
    x, y, m, k = wt.vector("x"), wt.vector("y"), wt.matrix("m"), wt.matrix("k")
    images, kernels = wt.tensor4("x"), wt.tensor4("w")
    two, cutoff = (m, k), wt.scalar("cutoff")
    sections = wt.matrix("sections", shape=(2, 6))
    return {
        **dict.fromkeys(["convolve", "correlate", "fftconvolve"], lambda f: ((x, y), f(x, y))),
        **dict.fromkeys(["convolve2d", "correlate2d"], lambda f: (two, f(*two))),
        **dict.fromkeys(
            [f"{way}{kind}fft{axes}" for way in ("", "i") for kind in ("", "r") for axes in "2n"]
            + [f"{way}{kind}n" for way in ("", "i") for kind in ("dct", "dst")]
            + ["hfft2", "ihfft2", "hfftn", "ihfftn"],
            lambda f: ((m,), f(m)),
        ),
        "conv": lambda f: ((images, kernels), f(images, kernels, padding="same")),
        "conv_transpose": lambda f: ((images, kernels), f(images, kernels, 2)),
        **dict.fromkeys(["max_pool", "avg_pool", "sum_pool"], lambda f: ((images,), f(images, 2))),
        **dict.fromkeys(["lfilter", "filtfilt"], lambda f: ((x,), f(*_FILTER, x))),
        "lfiltic": lambda f: ((), f(*_FILTER, [1.0])),
        "lfilter_zi": lambda f: ((), f(*_FILTER)),
        "sosfilt_zi": lambda f: ((), f(_SECTIONS)),
        **dict.fromkeys(["sosfilt", "sosfiltfilt"], lambda f: ((x,), f(_SECTIONS, x))),
        **dict.fromkeys(["periodogram", "welch"], lambda f: ((x,), f(x)[1])),
        **dict.fromkeys(["csd", "coherence"], lambda f: ((x, y), f(x, y)[1])),
        "layer_norm": lambda f: ((m,), f(m)),
        "embedding": lambda f: ((m,), f([1, 0], m)),
        "dropout": lambda f: ((x,), f(wt.random.key(1), x)),
        "scaled_dot_product_attention": lambda f: (two, f(m, k, k)),
        "firwin": lambda f: ((cutoff,), f(9, cutoff)),
        "freqz": lambda f: ((x,), f(x)[1]),
        "freqz_sos": lambda f: ((sections,), f(sections)[1]),
        "get_window": lambda f: ((cutoff,), f(("kaiser", cutoff), 9)),
        "savgol_coeffs": lambda f: ((), f(5, 2)),
        "savgol_filter": lambda f: ((x,), f(x, 5, 2)),
    }


def cases() -> Iterator[tuple[str, Callable[[], object]]]:
    """The name of each function, and what compiles it."""
    import weft.tensor as wt

    given, x = _given(wt), wt.vector("x")

    def compiled(function: Callable[..., Any], name: str) -> None:
        if name in _WHOLE:
            n = wt.scalar("n", dtype="int64")
            wt.function([n], function(n), mode="numba")
            return
        inputs, made = given[name](function) if name in given else ((x,), function(x))
        loss = wt.sum(wt.abs(made) ** 2)
        slopes = wt.grad(loss, [*inputs]) if inputs else []
        wt.function([*inputs], [made, *slopes], mode="numba")

    for part in (wt.fft, wt.signal, wt.nn):
        for name in part.__all__:
            if name not in _OTHER:
                function = getattr(part, name)
                yield f"{part.__name__}.{name}", partial(compiled, function, name)


def seconds(action: Callable[[], object]) -> float:
    """CPU seconds that `action` takes in a process of its own.

    >>> seconds(lambda: None) < 1
    True
    """
    receiver, sender = os.pipe()
    child = os.fork()
    if not child:
        status = 1
        try:
            start = process_time()
            action()
            os.write(sender, f"{process_time() - start}".encode())
            status = 0
        finally:
            os._exit(status)
    os.close(sender)
    with os.fdopen(receiver) as told:
        text = told.read()
    os.waitpid(child, 0)
    if not text:
        raise RuntimeError("the compilation failed")
    return float(text)


def main(names: list[str]) -> int:
    """Print the seconds of each function, or those named; 1 if one takes longer than the limit."""
    os.environ["WEFT_CACHE_DIR"] = "off"
    import numpy as np

    import weft.tensor as wt

    x, m = wt.vector("x"), wt.matrix("m")
    loss = wt.exp(x).sum() + (m**2).sum()
    wt.function([x, m], [loss, *wt.grad(loss, [x, m])], mode="numba")(np.ones(3), np.ones((2, 2)))
    worst = 0.0
    for name, action in cases():
        if not names or name.rpartition(".")[2] in names:
            took = seconds(action)
            worst = max(worst, took)
            print(f"{name:28} {took:5.2f}{'  above' * (took > LIMIT)}", flush=True)
    return int(worst > LIMIT)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
