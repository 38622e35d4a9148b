"""Signals and layers against SciPy, by Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.signal

import weft_tensor as wt
from weft_graph import function, grad
from weft_tensor.ops.fft.lengths import fast_size

RANDOM = np.random.default_rng(4)
ANY: Any = wt.signal
THEIRS: Any = scipy.signal


def drawn(*shape: int) -> Any:
    return RANDOM.normal(size=shape)


def computed(make: Any, *values: Any, known: bool = False) -> Any:
    inputs = [
        wt.tensor(f"x{k}", str(v.dtype), v.shape if known else [None] * v.ndim)
        for k, v in enumerate(values)
    ]
    return function(inputs, make(*inputs), mode="py")(*values)


def compare(actual: Any, expected: Any) -> None:
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    tolerance = 1e-5 if actual.dtype in ("float32", "complex64") else 1e-11
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


PAIRS: list[tuple[Any, Any]] = [
    (drawn(7), drawn(3)),
    (drawn(3), drawn(6)),
    (drawn(1), drawn(1)),
    (drawn(8) + 1j * drawn(8), drawn(4) + 1j),
    (drawn(5).astype("float32"), drawn(2).astype("float32")),
    (np.arange(6), np.arange(1, 4)),
    (drawn(5, 6), drawn(2, 3)),
    (drawn(2, 3), drawn(4, 4)),
    (np.arange(12).reshape(3, 4), np.arange(4).reshape(2, 2)),
    (drawn(3, 4, 5), drawn(2, 1, 3)),
]


@pytest.mark.parametrize("name", ["convolve", "correlate"])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("method", ["auto", "direct", "fft"])
def test_convolution_is_as_in_scipy(name: str, mode: str, method: str) -> None:
    for x, y in PAIRS:
        expected = getattr(THEIRS, name)(x, y, mode, method)
        for known in (False, True):
            actual = computed(
                lambda v, w: getattr(ANY, name)(v, w, mode, method), x, y, known=known
            )
            compare(actual, expected)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_fftconvolve_is_as_in_scipy(mode: str) -> None:
    for x, y in PAIRS:
        if x.dtype.kind != "i":
            compare(
                computed(lambda v, w: ANY.fftconvolve(v, w, mode), x, y),
                THEIRS.fftconvolve(x, y, mode),
            )
    x, y = drawn(3, 9), drawn(3, 4)
    expected = THEIRS.fftconvolve(x, y, mode, axes=1)
    compare(computed(lambda v, w: ANY.fftconvolve(v, w, mode, 1), x, y, known=True), expected)


def test_fast_sizes_are_even_and_no_fifth_too_large() -> None:
    n = wt.lscalar("n")
    sizes = np.array([int(v) for v in map(function([n], fast_size(n), mode="py"), range(50, 900))])
    lengths = np.arange(50, 900)
    assert (sizes >= lengths).all()
    assert (sizes % 2 == 0).all()
    assert (sizes <= 1.2 * lengths).all()


@pytest.mark.parametrize("name", ["convolve2d", "correlate2d"])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("boundary", ["fill", "wrap", "symm"])
def test_two_axes_are_as_in_scipy(name: str, mode: str, boundary: str) -> None:
    for x, y in PAIRS:
        if x.ndim == 2:
            given = (mode, boundary, 2) if boundary == "fill" else (mode, boundary)
            expected = getattr(THEIRS, name)(x, y, *given)
            compare(computed(lambda v, w, g=given: getattr(ANY, name)(v, w, *g), x, y), expected)


def test_what_is_beside_has_the_dtype_of_the_result() -> None:
    x, y = np.arange(6).reshape(2, 3), np.full((2, 2), 0.5)
    found = ANY.convolve2d(x, y, fillvalue=1.5).eval()
    np.testing.assert_allclose(found, THEIRS.convolve2d(x, y, fillvalue=1.5))


def test_long_convolutions_are_as_in_scipy() -> None:
    x, y = drawn(3000), drawn(2000)
    for known in (False, True):
        np.testing.assert_allclose(
            computed(ANY.convolve, x, y, known=known), np.convolve(x, y), atol=1e-10
        )


def test_filters_are_as_in_scipy() -> None:
    cases = [([0.5, 0.2], [1.0]), ([1.0], [2.0, -0.5]), ([0.3, 0.1, 0.2], [1.0, -0.4, 0.2, 0.1])]
    x = drawn(4, 9)
    for b, a in cases:
        for axis in (0, -1):
            expected = THEIRS.lfilter(b, a, x, axis)
            compare(computed(lambda v, b=b, a=a, k=axis: ANY.lfilter(b, a, v, k), x), expected)
        zi = drawn(4, max(len(a), len(b)) - 1)
        expected = THEIRS.lfilter(b, a, x, -1, zi)
        actual = computed(lambda v, z, b=b, a=a: ANY.lfilter(b, a, v, -1, z), x, zi)
        for mine, other in zip(actual, expected, strict=True):
            compare(mine, other)


APART = ("chebwin", "dpss", "taylor", "kaiser_bessel_derived")
"""Their lengths are no variables, or even: test_signal_fractions has them."""
WINDOWS: dict[str, tuple[Any, ...]] = {
    **{name: () for name in wt.signal.windows.__all__ if name not in APART},
    "gaussian": (2.0,),
    "kaiser": (3.0,),
    "general_gaussian": (1.5, 2.0),
    "general_cosine": ([0.5, 0.3, 0.2],),
    "general_hamming": (0.7,),
    "exponential": (None, 2.0),
    "tukey": (0.4,),
}


@pytest.mark.parametrize("name", WINDOWS)
@pytest.mark.parametrize("sym", [True, False])
def test_windows_are_as_in_scipy(name: str, sym: bool) -> None:
    size = wt.scalar("n", dtype="int64")
    f = function([size], getattr(ANY.windows, name)(size, *WINDOWS[name], sym=sym), mode="py")
    for n in (0, 1, 2, 3, 8, 11, 20):
        expected = getattr(THEIRS.windows, name)(n, *WINDOWS[name], sym=sym)
        np.testing.assert_allclose(f(n), expected, rtol=1e-12, atol=1e-12)


X, M = wt.vector("x"), wt.matrix("m")
BAD: list[tuple[Any, str]] = [
    (
        lambda: ANY.convolve(X, X, "other"),
        "mode flags are 'full', 'same', 'valid', not 'other', in convolve",
    ),
    (lambda: ANY.convolve(X, X, method="no"), "method flags are .*'no', in convolve"),
    (lambda: ANY.convolve(X, M), "same dimensionality, not .*x.*m.*in convolve"),
    (lambda: ANY.convolve2d(X, X), "2 axes each"),
    (lambda: ANY.convolve2d(M, M, boundary="no"), "boundary flags are"),
    (lambda: ANY.convolve2d(M, M, fillvalue=[1.0, 2.0]), "fillvalue is one number"),
    (lambda: ANY.correlate2d(M, M, fillvalue=1j), "real beside real ones, not .*1j"),
    (lambda: ANY.convolve(np.ones((2, 3)), np.ones((3, 2)), "valid"), "at least as large"),
    (lambda: ANY.lfilter(X, [1.0], X), "known lengths above zero, and b is .*in lfilter"),
    (lambda: ANY.lfilter([1.0, 1.0], [1.0], X, zi=[0.0, 1.0]), "must have length 1, not 2"),
    (lambda: wt.nn.conv(M, M), r"conv takes \(examples, channels"),
    (lambda: wt.nn.conv(np.ones((1, 2, 3)), np.ones((1, 3, 1))), "2 channels, and kernels"),
    (lambda: wt.nn.conv(np.ones((1, 2, 3)), np.ones((1, 2, 1)), 0), "strides is a positive int"),
    (
        lambda: wt.nn.conv(np.ones((1, 2, 3)), np.ones((1, 2, 1)), padding="no"),
        "padding is 'valid'",
    ),
    (lambda: wt.nn.max_pool(M, 2), "pooling takes"),
]


@pytest.mark.parametrize(("make", "message"), BAD)
def test_bad_input_is_told(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_lengths_that_do_not_fit_are_told_at_the_call() -> None:
    with pytest.raises(ValueError, match="at least as large"):
        computed(lambda v, w: ANY.convolve(v, w, "valid"), np.ones((2, 3)), np.ones((3, 2)))


def test_layers() -> None:
    x, w = drawn(2, 4, 9), drawn(6, 2, 3)
    made = computed(lambda v, k: wt.nn.conv(v, k, 2, "same", 1, 2), x, w)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1)))
    expected = np.stack(
        [
            np.einsum("ncj,ocj->no", padded[:, g * 2 : g * 2 + 2, i : i + 3], w[g * 3 : g * 3 + 3])
            for g in range(2)
            for i in range(0, 9, 2)
        ]
    )
    np.testing.assert_allclose(
        made, expected.reshape(2, 5, 2, 3).transpose(2, 0, 3, 1).reshape(2, 6, 5)
    )
    image = drawn(1, 2, 4, 6)
    parts = image.reshape(1, 2, 2, 2, 3, 2)
    np.testing.assert_array_equal(
        computed(lambda v: wt.nn.max_pool(v, 2), image), parts.max((3, 5))
    )
    np.testing.assert_allclose(computed(lambda v: wt.nn.avg_pool(v, 2), image), parts.mean((3, 5)))
    whole = np.arange(8).reshape(1, 1, 8)
    made = computed(lambda v: wt.nn.max_pool(v, 3, 1, 1), whole)
    np.testing.assert_array_equal(made[0, 0], [1, 2, 3, 4, 5, 6, 7, 7])


def test_waves_of_shares_that_are_none() -> None:
    for wave in (wt.signal.sawtooth, wt.signal.square):
        assert np.isnan(wave([0.0, 1.0], [-0.1, 1.1]).eval()).all()


def test_a_wave_with_a_sine_as_imaginary_part() -> None:
    t = np.linspace(0.0, 1.0, 9)
    made = wt.signal.chirp(t, 1.0, 2.0, 5.0, "quadratic", 30.0, complex=True).eval()
    expected = scipy.signal.chirp(t, 1.0, 2.0, 5.0, "quadratic", 30.0, complex=True)
    np.testing.assert_allclose(made, expected, atol=1e-12)


def test_waves_that_are_none() -> None:
    with pytest.raises(ValueError, match="method must be one of 'linear', 'quadratic'"):
        wt.signal.chirp(0.0, 1.0, 1.0, 2.0, "hyperbolic")
    with pytest.raises(ValueError, match="events must be a vector"):
        wt.signal.vectorstrength(1.0, 1.0)


RESAMPLED: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("upfirdn", (drawn(7), drawn(20), 3, 2), {}),
    ("upfirdn", (drawn(7), drawn(3, 11, 2), 2, 5), {"axis": 1}),
    ("upfirdn", (drawn(7), drawn(1) + 1j, 2, 3), {}),
    ("resample_poly", (drawn(3, 21), 4, 6), {"axis": 1}),
    ("resample_poly", (drawn(20).astype("float32"), 3, 2), {"padtype": "mean"}),
    ("resample_poly", (drawn(20).astype("float32"), 3, 2), {"padtype": "line"}),
    ("resample_poly", (drawn(20), 5, 3), {"window": "hamming", "padtype": "median"}),
    ("resample_poly", (drawn(20) + 1j, 2, 3), {"window": drawn(6)}),
    ("resample_poly", (np.arange(9), 2, 3), {}),
    ("resample_poly", (drawn(9), 3, 3), {}),
    ("decimate", (drawn(40), 2), {}),
    ("decimate", (drawn(40), 2), {"zero_phase": False}),
    ("decimate", (drawn(3, 41), 3), {"ftype": "fir"}),
    ("decimate", (drawn(41), 4), {"ftype": "fir", "n": 31, "zero_phase": False}),
]


@pytest.mark.parametrize(("name", "arguments", "options"), RESAMPLED)
def test_filters_between_rates_are_as_in_scipy(
    name: str, arguments: tuple[Any, ...], options: dict[str, Any]
) -> None:
    place = 1 if name == "upfirdn" else 0
    values, rates = arguments[: place + 1], arguments[place + 1 :]
    expected = getattr(THEIRS, name)(*arguments, **options)
    for known in (False, True):
        make = getattr(ANY, name)
        actual = computed(lambda *v, f=make: f(*v, *rates, **options), *values, known=known)
        compare(actual, expected)


def test_rates_and_filters_that_are_none() -> None:
    x = wt.vector("x")
    with pytest.raises(ValueError, match="rates must be 1 or more"):
        ANY.resample_poly(x, 0, 2)
    with pytest.raises(ValueError, match="padtype is one of"):
        ANY.resample_poly(x, 1, 2, padtype="curve")
    with pytest.raises(ValueError, match="coefficients are a vector"):
        ANY.upfirdn([[1.0]], x)
    with pytest.raises(ValueError, match="ftype must be"):
        ANY.decimate(x, 2, ftype="none")


TIMES, RATES, SHARES = np.sort(RANDOM.random(30) * 10), np.linspace(0.3, 9, 17), RANDOM.random(30)
FITTED: dict[str, Any] = {"weights": SHARES, "floating_mean": True}
FURTHER: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("czt", (drawn(20),), {}),
    ("czt", (drawn(3, 11), 7), {"axis": 0}),
    ("czt", (drawn(20) + 1j, 5, 0.97 * np.exp(-0.3j), 1.02 * np.exp(0.2j)), {}),
    ("zoom_fft", (drawn(20), 0.4), {}),
    ("zoom_fft", (drawn(3, 11), [1.0, 3.0], 9), {"fs": 10.0, "endpoint": True}),
    ("medfilt2d", (drawn(6, 7), (3, 5)), {}),
    ("order_filter", (np.arange(30).reshape(5, 6) % 7, [[0, 1, 0], [1, 0, 1], [0, 1, 0]], 3), {}),
    ("wiener", (drawn(6, 7), (3, 5)), {}),
    ("wiener", (drawn(20), 5, 0.3), {}),
    *[
        ("lombscargle", (TIMES, drawn(30) + 1, RATES), {"normalize": kind, **options})
        for kind in (False, True, "amplitude")
        for options in ({}, FITTED)
    ],
]


@pytest.mark.parametrize(("name", "arguments", "options"), FURTHER)
def test_transforms_and_smoothing_are_as_in_scipy(
    name: str, arguments: tuple[Any, ...], options: dict[str, Any]
) -> None:
    x, *others = arguments
    expected = getattr(THEIRS, name)(x, *others, **options)
    compare(computed(lambda v: getattr(ANY, name)(v, *others, **options), x), expected)


def test_slopes_of_frequencies() -> None:
    low, rate = wt.scalars("low", "rate")
    x = np.sin(TIMES)
    spectrum = abs(ANY.zoom_fft(x, wt.stack([low, low + 1.0]), 5, fs=9.0)) ** 2
    cost = spectrum.sum() + ANY.lombscargle(TIMES, x, rate[None]).sum()
    f: Any = function([low, rate], [cost, *grad(cost, [low, rate])], mode="py")
    _, *slopes = f(0.3, 1.2)
    for k, slope in enumerate(slopes):
        ahead, behind = (
            f(*(v + s * (i == k) for i, v in enumerate((0.3, 1.2))))[0] for s in (1e-6, -1e-6)
        )
        np.testing.assert_allclose(slope, (ahead - behind) / 2e-6, rtol=1e-6)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_lags(mode: str) -> None:
    for n, m in ((5, 3), (4, 3), (3, 5), (4, 4), (1, 2), (6, 1)):
        lags = wt.signal.correlation_lags(n, m, mode).eval()
        np.testing.assert_array_equal(lags, THEIRS.correlation_lags(n, m, mode))


@pytest.mark.parametrize("given", [(5,), (1,), (5, 0.97 * np.exp(-0.3j), 1.02j), (3, -0.5)])
def test_points_of_transforms(given: Any) -> None:
    points = wt.signal.czt_points(*given).eval()
    np.testing.assert_allclose(points, scipy.signal.czt_points(*given), rtol=1e-13, atol=1e-15)
