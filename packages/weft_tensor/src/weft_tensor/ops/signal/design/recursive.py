"""Filters with feedback by their order and frequencies, which may be variables."""

from __future__ import annotations

from collections.abc import Callable
from operator import index as whole
from typing import Any, Final

import numpy as np

from weft_graph import Constant
from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.of_numbers import check_known, known_value
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.trigonometric import cos, tan
from weft_tensor.ops.sample_statistics.samples import one_of
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.signal.design import prototypes
from weft_tensor.ops.signal.design.roots import (
    Roots,
    bilinear_zpk,
    lp2bp_zpk,
    lp2bs_zpk,
    lp2hp_zpk,
    lp2lp_zpk,
    zpk2tf,
)

__all__ = ["bessel", "butter", "cheby1", "cheby2", "ellip", "iirfilter", "iirnotch", "iirpeak"]

_BANDS: Final = {"low": "lowpass", "high": "highpass", "stop": "bandstop", "pass": "bandpass"}
_BANDS_OF: Final = {"lp": "lowpass", "hp": "highpass", "bs": "bandstop", "bp": "bandpass"}
_PAIRED: Final = ("bandpass", "bandstop")
_FORMS: Final = ("ba", "zpk", "sos")
_KINDS: Final[dict[str, tuple[Callable[..., Any], tuple[str, ...]]]] = {
    "butter": (prototypes.butter, ()),
    "cheby1": (prototypes.cheby1, ("rp",)),
    "cheby2": (prototypes.cheby2, ("rs",)),
    "ellip": (prototypes.ellip, ("rp", "rs")),
}
"""What makes a type of filter, and the losses that it needs."""


def iirfilter(
    N: int,
    Wn: TensorLike,
    rp: float | None = None,
    rs: float | None = None,
    btype: str = "band",
    analog: bool = False,
    ftype: str = "butter",
    output: str = "ba",
    fs: TensorLike | None = None,
) -> Any:
    """A filter with feedback, of an order. See `scipy.signal.iirfilter`.

    Parameters
    ----------
    N
        The order.
    Wn
        The frequency where what passes ends, or a vector of two: from 0 to half of `fs`. They may
        be variables, by which all results have derivatives.
    rp, rs
        How many decibels may be lost where it passes, and must be lost where it does not: numbers.
    btype
        "lowpass", "highpass", "bandpass" or "bandstop".
    analog
        Whether it is one in time, and frequencies are angular, not one in steps.
    ftype
        "butter", "cheby1" (which needs rp), "cheby2" (rs), "ellip" (both), "bessel", or that with
        its norm, "bessel_phase", "bessel_delay" or "bessel_mag".
    output
        "ba" for polynomials, "zpk" for zeros, poles and a factor, "sos" for sections of second
        order, which are the same filter as SciPy's, in another order.
    fs
        How many values there are in a unit of time: 2 by default.

    Raises
    ------
    ValueError
        for another type or output, frequencies that are known and not possible, another number of
        them than the type needs, missing decibels, and sections of a filter in time.

    Examples
    --------
    >>> b, a = iirfilter(2, 0.5, btype="lowpass")
    >>> b.eval().round(4), a.eval().round(4)
    (array([0.2929, 0.5858, 0.2929]), array([ 1.    , -0.    ,  0.1716]))
    """
    one_of("iirfilter", "output", output, _FORMS)
    band = _band(btype)
    edges, rate = as_floating(Wn), 2.0 if fs is None else fs
    _check_known(edges, rate, analog)
    edges = edges.reshape((-1,)) if edges.ndim else edges.expand_dims(0)
    wanted = 2 if band in _PAIRED else 1
    if edges.type.shape[0] != wanted:
        raise ValueError(f"Wn of {band!r} has {wanted} frequencies, not {edges!r}{called()}")
    if analog and (output == "sos" or fs is not None):
        raise ValueError(f"a filter in time has no fs, and no sections{called()}")
    z, p, k = _prototype(whole(N), ftype, rp, rs)
    warped = edges if analog else 4 * tan(edges * (np.pi / as_floating(rate)))
    parts = _moved(band, z, p, k, warped)
    if not analog:
        parts = bilinear_zpk(*parts, 2.0)
    if output == "zpk":
        return parts
    return zpk2tf(*parts) if output == "ba" else _sections(parts, z, p, band)


def _band(btype: str) -> str:
    name = _BANDS.get(btype.removeprefix("band"), _BANDS_OF.get(btype, btype))
    name = "bandpass" if btype == "band" else name
    one_of("iirfilter", "btype", name, tuple(_BANDS.values()))
    return name


def _check_known(edges: TensorVariable, rate: Any, analog: bool) -> None:
    """ValueError for frequencies that are known, and not possible."""
    if not isinstance(edges.op, Constant) or isinstance(rate, TensorVariable):
        return
    shares = np.atleast_1d(edges.op.value) * (1.0 if analog else 2.0 / rate)
    if (shares <= 0).any() or (not analog and (shares >= 1).any()) or (np.diff(shares) <= 0).any():
        text = "must rise, and be above 0" + ("" if analog else " and below fs / 2")
        values = edges.op.value.tolist()
        raise ValueError(f"frequencies of a filter {text}, not {values}{called()}")


def _prototype(order: int, ftype: str, rp: float | None, rs: float | None) -> Any:
    """The zeros, poles and factor of the filter that passes what is below 1: numbers."""
    if ftype.startswith("bessel"):
        norm = ftype.removeprefix("bessel").removeprefix("_") or "phase"
        one_of("iirfilter", "the norm of bessel", norm, ("phase", "delay", "mag"))
        return prototypes.bessel(order, norm)
    one_of("iirfilter", "ftype", ftype, (*_KINDS, "bessel"))
    make, needs = _KINDS[ftype]
    losses = [{"rp": rp, "rs": rs}[name] for name in needs]
    if None in losses:
        raise ValueError(f"a filter of type {ftype!r} needs {' and '.join(needs)}{called()}")
    return make(order, *losses)


def _moved(band: str, z: Any, p: Any, k: Any, edges: TensorVariable) -> Roots:
    """The prototype at its frequencies."""
    if band == "lowpass":
        return lp2lp_zpk(z, p, k, edges[0])
    if band == "highpass":
        return lp2hp_zpk(z, p, k, edges[0])
    middle, width = sqrt(edges[0] * edges[1]), edges[1] - edges[0]
    return (lp2bp_zpk if band == "bandpass" else lp2bs_zpk)(z, p, k, middle, width)


def _upper(values: Any) -> list[int]:
    """Of conjugate pairs those above the real axis."""
    return [k for k, v in enumerate(values) if v.imag > 1e-10 * abs(v)]


def _sections(parts: Roots, z: Any, p: Any, band: str) -> TensorVariable:
    """Sections of second order, those nearest to the unit circle last.

    Each pair of poles of the prototype has the pair of zeros that is nearest to it: which that is
    does not depend on frequencies, nor does which elements of the results come of which.
    """
    zeros_of, poles, gain = parts
    n, m = len(p), len(z)
    sides = 2 if band in _PAIRED else 1
    ends = {"lowpass": (1.0, 2.0, 1.0), "highpass": (1.0, -2.0, 1.0), "bandpass": (1.0, 0.0, -1.0)}
    left = _upper(z)
    rows = []
    for i in sorted(_upper(p), key=lambda i: abs(p[i].real)):
        pair = min(((abs(z[j] - p[i]), j) for j in left), default=(0.0, None))[1]
        left = [j for j in left if j != pair]
        for side in range(sides):
            if pair is not None:
                ahead: Any = _pair(zeros_of[pair + side * m])
            else:
                ahead = _pair(zeros_of[sides * m]) if band == "bandstop" else ends[band]
            rows.append((ahead, _pair(poles[i + side * n])))
    for i in [k for k, v in enumerate(p) if abs(v.imag) <= 1e-10 * abs(v)]:
        if sides == 1:
            last = 1.0 if band == "lowpass" else -1.0
            rows.append(((1.0, last, 0.0), (1.0, -poles[i].real, 0.0)))
        else:
            one, other = poles[i], poles[i + n]
            ahead = _pair(zeros_of[sides * m]) if band == "bandstop" else ends[band]
            rows.append((ahead, (1.0, -(one + other).real, (one * other).real)))
    rows = rows[::-1] or [((1.0, 0.0, 0.0), (1.0, 0.0, 0.0))]
    lines = [stack([as_floating(v) for v in (*ahead, *behind)]) for ahead, behind in rows]
    first = lines[0] * stack([gain] * 3 + [as_floating(1.0)] * 3)
    return stack([first, *lines[1:]], 0)


def _pair(v: Any) -> tuple[Any, ...]:
    """The polynomial of a root and its conjugate."""
    return 1.0, -2 * v.real, v.real**2 + v.imag**2


def butter(
    N: int,
    Wn: TensorLike,
    btype: str = "low",
    analog: bool = False,
    output: str = "ba",
    fs: TensorLike | None = None,
) -> Any:
    """Butterworth's filter: `iirfilter` of that type. See `scipy.signal.butter`.

    >>> butter(1, 0.5)[0].eval()
    array([0.5, 0.5])
    """
    return iirfilter(N, Wn, None, None, btype, analog, "butter", output, fs)


def cheby1(
    N: int,
    rp: float,
    Wn: TensorLike,
    btype: str = "low",
    analog: bool = False,
    output: str = "ba",
    fs: TensorLike | None = None,
) -> Any:
    """Chebyshev's filter, with waves where it passes. See `iirfilter`, and `scipy.signal.cheby1`.

    >>> cheby1(1, 3.0, 0.5)[0].eval().round(4)
    array([0.5006, 0.5006])
    """
    return iirfilter(N, Wn, rp, None, btype, analog, "cheby1", output, fs)


def cheby2(
    N: int,
    rs: float,
    Wn: TensorLike,
    btype: str = "low",
    analog: bool = False,
    output: str = "ba",
    fs: TensorLike | None = None,
) -> Any:
    """Chebyshev's filter, with waves where it stops. See `iirfilter`, and `scipy.signal.cheby2`.

    >>> cheby2(1, 20.0, 0.5)[0].eval().round(4)
    array([0.0913, 0.0913])
    """
    return iirfilter(N, Wn, None, rs, btype, analog, "cheby2", output, fs)


def ellip(
    N: int,
    rp: float,
    rs: float,
    Wn: TensorLike,
    btype: str = "low",
    analog: bool = False,
    output: str = "ba",
    fs: TensorLike | None = None,
) -> Any:
    """Cauer's filter, with waves everywhere. See `iirfilter`, and `scipy.signal.ellip`.

    >>> ellip(2, 1.0, 40.0, 0.5)[1].eval().round(4)
    array([1.    , 0.0675, 0.3177])
    """
    return iirfilter(N, Wn, rp, rs, btype, analog, "ellip", output, fs)


def bessel(
    N: int,
    Wn: TensorLike,
    btype: str = "low",
    analog: bool = False,
    output: str = "ba",
    norm: str = "phase",
    fs: TensorLike | None = None,
) -> Any:
    """Bessel's filter, which delays all by nearly the same. See `iirfilter`, `scipy.signal.bessel`.

    >>> bessel(1, 0.5)[0].eval()
    array([0.5, 0.5])
    """
    return iirfilter(N, Wn, None, None, btype, analog, f"bessel_{norm}", output, fs)


def _resonance(w0: TensorLike, Q: TensorLike, fs: TensorLike) -> tuple[Any, Any]:
    rate = known_value(as_tensor(fs))
    if rate is not None:
        check_known(w0, lambda w: (w > 0) & (2 * w < rate), "w0 is above 0 and below fs / 2")
    place = as_floating(w0) * (2 * np.pi / as_floating(fs))
    return 1 / (1 + tan(place / as_floating(Q) / 2)), cos(place)


def iirnotch(
    w0: TensorLike, Q: TensorLike, fs: TensorLike = 2.0
) -> tuple[TensorVariable, TensorVariable]:
    """The polynomials of a filter that stops one frequency, with quality `Q`.

    Both may be variables. See `scipy.signal.iirnotch`. Raises ValueError where `w0` is known not to
    be above 0 and below half of `fs`.

    >>> [v.eval().round(4) for v in iirnotch(0.5, 1.0)]
    [array([ 0.5, -0. ,  0.5]), array([ 1., -0.,  0.])]
    """
    gain, middle = _resonance(w0, Q, fs)
    one = 0 * gain + 1
    b = gain * stack([one, -2 * middle, one])
    return b, stack([one, -2 * gain * middle, 2 * gain - 1])


def iirpeak(
    w0: TensorLike, Q: TensorLike, fs: TensorLike = 2.0
) -> tuple[TensorVariable, TensorVariable]:
    """The polynomials of a filter that passes one frequency, with quality `Q`.

    Both may be variables. See `scipy.signal.iirpeak`. Raises ValueError as `iirnotch`.

    >>> [v.eval().round(4) for v in iirpeak(0.5, 1.0)]
    [array([ 0.5,  0. , -0.5]), array([ 1., -0.,  0.])]
    """
    gain, middle = _resonance(w0, Q, fs)
    one = 0 * gain + 1
    b = (1 - gain) * stack([one, 0 * one, -one])
    return b, stack([one, -2 * gain * middle, 2 * gain - 1])
