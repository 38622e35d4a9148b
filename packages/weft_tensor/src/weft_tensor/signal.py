"""Signals: `wt.signal`, with the names of `scipy.signal`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from weft_tensor.front.unknown_name import unknown_name
from weft_tensor.ops.signal import windows
from weft_tensor.ops.signal.convolution import (
    convolve,
    convolve2d,
    correlate,
    correlate2d,
    fftconvolve,
)
from weft_tensor.ops.signal.filters import lfilter

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        offered = {n: n for n in __all__} | {n: f"windows.{n}" for n in windows.__all__}
        raise unknown_name(__name__, name, offered)


__all__ = [
    "convolve",
    "convolve2d",
    "correlate",
    "correlate2d",
    "fftconvolve",
    "lfilter",
    "windows",
]
