"""Filters without feedback by their windows, and what filters do at each frequency."""

from __future__ import annotations

from math import pi
from typing import Any, Final

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange, linspace
from weft_tensor.ops.elementwise.arithmetic import abs
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.elementwise.trigonometric import cos
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.numbers.waves import sinc
from weft_tensor.ops.polynomials.polynomials import polymul
from weft_tensor.ops.reduction.standard import sum as total_of
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import as_size, lengths_of
from weft_tensor.ops.shape.reshape import atleast_1d, expand_dims
from weft_tensor.ops.signal.design.windowed import kaiser_atten, kaiser_beta
from weft_tensor.ops.signal.window_names import Window, get_window

__all__ = ["angles_of", "firwin", "freqz", "freqz_sos", "group_delay"]

_PASSES: Final = {"lowpass": True, "bandstop": True, "highpass": False, "bandpass": False}
_SINGLE: Final = ("lowpass", "highpass")


def firwin(
    numtaps: int,
    cutoff: TensorLike,
    *,
    width: TensorLike | None = None,
    window: Window = "hamming",
    pass_zero: bool | str = True,
    scale: bool = True,
    fs: float = 2.0,
) -> TensorVariable:
    """The coefficients of a filter without feedback, by a window. See `scipy.signal.firwin`.

    Parameters
    ----------
    numtaps
        How many.
    cutoff
        The frequency where what passes ends, or a vector of known length of such frequencies,
        which rise: more than 0 and less than fs / 2. It may be a variable.
    width
        How wide what lies between passing and stopping is, for which a Kaiser window is taken.
    window
        As for `get_window`, if there is no width.
    pass_zero
        Whether frequency zero passes; or "lowpass", "highpass", "bandpass", "bandstop".
    scale
        Whether the middle of the first band has exactly factor 1.
    fs
        How many values there are in a unit of time.

    Raises
    ------
    ValueError
        for another pass_zero, for frequencies that are known and out of order, and for an even
        number of coefficients where the highest frequency passes.

    Examples
    --------
    >>> firwin(3, 0.5).eval().round(4)
    array([0.0462, 0.9076, 0.0462])
    """
    edges = as_tensor(cutoff)
    edges = edges if edges.dtype[0] == "f" else edges.astype("float64")
    edges = (edges if edges.ndim else expand_dims(edges, 0)) / (0.5 * fs)
    count: Any = edges.type.shape[0] if edges.ndim == 1 else None
    if not isinstance(count, int) or not count:
        raise ValueError(
            f"firwin takes a frequency, or a vector of a known number of them, not {cutoff!r}"
            f"{called()}"
        )
    _check_frequencies(cutoff, fs)
    passes = _PASSES.get(pass_zero) if isinstance(pass_zero, str) else pass_zero
    if passes is None or (isinstance(pass_zero, str) and (pass_zero in _SINGLE) != (count == 1)):
        raise ValueError(
            f"pass_zero is True, False, 'lowpass' or 'highpass' for one frequency, 'bandpass' or "
            f"'bandstop' for more, not {pass_zero!r} for {count}{called()}"
        )
    is_high = (count % 2 == 0) == passes
    if is_high and numtaps % 2 == 0:
        raise ValueError(
            f"A filter with an even number of coefficients must have zero response at the "
            f"Nyquist frequency{called()}"
        )
    ends = [as_tensor(v).astype(edges.dtype) for v in ([0.0] * passes, [1.0] * is_high)]
    bands = concatenate([ends[0], edges, ends[1]])
    pairs = [(bands[k], bands[k + 1]) for k in range(0, passes + count + is_high, 2)]
    places = arange(numtaps) - 0.5 * (numtaps - 1)
    weights: Any = sum(high * sinc(high * places) - low * sinc(low * places) for low, high in pairs)
    if width is not None:
        window = ("kaiser", kaiser_beta(kaiser_atten(numtaps, as_tensor(width) / (0.5 * fs))))
    weights = weights * get_window(window, numtaps, fftbins=False)
    if not scale:
        return weights
    low, high = pairs[0]
    middle: Any = 0.0 if passes else 1.0 if is_high and len(pairs) == 1 else 0.5 * (low + high)
    return weights / total_of(weights * cos(places * (pi * middle)))


def _check_frequencies(cutoff: TensorLike, fs: float) -> None:
    """ValueError for known frequencies that no filter has."""
    if not isinstance(cutoff, (int, float, list, tuple, np.ndarray)):
        return
    try:
        frequencies = np.atleast_1d(np.asarray(cutoff, "float64")) / (0.5 * fs)
    except (TypeError, ValueError):
        return
    if frequencies.min() <= 0 or frequencies.max() >= 1:
        raise ValueError(
            f"Invalid cutoff frequency: frequencies must be greater than 0 and less than fs/2, "
            f"not {cutoff!r}{called()}"
        )
    if (np.diff(frequencies) <= 0).any():
        raise ValueError(
            f"Invalid cutoff frequencies: the frequencies must be strictly increasing, not "
            f"{cutoff!r}{called()}"
        )


def angles_of(worN: TensorLike | None, whole: bool, fs: float, include_nyquist: bool) -> Any:
    """From 0 to pi or 2 pi, as many as said, or those given, of so many in a unit of time."""
    tensor = as_tensor(512 if worN is None else worN)
    if tensor.ndim or tensor.dtype[0] == "f":
        return atleast_1d(tensor) * (2 * pi / fs)
    count: SizeLike = as_size(tensor)
    return linspace(0, 2 * pi if whole else pi, count, endpoint=include_nyquist and not whole)


def _polynomial(coefficients: TensorVariable, angles: TensorVariable) -> TensorVariable:
    """The sum of c[k] exp(-i k angle)."""
    k = arange(lengths_of(coefficients)[0])
    powers = exp(-1j * (expand_dims(angles, angles.ndim) * k))
    return matmul(powers, coefficients.astype(powers.dtype))


def freqz(
    b: TensorLike,
    a: TensorLike = 1.0,
    worN: TensorLike | None = 512,
    whole: bool = False,
    *,
    fs: float = 2 * pi,
    include_nyquist: bool = False,
) -> tuple[TensorVariable, TensorVariable]:
    """The frequencies, and the complex factor of a filter at each. See `scipy.signal.freqz`.

    Parameters
    ----------
    b, a
        Vectors: the factors of earlier elements, and of earlier results.
    worN
        How many frequencies, or which.
    whole
        Whether they go round the whole circle, and not half of it.
    fs
        How many values there are in a unit of time.
    include_nyquist
        Whether the highest frequency, fs / 2, is the last.

    Raises
    ------
    ValueError
        for coefficients that are no vectors.

    Examples
    --------
    >>> frequencies, factors = freqz([0.5, 0.5], worN=2)
    >>> frequencies.eval().round(4), abs(factors).eval().round(4)
    (array([0.    , 1.5708]), array([1.    , 0.7071]))
    """
    rows = [expand_dims(v, 0) if not v.ndim else v for v in as_tensors((b, a))]
    for v in rows:
        if v.ndim != 1:
            raise ValueError(f"freqz takes vectors, not {v!r}{called()}")
    angles = angles_of(worN, whole, fs, include_nyquist)
    ahead, behind = (_polynomial(v, angles) for v in rows)
    return angles * (fs / (2 * pi)), ahead / behind


def freqz_sos(
    sos: TensorLike,
    worN: TensorLike | None = 512,
    whole: bool = False,
    *,
    fs: float = 2 * pi,
) -> tuple[TensorVariable, TensorVariable]:
    """`freqz` of sections of second order. See `scipy.signal.freqz_sos`.

    Raises ValueError for coefficients of another shape than (n_sections, 6), a known number.

    >>> abs(freqz_sos([[0.5, 0.5, 0.0, 1.0, 0.0, 0.0]], 2)[1]).eval().round(4)
    array([1.    , 0.7071])
    """
    rows = as_tensor(sos)
    count: Any = rows.type.shape[0] if rows.ndim == 2 else None
    if not isinstance(count, int) or not count:
        raise ValueError(
            f"sos array must be shape (n_sections, 6), of a known number of sections, not {rows!r}"
            f"{called()}"
        )
    sections = [freqz(rows[k, :3], rows[k, 3:], worN, whole, fs=fs) for k in range(count)]
    factor = sections[0][1]
    for _, other in sections[1:]:
        factor = factor * other
    return sections[0][0], factor


def group_delay(
    system: tuple[TensorLike, TensorLike],
    w: TensorLike | None = 512,
    whole: bool = False,
    fs: float = 2 * pi,
) -> tuple[TensorVariable, TensorVariable]:
    """The frequencies, and by how many steps a filter (b, a) delays each; 0 where none passes.

    By J. O. Smith, Introduction to Digital Filters, 2007, "Numerical computation of group delay".
    `w`, `whole` and `fs` are as for `freqz`. See `scipy.signal.group_delay`. Raises ValueError for
    what are no vectors.

    >>> group_delay(([0.5, 0.5], [1.0]), 2)[1].eval()
    array([0.5, 0.5])
    """
    b, a = (expand_dims(v, 0) if not v.ndim else v for v in as_tensors(system))
    if (b.ndim, a.ndim) != (1, 1):
        raise ValueError(f"group_delay takes vectors, not {b!r} and {a!r}{called()}")
    angles = angles_of(w, whole, fs, False)
    both = polymul(b, index(a, slice(None, None, -1)).conj())
    slopes = both * arange(lengths_of(both)[0])
    below, above = (_polynomial(v, angles) for v in (both, slopes))
    none = abs(below) < 10 * np.finfo("float64").eps
    steps = (above / where(none, 1.0, below)).real - (lengths_of(a)[0] - 1)
    return angles * (fs / (2 * pi)), where(none, 0.0, steps)
