"""Splines through signals, by filters that go forward and back."""

from __future__ import annotations

from cmath import polar
from cmath import sqrt as csqrt
from collections.abc import Callable
from math import cos, fabs, pi, sin, sqrt, tan
from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.arithmetic import abs, floor, maximum
from weft_tensor.ops.elementwise.arithmetic import sqrt as root
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.elementwise.trigonometric import cos as cosine
from weft_tensor.ops.elementwise.trigonometric import sin as sine
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.signal.filters import lfilter

__all__ = [
    "cspline1d",
    "cspline1d_eval",
    "gauss_spline",
    "qspline1d",
    "qspline1d_eval",
]

_BACKWARDS = slice(None, None, -1)


def gauss_spline(x: TensorLike, n: TensorLike) -> TensorVariable:
    """The density of a normal law that is near to the B-spline of order `n`.

    See `scipy.signal.gauss_spline`.

    >>> gauss_spline([0.0, 1.0], 3).eval().round(4)
    array([0.691 , 0.1542])
    """
    variance = (as_floating(n) + 1) / 12
    return exp(-(as_floating(x) ** 2) / 2 / variance) / root(2 * pi * variance)


def cspline1d(signal: TensorLike, lamb: float = 0.0) -> TensorVariable:
    """The coefficients of a cubic spline through a vector of values at 0, 1, 2, ...

    Beyond the ends the signal is its mirror's. With `lamb`, a number above 1/144, it is smoother
    and near to the values. By M. Unser, A. Aldroubi and M. Eden, B-spline signal processing, 1993.
    See `scipy.signal.cspline1d`, whose smooth splines are others near the first value, and grow
    without bound where `lamb` is below 1/24. Raises ValueError for another rank, and another
    `lamb`.

    >>> cspline1d([1.0, 2.0, 1.0, 0.0]).eval().round(4)
    array([ 0.6782,  2.6072,  0.8928, -0.1786])
    """
    values = _vector(signal, "cspline1d")
    if not lamb:
        return 6 * _there_and_back(values, sqrt(3) - 2)
    if lamb <= 1 / 144:
        raise ValueError(f"cspline1d: lamb is 0, or a number above 1/144, not {lamb!r}{called()}")
    return _smoothed(values, lamb)


def qspline1d(signal: TensorLike, lamb: float = 0.0) -> TensorVariable:
    """The coefficients of a quadratic spline through a vector of values: as `cspline1d`.

    See `scipy.signal.qspline1d`. Raises ValueError for another rank, and a `lamb` that is not 0.

    >>> qspline1d([1.0, 2.0, 1.0, 0.0]).eval().round(4)
    array([ 0.8039,  2.3726,  0.9608, -0.1373])
    """
    if lamb:
        raise ValueError(f"qspline1d: smooth quadratic splines are not here{called()}")
    return 8 * _there_and_back(_vector(signal, "qspline1d"), 2 * sqrt(2) - 3)


def cspline1d_eval(
    cj: TensorLike, newx: TensorLike, dx: TensorLike = 1.0, x0: TensorLike = 0
) -> TensorVariable:
    """The values at `newx` of a cubic spline, by its coefficients at `x0`, `x0 + dx`, ...

    Beyond the ends it is its mirror's. See `scipy.signal.cspline1d_eval`. Raises ValueError for
    coefficients that are no vector.

    >>> cspline1d_eval(cspline1d([1.0, 2.0, 1.0, 0.0]), [1.0, 1.5]).eval().round(4)
    array([2.    , 1.6875])
    """
    return _evaluated(_vector(cj, "cspline1d_eval"), newx, dx, x0, 2.0, _cubic)


def qspline1d_eval(
    cj: TensorLike, newx: TensorLike, dx: TensorLike = 1.0, x0: TensorLike = 0
) -> TensorVariable:
    """The values at `newx` of a quadratic spline: as `cspline1d_eval`.

    See `scipy.signal.qspline1d_eval`.

    >>> qspline1d_eval(qspline1d([1.0, 2.0, 1.0, 0.0]), [1.0, 1.5]).eval().round(4)
    array([2.    , 1.6667])
    """
    return _evaluated(_vector(cj, "qspline1d_eval"), newx, dx, x0, 1.5, _quadratic)


def _vector(v: TensorLike, name: str) -> TensorVariable:
    values = as_floating(v)
    if values.ndim != 1:
        raise ValueError(f"{name} takes a vector, not {values!r}{called()}")
    return values


def _there_and_back(values: TensorVariable, z: float) -> TensorVariable:
    """A filter of one pole in both directions, from what mirrored values have made."""
    powers = z ** arange(lengths_of(values)[0]).astype(values.real.dtype)
    start = z * sum(powers * values, keepdims=True)
    ahead, _ = lfilter([1.0], [1.0, -z], values, zi=start)
    last = z / (z - 1) * index(ahead, slice(-1, None))
    backwards = index(index(ahead, slice(None, -1)), _BACKWARDS)
    behind, _ = lfilter([-z], [1.0, -z], backwards, zi=z * last)
    return concatenate([index(behind, _BACKWARDS), last], 0)


def _smoothed(values: TensorVariable, lamb: float) -> TensorVariable:
    """A filter of two complex poles, of size rho and angle omega, in both directions.

    They are those of 1 / (B + lamb D), where B are a spline's values, (4 + u) / 6 of u = z + 1 / z,
    and D its fourth differences, (2 - u)^2.
    """
    u = complex(4 * lamb - 1 / 6, sqrt(4 * lamb - 1 / 36)) / (2 * lamb)
    pole = (u - csqrt(u * u - 4)) / 2
    size, turned = polar(pole)
    rho, omega = min(size, 1 / size), fabs(turned)
    gain, twice, square = 1 - 2 * rho * cos(omega) + rho * rho, 2 * rho * cos(omega), rho * rho
    k = arange(lengths_of(values)[0]).astype(values.real.dtype)

    def ahead(n: Any) -> Any:
        return gain / sin(omega) * rho**n * sine(omega * (n + 1))

    whole = gain * gain * (1 + square) / (1 - square) / (1 - 2 * square * cos(2 * omega) + rho**4)
    turn = (1 - square) / (1 + square) / tan(omega)

    def both(n: Any) -> Any:
        size = abs(n)
        return whole * rho**size * (cosine(omega * size) + turn * sine(omega * size))

    def filtered(rest: TensorVariable, one: TensorVariable, two: TensorVariable) -> TensorVariable:
        """After results `one`, and before it `two`."""
        state = stack([twice * one - square * two, -square * one])
        found: TensorVariable = lfilter([gain], [1.0, -twice, square], rest, zi=state)[0]
        return concatenate([stack([two, one]), found], 0)

    first, second = (index(values, i) for i in range(2))
    two = ahead(0) * first + sum(ahead(k + 1) * values)
    one = ahead(0) * second + ahead(1) * first + sum(ahead(k + 2) * values)
    forward = filtered(index(values, slice(2, None)), one, two)
    mirrored = index(values, _BACKWARDS)
    two = sum((both(k) + both(k + 1)) * mirrored)
    one = sum((both(k - 1) + both(k + 2)) * mirrored)
    backwards = filtered(index(index(forward, _BACKWARDS), slice(2, None)), one, two)
    return index(backwards, _BACKWARDS)


def _evaluated(
    cj: TensorVariable,
    newx: TensorLike,
    dx: TensorLike,
    x0: TensorLike,
    half: float,
    basis: Callable[[TensorVariable], TensorVariable],
) -> TensorVariable:
    last = lengths_of(cj)[0] - 1
    period = maximum(2 * last, 1).astype(cj.real.dtype)
    at = (as_floating(newx) - x0) / as_floating(dx) % period
    at = where(at > last, maximum(period - at, 0) * (last > 0), at)
    first = floor(at - half).astype("int64") + 1
    parts = []
    for i in range(int(2 * half)):
        j = first + i
        parts.append(index(cj, clip(j, 0, last)) * basis(at - j))
    return sum(stack(parts), 0)


def _cubic(x: TensorVariable) -> TensorVariable:
    u = abs(x)
    outer = maximum(2 - u, 0) ** 3 / 6
    return where(u < 1, 2 / 3 - u * u * (2 - u) / 2, outer)


def _quadratic(x: TensorVariable) -> TensorVariable:
    u = abs(x)
    outer = maximum(1.5 - u, 0) ** 2 / 2
    return where(u < 0.5, 0.75 - u * u, outer)
