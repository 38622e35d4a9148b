"""The bits and the multiples of whole numbers, powers in floating point, numbers as they are."""

from __future__ import annotations

from typing import Final

import numpy as np

from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.scalar_calls import with_options
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import abs, gcd, maximum
from weft_tensor.ops.elementwise.comparison import right_shift
from weft_tensor.ops.elementwise.power import pow

__all__ = ["bitwise_count", "float_power", "lcm", "positive"]

_HALVES: Final = (
    (1, 0x5555555555555555),
    (2, 0x3333333333333333),
    (4, 0x0F0F0F0F0F0F0F0F),
    (8, 0x00FF00FF00FF00FF),
    (16, 0x0000FFFF0000FFFF),
    (32, 0x00000000FFFFFFFF),
)
"""How far, and under which mask, neighbouring counts are added up."""


@with_options
@with_options
def bitwise_count(x: TensorLike) -> TensorVariable:
    """How many bits of the absolute value are one, in uint8. See `numpy.bitwise_count`.

    >>> bitwise_count([7, -8, 0]).eval()
    array([3, 1, 0], dtype=uint8)
    """
    x = as_tensor(x)
    if x.dtype[0] not in "biu":
        raise TypeError(f"bitwise_count takes whole numbers, not {x!r}")
    width = f"uint{8 * x.itemsize}"
    counts = (abs(x) if x.dtype[0] == "i" else x).astype(width).astype("uint64")
    for distance, mask in _HALVES:
        low = np.uint64(mask)
        counts = (counts & low) + (right_shift(counts, np.uint64(distance)) & low)
    return counts.astype("uint8")


@with_options
def lcm(x: TensorLike, y: TensorLike) -> TensorVariable:
    """The least common multiple; 0 if either is 0. See `numpy.lcm`.

    >>> lcm(12, [8, 0]).eval()
    array([24,  0])
    """
    a, b = as_tensors((x, y))
    common = gcd(a, b)
    kind = common.dtype
    unsigned = kind if kind[0] == "u" else f"u{kind}"
    a, b, common = (abs(v.astype(kind)).astype(unsigned) for v in (a, b, common))
    return (a // maximum(common, 1) * b).astype(kind)


@with_options
@with_options
def float_power(x: TensorLike, y: TensorLike) -> TensorVariable:
    """Powers in float64 or complex128, also of integers. See `numpy.float_power`.

    >>> float_power(2, [-1, 3]).eval()
    array([0.5, 8. ])
    """
    base, exponent = as_tensor(x), as_tensor(y)
    dtype = "complex128" if base.is_complex or exponent.is_complex else "float64"
    return pow(base.astype(dtype), exponent.astype(dtype))


@with_options
@with_options
def positive(x: TensorLike) -> TensorVariable:
    """The numbers as they are; TypeError for bools. See `numpy.positive`.

    >>> positive([-1, 2]).eval()
    array([-1,  2])
    """
    x = as_tensor(x)
    if x.dtype == "bool":
        raise TypeError(f"positive takes numbers, not bools: {x!r}")
    return x
