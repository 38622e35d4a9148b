"""The parts of numbers: sign, exponent, fraction, angle."""

from __future__ import annotations

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.scalar_calls import with_options
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import abs, copysign, floor, nextafter, trunc
from weft_tensor.ops.elementwise.cast import cast
from weft_tensor.ops.elementwise.comparison import eq, ge, isfinite, isinf, lt, neq, where
from weft_tensor.ops.elementwise.exponential import exp2, log2
from weft_tensor.ops.elementwise.trigonometric import arctan2
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.types.dtypes import promote

__all__ = ["angle", "fabs", "frexp", "iscomplex", "isreal", "ldexp", "modf", "signbit", "spacing"]


def _floating(x: TensorLike, name: str) -> TensorVariable:
    x = as_tensor(x)
    if x.is_complex:
        raise TypeError(f"{name} takes real numbers, not {x!r}")
    return x.astype(promote((x.dtype, "float32")))


@with_options
@with_options
def fabs(x: TensorLike) -> TensorVariable:
    """The absolute value, floating also of integers. See `numpy.fabs`.

    >>> fabs([-1, 2]).eval()
    array([1., 2.])
    """
    return abs(_floating(x, "fabs"))


@with_options
@with_options
def signbit(x: TensorLike) -> TensorVariable:
    """Whether the sign is minus, also of -0.0. See `numpy.signbit`.

    >>> signbit([-0.0, 0.0, -2.0]).eval()
    array([ True, False,  True])
    """
    return lt(copysign(1.0, _floating(x, "signbit")), 0)


@with_options
@with_options
def spacing(x: TensorLike) -> TensorVariable:
    """The distance to the next number that is farther from zero. See `numpy.spacing`.

    >>> spacing(1.0).eval()
    array(2.22044605e-16)
    """
    x = _floating(x, "spacing")
    step = nextafter(x, where(lt(x, 0), -np.inf, np.inf).astype(x.dtype)) - x
    return where(isfinite(x), step, np.nan).astype(x.dtype)


def modf(x: TensorLike) -> tuple[TensorVariable, TensorVariable]:
    """What is behind the point, and what is before it, both with the sign of x.

    See `numpy.modf`.

    >>> [part.eval() for part in modf(-2.5)]
    [array(-0.5), array(-2.)]
    """
    x = _floating(x, "modf")
    before = trunc(x)
    return copysign(where(isinf(x), 0.0, x - before).astype(x.dtype), x), before


@with_options
def ldexp(x: TensorLike, exponent: TensorLike) -> TensorVariable:
    """x times 2 to the power `exponent`, without rounding on the way. See `numpy.ldexp`.

    Raises TypeError if the exponent is no integer.

    >>> ldexp(0.75, 4).eval()
    array(12.)
    """
    x = _floating(x, "ldexp")
    n = as_tensor(exponent)
    if n.dtype[0] not in "biu":
        raise TypeError(f"the exponent of ldexp is an integer, not {n!r}")
    limit = 2200 if x.dtype == "float64" else 300
    n = clip(cast(n, "int64"), -limit, limit)
    part = n // 4
    scale = exp2(part.astype(x.dtype))
    return x * scale * scale * scale * exp2((n - 3 * part).astype(x.dtype))


def frexp(x: TensorLike) -> tuple[TensorVariable, TensorVariable]:
    """A mantissa of 0.5 to 1 and the power of 2 (int32) that it is multiplied with.

    See `numpy.frexp`.

    >>> [part.eval() for part in frexp(12.0)]
    [array(0.75), array(4, dtype=int32)]
    """
    x = _floating(x, "frexp")
    plain = isfinite(x) & neq(x, 0)
    small = lt(abs(x), np.finfo(x.dtype).tiny)
    shift = 64
    size = where(plain, abs(x), 1).astype(x.dtype)
    size = where(small & plain, size * 2.0**shift, size).astype(x.dtype)
    exponent = floor(log2(size)).astype("int64") + 1
    mantissa = ldexp(size, -exponent)
    high, low = ge(mantissa, 1), lt(mantissa, 0.5)
    mantissa = where(high, mantissa / 2, where(low, mantissa * 2, mantissa)).astype(x.dtype)
    exponent = exponent + high - low.astype("int64") - where(small & plain, shift, 0)
    mantissa = where(plain, copysign(mantissa, x), x).astype(x.dtype)
    return mantissa, where(plain, exponent, 0).astype("int32")


def angle(z: TensorLike, deg: bool = False) -> TensorVariable:
    """The angle of a number in the complex plane, in radians or degrees. See `numpy.angle`.

    >>> angle([1.0, 1j, -1.0], deg=True).eval()
    array([  0.,  90., 180.])
    """
    z = as_tensor(z)
    z = z.astype(promote((z.dtype, "float32")))
    result = arctan2(z.imag, z.real)
    return result * (180 / np.pi) if deg else result


def isreal(x: TensorLike) -> TensorVariable:
    """Whether the imaginary part is zero. See `numpy.isreal`.

    >>> isreal([1 + 0j, 1j]).eval()
    array([ True, False])
    """
    return eq(as_tensor(x).imag, 0)


def iscomplex(x: TensorLike) -> TensorVariable:
    """Whether the imaginary part is not zero. See `numpy.iscomplex`.

    >>> iscomplex([1 + 0j, 1j]).eval()
    array([False,  True])
    """
    return neq(as_tensor(x).imag, 0)
