"""Signals: `wt.signal`, with the names of `scipy.signal`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from weft_tensor.batching.rows import convolve1d
from weft_tensor.front.keywords import take_keywords
from weft_tensor.front.unknown_name import unknown_name
from weft_tensor.ops.signal import windows
from weft_tensor.ops.signal.chirps import CZT, ZoomFFT, czt, czt_points, zoom_fft
from weft_tensor.ops.signal.convolution import (
    convolve,
    convolve2d,
    correlate,
    correlate2d,
    correlation_lags,
    fftconvolve,
    oaconvolve,
)
from weft_tensor.ops.signal.design import (
    fractions,
    moves,
    numbers,
    recursive,
    roots,
    sampled,
    system_objects,
    systems,
    windowed,
)
from weft_tensor.ops.signal.design.forms import sos2zpk, ss2tf, tf2ss, zpk2ss
from weft_tensor.ops.signal.design.fractions import *
from weft_tensor.ops.signal.design.moves import *
from weft_tensor.ops.signal.design.numbers import *
from weft_tensor.ops.signal.design.recursive import *
from weft_tensor.ops.signal.design.roots import *
from weft_tensor.ops.signal.design.sampled import *
from weft_tensor.ops.signal.design.system_objects import *
from weft_tensor.ops.signal.design.systems import *
from weft_tensor.ops.signal.design.windowed import *
from weft_tensor.ops.signal.envelopes import envelope
from weft_tensor.ops.signal.filters import deconvolve, filtfilt, lfilter, lfilter_zi, lfiltic
from weft_tensor.ops.signal.irregular import lombscargle
from weft_tensor.ops.signal.peaks.extremes import argrelextrema, argrelmax, argrelmin
from weft_tensor.ops.signal.peaks.measures import find_peaks, peak_prominences, peak_widths
from weft_tensor.ops.signal.peaks.wavelets import find_peaks_cwt
from weft_tensor.ops.signal.resampling import decimate, resample, resample_poly, upfirdn
from weft_tensor.ops.signal.responses import firwin, freqz, freqz_sos, group_delay
from weft_tensor.ops.signal.sections import sosfilt, sosfilt_zi, sosfiltfilt
from weft_tensor.ops.signal.short_time.short_time_fft import ShortTimeFFT
from weft_tensor.ops.signal.short_time.transforms import istft, spectrogram, stft
from weft_tensor.ops.signal.smoothing import (
    detrend,
    medfilt,
    medfilt2d,
    order_filter,
    savgol_coeffs,
    savgol_filter,
    wiener,
)
from weft_tensor.ops.signal.spectra import coherence, csd, hilbert, hilbert2, periodogram, welch
from weft_tensor.ops.signal.spline_filters import (
    cspline1d,
    cspline1d_eval,
    gauss_spline,
    qspline1d,
    qspline1d_eval,
)
from weft_tensor.ops.signal.waveforms import (
    chirp,
    gausspulse,
    sawtooth,
    square,
    sweep_poly,
    unit_impulse,
    vectorstrength,
)
from weft_tensor.ops.signal.window_names import get_window
from weft_tensor.ops.statistics.graduation import whittaker_henderson

sosfreqz = freqz_sos

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        homes = {n: n for n in __all__} | {n: f"windows.{n}" for n in windows.__all__}
        raise unknown_name(__name__, name, homes, "scipy.signal", "scipy.signal.windows")


__all__ = [
    *fractions.__all__,
    *moves.__all__,
    *numbers.__all__,
    *recursive.__all__,
    *roots.__all__,
    *sampled.__all__,
    *system_objects.__all__,
    *systems.__all__,
    "sos2zpk",
    "ss2tf",
    "tf2ss",
    "zpk2ss",
    *windowed.__all__,
    "CZT",
    "ShortTimeFFT",
    "ZoomFFT",
    "argrelextrema",
    "argrelmax",
    "argrelmin",
    "chirp",
    "coherence",
    "convolve",
    "convolve1d",
    "convolve2d",
    "correlate",
    "correlate2d",
    "correlation_lags",
    "csd",
    "cspline1d",
    "cspline1d_eval",
    "czt",
    "czt_points",
    "decimate",
    "deconvolve",
    "detrend",
    "envelope",
    "fftconvolve",
    "filtfilt",
    "find_peaks",
    "find_peaks_cwt",
    "firwin",
    "freqz",
    "freqz_sos",
    "group_delay",
    "sosfreqz",
    "gauss_spline",
    "gausspulse",
    "get_window",
    "hilbert",
    "hilbert2",
    "istft",
    "lfilter",
    "lfilter_zi",
    "lfiltic",
    "lombscargle",
    "medfilt",
    "medfilt2d",
    "oaconvolve",
    "order_filter",
    "peak_prominences",
    "peak_widths",
    "periodogram",
    "qspline1d",
    "qspline1d_eval",
    "resample",
    "resample_poly",
    "savgol_coeffs",
    "savgol_filter",
    "sawtooth",
    "sosfilt",
    "sosfilt_zi",
    "sosfiltfilt",
    "spectrogram",
    "square",
    "stft",
    "upfirdn",
    "sweep_poly",
    "unit_impulse",
    "vectorstrength",
    "welch",
    "whittaker_henderson",
    "wiener",
    "windows",
    "zoom_fft",
]

take_keywords(globals())
