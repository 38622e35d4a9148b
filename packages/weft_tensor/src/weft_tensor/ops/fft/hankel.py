"""Hankel transforms of functions at places whose logarithms are evenly spaced."""

from __future__ import annotations

from math import log, pi
from typing import Any, Final

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.arithmetic import rint
from weft_tensor.ops.elementwise.comparison import eq, isfinite, where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.elementwise.trigonometric import cos, sin
from weft_tensor.ops.fft.numpy_names import irfft, rfft
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.special.gamma import poch
from weft_tensor.ops.special.of_complex import loggamma

__all__ = ["fht", "fhtoffset", "ifht"]

_LN_2: Final = log(2.0)


def fht(
    a: TensorLike, dln: TensorLike, mu: TensorLike, offset: TensorLike = 0.0, bias: TensorLike = 0.0
) -> TensorVariable:
    """The Hankel transform of a function at places that are evenly spaced in logarithms.

    By two Fourier transforms (Hamilton, Uncorrelated modes of the non-linear power spectrum, 2000,
    appendix B), along the last axis. See `scipy.fft.fht`.

    Parameters
    ----------
    a
        Real numbers: the function times the place.
    dln
        How far the logarithms of neighbouring places are apart.
    mu
        The order of the Bessel function.
    offset
        The logarithm of the product of the middle places of both sides: see `fhtoffset`.
    bias
        The exponent of a power of the place that is taken out first.

    Raises
    ------
    TypeError
        for complex numbers.

    Examples
    --------
    >>> fht([1.0, 2.0, 1.0, 0.5], 0.5, 0.0).eval().round(4)
    array([0.5385, 0.691 , 1.8482, 1.4222])
    """
    values, apart = _real(a, "fht"), (dln, offset, bias)
    turned = values * _powers(values, dln, -as_floating(bias), 0.0)
    factors = _factors(lengths_of(values)[-1], as_floating(mu), *apart)
    result = _transformed(turned, where(isfinite(factors.real), factors, 0.0))
    return result * _powers(values, dln, -as_floating(bias), offset)


def ifht(
    A: TensorLike, dln: TensorLike, mu: TensorLike, offset: TensorLike = 0.0, bias: TensorLike = 0.0
) -> TensorVariable:
    """The inverse of `fht`, with the same arguments. See `scipy.fft.ifht`.

    >>> ifht(fht([1.0, 2.0, 1.0, 0.5], 0.5, 0.0), 0.5, 0.0).eval().round(6)
    array([1. , 2. , 1. , 0.5])
    """
    values, apart = _real(A, "ifht"), (dln, offset, bias)
    turned = values * _powers(values, dln, as_floating(bias), offset)
    factors = _factors(lengths_of(values)[-1], as_floating(mu), *apart).conj()
    none = eq(factors, 0)
    result = _transformed(turned, where(none, 0.0, 1 / where(none, 1.0, factors)))
    return result * _powers(values, dln, as_floating(bias), 0.0)


def _real(a: TensorLike, name: str) -> TensorVariable:
    values = as_floating(a)
    if values.is_complex:
        raise TypeError(f"{name} takes real numbers, not {values!r}{called()}")
    return values


def _powers(values: Any, dln: Any, exponent: Any, offset: Any) -> TensorVariable:
    """A power of each place, from the middle."""
    n = lengths_of(values)[-1]
    return exp(exponent * ((arange(n) - (n - 1) / 2) * dln + offset)).astype(values.dtype)


def _factors(n: Any, mu: TensorVariable, dln: Any, offset: Any, bias: Any) -> TensorVariable:
    """What each frequency is multiplied by, where inf and 0 are as they are."""
    middle, half = (mu + 1) / 2, as_floating(bias) / 2
    k = arange(n // 2 + 1)
    start, y = eq(k, 0), k * (pi / (n * as_floating(dln)))
    size: Any = 1.0
    alone: Any = 1.0
    if isinstance(bias, float | int) and bias == 0:
        angles = 2 * loggamma(middle + 1j * y).imag
    else:
        above, below = middle + half, middle - half
        first, second = loggamma(above + 1j * y), loggamma(below + 1j * y)
        angles = first.imag + second.imag
        size = exp(first.real - second.real + _LN_2 * as_floating(bias))
        alone = 2.0 ** as_floating(bias) * poch(below, as_floating(bias))
    turn = angles + 2 * (_LN_2 - as_floating(offset)) * y
    real = where(start, alone, size * cos(turn))
    is_real = start | eq(2 * k, n)
    return real + 1j * where(is_real, 0.0, size * sin(turn))


def _transformed(values: TensorVariable, factors: TensorVariable) -> TensorVariable:
    spectrum = rfft(values)
    n = lengths_of(values)[-1]
    result = irfft(spectrum * factors.astype(spectrum.dtype), n)
    return index(result, (..., slice(None, None, -1)))


def fhtoffset(
    dln: TensorLike, mu: TensorLike, initial: TensorLike = 0.0, bias: TensorLike = 0.0
) -> TensorVariable:
    """The `offset` next to `initial` with which `fht` has no ringing. See `scipy.fft.fhtoffset`.

    >>> fhtoffset(0.1, 0.5).eval().round(6)
    np.float64(-0.027643)
    """
    step, start = as_floating(dln), as_floating(initial)
    above, below = ((as_floating(mu) + 1 + sign * as_floating(bias)) / 2 for sign in (1, -1))
    y = pi / (2 * step)
    turn = (loggamma(above + 1j * y).imag + loggamma(below + 1j * y).imag) / pi
    part = (_LN_2 - start) / step + turn
    return start + (part - rint(part)) * step
