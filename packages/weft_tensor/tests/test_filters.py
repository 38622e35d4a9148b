"""Filters, spectra and smoothing against SciPy, by Python."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.signal

import weft_tensor as wt
from weft_graph import OpFromGraph, function
from weft_tensor.ops.signal.design.prototypes import bessel

RANDOM = np.random.default_rng(7)
OURS: Any = wt.signal
THEIRS: Any = scipy.signal
X = RANDOM.normal(size=(3, 60))
COMPLEX = X + 1j * X[::-1]
BUTTER = THEIRS.butter(3, 0.3)
SECTIONS = THEIRS.butter(4, 0.3, output="sos")
FILTERS: list[tuple[Any, Any]] = [BUTTER, (THEIRS.firwin(7, 0.3), [2.0]), ([3.0], [2.0, 1.0])]
SHORT: list[tuple[Any, Any]] = [([2.0], [4.0]), ([0.5, 0.2], [1.0])]


def same(actual: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        for mine, other in zip(actual, expected, strict=True):
            same(mine, other)
        return
    assert np.shape(actual) == np.shape(expected)
    np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-10)


def compared(name: str, x: Any, *before: Any, after: Any = (), **given: Any) -> None:
    v = wt.tensor("x", str(x.dtype), [None] * x.ndim)
    made = getattr(OURS, name)(*before, v, *after, **given)
    actual = function([v], made, mode="py")(x)
    same(actual, getattr(THEIRS, name)(*before, x, *after, **given))


@pytest.mark.parametrize("axis", [0, -1])
def test_filters_and_their_states(axis: int) -> None:
    compared("filtfilt", X, [0.2, 0.3], 2.0, axis=axis, padlen=2)
    for b, a in [*FILTERS, *SHORT, (2.0, [1.0, 0.5])]:
        compared("lfilter", X, b, a, axis=axis)
        compared("lfilter", COMPLEX, b, a, axis=axis)
        order = max(np.size(b), len(a)) - 1
        shape = [*X.shape]
        shape[axis] = order
        if order:
            compared("lfilter", X, b, a, axis=axis, zi=RANDOM.normal(size=shape))
    compared("sosfilt", X, SECTIONS, axis=axis)
    shape = [*X.shape]
    shape[axis] = 2
    compared("sosfilt", X, SECTIONS, axis=axis, zi=RANDOM.normal(size=(2, *shape)))
    for b, a in FILTERS:
        same(OURS.lfilter_zi(b, a).eval(), THEIRS.lfilter_zi(b, a))
        past = ([1.0, 2.0, 3.0, 4.0], [2.0, 1.0, 5.0])
        same(OURS.lfiltic(b, a, *past).eval(), THEIRS.lfiltic(b, a, *past))
    same(OURS.sosfilt_zi(SECTIONS).eval(), THEIRS.sosfilt_zi(SECTIONS))


@pytest.mark.parametrize("padtype", ["odd", "even", "constant", None])
def test_filters_that_go_both_ways(padtype: Any) -> None:
    for b, a in FILTERS:
        compared("filtfilt", X, b, a, padtype=padtype)
        compared("filtfilt", X, b, a, axis=0, padtype=padtype, padlen=2)
    compared("sosfiltfilt", X, SECTIONS, padtype=padtype)


@pytest.mark.parametrize("numtaps", [8, 9])
def test_windowed_filters(numtaps: int) -> None:
    for given in (
        {"cutoff": 0.3},
        {"cutoff": 100.0, "fs": 1000.0, "window": ("kaiser", 5.0)},
        {"cutoff": [0.2, 0.6], "pass_zero": False},
        {"cutoff": [0.2, 0.6], "pass_zero": "bandpass", "scale": False},
        {"cutoff": [0.2, 0.6], "pass_zero": "bandstop"},
        {"cutoff": 0.4, "pass_zero": "highpass"},
    ):
        if numtaps % 2 or given.get("pass_zero") not in ("highpass", "bandstop"):
            same(OURS.firwin(numtaps, **given).eval(), THEIRS.firwin(numtaps, **given))
        else:
            with pytest.raises(ValueError, match=r"zero response at the Nyquist.* in firwin"):
                OURS.firwin(numtaps, **given)


@pytest.mark.parametrize("norm", ["phase", "delay", "mag"])
def test_poles_of_bessel_filters(norm: str) -> None:
    for order in (0, 1, 2, 3, 4, 7, 12, 25):
        for found, expected in zip(bessel(order, norm), THEIRS.besselap(order, norm), strict=True):
            np.testing.assert_allclose(found, np.reshape(expected, np.shape(found)), rtol=1e-12)


def test_responses() -> None:
    for b, a in FILTERS:
        for given in ({}, {"worN": 7, "whole": True}, {"worN": 5, "include_nyquist": True}):
            expected = THEIRS.freqz(b, a, **given)
            same(tuple(v.eval() for v in OURS.freqz(b, a, **given)), expected)
        places = np.array([0.1, 0.7, 2.0])
        expected = THEIRS.freqz(b, a, places, fs=10.0)
        same(tuple(v.eval() for v in OURS.freqz(b, a, places, fs=10.0)), expected)
    same(tuple(v.eval() for v in OURS.freqz_sos(SECTIONS, 9)), THEIRS.freqz_sos(SECTIONS, 9))


@pytest.mark.parametrize("scaling", ["density", "spectrum"])
@pytest.mark.parametrize("detrend", ["constant", "linear", False])
def test_spectra(scaling: str, detrend: Any) -> None:
    given: dict[str, Any] = {"scaling": scaling, "detrend": detrend, "fs": 10.0}
    compared("periodogram", X, **given)
    compared("periodogram", X, nfft=64, axis=0, **given)
    compared("periodogram", X, nfft=41, **given)
    compared("periodogram", COMPLEX, return_onesided=False, **given)
    compared("welch", RANDOM.normal(size=(2, 300)), **given)
    compared("welch", X, nperseg=16, average="median", **given)
    compared("welch", X, nperseg=15, noverlap=3, nfft=20, window="hamming", **given)
    compared("csd", X, after=(X[::-1].copy(),), nperseg=16, **given)
    compared("csd", X, after=(X[::-1].copy(),), nperseg=9, average="median", **given)
    compared("coherence", X, after=(X[::-1].copy(),), nperseg=16, detrend=detrend)


@pytest.mark.parametrize("axis", [0, -2, -1])
def test_trends_by_functions(axis: int) -> None:
    rows = RANDOM.normal(size=(40, 30))
    for trend in (lambda part: part - 2 * part.mean(), lambda part: part - part[:1] / 2):
        given: dict[str, Any] = {"detrend": trend, "axis": axis}
        compared("periodogram", rows, **given)
        for name in ("welch", "spectrogram", "stft"):
            compared(name, rows, nperseg=8, **given)
        compared("csd", rows, after=(rows[::-1].copy(),), nperseg=8, **given)


def test_signals_that_are_not_as_long() -> None:
    x, y = wt.vectors("x y")
    for values in ((X[0], X[1, :20]), (X[0, :20], X[1]), (X[0], X[1])):
        f = function([x, y], wt.signal.csd(x, y, nperseg=8), mode="py")
        same(f(*values), THEIRS.csd(*values, nperseg=8))
        same(tuple(v.eval() for v in OURS.csd(*values, nperseg=8)), THEIRS.csd(*values, nperseg=8))
    f = function([x, y], wt.signal.coherence(x, y)[1])
    with pytest.raises(ValueError, match=r"axis 0 of <y : .* must have the length of axis 0 of <x"):
        f(np.ones(256), np.ones(1000))


def test_trends_and_analytic_signals() -> None:
    for axis in (0, -1):
        compared("hilbert", X, axis=axis)
        compared("hilbert", X, N=9, axis=axis)
        for kind in ("linear", "constant"):
            compared("detrend", X, axis=axis, type=kind)
    compared("detrend", COMPLEX)


@pytest.mark.parametrize("mode", ["interp", "mirror", "nearest", "wrap", "constant"])
def test_polynomials_that_fit(mode: str) -> None:
    for window, order, deriv in ((5, 2, 0), (7, 3, 1), (3, 2, 2), (5, 1, 2)):
        given: dict[str, Any] = {
            "window_length": window,
            "polyorder": order,
            "deriv": deriv,
            "delta": 0.5,
        }
        compared("savgol_filter", X, mode=mode, cval=1.5, **given)
        compared("savgol_filter", RANDOM.normal(size=(9, 2)), axis=0, mode=mode, **given)
    for more in ({}, {"pos": 1}, {"use": "dot", "deriv": 1}):
        same(OURS.savgol_coeffs(5, 3, **more).eval(), THEIRS.savgol_coeffs(5, 3, **more))


def test_medians_of_neighbours() -> None:
    compared("medfilt", X[0])
    compared("medfilt", X, kernel_size=(3, 5))
    compared("medfilt", np.arange(12).reshape(3, 4) * 7 % 5)


def test_windows_by_their_names() -> None:
    for name in ("hann", "hamm", ("tukey", 0.3), ("gaussian", 2.0), 4.0, "lanczos", "box"):
        for fftbins in (True, False):
            expected = THEIRS.get_window(name, 9, fftbins)
            same(OURS.get_window(name, 9, fftbins).eval(), expected)
    beta = wt.scalar("beta")
    same(OURS.get_window(beta, 9).eval({beta: 4.0}), THEIRS.get_window(4.0, 9))
    same(OURS.get_window("hann_symmetric", 9).eval(), THEIRS.get_window("hann", 9, False))


V, M = wt.vector("x"), wt.matrix("m")
BAD: list[tuple[Any, str]] = [
    (lambda: OURS.filtfilt([1.0, 2.0], [1.0], V, padtype="no"), "value 'no' given to padtype.*x"),
    (lambda: OURS.filtfilt([1.0, 2.0], [1.0], np.ones(4)), "greater than padlen, which is 6"),
    (lambda: OURS.lfilter([1], [0, 2], V), r"divides by a\[0\], and that is 0, in lfilter"),
    (lambda: OURS.sosfilt(M, V), r"shape \(n_sections, 6\), of a known number.*m.*in sosfilt"),
    (lambda: OURS.sosfilt(SECTIONS, V, zi=V), r"Invalid zi shape.*in sosfilt"),
    (lambda: OURS.firwin(5, 1.5), "greater than 0 and less than fs/2, not 1.5, in firwin"),
    (lambda: OURS.firwin(5, [0.4, 0.2]), "strictly increasing"),
    (lambda: OURS.firwin(5, 0.4, pass_zero="bandpass"), "'bandpass' for 1"),
    (lambda: OURS.firwin(5, 0.4, window="no"), "Unknown window type: 'no'"),
    (lambda: OURS.freqz(M), "takes vectors, not .*m.* in freqz"),
    (lambda: OURS.welch(V, scaling="no"), "scaling is 'density' or 'spectrum', not 'no', in welch"),
    (lambda: OURS.welch(V, average="no"), "average is 'mean' or 'median'"),
    (lambda: OURS.welch(V, window="no"), "Unknown window type: 'no'.* in welch"),
    (lambda: OURS.welch(np.ones(8), nperseg=4, noverlap=4), "noverlap must be less than nperseg"),
    (lambda: OURS.welch(np.ones(8), nperseg=4, nfft=3), "nfft must be greater"),
    (lambda: OURS.welch(V, window=np.ones(4), nperseg=6), "nperseg=6 is not the length"),
    (lambda: OURS.welch(V, detrend="no"), "Trend type must be 'linear' or 'constant', not 'no'"),
    (lambda: OURS.hilbert(V * 1j), "x must be real"),
    (lambda: OURS.hilbert(V, 0), "data points"),
    (lambda: OURS.detrend(V, type="no"), "Trend type must be .* in detrend"),
    (lambda: OURS.detrend(X, bp=[3, 1000]), "bp are from 0 to below the length, not"),
    (lambda: OURS.detrend(V, bp=-2), "bp are from 0 to below the length, not -2"),
    (lambda: OURS.medfilt(1j * V), "medfilt takes real numbers"),
    (lambda: OURS.medfilt(V > 0), "medfilt takes real numbers"),
    (lambda: OURS.hilbert2(X, (4, 0)), "N must be positive"),
    (lambda: OURS.periodogram(V, -1.0), "fs is positive"),
    (lambda: OURS.medfilt(V, 4), "Each element of kernel_size should be odd.* in medfilt"),
    (lambda: OURS.savgol_filter(V, 5, 5), "polyorder must be less than window_length"),
    (lambda: OURS.savgol_filter(V, 4, 1), "window_length must be odd"),
    (lambda: OURS.savgol_filter(V, 5, 2, mode="no"), "mode must be one of .* in savgol_filter"),
    (lambda: OURS.savgol_filter(np.ones(3), 5, 2), "less than or equal to the size of x"),
    (lambda: OURS.savgol_coeffs(5, 2, use="no"), "must be 'conv' or 'dot'"),
    (lambda: OURS.get_window("no", 3), "Unknown window type"),
]


@pytest.mark.parametrize(("make", "message"), BAD)
def test_bad_input_is_told(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_short_input_is_told_at_the_call() -> None:
    f = function([V], OURS.filtfilt([1.0, 2.0], [1.0], V), mode="py")
    with pytest.raises(ValueError, match="greater than padlen"):
        f(np.ones(6))
    f = function([V], OURS.savgol_filter(V, 5, 2), mode="py")
    with pytest.raises(ValueError, match="less than or equal to the size of x"):
        f(np.ones(4))
    x = V.astype("float32")
    powers = {
        "noverlap must be less": OURS.welch(x, noverlap=5)[1],
        "nfft must be greater": OURS.stft(x, nfft=3)[2],
        "the window is longer": OURS.csd(x, x, window=np.ones(5))[1],
    }
    for message, power in powers.items():
        f = function([V], power, mode="py")
        assert f(np.ones(2 if "nfft" in message else 9)).dtype in ("float32", "complex64")
        with pytest.raises(ValueError, match=message):
            f(np.ones(4))


def test_sums_of_windows_come_back_from_pickling_as_themselves() -> None:
    for image in (wt.ndimage.uniform_filter(V, 3), wt.ndimage.uniform_filter1d(V, 4)):
        op = OpFromGraph([V], [image])
        assert pickle.loads(pickle.dumps(op)) is op
