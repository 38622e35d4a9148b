"""`stft`, `istft` and `spectrogram`: as SciPy's, on all backends, with derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.signal
from against_scipy import Row, assert_as_on_python, assert_as_scipy, assert_slopes, of

import weft.tensor as wt

OURS: Any = wt.signal
THEIRS: Any = scipy.signal
RANDOM = np.random.default_rng(2)
X, COLUMNS, SHORT = RANDOM.normal(size=50), RANDOM.normal(size=(30, 2)), RANDOM.normal(size=5)
TUKEY: dict[str, Any] = {"window": ("tukey", 0.25)}
Z = RANDOM.normal(size=(5, 7)) + 1j * RANDOM.normal(size=(5, 7))

ROWS = {
    "stft": Row(of("stft", window="hann", nperseg=8), [[X], [X.astype("float32")], [X + 1j]]),
    "stft of short ones": Row(of("stft", window="hann"), [[SHORT]]),
    "stft of columns": Row(
        of("stft", 2.0, "hamming", 9, 7, 12, "linear", False, "even", axis=0), [[COLUMNS]]
    ),
    "stft, odd": Row(of("stft", 2.0, "hann", 8, 3, boundary="odd", scaling="psd"), [[X]]),
    "stft, constant": Row(of("stft", 1.0, "hann", 8, boundary="constant", padded=False), [[X]]),
    "stft of what is there": Row(of("stft", 1.0, "hann", 8, boundary=None), [[X]]),
    "spectrogram": Row(of("spectrogram", nperseg=16, **TUKEY), [[X], [X + 0.5j * X]]),
    "spectrogram of columns": Row(
        of("spectrogram", 2.0, "hann", 9, scaling="spectrum", axis=0), [[COLUMNS]]
    ),
    **{
        f"spectrogram, {k}": Row(of("spectrogram", nperseg=8, mode=k, **TUKEY), [[X]], k != "angle")
        for k in ("complex", "magnitude", "angle", "phase")
    },
    "istft": Row(lambda m, z: m.istft(z, window="hann")[1], [[Z], [Z.astype("complex64")]]),
    "istft of both sides": Row(
        lambda m, z: m.istft(z, 2.0, "hann", input_onesided=False, scaling="psd")[1], [[Z]]
    ),
    "istft, odd": Row(lambda m, z: m.istft(z, window="hamming", nperseg=9)[1], [[Z]]),
    "istft, whole": Row(
        lambda m, z: m.istft(z, window="hann", noverlap=6, boundary=False, nfft=10)[1], [[Z]]
    ),
    "istft of other axes": Row(
        lambda m, z: m.istft(z, window="hann", time_axis=0, freq_axis=2)[1],
        [[np.stack([Z.T, 2 * Z.T], 1)]],
    ),
}


def real(row: Row) -> Row:
    """Real results of complex ones, as derivatives want them."""

    def call(m: Any, *arrays: Any) -> list[Any]:
        result = row.call(m, *arrays)
        last = result[-1] if isinstance(result, tuple) else result
        return [last.real, last.imag] if last.is_complex else [last]

    return row._replace(call=call)


@pytest.mark.parametrize("name", ROWS)
def test_values(name: str) -> None:
    for arrays in ROWS[name].arrays:
        assert_as_scipy(OURS, THEIRS, ROWS[name].call, arrays)


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.has_slopes])
def test_derivatives(name: str) -> None:
    assert_slopes(OURS, real(ROWS[name]))


@pytest.mark.parametrize("mode", ["numba", "jax"])
@pytest.mark.parametrize("name", ["stft", "spectrogram", "istft, odd"])
def test_backends(name: str, mode: str) -> None:
    assert_as_on_python(OURS, real(ROWS[name]), mode)


def test_there_and_back_for_all_lengths() -> None:
    x = wt.vector("x")
    f = wt.function([x], OURS.istft(OURS.stft(x, nperseg=8)[2])[1], mode="py")
    for n in (8, 13, 40):
        np.testing.assert_allclose(f(X[:n])[:n], X[:n], atol=1e-12)


ERRORS: dict[str, Callable[[Any], Any]] = {
    "scaling is": lambda x: OURS.stft(x, scaling="density"),
    "boundary is": lambda x: OURS.stft(x, boundary="mirror"),
    "noverlap must": lambda x: OURS.stft(wt.specify_shape(x, 20), nperseg=4, noverlap=4),
    "mode is": lambda x: OURS.spectrogram(x, mode="power"),
    "two axes": lambda x: OURS.istft(x),
    "must have length 8": lambda x: OURS.istft(Z, window=np.ones(5)),
    "nfft must": lambda x: OURS.istft(Z, nfft=4),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message](wt.vector("x"))
