"""Fourier transforms: `wt.fft`, with the names of `numpy.fft` and some of `scipy.fft`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from weft_tensor.front.keywords import take_keywords
from weft_tensor.front.unknown_name import unknown_name
from weft_tensor.ops.fft.cosines import EvensFirst, dct, dst, idct, idst
from weft_tensor.ops.fft.frequencies import FFTShift, fftfreq, fftshift, ifftshift, rfftfreq
from weft_tensor.ops.fft.hankel import fht, fhtoffset, ifht
from weft_tensor.ops.fft.lengths import next_fast_len, prev_fast_len
from weft_tensor.ops.fft.numpy_names import (
    fft,
    fft2,
    fftn,
    hfft,
    ifft,
    ifft2,
    ifftn,
    ihfft,
    irfft,
    irfft2,
    irfftn,
    rfft,
    rfft2,
    rfftn,
)
from weft_tensor.ops.fft.several_axes import (
    dctn,
    dstn,
    hfft2,
    hfftn,
    idctn,
    idstn,
    ihfft2,
    ihfftn,
)
from weft_tensor.ops.fft.transforms import FFT, IRFFT, RFFT

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        raise unknown_name(__name__, name, {n: n for n in __all__}, "numpy.fft", "scipy.fft")


__all__ = [
    "FFT",
    "IRFFT",
    "RFFT",
    "EvensFirst",
    "FFTShift",
    "dct",
    "dctn",
    "dst",
    "dstn",
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "fht",
    "fhtoffset",
    "hfft",
    "hfft2",
    "hfftn",
    "idct",
    "idctn",
    "idst",
    "idstn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ifht",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "next_fast_len",
    "prev_fast_len",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

take_keywords(globals())
