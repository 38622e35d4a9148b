"""At which times, and frequencies, a system is looked at: by its poles and zeros, as in SciPy."""

from __future__ import annotations

from math import inf
from typing import Final

from weft_graph import stop_gradient
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import linspace
from weft_tensor.ops.creation.ranges import logspace
from weft_tensor.ops.elementwise.arithmetic import abs, maximum, minimum
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import log10
from weft_tensor.ops.linalg.eig import eigvals
from weft_tensor.ops.numbers.rounding import round
from weft_tensor.ops.reduction.standard import max as largest
from weft_tensor.ops.reduction.standard import min as smallest
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["frequencies_by_poles", "times_by_poles"]

_FAR: Final = 1e5
_NONE: Final = 1e-10
"""Poles and zeros that are smaller are at 0."""


def times_by_poles(a: TensorVariable, count: SizeLike) -> TensorVariable:
    """From 0 on, until the slowest part of a system of this matrix is a thousandth."""
    slowest = smallest(abs(eigvals(a).real))
    rate = stop_gradient(where(eq(slowest, 0), 1.0, slowest))
    return linspace(0.0, 7.0 / rate, count)


def frequencies_by_poles(
    zeros_of: TensorVariable | None, poles: TensorVariable, count: SizeLike
) -> TensorVariable:
    """So many between powers of 10 around what poles make, and zeros that are not far."""
    known = [v for v in (poles, zeros_of) if v is not None and v.type.shape[0] != 0]
    alone = eq(lengths_of(poles)[0], 0)
    high, low = where(alone, 3e3, -inf), where(alone, 1e3, inf)
    for v in known:
        near = (v.imag >= 0) & ((abs(v) < _FAR) | (v is poles))
        size = abs(v.real + where(abs(v) < _NONE, 1.0, 0.0))
        high = maximum(high, largest(where(near, 3 * size + 1.5 * v.imag, -inf), initial=-inf))
        low = minimum(low, smallest(where(near, size + 2 * v.imag, inf), initial=inf))
    first, last = round(_exponent(0.1 * low) - 0.5), round(_exponent(high) + 0.5)
    return logspace(stop_gradient(first), stop_gradient(last), count)


def _exponent(v: TensorLike) -> TensorVariable:
    """The logarithm to base 10; of powers of 10 a whole number on all backends."""
    exact = log10(v)
    near = round(exact)
    return where(abs(exact - near) < 1e-9, near, exact)
