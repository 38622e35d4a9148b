"""Waves with SciPy's names: of times, which are tensors of any shape."""

from __future__ import annotations

from math import log as number_log
from math import nan, pi
from typing import Any, Final

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensors
from weft_tensor.build.of_numbers import check_known
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import zeros
from weft_tensor.ops.elementwise.arithmetic import hypot, mod
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.elementwise.trigonometric import arctan2, cos, sin
from weft_tensor.ops.polynomials.polynomials import polyint, polyval
from weft_tensor.ops.reduction.standard import mean
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.special.entropies import exprel
from weft_tensor.types.dtypes import is_weak

__all__ = [
    "chirp",
    "gausspulse",
    "sawtooth",
    "square",
    "sweep_poly",
    "unit_impulse",
    "vectorstrength",
]

_METHODS: Final = {
    **dict.fromkeys(("linear", "lin", "li"), "linear"),
    **dict.fromkeys(("quadratic", "quad", "q"), "quadratic"),
    **dict.fromkeys(("logarithmic", "log", "lo"), "logarithmic"),
}


def _floats(*xs: TensorLike) -> list[TensorVariable]:
    of_floats = [x if is_weak(x) else as_floating(x) for x in xs]
    return [as_floating(x) for x in as_tensors(of_floats)]


def _angle(t: TensorVariable) -> TensorVariable:
    return mod(t, 2 * pi)


def sawtooth(t: TensorLike, width: TensorLike = 1) -> TensorVariable:
    """A wave of period 2 pi that rises from -1 to 1 on a share `width` of it, and then falls.

    Of the shape of t and width, broadcast; NaN for a width that is not from 0 to 1. See
    `scipy.signal.sawtooth`, which makes float64 of float32.

    >>> sawtooth([0.0, 1.5707963267948966]).eval().round(12)
    array([-1. , -0.5])
    """
    x, w = _floats(t, width)
    angle = _angle(x)
    rises = angle < 2 * pi * w
    up = angle / (pi * where(rises, w, 1)) - 1
    down = (pi * (w + 1) - angle) / (pi * where(rises, 1, 1 - w))
    return where((w >= 0) & (w <= 1), where(rises, up, down), nan)


def square(t: TensorLike, duty: TensorLike = 0.5) -> TensorVariable:
    """A wave of period 2 pi that is 1 on a share `duty` of it, and then -1.

    Of the shape of t and duty, broadcast; NaN for a duty that is not from 0 to 1. See
    `scipy.signal.square`, which makes float64 of float32.

    >>> square([0.0, 4.0]).eval()
    array([ 1., -1.])
    """
    x, w = _floats(t, duty)
    high = where(_angle(x) < 2 * pi * w, 1.0, -1.0)
    return where((w >= 0) & (w <= 1), high, nan) + 0 * (x + w)


def chirp(
    t: TensorLike,
    f0: TensorLike,
    t1: TensorLike,
    f1: TensorLike,
    method: str = "linear",
    phi: TensorLike = 0,
    vertex_zero: bool = True,
    *,
    complex: bool = False,
) -> TensorVariable:
    """A cosine whose frequency goes from `f0` at time 0 to `f1` at time `t1`.

    See `scipy.signal.chirp`. All but `method` and `vertex_zero` broadcast, and have derivatives.

    Parameters
    ----------
    t
        Times.
    f0, t1, f1
        Frequencies, and when it has the second one.
    method
        "linear", "quadratic" or "logarithmic": how the frequency changes. The last is NaN for
        frequencies of unlike signs.
    phi
        The phase at time 0, in degrees.
    vertex_zero
        Whether a parabola of frequencies has its vertex at time 0, not t1.
    complex
        Whether the result is complex, with a sine as imaginary part.

    Raises
    ------
    ValueError
        for another method.

    Examples
    --------
    >>> chirp([0.0, 0.5, 1.0], 0.0, 1.0, 2.0).eval().round(6)
    array([1., 0., 1.])
    """
    if method not in _METHODS:
        names = ", ".join(dict.fromkeys(map(repr, _METHODS.values())))
        raise ValueError(f"method must be one of {names}, not {method!r}{called()}")
    x, begin, end, last, shift = _floats(t, f0, t1, f1, phi)
    share = x / end
    if _METHODS[method] == "linear":
        turns = x * (begin + 0.5 * (last - begin) * share)
    elif _METHODS[method] == "logarithmic":
        turns = begin * x * exprel(share * log(last / begin))
    elif vertex_zero:
        turns = x * (begin + (last - begin) * share**2 / 3)
    else:
        turns = x * (last + (begin - last) * (1 - share + share**2 / 3))
    angle = 2 * pi * turns + shift * (pi / 180)
    return cos(angle) + 1j * sin(angle) if complex else cos(angle)


def gausspulse(
    t: TensorLike,
    fc: TensorLike = 1000,
    bw: TensorLike = 0.5,
    bwr: TensorLike = -6,
    retquad: bool = False,
    retenv: bool = False,
) -> Any:
    """A cosine of frequency `fc` in a Gaussian envelope. See `scipy.signal.gausspulse`.

    Of the shape of the arguments, broadcast; with `retquad` the sine follows, with `retenv` the
    envelope.

    Parameters
    ----------
    t
        Times.
    fc
        The frequency.
    bw
        How broad the spectrum is, as a share of the frequency.
    bwr
        At how many decibels that is measured: a negative number.

    Raises
    ------
    ValueError
        where `fc` is known to be negative, `bw` not to be positive, or `bwr` not to be negative.

    Examples
    --------
    >>> gausspulse([0.0, 0.001]).eval().round(6)
    array([1.      , 0.409433])
    """
    check_known(fc, lambda f: f >= 0, "gausspulse: the frequency fc is not negative")
    check_known(bw, lambda w: w > 0, "gausspulse: the width bw is positive")
    check_known(bwr, lambda level: level < 0, "gausspulse: the level bwr is negative")
    x, frequency, width, level = _floats(t, fc, bw, bwr)
    spread = -((pi * frequency * width) ** 2) / (4 * level * (number_log(10) / 20))
    envelope, angle = exp(-spread * x * x), 2 * pi * frequency * x
    results = [envelope * cos(angle)]
    if retquad:
        results.append(envelope * sin(angle))
    if retenv:
        results.append(envelope)
    return tuple(results) if len(results) > 1 else results[0]


def vectorstrength(events: TensorLike, period: TensorLike) -> tuple[TensorVariable, TensorVariable]:
    """How far times of events go with a period, from 0 to 1, and at which phase, in radians.

    `events` is a vector, both results are of the shape of `period`. See
    `scipy.signal.vectorstrength`. Raises ValueError for events that are no vector.

    >>> strength, phase = vectorstrength([0.25, 1.25, 2.25], 1.0)
    >>> strength.eval().round(6).item(), phase.eval().round(6).item()
    (1.0, 1.570796)
    """
    times, length = _floats(events, period)
    if times.ndim != 1:
        raise ValueError(f"events must be a vector, not {times!r}{called()}")
    angles = 2 * pi * times / length.expand_dims(-1)
    across, up = mean(cos(angles), -1), mean(sin(angles), -1)
    return hypot(across, up), arctan2(up, across)


def unit_impulse(shape: Any, idx: Any = None, dtype: Any = "float64") -> TensorVariable:
    """Zeros but for a 1: at the begin, at subscripts `idx`, or, for "mid", in the middle.

    See `scipy.signal.unit_impulse`.

    >>> unit_impulse(4, 2).eval()
    array([0., 0., 1., 0.])
    """
    none = zeros(shape, dtype)
    if idx is None:
        idx = (0,) * none.ndim
    elif isinstance(idx, str) and idx == "mid":
        idx = tuple(n // 2 for n in lengths_of(none))
    elif not isinstance(idx, tuple):
        idx = (idx,) * none.ndim
    return none[idx].set(1)


def sweep_poly(t: TensorLike, poly: TensorLike, phi: TensorLike = 0) -> TensorVariable:
    """A cosine whose frequency at time t is a polynomial of t, the highest power first.

    `phi` is the phase at time 0, in degrees. See `scipy.signal.sweep_poly`.

    >>> sweep_poly([0.0, 0.5, 1.0], [2.0, 0.0]).eval().round(6) + 0
    array([1., 0., 1.])
    """
    x, shift = _floats(t, phi)
    return cos(2 * pi * polyval(polyint(poly), x) + shift * (pi / 180))
