"""Filters by their frequencies, and their other forms: against SciPy, with derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.signal
from against_scipy import Row, assert_as_on_python, assert_as_scipy, assert_slopes, quietly

import weft.tensor as wt
from weft_tensor.ops.signal.design import prototypes
from weft_testing import check_grad

OURS: Any = wt.signal
THEIRS: Any = scipy.signal
KINDS: dict[str, tuple[float, ...]] = {
    "butter": (), "cheby1": (1.0,), "cheby2": (30.0,), "ellip": (0.5, 40.0), "bessel": (),
}  # fmt: skip
BANDS: dict[str, Any] = {
    "lowpass": np.array(0.3), "highpass": np.array(0.4),
    "bandpass": np.array([0.2, 0.5]), "bandstop": np.array([0.25, 0.4]),
}  # fmt: skip
CASES = [(kind, band) for kind in KINDS for band in BANDS]


def ordered(roots: Any) -> Any:
    """Conjugate roots in one order, whatever was rounded."""
    return np.array(sorted(roots, key=lambda v: (round(v.real, 7), v.imag)))


def filters(m: Any, kind: str, band: str, edges: Any, **how: Any) -> list[Any]:
    design = getattr(m, kind)
    return [design(order, *KINDS[kind], edges, band, **how) for order in (1, 2, 5, 6)]


@pytest.mark.parametrize("band", BANDS)
def test_sections_of_filters_without_poles(band: str) -> None:
    for m in ("butter", "ellip"):
        found, expected = (
            getattr(part, m)(0, *KINDS[m], BANDS[band], band, output="sos")
            for part in (OURS, THEIRS)
        )
        np.testing.assert_allclose(found.eval(), expected)


@pytest.mark.parametrize("order", [0, 1, 2, 5, 8, 21])
def test_filters_before_they_are_moved(order: int) -> None:
    """Zeros, poles and factor, in SciPy's order."""
    for make, theirs, losses in (
        (prototypes.butter, "buttap", [()]),
        (prototypes.cheby1, "cheb1ap", [(0.01,), (1.0,), (20.0,)]),
        (prototypes.cheby2, "cheb2ap", [(3.0,), (30.0,), (80.0,)]),
    ):
        for loss in losses:
            parts, expected = make(order, *loss), getattr(THEIRS, theirs)(order, *loss)
            for part, other in zip(parts, expected, strict=True):
                np.testing.assert_allclose(part, other, 1e-13)
        with pytest.raises(ValueError, match="0 or more, not -1"):
            make(-1, *losses[0])


@pytest.mark.parametrize(("kind", "band"), CASES)
def test_filters_of_all_kinds(kind: str, band: str) -> None:
    """Roots, polynomials and sections, of filters in steps and in time."""
    edges = BANDS[band]
    for how in ({}, {"fs": 3.0}, {"analog": True}):
        places = wt.tensor(shape=np.shape(edges))
        forms = ("zpk", "ba") if "analog" in how else ("zpk", "ba", "sos")
        ours = [f for form in forms for f in filters(OURS, kind, band, places, output=form, **how)]
        flat = [v for f in ours for v in (f if isinstance(f, tuple) else [f])]
        values = iter(wt.function([places], flat, mode="py")(edges))
        for form in forms:
            for theirs in filters(THEIRS, kind, band, edges, output=form, **how):
                if form == "zpk":
                    for expected in theirs[:2]:
                        np.testing.assert_allclose(ordered(next(values)), ordered(expected), 1e-7)
                    np.testing.assert_allclose(next(values), theirs[2], 1e-9)
                elif form == "ba":
                    for expected in theirs:
                        size = abs(expected).max()
                        np.testing.assert_allclose(next(values), expected, 1e-9, 1e-9 * size)
                else:
                    sections = next(values)
                    assert sections.shape == theirs.shape
                    own, expected = (THEIRS.freqz_sos(s, 32)[1] for s in (sections, theirs))
                    np.testing.assert_allclose(own, expected, 1e-8, 1e-10)


@pytest.mark.parametrize("band", BANDS)
def test_derivatives_by_frequencies(band: str) -> None:
    for form in ("ba", "sos"):

        def call(edges: Any, form: str = form) -> Any:
            edges = wt.specify_shape(edges, np.shape(BANDS[band]))
            return OURS.iirfilter(3, edges, 1.0, 30.0, band, ftype="ellip", output=form)

        check_grad(call, [BANDS[band]])


@pytest.mark.cases("numba")
@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_backends(mode: str, few: Any) -> None:
    def everything(m: Any, edges: Any, x: Any) -> Any:
        edges = wt.specify_shape(edges, (2,))
        sections = m.butter(3, edges, "bandpass", output="sos")
        b, a = m.cheby1(3, 1.0, edges[0])
        notch = m.iirnotch(edges[1], 5.0)
        poles = m.ellip(2, 1.0, 40.0, edges[1], output="zpk")
        response = wt.abs(m.freqz_zpk(*poles, 8)[1])
        outputs = [sections, b, a, *notch, m.lfilter(b, a, x), response]
        return few(outputs, 3)

    signal = np.sin(np.arange(12.0))
    assert_as_on_python(OURS, Row(everything, [[BANDS["bandpass"], signal]]), mode)


Z, P, K = np.array([-0.2 + 0.5j, -0.2 - 0.5j]), np.array([-0.4 + 0.3j, -0.4 - 0.3j, -0.8]), 1.3
B, A, AT = np.array([0.5, 0.2, 0.3]), np.array([2.0, -0.3, 0.1, 0.4]), np.array([0.1, 1.0, 2.5])
SECTIONS = np.array([[0.2, 0.1, 0.3, 1.0, -0.3, 0.1], [0.5, 0.2, 0.0, 1.0, 0.2, 0.0]])


def roots_of(name: str, *args: float) -> Callable[..., Any]:
    """Zeros and poles as polynomials, whose order is one."""

    def call(m: Any, k: Any) -> Any:
        z, p, factor = getattr(m, name)(Z, P, k, *args)
        return [*(m.zpk2tf(z, p, factor))]

    return call


def known(m: Any, *arrays: Any) -> list[Any]:
    return [wt.specify_shape(x, x0.shape) if m is OURS else x
            for x, x0 in zip(arrays, (B, A), strict=False)]  # fmt: skip


ROWS = {
    "lp2lp_zpk": Row(roots_of("lp2lp_zpk", 2.5), [[np.array(K)]]),
    "lp2hp_zpk": Row(roots_of("lp2hp_zpk", 2.5), [[np.array(K)]]),
    "lp2bp_zpk": Row(roots_of("lp2bp_zpk", 2.5, 0.5), [[np.array(K)]]),
    "lp2bs_zpk": Row(roots_of("lp2bs_zpk", 2.5, 0.5), [[np.array(K)]]),
    "bilinear_zpk": Row(roots_of("bilinear_zpk", 3.0), [[np.array(K)]]),
    "tf2zpk": Row(lambda m, b, a: [*m.zpk2tf(*m.tf2zpk(*known(m, b, a)))], [[B, A]]),
    "bilinear": Row(lambda m, b, a: [*m.bilinear(*known(m, b, a), 1.7)], [[B, A]]),
    "bilinear of more zeros": Row(lambda m, b, a: [*m.bilinear(*known(m, b, a)[::-1])], [[B, A]]),
    "sos2tf": Row(lambda m, s: [*m.sos2tf(wt.specify_shape(s, (2, 6)) if m is OURS else s)],
                  [[SECTIONS]]),
    "freqs": Row(lambda m, b, a, w: [*m.freqs(b, a, w)], [[B, A, AT], [B, A, AT[0]]], False),
    "freqs_zpk": Row(lambda m, w: [*m.freqs_zpk(Z, P, K, w)], [[AT]], False),
    "freqz_zpk": Row(lambda m, w: [*m.freqz_zpk(Z, P, K, w, fs=9.0)], [[AT]], False),
    "sosfreqz": Row(lambda m, s: [*m.sosfreqz(wt.specify_shape(s, (2, 6)) if m is OURS else s, 5)],
                    [[SECTIONS]], False),
    "group_delay": Row(lambda m, b, a: [*m.group_delay((b, a), 7), *m.group_delay((b, a), 4, True)],
                       [[B, A], [A, np.ones(1)]]),
    "group_delay of complex": Row(lambda m, b, a: [*m.group_delay((b, a), 5)],
                                  [[B + 0.3j, A * (1 - 0.2j)]], False),
    "iirnotch": Row(lambda m, w, q: [*m.iirnotch(w, q), *m.iirnotch(w, q, 3.0)],
                    [[np.array(0.4), np.array(9.0)]]),
    "iirpeak": Row(lambda m, w, q: [*m.iirpeak(w, q)], [[np.array(0.4), np.array(9.0)]]),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.cases(8)
@pytest.mark.parametrize("name", ROWS)
def test_values(name: str) -> None:
    call = ROWS[name].call
    for arrays in ROWS[name].arrays:
        assert_as_scipy(OURS, THEIRS, lambda m, *a: plain(m, call, a), arrays)


def plain(m: Any, call: Callable[..., Any], arrays: Any) -> Any:
    if m is OURS:
        return call(m, *arrays)
    return quietly(call, m, *[x.item() if x.ndim == 0 else x for x in arrays])


@pytest.mark.cases(5)
@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.has_slopes])
def test_derivatives(name: str) -> None:
    assert_slopes(OURS, ROWS[name])


ERRORS: dict[str, Callable[[], Any]] = {
    "output is": lambda: OURS.butter(2, 0.5, output="tf"),
    "btype is": lambda: OURS.butter(2, 0.5, "most"),
    "ftype is": lambda: OURS.iirfilter(2, 0.5, btype="low", ftype="best"),
    "Wn of 'bandpass' has 2": lambda: OURS.butter(2, 0.5, "band"),
    "Wn of 'lowpass' has 1": lambda: OURS.butter(2, wt.vector("w")),
    "below fs / 2": lambda: OURS.butter(2, 1.5),
    "w0 is above 0 and below": lambda: OURS.iirnotch(1.0, 2.0),
    "w0 is .*, not -0.1": lambda: OURS.iirpeak(-0.1, 2.0),
    "fc is not negative": lambda: OURS.gausspulse(wt.vector("t"), -1.0),
    "bw is positive": lambda: OURS.gausspulse(wt.vector("t"), bw=0),
    "bwr is negative": lambda: OURS.gausspulse(wt.vector("t"), bwr=6),
    "must rise": lambda: OURS.butter(2, [0.5, 0.2], "stop"),
    "needs rp and rs": lambda: OURS.iirfilter(2, 0.5, btype="low", ftype="ellip"),
    "norm of bessel": lambda: OURS.bessel(2, 0.5, norm="best"),
    "no sections": lambda: OURS.butter(2, 0.5, analog=True, output="sos"),
    "known numbers of zeros": lambda: OURS.zpk2tf(wt.vector("z"), [1.0], 1.0),
    "there are no fewer": lambda: OURS.lp2lp_zpk([1.0, 2.0], [1.0], 1.0),
    "tf2zpk takes vectors": lambda: OURS.tf2zpk(1.0, [1.0]),
    "sos2tf takes": lambda: OURS.sos2tf(wt.matrix("s")),
    "bilinear takes vectors": lambda: OURS.bilinear(wt.vector("b"), [1.0]),
    "group_delay takes vectors": lambda: OURS.group_delay((wt.matrix("b"), [1.0])),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message]()
