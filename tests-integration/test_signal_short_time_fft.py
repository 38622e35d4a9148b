"""Transforms as objects, of short parts and at other frequencies: against SciPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.signal
from against_scipy import Row, assert_as_on_python, assert_as_scipy, assert_slopes

import weft.tensor as wt

OURS: Any = wt.signal
THEIRS: Any = scipy.signal
RANDOM = np.random.default_rng(8)
WINDOW = scipy.signal.windows.gaussian(9, 2.0)
HANN = scipy.signal.windows.hann(8, sym=False)
X, PAIR = RANDOM.normal(size=30), RANDOM.normal(size=(3, 21))
COMPLEX = X + 1j * RANDOM.normal(size=30)
DOUBLED = {"fft_mode": "onesided2X", "scale_to": "psd"}


def both(window: Any, hop: int, **how: Any) -> Callable[..., Any]:
    """The transforms of a signal, and the way back."""

    def call(m: Any, x: Any) -> Any:
        SFT = m.ShortTimeFFT(window, hop, 2.0, **how)
        S = SFT.stft(x)
        back = SFT.istft(S, 1, 17)
        return [S, back, *([SFT.istft(S), SFT.spectrogram(x)] if SFT.p_min == -1 else [])]

    return call


def parts(**how: Any) -> Callable[..., Any]:
    return lambda m, x: m.ShortTimeFFT(WINDOW, 3, 2.0).stft(x, **how)


def further(m: Any, x: Any, y: Any) -> Any:
    SFT = m.ShortTimeFFT.from_window("hann", 4.0, 8, 5, mfft=16, scale_to="magnitude")
    own = m.ShortTimeFFT.from_win_equals_dual(WINDOW, 3, 1.0, scale_to="unitary")
    dual = m.ShortTimeFFT.from_dual(HANN, 2, 1.0, phase_shift=None)
    given = m.ShortTimeFFT(HANN, 2, 1.0, dual_win=dual.win)
    return [SFT.spectrogram(x, y), SFT.spectrogram(x, detr="linear"), own.stft(x), dual.stft(y),
            SFT.stft_detrend(x, lambda part: part - part.mean(), 1, 4), given.istft(dual.stft(y)),
            *[form.istft(form.stft(x)) for form in (SFT, own, dual)]]  # fmt: skip


def on_axes(m: Any, x: Any) -> Any:
    SFT = m.ShortTimeFFT(HANN, 3, 1.0, fft_mode="twosided")
    S = SFT.stft(x, axis=0, padding="odd")
    return [S, SFT.istft(S, f_axis=0), SFT.istft(SFT.stft(x, axis=1), k1=7)]


def at_frequencies(m: Any, x: Any) -> Any:
    spiral = m.CZT(30, 7, 0.97 * np.exp(-0.3j), 1.02)
    forms = spiral, m.CZT(30), m.ZoomFFT(30, [1.0, 3.0], 9, fs=10.0, endpoint=True)
    last = m.ZoomFFT(30, 0.4)
    return [*[v for form in (*forms, last) for v in (form(x), form.points())],
            spiral(x[:, None], axis=0)]  # fmt: skip


ROWS = {
    **{f"a window of Gauss, {hop}": Row(both(WINDOW, hop), [[X], [PAIR]]) for hop in (1, 2, 3, 9)},
    **{f"a window of Hann, {hop}": Row(both(HANN, hop), [[X], [PAIR]]) for hop in (2, 4, 5)},
    "two sides": Row(both(WINDOW, 4, fft_mode="twosided", mfft=12), [[COMPLEX]]),
    "about the middle": Row(both(WINDOW, 4, fft_mode="centered"), [[X]]),
    "a complex window": Row(both(WINDOW * np.exp(0.3j * np.arange(9)), 4, fft_mode="centered"),
                            [[COMPLEX]]),
    "doubled": Row(both(WINDOW, 4, **DOUBLED), [[X]]),
    "doubled, of even length": Row(both(WINDOW, 4, mfft=10, **DOUBLED), [[X]]),
    "a shift": Row(both(WINDOW, 4, phase_shift=2), [[X]]),
    "no shift": Row(both(WINDOW, 4, phase_shift=None), [[X]]),
    **{f"beyond the ends, {k}": Row(parts(padding=k), [[X]]) for k in ("edge", "even", "odd")},
    "some parts": Row(parts(p0=1, p1=5, k_offset=2), [[X]]),
    "parts with an offset": Row(parts(p1=2, k_offset=-1, padding="even"), [[X]]),
    "further": Row(further, [[X, X[::-1].copy()]]),
    "at other frequencies": Row(at_frequencies, [[X], [COMPLEX]]),
    "axes": Row(on_axes, [[RANDOM.normal(size=(11, 12))]]),
}  # fmt: skip


@pytest.mark.cases(16)
@pytest.mark.parametrize("name", ROWS)
def test_values(name: str) -> None:
    for arrays in ROWS[name].arrays:
        assert_as_scipy(OURS, THEIRS, ROWS[name].call, arrays, 1e-10)


@pytest.mark.cases("jax")
@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_backends(mode: str) -> None:
    def squares(m: Any, x: Any) -> Any:
        SFT = m.ShortTimeFFT(HANN, 3, 1.0, mfft=10)
        return [SFT.spectrogram(x), SFT.istft(SFT.stft(x, padding="edge"), 1, 14)]

    assert_as_on_python(OURS, Row(squares, [[X]]), mode)
    assert_as_on_python(OURS, Row(at_frequencies, [[X]], False), mode)


def test_derivatives() -> None:
    assert_slopes(OURS, Row(lambda m, x: m.ShortTimeFFT(HANN, 3, 1.0).spectrogram(x), [[X]]))


@pytest.mark.parametrize("window", [WINDOW, HANN, np.r_[0.0, 0.0, 0.0, 1.0, 1.0, 0.0]])
@pytest.mark.parametrize("hop", [1, 2, 5])
def test_how_many_parts_there_are(window: np.ndarray, hop: int) -> None:
    ours, x = OURS.ShortTimeFFT(window, hop, 1.0), wt.vector("x")
    f = wt.function([x], ours.stft(x))
    for n in range(5, 24):
        known = ours.stft(np.ones(n)).type.shape
        assert f(np.ones(n)).shape == known == (ours.f_pts, ours.p_num(n))


def test_what_needs_no_signal_is_scipys() -> None:
    ours, theirs = (m.ShortTimeFFT(WINDOW, 3, 2.0) for m in (OURS, THEIRS))
    np.testing.assert_array_equal(ours.t(30), theirs.t(30))
    np.testing.assert_array_equal(ours.f, theirs.f)
    assert ours.extent(30) == theirs.extent(30)
    of_ours = OURS.ShortTimeFFT(wt.signal.windows.gaussian(9, 2.0), 3, 2.0)
    np.testing.assert_allclose(of_ours.win, WINDOW)
    with pytest.raises(AttributeError):
        ours.fft_mode = "centered"


x = wt.vector("x")
SHORT: Any = OURS.ShortTimeFFT(WINDOW, 3, 2.0)
ERRORS: dict[str, Callable[[], Any]] = {
    "a signal must have 5": lambda: SHORT.stft(np.ones(4)),
    "must have 5 numbers": lambda: wt.function([x], SHORT.stft(x))(np.ones(4)),
    "the parts from p0=0 to p1=99": lambda: SHORT.stft(np.ones(14), 0, 99),
    "parts from p0=3 to p1=3": lambda: wt.function([x], SHORT.stft(x, 3, 3))(np.ones(14)),
    "takes real signals": lambda: SHORT.stft(COMPLEX),
    "padding": lambda: SHORT.stft(X, padding="constant"),
    "istft takes 5 frequencies": lambda: SHORT.istft(np.ones((4, 9))),
    "k0=0 and k1=2 must": lambda: SHORT.istft(np.ones((5, 9)), 0, 2).eval(),
    "k0=-9 and k1=None must": lambda: SHORT.istft(np.ones((5, 9)), -9).eval(),
    "must have length 14": lambda: OURS.CZT(14)(X),
    "must have length 15": lambda: wt.function([x], OURS.ZoomFFT(15, 0.4)(x))(X),
    "data points": lambda: OURS.CZT(30, 0)(X),
    "Parameter hop": lambda: OURS.ShortTimeFFT(WINDOW, 0, 1.0),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message]()


def test_windows_are_numbers() -> None:
    with pytest.raises(TypeError, match="ShortTimeFFT takes numbers, and no variables"):
        OURS.ShortTimeFFT(x, 3, 1.0)
