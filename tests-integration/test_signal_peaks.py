"""Peaks of signals: against SciPy, on all backends, with derivatives."""

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
RANDOM = np.random.default_rng(4)
WAVES = np.sin(np.arange(120) / 4) + RANDOM.normal(size=120) / 3
NOISE, STEPS = RANDOM.normal(size=40), RANDOM.integers(0, 4, 60) * 1.0
TABLE = RANDOM.integers(0, 5, (6, 7)) * 1.0
ANY = [[NOISE], [STEPS], [STEPS[:2]], [np.arange(5.0)], [np.zeros(4)], [NOISE[:0]]]


def peaks(**conditions: Any) -> Callable[..., Any]:
    """All that is found, in the order of names."""

    def call(m: Any, x: Any) -> Any:
        at, properties = m.find_peaks(x, **conditions)
        return [at, *(properties[name] for name in sorted(properties))]

    return call


def extremes(name: str, *args: Any, **kwargs: Any) -> Callable[..., Any]:
    return lambda m, x: [*getattr(m, name)(x, *args, **kwargs)]


def not_less(x: Any, y: Any) -> Any:
    return x >= y


def gaussian(points: Any, width: Any) -> Any:
    """A wavelet of one's own; of vectors of unknown lengths, `points` is a variable."""
    m: Any = wt if isinstance(points, wt.TensorVariable) else np
    return m.exp(-(((m.arange(m.ceil(points)) - (points - 1) / 2) / width) ** 2))


def by_wavelets(widths: Any, **kwargs: Any) -> Row:
    """Of waves and noise, of few elements and of none that stand out."""
    call = of("find_peaks_cwt", widths, **kwargs)
    return Row(call, [[WAVES], [NOISE], [NOISE[:5]], [np.arange(9.0)]], False)


def measured(name: str, *args: Any) -> Callable[..., Any]:
    at = THEIRS.find_peaks(NOISE)[0]
    return lambda m, x: [*getattr(m, name)(x, at, *args)]


ROWS = {
    "find_peaks": Row(peaks(), ANY, False),
    "height": Row(peaks(height=0.5), ANY),
    "heights between": Row(peaks(height=(None, 1.0)), ANY),
    "heights of each place": Row(peaks(height=np.linspace(-1, 1, 40)), ANY[:1]),
    "threshold": Row(peaks(threshold=0.4), ANY),
    "thresholds between": Row(peaks(threshold=(0.4, 3.0)), ANY),
    "distance": Row(peaks(distance=4.5), ANY[:1], False),
    "prominence": Row(peaks(prominence=0.7), ANY),
    "prominence in a window": Row(peaks(prominence=(0.2, 3.0), wlen=7), ANY),
    "width": Row(peaks(width=1.2, rel_height=0.7), ANY),
    "plateau_size": Row(peaks(plateau_size=(2, 3)), ANY, False),
    "all conditions": Row(peaks(height=-0.5, threshold=0.1, distance=2, prominence=0.3,
                                width=(0.5, 4), plateau_size=1), ANY[:1]),
    "find_peaks_cwt": by_wavelets(np.arange(1, 9)),
    "find_peaks_cwt, few gaps": by_wavelets(np.arange(1.5, 9), gap_thresh=0, min_length=1),
    "find_peaks_cwt, far": by_wavelets(np.arange(1, 6), max_distances=np.arange(1, 6) * 2.0),
    "find_peaks_cwt, noise": by_wavelets([1, 3, 4], min_snr=0.5, noise_perc=35, window_size=7),
    "find_peaks_cwt, one width": by_wavelets(2.5, wavelet=gaussian),
    "peak_prominences": Row(measured("peak_prominences"), ANY[:1]),
    "peak_prominences in a window": Row(measured("peak_prominences", 5.5), ANY[:1]),
    "peak_widths": Row(measured("peak_widths", 0.3), ANY[:1]),
    "argrelmax": Row(extremes("argrelmax"), [*ANY[:3], [TABLE]], False),
    "argrelmax of rows": Row(extremes("argrelmax", 1, 2), [[TABLE]], False),
    "argrelmin": Row(extremes("argrelmin", order=2, mode="wrap"), [*ANY[:3], [TABLE]], False),
    "argrelextrema": Row(extremes("argrelextrema", not_less, 1), [[TABLE]], False),
}  # fmt: skip


@pytest.mark.cases(12)
@pytest.mark.parametrize("name", ROWS)
def test_values(name: str) -> None:
    for arrays in ROWS[name].arrays:
        assert_as_scipy(OURS, THEIRS, ROWS[name].call, arrays)


@pytest.mark.cases(5)
@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.has_slopes])
def test_derivatives(name: str) -> None:
    assert_slopes(OURS, ROWS[name])


@pytest.mark.cases("numba")
@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_backends(mode: str) -> None:
    def everything(m: Any, x: Any) -> Any:
        return [
            *peaks(height=0.0, distance=2, prominence=0.3)(m, x),
            *m.argrelmin(x),
            m.find_peaks_cwt(x, np.arange(1, 9)),
        ]

    assert_as_on_python(OURS, Row(everything, [*ANY[:1], [WAVES]]), mode)


ERRORS: dict[str, Callable[[], Any]] = {
    "mode is": lambda: OURS.argrelmax(NOISE, mode="raise"),
    "order is": lambda: OURS.argrelmax(NOISE, order=0),
    "find_peaks takes a vector": lambda: OURS.find_peaks(TABLE),
    "peak_widths takes a vector": lambda: OURS.peak_widths(TABLE, [1]),
    "find_peaks_cwt takes real vectors": lambda: OURS.find_peaks_cwt(TABLE, [1]),
    "2 max_distances, not": lambda: OURS.find_peaks_cwt(NOISE, [1, 2], max_distances=[1.0]),
    "wavelets are real": lambda: OURS.find_peaks_cwt(NOISE, [1], lambda n, w: 1j * np.ones(n)),
    "peak_prominences takes a vector": lambda: OURS.peak_prominences(TABLE, [1]),
}


def test_holes_are_walls() -> None:
    x = np.array([0.0, np.nan, 1.0, 3.0, 0.5, np.nan, 4.0, 1.0])
    for m in (OURS, scipy.signal):
        peaks, properties = m.find_peaks(x, prominence=0)
        results = [wt.as_tensor(v).eval().tolist() for v in (peaks, properties["prominences"])]
        assert results == [[3], [2.0]]


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message]()


def test_long_vectors_take_no_square_of_their_length() -> None:
    """Of all pairs of 100,000 elements and their peaks, there would be 27 GB."""
    x = RANDOM.normal(size=100_000).cumsum() + RANDOM.normal(size=100_000)
    peaks = scipy.signal.find_peaks(x)[0]
    v, at = wt.vector("v"), wt.lvector("at")
    found = [*wt.signal.peak_prominences(v, at), *wt.signal.peak_widths(v, at, 0.9)]
    wanted = [*scipy.signal.peak_prominences(x, peaks), *scipy.signal.peak_widths(x, peaks, 0.9)]
    for result, value in zip(wt.function([v, at], found, mode="py")(x, peaks), wanted, strict=True):
        np.testing.assert_allclose(result, value, rtol=1e-12)
