"""Windows with SciPy's names: weights that fall off to both sides, symmetric or periodic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi
from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.of_numbers import of_numbers
from weft_tensor.build.variable import SizeLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import maximum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, le, where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.elementwise.trigonometric import cos, sin
from weft_tensor.ops.numbers.waves import sinc
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import as_size
from weft_tensor.ops.special.bessel import i0

__all__ = [
    "barthann",
    "bartlett",
    "blackman",
    "blackmanharris",
    "bohman",
    "boxcar",
    "chebwin",
    "cosine",
    "dpss",
    "exponential",
    "flattop",
    "gaussian",
    "general_cosine",
    "general_gaussian",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "kaiser_bessel_derived",
    "lanczos",
    "nuttall",
    "parzen",
    "taylor",
    "triang",
    "tukey",
]


def _window(M: SizeLike, sym: bool, weight: Callable[[Any, Any], Any]) -> TensorVariable:
    """`weight` of 0, 1, ... and the number of all, of which a periodic one has one more.

    A single one is 1.
    """
    count = maximum(as_size(M), 0)
    n = count if sym else count + 1
    weights = weight(arange(count).astype("float64"), maximum(n, 2).astype("float64"))
    return where(eq(count, 1), 1.0, weights)


def _centred(k: Any, n: Any) -> Any:
    """From -1 to 1."""
    return 2 * k / (n - 1) - 1


def general_cosine(M: SizeLike, a: Sequence[Any], sym: bool = True) -> TensorVariable:
    """Cosines of 0, 1, ... periods with weights `a`. See `scipy.signal.windows.general_cosine`.

    `sym`, here as for all windows: whether it is symmetric; else it is a period of one that
    repeats.

    >>> general_cosine(3, [0.5, 0.5]).eval().round(12)
    array([0., 1., 0.])
    """

    def weight(k: Any, n: Any) -> Any:
        x: Any = pi * _centred(k, n)
        total: Any = a[0]
        for times, factor in enumerate(a[1:], 1):
            total = total + factor * cos(times * x)
        return total + 0 * x

    return _window(M, sym, weight)


def general_hamming(M: SizeLike, alpha: Any, sym: bool = True) -> TensorVariable:
    """A raised cosine. See `scipy.signal.windows.general_hamming`.

    >>> general_hamming(3, 0.6).eval().round(12)
    array([0.2, 1. , 0.2])
    """
    return general_cosine(M, [alpha, 1 - alpha], sym)


def boxcar(M: SizeLike, sym: bool = True) -> TensorVariable:
    """All ones. See `scipy.signal.windows.boxcar`.

    >>> boxcar(3).eval()
    array([1., 1., 1.])
    """
    return general_cosine(M, [1.0], sym)


def hann(M: SizeLike, sym: bool = True) -> TensorVariable:
    """A raised cosine that falls off to 0. See `scipy.signal.windows.hann`.

    >>> hann(3).eval().round(12)
    array([0., 1., 0.])
    """
    return general_cosine(M, [0.5, 0.5], sym)


def hamming(M: SizeLike, sym: bool = True) -> TensorVariable:
    """A cosine that is raised a little more. See `scipy.signal.windows.hamming`.

    >>> hamming(3).eval().round(12)
    array([0.08, 1.  , 0.08])
    """
    return general_cosine(M, [0.54, 0.46], sym)


def blackman(M: SizeLike, sym: bool = True) -> TensorVariable:
    """Two cosines. See `scipy.signal.windows.blackman`.

    >>> blackman(3).eval().round(12) + 0
    array([0., 1., 0.])
    """
    return general_cosine(M, [0.42, 0.5, 0.08], sym)


def nuttall(M: SizeLike, sym: bool = True) -> TensorVariable:
    """Three cosines. See `scipy.signal.windows.nuttall`.

    >>> nuttall(3).eval().round(4)
    array([4.e-04, 1.e+00, 4.e-04])
    """
    return general_cosine(M, [0.3635819, 0.4891775, 0.1365995, 0.0106411], sym)


def blackmanharris(M: SizeLike, sym: bool = True) -> TensorVariable:
    """Three cosines. See `scipy.signal.windows.blackmanharris`.

    >>> blackmanharris(3).eval().round(4)
    array([1.e-04, 1.e+00, 1.e-04])
    """
    return general_cosine(M, [0.35875, 0.48829, 0.14128, 0.01168], sym)


def flattop(M: SizeLike, sym: bool = True) -> TensorVariable:
    """Four cosines, flat in the middle. See `scipy.signal.windows.flattop`.

    >>> flattop(3).eval().round(4)
    array([-4.e-04,  1.e+00, -4.e-04])
    """
    parts = [0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368]
    return general_cosine(M, parts, sym)


def bartlett(M: SizeLike, sym: bool = True) -> TensorVariable:
    """A triangle with zeros at its ends. See `scipy.signal.windows.bartlett`.

    >>> bartlett(5).eval()
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    return _window(M, sym, lambda k, n: 1 - absolute(_centred(k, n)))


def triang(M: SizeLike, sym: bool = True) -> TensorVariable:
    """A triangle without zeros at its ends. See `scipy.signal.windows.triang`.

    >>> triang(4).eval()
    array([0.25, 0.75, 0.75, 0.25])
    """
    return _window(M, sym, lambda k, n: 1 - absolute(2 * k - n + 1) / (n + n % 2))


def cosine(M: SizeLike, sym: bool = True) -> TensorVariable:
    """Half a period of a sine. See `scipy.signal.windows.cosine`.

    >>> cosine(3).eval().round(12)
    array([0.5, 1. , 0.5])
    """
    return _window(M, sym, lambda k, n: sin(pi / n * (k + 0.5)))


def bohman(M: SizeLike, sym: bool = True) -> TensorVariable:
    """The product of a triangle and a cosine, and a sine. See `scipy.signal.windows.bohman`.

    >>> bohman(3).eval().round(12)
    array([0., 1., 0.])
    """

    def weight(k: Any, n: Any) -> Any:
        x = absolute(_centred(k, n))
        inside = (1 - x) * cos(pi * x) + sin(pi * x) / pi
        return where(eq(x, 1), 0.0, inside)

    return _window(M, sym, weight)


def barthann(M: SizeLike, sym: bool = True) -> TensorVariable:
    """A triangle and a cosine. See `scipy.signal.windows.barthann`.

    >>> barthann(3).eval().round(12)
    array([0., 1., 0.])
    """

    def weight(k: Any, n: Any) -> Any:
        x = absolute(_centred(k, n)) / 2
        return 0.62 - 0.48 * x + 0.38 * cos(2 * pi * x)

    return _window(M, sym, weight)


def parzen(M: SizeLike, sym: bool = True) -> TensorVariable:
    """Cubic pieces. See `scipy.signal.windows.parzen`.

    >>> parzen(3).eval().round(4)
    array([0.0741, 1.    , 0.0741])
    """

    def weight(k: Any, n: Any) -> Any:
        x = absolute(k - (n - 1) / 2) / (n / 2)
        middle = 1 - 6 * x**2 + 6 * x**3
        return where(le(absolute(k - (n - 1) / 2), (n - 1) / 4), middle, 2 * (1 - x) ** 3)

    return _window(M, sym, weight)


def gaussian(M: SizeLike, std: Any, sym: bool = True) -> TensorVariable:
    """A normal density, 1 in the middle. See `scipy.signal.windows.gaussian`.

    >>> gaussian(3, 1.0).eval().round(4)
    array([0.6065, 1.    , 0.6065])
    """
    return general_gaussian(M, 1.0, std, sym)


def general_gaussian(M: SizeLike, p: Any, sig: Any, sym: bool = True) -> TensorVariable:
    """With another power than 2. See `scipy.signal.windows.general_gaussian`.

    >>> general_gaussian(3, 1.5, 1.0).eval().round(4)
    array([0.6065, 1.    , 0.6065])
    """
    return _window(M, sym, lambda k, n: exp(-0.5 * absolute((k - (n - 1) / 2) / sig) ** (2 * p)))


def exponential(
    M: SizeLike, center: Any = None, tau: Any = 1.0, sym: bool = True
) -> TensorVariable:
    """It decays from the middle, or from `center`. See `scipy.signal.windows.exponential`.

    Raises ValueError for a `center` of a symmetric one.

    >>> exponential(3).eval().round(4)
    array([0.3679, 1.    , 0.3679])
    """
    if sym and center is not None:
        raise ValueError(f"If sym==True, center must be None, not {center!r}{called()}")
    return _window(
        M,
        sym,
        lambda k, n: exp(-absolute(k - ((n - 1) / 2 if center is None else center)) / tau),
    )


def tukey(M: SizeLike, alpha: float = 0.5, sym: bool = True) -> TensorVariable:
    """Flat between halves of a cosine, a share `alpha` of all. See `scipy.signal.windows.tukey`.

    >>> tukey(5).eval().round(12)
    array([0., 1., 1., 1., 0.])
    """
    if alpha <= 0:
        return boxcar(M, sym)
    if alpha >= 1:
        return hann(M, sym)

    def weight(k: Any, n: Any) -> Any:
        width = alpha * (n - 1) / 2
        near = absolute(k - (n - 1) / 2)
        falls = 0.5 * (1 + cos(pi * ((near - (n - 1) / 2) / width + 1)))
        return where(le(near, (n - 1) / 2 - width), 1.0, falls)

    return _window(M, sym, weight)


def kaiser(M: SizeLike, beta: Any, sym: bool = True) -> TensorVariable:
    """By the Bessel function `i0`, steep for a large beta. See `scipy.signal.windows.kaiser`.

    >>> kaiser(3, 2.0).eval().round(4)
    array([0.4387, 1.    , 0.4387])
    """
    factor = as_tensor(beta).astype("float64")

    def weight(k: Any, n: Any) -> Any:
        return i0(factor * sqrt(maximum(1 - _centred(k, n) ** 2, 0))) / i0(factor)

    return _window(M, sym, weight)


def lanczos(M: SizeLike, *, sym: bool = True) -> TensorVariable:
    """The middle of sin(pi x) / (pi x). See `scipy.signal.windows.lanczos`.

    >>> lanczos(5).eval().round(4) + 0
    array([0.    , 0.6366, 1.    , 0.6366, 0.    ])
    """
    return _window(M, sym, lambda k, n: sinc(_centred(k, n)))


def kaiser_bessel_derived(M: SizeLike, beta: Any, *, sym: bool = True) -> TensorVariable:
    """Roots of sums of `kaiser`: squares of halves that overlap add up to 1.

    See `scipy.signal.windows.kaiser_bessel_derived`. Raises ValueError for an odd `M`, and for one
    that is not symmetric.

    >>> kaiser_bessel_derived(4, 2.0).eval().round(4)
    array([0.4834, 0.8754, 0.8754, 0.4834])
    """
    size = as_size(M)
    if not sym or (isinstance(M, int) and M % 2):
        takes = "kaiser_bessel_derived takes an even number, and is symmetric"
        raise ValueError(f"{takes}: not {M!r} and sym={sym}{called()}")
    size = check_and_raise(
        as_tensor(size), eq(as_tensor(size) % 2, 0), ValueError, "kaiser_bessel_derived: M is odd"
    )
    weights = cumsum(kaiser(size // 2 + 1, beta))
    half = sqrt(weights[:-1] / weights[-1])
    return concatenate([half, half[::-1]])


chebwin = of_numbers(
    __name__,
    "scipy.signal.windows",
    "chebwin",
    "Dolph's and Chebyshev's window, whose side lobes are all so many decibels lower",
    "chebwin(3, 50).eval().round(4)",
    "array([0.5032, 1.    , 0.5032])",
)
dpss = of_numbers(
    __name__,
    "scipy.signal.windows",
    "dpss",
    "Slepian's sequences, which have most of their power in a band",
    "dpss(3, 1).eval().round(4)",
    "array([0.5931, 1.    , 0.5931])",
)
taylor = of_numbers(
    __name__,
    "scipy.signal.windows",
    "taylor",
    "Taylor's window, whose first side lobes are nearly equal",
    "taylor(3).eval().round(4)",
    "array([0.4669, 1.    , 0.4669])",
)
