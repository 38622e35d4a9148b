"""How strong a signal is within a band of frequencies, from place to place."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.fft.numpy_names import fft, ifft, irfft
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.sample_statistics.samples import one_of
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.ops.signal.resampling import resample
from weft_tensor.types.axes import as_axis

__all__ = ["envelope"]


def envelope(
    z: TensorLike,
    bp_in: tuple[int | None, int | None] = (1, None),
    *,
    n_out: int | None = None,
    squared: bool = False,
    residual: str | None = "lowpass",
    axis: int = -1,
) -> TensorVariable:
    """The envelope of a signal within a band of frequencies, and what is left of the signal.

    See `scipy.signal.envelope`.

    Parameters
    ----------
    z
        Real or complex numbers, of a known length along the axis.
    bp_in
        The first frequency of the band, and that after the last, by their places in the Fourier
        transform, from -(n // 2) to (n + 1) // 2; None for an end.
    n_out
        How many places the result has; as many as there are by default.
    squared
        Whether it is the square of the envelope.
    residual
        What is left: "lowpass" for frequencies below the band, "all" for those above, too, or None.
    axis
        Along which axis.

    Returns
    -------
    The envelope; with a residual both, along a new first axis.

    Raises
    ------
    ValueError
        for a length that is unknown or 0, another band, `n_out` or `residual`.

    Examples
    --------
    >>> from weft_tensor import linspace, sin
    >>> wave = 3 * sin(linspace(0, 20, 8, endpoint=False) * 2 * np.pi / 20)
    >>> envelope(wave, residual=None).eval().round(6)
    array([3., 3., 3., 3., 3., 3., 3., 3.])
    """
    one_of("envelope", "residual", residual, ("lowpass", "all", None))
    x = as_floating(z)
    along = as_axis(axis, x.ndim)
    rows = moveaxis(x, along, -1)
    n = rows.type.shape[-1]
    if not isinstance(n, int) or not n:
        raise ValueError(f"envelope: the length of z must be known, and not 0: {x!r}{called()}")
    if n_out is not None and n_out < 1:
        raise ValueError(f"envelope: n_out must be positive or None, not {n_out!r}{called()}")
    start, stop = bp_in
    start = -(n // 2) if start is None else start
    stop = (n + 1) // 2 if stop is None else stop
    if not -(n // 2) <= start < stop <= (n + 1) // 2:
        raise ValueError(
            f"envelope: -n//2 <= bp_in[0] < bp_in[1] <= (n+1)//2 does not hold for n = {n} and "
            f"bp_in = {bp_in!r}{called()}"
        )
    count = n_out or n
    scale = count / n
    is_middle = start <= 0 < stop
    places = np.fft.fftshift(np.arange(n)) if is_middle else np.arange(n)
    shift = n // 2 if is_middle else 0
    shares = np.ones(n)
    if not x.is_complex:  # that of a real signal without negative frequencies
        shares[n // 2 + 1 :] = 0
        shares[max(start, 1) : max(stop, 1)] *= 2
    kind = x.real.dtype
    spectrum = fft(rows)
    inside = places[start + shift : stop + shift]
    weights = constant(shares[inside].astype(kind))
    base = ifft(index(spectrum, (..., inside)) * weights, count) * scale
    values = base.real**2 + base.imag**2 if squared else abs(base)
    values = moveaxis(values, -1, along)
    if residual is None:
        return values
    if is_middle:
        shares[:stop], shares[start:] = 0, 0
    else:
        shares[start:stop] = 0
    if residual == "lowpass":
        if stop > 0:
            shares[stop : (n + 1) // 2] = 0
        else:
            shares[start:], shares[: (n + 1) // 2] = 0, 0
    unpaired = min(n, count)
    if not x.is_complex and count != n and unpaired % 2 == 0:
        shares[unpaired // 2] *= 2 if count < n else 0.5
    left: Any = spectrum * constant(shares.astype(kind))
    if x.is_complex:
        rest = resample(ifft(left), count, axis=-1)
    else:
        rest = irfft(index(left, (..., slice(0, n // 2 + 1))), count) * scale
    return stack([values, moveaxis(rest, -1, along)], 0)
