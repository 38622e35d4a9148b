"""Transforms of short parts as an object: one window, from part to part."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.of_numbers import number_of
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.control.loops import scan
from weft_tensor.ops.creation.creation import zeros
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import eq
from weft_tensor.ops.fft.frequencies import fftshift, ifftshift
from weft_tensor.ops.fft.numpy_names import fft, ifft, irfft, rfft
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.padding import pad
from weft_tensor.ops.shape.rearrange import roll
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.ops.signal.short_time.transforms import BOUNDARIES, overlapped
from weft_tensor.ops.signal.smoothing import detrend
from weft_tensor.ops.signal.spectra import one_of, parts_of
from weft_tensor.types.axes import as_axis

__all__ = ["ShortTimeFFT"]

_PADDINGS = BOUNDARIES | {"edge": BOUNDARIES["constant"]}
Detrend = Callable[[Any], Any] | str | None


class ShortTimeFFT:
    """Transforms of parts of signals, each times a window, and the way back.

    The window, the step and the lengths are known; signals may be variables, and their length may
    be unknown. All that needs no signal is SciPy's: `t(n)`, `f`, `delta_t`, `p_max(n)`, `dual_win`,
    `scale_to`, `extent`. See `scipy.signal.ShortTimeFFT`.

    Parameters
    ----------
    win
        The window: a vector of numbers.
    hop
        How far it is from part to part.
    fs
        How many numbers there are in a unit of time.
    fft_mode
        "onesided", "onesided2X", "twosided" or "centered".
    mfft
        How many points transforms have: as many as the window by default.
    dual_win
        The window of the way back, by default the one of SciPy's.
    scale_to
        "magnitude" or "psd": what a transform tells without another factor.
    phase_shift
        Which place of a part has phase 0, from its middle on; None for its first.

    Raises
    ------
    TypeError
        for windows that are variables.
    ValueError
        for what SciPy refuses, and for signals shorter than half a window: at the call where their
        length is unknown before.

    Examples
    --------
    >>> SFT = ShortTimeFFT(np.ones(4), hop=2, fs=1.0)
    >>> x = [1.0, 0.0, -1.0, 0.0, 1.0, 0.0]
    >>> abs(SFT.stft(x)).eval().round(3)[1], SFT.t(6).tolist()
    (array([1., 2., 2., 1.]), [0.0, 2.0, 4.0, 6.0])
    >>> SFT.istft(SFT.stft(x), k1=6).eval().round(12) + 0
    array([ 1.,  0., -1.,  0.,  1.,  0.])
    """

    __slots__ = ("_numbers",)
    _numbers: Any
    """SciPy's, of the same window."""

    def __init__(self, win: TensorLike, hop: int, fs: float, **how: Any) -> None:
        self._numbers = _scipys()(_number(win), hop, fs, **_known(how))

    @classmethod
    def from_dual(cls, dual_win: TensorLike, hop: int, fs: float, **how: Any) -> ShortTimeFFT:
        """By the window of the way back."""
        return cls._of(_scipys().from_dual(_number(dual_win), hop, fs, **how))

    @classmethod
    def from_window(
        cls, win_param: Any, fs: float, nperseg: int, noverlap: int, **how: Any
    ) -> ShortTimeFFT:
        """By the name of a window, as `get_window` takes it, and how many numbers are in two."""
        return cls._of(_scipys().from_window(win_param, fs, nperseg, noverlap, **how))

    @classmethod
    def from_win_equals_dual(
        cls, desired_win: TensorLike, hop: int, fs: float, **how: Any
    ) -> ShortTimeFFT:
        """By the window nearest to one that is its own for the way back."""
        return cls._of(_scipys().from_win_equals_dual(_number(desired_win), hop, fs, **how))

    @classmethod
    def _of(cls, numbers: Any) -> ShortTimeFFT:
        made = cls.__new__(cls)
        made._numbers = numbers
        return made

    def __getattr__(self, name: str) -> Any:
        return getattr(self._numbers, name)

    def stft(
        self,
        x: TensorLike,
        p0: int | None = None,
        p1: int | None = None,
        *,
        k_offset: int = 0,
        padding: str = "zeros",
        axis: int = -1,
    ) -> TensorVariable:
        """The transforms of parts from `p0` to before `p1`: times are the last axis.

        `padding` says what is beyond the ends: "zeros", "edge", "even" or "odd".
        """
        return self.stft_detrend(x, None, p0, p1, k_offset=k_offset, padding=padding, axis=axis)

    def stft_detrend(
        self,
        x: TensorLike,
        detr: Detrend,
        p0: int | None = None,
        p1: int | None = None,
        *,
        k_offset: int = 0,
        padding: str = "zeros",
        axis: int = -1,
    ) -> TensorVariable:
        """`stft` of parts without their trend: "linear", "constant", or a function of a part."""
        one_of(padding, tuple(k for k in _PADDINGS if k != "constant"), "padding")
        v, own = as_floating(x), self._numbers
        if own.onesided_fft and v.is_complex:
            raise ValueError(f"{own.fft_mode!r} takes real signals, not {v!r}{called()}")
        along = as_axis(axis, v.ndim)
        rows = moveaxis(v, along, -1)
        rows, n = self._long_enough(rows)
        first = own.p_min if p0 is None else p0
        last = self._last(n) if p1 is None else p1
        message = f"the parts from p0={p0} to p1={p1} are not among those of the signal"
        is_within = (own.p_min <= first) & (first < last) & (last <= self._last(n))
        rows = _demand(rows, is_within, message)
        begin = first * own.hop - own.m_num_mid + k_offset
        end = begin + (last - first) * own.hop + own.m_num
        is_known = isinstance(n, int) and isinstance(end, int)
        stop, more = (
            (min(end, n), max(end - n, 0)) if is_known else (minimum(end, n), maximum(end - n, 0))
        )
        rows = index(rows, (..., slice(max(begin, 0), stop)))
        ends = [(0, 0)] * (rows.ndim - 1) + [(max(-begin, 0), more)]
        rows = index(pad(rows, ends, **_PADDINGS[padding]), (..., slice(None, -own.hop)))
        parts = _without_trend(parts_of(rows, own.m_num, own.hop), detr)
        return moveaxis(self._transform(parts * own.win.conj()), -1, along)

    def spectrogram(
        self,
        x: TensorLike,
        y: TensorLike | None = None,
        detr: Detrend = None,
        *,
        p0: int | None = None,
        p1: int | None = None,
        k_offset: int = 0,
        padding: str = "zeros",
        axis: int = -1,
    ) -> TensorVariable:
        """The squares of transforms, or their products with conjugates of those of `y`."""
        how: Any = {"k_offset": k_offset, "padding": padding, "axis": axis}
        ahead = self.stft_detrend(x, detr, p0, p1, **how)
        if y is None or y is x:
            return ahead.real**2 + ahead.imag**2
        return ahead * self.stft_detrend(y, detr, p0, p1, **how).conj()

    def istft(
        self,
        S: TensorLike,
        k0: int = 0,
        k1: int | None = None,
        *,
        f_axis: int = -2,
        t_axis: int = -1,
    ) -> TensorVariable:
        """The signal from `k0` to before `k1` of which `stft` gives these transforms."""
        z, own = as_floating(S), self._numbers
        by, at = as_axis(f_axis, z.ndim), as_axis(t_axis, z.ndim)
        if by == at or z.type.shape[by] not in (None, own.f_pts):
            raise ValueError(f"istft takes {own.f_pts} frequencies, and times, not {z!r}{called()}")
        z = moveaxis(z, (by, at), (-1, -2))
        end = (lengths_of(z)[-2] + own.p_min - 1) * own.hop + own.m_num - own.m_num_mid
        last = end if k1 is None else k1
        half = own.m_num - own.m_num_mid
        is_within = (own.k_min <= k0) & (last <= end) & (last - k0 >= half)
        message = f"k0={k0} and k1={k1} must be within the parts, half a window or more apart"
        z = _demand(z, is_within, message)
        z = _demand(z, eq(lengths_of(z)[-1], own.f_pts), f"istft takes {own.f_pts} frequencies")
        parts = self._back(z) * own.dual_win
        whole, _ = overlapped(parts, zeros(own.m_num, parts.real.dtype), own.m_num, own.hop)
        x = index(whole, (..., slice(k0 - own.k_min, last - own.k_min)))
        return moveaxis(x, -1, by if by < x.ndim else at)

    def _long_enough(self, rows: TensorVariable) -> tuple[TensorVariable, Any]:
        half = self._numbers.m_num - self._numbers.m_num_mid
        n: Any = rows.type.shape[-1]
        n = n if isinstance(n, int) else lengths_of(rows)[-1]
        message = f"a signal must have {half} numbers or more, half a window"
        return _demand(rows, n >= half, message), n

    def _last(self, n: Any) -> Any:
        """SciPy's p_max, also of a length that is not known: the first part that meets none."""
        if isinstance(n, int):
            return self._numbers.p_max(n)
        own = self._numbers
        leading = np.flatnonzero(own.win)[0] if own.win.any() else own.m_num
        return maximum(n // own.hop + 1, -((leading - n - own.m_num_mid) // own.hop))

    def _transform(self, parts: TensorVariable) -> TensorVariable:
        own = self._numbers
        if own.phase_shift is not None:
            *others, _ = lengths_of(parts)
            more = zeros((*others, own.mfft - own.m_num), parts.dtype)
            parts = roll(concatenate([parts, more], -1), -self._turn(), -1)
        if own.onesided_fft:
            return rfft(parts, own.mfft) * self._doubled()
        values = fft(parts, own.mfft)
        return fftshift(values, -1) if own.fft_mode == "centered" else values

    def _back(self, z: TensorVariable) -> TensorVariable:
        own = self._numbers
        if own.onesided_fft:
            parts = irfft(z / self._doubled(), own.mfft)
        else:
            parts = ifft(ifftshift(z, -1) if own.fft_mode == "centered" else z, own.mfft)
        if own.phase_shift is not None:
            parts = roll(parts, self._turn(), -1)
        return index(parts, (..., slice(None, own.m_num)))

    def _turn(self) -> int:
        own = self._numbers
        turn: int = (own.phase_shift + own.m_num_mid) % own.m_num
        return turn

    def _doubled(self) -> np.ndarray:
        """What "onesided2X" multiplies frequencies by that stand for two."""
        own = self._numbers
        factors = np.ones(own.f_pts)
        if own.fft_mode == "onesided2X":
            pairs = slice(1, -1 if own.mfft % 2 == 0 else None)
            factors[pairs] = np.sqrt(2) if own.scaling == "psd" else 2
        return factors


def _scipys() -> Any:
    return lazy_import("scipy.signal.ShortTimeFFT")


def _number(win: TensorLike) -> np.ndarray:
    what = "choose a window of numbers, or call `stft`, whose window may be a variable"
    return np.array(number_of(as_floating(win), "ShortTimeFFT", what))


def _known(how: dict[str, Any]) -> dict[str, Any]:
    dual = how.get("dual_win")
    return how if dual is None else how | {"dual_win": _number(dual)}


def _without_trend(parts: TensorVariable, detr: Detrend) -> TensorVariable:
    if isinstance(detr, str):
        return detrend(parts, -1, detr)
    if detr is None:
        return parts
    without: Callable[[Any], Any] = detr
    rows = scan(lambda state, part: (state, without(part)), 0, moveaxis(parts, -2, 0))[1]
    return moveaxis(rows, 0, -2)


def _demand(v: TensorVariable, condition: Any, message: str) -> TensorVariable:
    """`v`, with an error: now, if the condition is known, else at the call."""
    if isinstance(condition, (bool, np.bool_)):
        if not condition:
            raise ValueError(f"{message}{called()}")
        return v
    return check_and_raise(v, condition, ValueError, message)
