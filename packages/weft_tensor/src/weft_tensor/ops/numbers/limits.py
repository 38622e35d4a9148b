"""Numbers kept within limits, and what stands for NaN and infinity."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.scalar_calls import with_options
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import eq, gt, isinf, isnan, lt, where
from weft_tensor.types.dtypes import promote

__all__ = ["clip", "fmax", "fmin", "heaviside", "isneginf", "isposinf", "nan_to_num"]


def clip(
    x: TensorLike,
    a_min: TensorLike | None = None,
    a_max: TensorLike | None = None,
    *,
    min: TensorLike | None = None,
    max: TensorLike | None = None,
) -> TensorVariable:
    """`x`, but not below `a_min` and not above `a_max`; None is no limit. See `numpy.clip`.

    Nor is a Python integer one that all integers of the dtype of `x` are within. Raises ValueError
    for both `a_min` and `min`, or `a_max` and `max`.

    >>> clip([1, 5, 9], 2, 6).eval()
    array([2, 5, 6])
    """
    if (a_min is not None and min is not None) or (a_max is not None and max is not None):
        raise ValueError("clip takes a_min and a_max, or min and max, not both of a kind")
    low: Any = a_min if min is None else min
    high: Any = a_max if max is None else max
    result = as_tensor(x)
    if result.dtype[0] in "iu":
        ends = np.iinfo(result.dtype)
        low = None if type(low) is int and low < ends.min else low
        high = None if type(high) is int and high > ends.max else high
    if low is not None:
        result = maximum(result, low)
    return result if high is None else minimum(result, high)


@with_options
@with_options
def fmax(x: TensorLike, y: TensorLike) -> TensorVariable:
    """The larger of both; where one is NaN, the other. See `numpy.fmax`.

    >>> fmax([1.0, float("nan")], 0.5).eval()
    array([1. , 0.5])
    """
    return _without_nan(maximum, x, y)


@with_options
@with_options
def fmin(x: TensorLike, y: TensorLike) -> TensorVariable:
    """The smaller of both; where one is NaN, the other. See `numpy.fmin`.

    >>> fmin([1.0, float("nan")], 0.5).eval()
    array([0.5, 0.5])
    """
    return _without_nan(minimum, x, y)


def _without_nan(choose: Any, x: TensorLike, y: TensorLike) -> TensorVariable:
    x, y = as_tensors((x, y))
    choice = choose(x, y)
    if not choice.type.differentiable:
        return choice
    return where(isnan(y), x, where(isnan(x), y, choice)).astype(choice.dtype)


@with_options
def heaviside(x: TensorLike, at_zero: TensorLike) -> TensorVariable:
    """0 below zero, 1 above, `at_zero` at zero; NaN for NaN. See `numpy.heaviside`.

    Raises TypeError for complex numbers.

    >>> heaviside([-1.0, 0.0, 2.0], 0.5).eval()
    array([0. , 0.5, 1. ])
    """
    x, h = as_tensors((x, at_zero))
    dtype = promote((x.dtype, h.dtype, "float32"))
    if dtype[0] == "c":
        raise TypeError(f"heaviside takes real numbers, not {x!r} and {h!r}")
    step = where(eq(x, 0), h, gt(x, 0)).astype(dtype)
    return where(isnan(x), np.nan, step).astype(dtype) if x.type.differentiable else step


def isposinf(x: TensorLike) -> TensorVariable:
    """Whether it is positive infinity. See `numpy.isposinf`.

    >>> isposinf([1.0, float("inf")]).eval()
    array([False,  True])
    """
    return isinf(_real(x, "isposinf")) & gt(x, 0)


def isneginf(x: TensorLike) -> TensorVariable:
    """Whether it is negative infinity. See `numpy.isneginf`.

    >>> isneginf([1.0, float("-inf")]).eval()
    array([False,  True])
    """
    return isinf(_real(x, "isneginf")) & lt(x, 0)


def _real(x: TensorLike, name: str) -> TensorVariable:
    x = as_tensor(x)
    if x.is_complex:
        raise TypeError(f"{name} takes real numbers, not {x!r}")
    return x


def nan_to_num(
    x: TensorLike,
    copy: bool = True,
    nan: TensorLike = 0.0,
    posinf: TensorLike | None = None,
    neginf: TensorLike | None = None,
) -> TensorVariable:
    """Numbers in place of NaN and infinities: by default 0 and the dtype's largest.

    A variable is never changed, whatever `copy` says. See `numpy.nan_to_num`.

    >>> nan_to_num([float("nan"), 1.0, float("inf")], posinf=9.0).eval()
    array([0., 1., 9.])
    """
    x = as_tensor(x)
    if not x.type.differentiable:
        return x
    if x.is_complex:
        real, imag = (nan_to_num(p, copy, nan, posinf, neginf) for p in (x.real, x.imag))
        return (real + 1j * imag).astype(x.dtype)
    largest = np.finfo(x.dtype).max
    high = largest if posinf is None else posinf
    low = -largest if neginf is None else neginf
    finite = where(isnan(x), nan, where(isposinf(x), high, where(isneginf(x), low, x)))
    return finite.astype(x.dtype)
