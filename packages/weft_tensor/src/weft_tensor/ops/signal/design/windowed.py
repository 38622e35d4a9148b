"""Filters without feedback by what they should do at each frequency, and widths of windows."""

from __future__ import annotations

from math import ceil as number_ceil
from math import inf, log2, pi
from operator import index as whole
from typing import Any

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.of_numbers import known_value
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange, linspace
from weft_tensor.ops.elementwise.arithmetic import abs, ceil, maximum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.elementwise.trigonometric import cos
from weft_tensor.ops.fft.numpy_names import fft, ifft, irfft
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.searchsorted import interp
from weft_tensor.ops.matrices.patterns import hankel
from weft_tensor.ops.matrices.systems import solve, toeplitz
from weft_tensor.ops.numbers.waves import sinc
from weft_tensor.ops.reduction.standard import max, min, sum
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.signal.window_names import Window, get_window

__all__ = ["firls", "firwin2", "kaiser_atten", "kaiser_beta", "kaiserord", "minimum_phase"]


def firwin2(
    numtaps: int,
    freq: TensorLike,
    gain: TensorLike,
    *,
    nfreqs: int | None = None,
    window: Window | None = "hamming",
    antisymmetric: bool = False,
    fs: float = 2.0,
) -> TensorVariable:
    """The coefficients of a filter whose gain goes by lines between points.

    See `scipy.signal.firwin2`.

    Parameters
    ----------
    numtaps
        How many coefficients.
    freq
        Frequencies, from 0 to fs / 2, that do not fall; where two are equal, the gain jumps.
    gain
        As many gains. Both may be variables.
    nfreqs
        At how many frequencies lines are read: by default one more than a power of 2.
    window
        As for `get_window`, or None.
    antisymmetric
        Whether coefficients change their sign about the middle.
    fs
        How many values there are in a unit of time.

    Raises
    ------
    ValueError
        for what are no vectors, if there are fewer frequencies `nfreqs` than coefficients, for
        known frequencies that fall, of which three are equal, or that do not go from one 0 to one
        fs / 2, and for known gains where a filter of so many coefficients has none.

    Examples
    --------
    >>> firwin2(3, [0.0, 0.5, 1.0], [1.0, 1.0, 0.0]).eval().round(4)
    array([0.0171, 0.75  , 0.0171])
    """
    taps = whole(numtaps)
    count = 1 + 2 ** number_ceil(log2(taps)) if nfreqs is None else whole(nfreqs)
    if count < taps:
        raise ValueError(f"firwin2: nfreqs must not be below {taps}, not {count}{called()}")
    edges, gains = as_floating(freq), as_floating(gain)
    if (edges.ndim, gains.ndim) != (1, 1):
        raise ValueError(f"firwin2 takes vectors, not {edges!r} and {gains!r}{called()}")
    nyquist = 0.5 * fs
    values, known_gains = known_value(edges), known_value(gains)
    if values is not None and isinstance(nyquist, (int, float)):
        steps = np.diff(values, prepend=-1, append=nyquist + 1)
        alike = (steps[1:] == 0) & (steps[:-1] == 0)
        if steps[1:-1].min(initial=0) < 0 or alike.any():
            text = "must not fall, and at most two of them be equal"
            raise ValueError(f"firwin2: frequencies {text}, not {freq!r}{called()}")
        if values[0] != 0 or values[-1] != nyquist or not steps[1] or not steps[-2]:
            text = f"go from one 0 to one {nyquist}, half of fs"
            raise ValueError(f"firwin2: frequencies {text}, not {freq!r}{called()}")
    if known_gains is not None:
        begin, end = known_gains[0], known_gains[-1]
        if (antisymmetric and begin) or (end and antisymmetric == bool(taps % 2)):
            raise ValueError(
                f"firwin2: {taps} coefficients, antisymmetric={antisymmetric}, have no gain at "
                f"{'0' if antisymmetric and begin else 'half of fs'}, not {gain!r}{called()}"
            )
    tiny = 2.0**-52 * nyquist
    same = eq(index(edges, slice(1, None)), index(edges, slice(None, -1))).astype(edges.dtype)
    none = 0 * index(edges, slice(0, 1))
    edges = edges - tiny * concatenate([same, none]) + tiny * concatenate([none, same])
    at = linspace(0.0, nyquist, count)
    turn = exp(-(taps - 1) / 2 * 1j * pi * at / nyquist) * (1j if antisymmetric else 1)
    weights = index(irfft(interp(at, edges, gains) * turn), slice(0, taps))
    return weights if window is None else weights * get_window(window, taps, fftbins=False)


def firls(
    numtaps: int,
    bands: TensorLike,
    desired: TensorLike,
    *,
    weight: TensorLike | None = None,
    fs: float = 2.0,
) -> TensorVariable:
    """The coefficients of a filter with the least squares to a gain, by lines in bands.

    See `scipy.signal.firls`.

    Parameters
    ----------
    numtaps
        How many coefficients: an odd number.
    bands
        The frequencies where bands begin and end, in order: a vector, or a matrix of pairs. What is
        between bands does not count.
    desired
        The gains there. Both may be variables.
    weight
        How much squares count: a number for each band, 1 by default.
    fs
        How many values there are in a unit of time.

    Raises
    ------
    ValueError
        for an even number of coefficients.

    Examples
    --------
    >>> firls(5, [0.0, 0.4, 0.6, 1.0], [1.0, 1.0, 0.0, 0.0]).eval().round(4)
    array([-0.    ,  0.3067,  0.5   ,  0.3067, -0.    ])
    """
    taps = whole(numtaps)
    if taps % 2 == 0 or taps < 1:
        raise ValueError(f"firls: numtaps is odd and at least 1, not {numtaps!r}{called()}")
    last = (taps - 1) // 2
    edges = as_floating(bands).reshape((-1, 2)) / (0.5 * fs)
    gains = as_floating(desired).reshape((-1, 2))
    shares = as_floating(1.0 if weight is None else weight) + 0 * edges[:, 0]

    def difference(values: TensorVariable) -> TensorVariable:
        """Of the ends of each band, weighted and added up: bands and ends come first."""
        return sum((values[:, 1] - values[:, 0]) * shares.expand_dims(-1), 0)

    places = edges.expand_dims(-1)
    waves = difference(places * sinc(places * arange(taps)))
    short = arange(last + 1)
    slopes = ((gains[:, 1] - gains[:, 0]) / (edges[:, 1] - edges[:, 0])).reshape((-1, 1, 1))
    lines = places * gains.expand_dims(-1) * sinc(places * short)
    # Of the slope, n = 0 has minus half the square of the frequency.
    bends = where(
        short.eq(0), -(places**2) / 2, cos(pi * places * short) / (pi * maximum(short, 1)) ** 2
    )
    right = difference(lines + slopes * bends)
    head = index(waves, slice(0, last + 1))
    matrix = toeplitz(head) + hankel(head, index(waves, slice(last, None)))
    half = solve(matrix, right)
    tail = index(half, slice(1, None))
    middle = 2 * index(half, slice(0, 1))
    return concatenate([index(tail, slice(None, None, -1)), middle, tail])


def kaiser_beta(a: TensorLike) -> TensorVariable:
    """The shape of Kaiser's window of which so many decibels are lost.

    See `scipy.signal.kaiser_beta`.

    >>> kaiser_beta(65.0).eval().round(4)
    np.float64(6.2043)
    """
    loss = as_floating(a)
    some = maximum(loss - 21, 0.0)
    below = where(some > 0, 0.5842 * where(some > 0, some, 1.0) ** 0.4 + 0.07886 * some, 0.0)
    return where(loss > 50, 0.1102 * (loss - 8.7), below).astype(loss.dtype)


def kaiser_atten(numtaps: TensorLike, width: TensorLike) -> TensorVariable:
    """How many decibels are lost by a filter of so many coefficients, by Kaiser's window.

    `width` is that of the way down, as a share of the highest frequency. See
    `scipy.signal.kaiser_atten`.

    >>> kaiser_atten(211, 0.0375).eval().round(4)
    np.float64(64.481)
    """
    return 2.285 * (as_tensor(numtaps) - 1) * pi * as_floating(width) + 7.95


def kaiserord(ripple: TensorLike, width: TensorLike) -> tuple[TensorVariable, TensorVariable]:
    """How many coefficients a filter by Kaiser's window needs, and the window's shape.

    See `scipy.signal.kaiserord`, and `kaiser_atten`; it asks for 8 decibels or more.

    >>> [v.eval().round(4).item() for v in kaiserord(65.0, 0.0375)]
    [213, 6.2043]
    """
    loss: Any = abs(as_floating(ripple))
    count = (loss - 7.95) / 2.285 / (pi * as_floating(width)) + 1
    return ceil(count).astype("int64"), kaiser_beta(loss)


def minimum_phase(
    h: TensorLike, method: str = "homomorphic", n_fft: int | None = None, *, half: bool = True
) -> TensorVariable:
    """The filter of the same size of response that delays least.

    See `scipy.signal.minimum_phase`.

    Parameters
    ----------
    h
        The coefficients of a symmetric filter: a real vector of known length, more than 2.
    method
        "homomorphic", by the logarithm of the response, or "hilbert", for ripples of one size.
    n_fft
        How many points the transform has: by default a power of 2 above 200 times the length.
    half
        Whether the result is half as long, and the root of the response; False for
        "homomorphic" alone.

    Raises
    ------
    ValueError
        for another h or method, and for an n_fft below the length.

    Examples
    --------
    >>> minimum_phase([0.25, 0.5, 0.25]).eval().round(1)
    array([0.5, 0.5])
    """
    taps = as_floating(h)
    count: Any = taps.type.shape[0] if taps.ndim == 1 and not taps.is_complex else None
    if not isinstance(count, int) or count <= 2:
        raise ValueError(f"h must be a real vector of known length above 2, not {h!r}{called()}")
    if method not in ("homomorphic", "hilbert") or (method == "hilbert" and not half):
        raise ValueError(
            f"method is 'homomorphic', or with half=True 'hilbert', not {method!r}{called()}"
        )
    points = 2 ** number_ceil(log2(200 * (count - 1))) if n_fft is None else whole(n_fft)
    if points < count:
        raise ValueError(f"n_fft must be at least {count}, not {n_fft!r}{called()}")
    k = np.arange(points)
    response = fft(taps, points)
    if method == "hilbert":
        turned = (response * np.exp(2j * pi * (count // 2) / points * k)).real
        above, below = max(turned) - 1, -min(turned)
        size = 4 / (sqrt(1 + above + below) + sqrt(1 - above + below)) ** 2
        size = sqrt(size * maximum(turned + below, 0.0)) + 1e-10
        odd = np.where(k < points // 2, 1.0, -1.0)
        odd[[0, points // 2]] = 0.0
        result = ifft(size * exp(fft(odd * ifft(log(size)))))
    else:
        size = abs(response)
        size = size + 1e-7 * min(where(size > 0, size, inf))
        cepstrum = ifft(log(size)).real * (0.5 if half else 1.0)
        fold = np.where(k < points // 2, 2.0, 0.0)
        fold[0] = 1.0
        if points % 2:
            fold[points // 2] = 1.0
        result = ifft(exp(fft(cepstrum * fold)))
    result = index(result.real, slice(0, (count + 1) // 2 if half else count))
    return result.astype(taps.dtype)
