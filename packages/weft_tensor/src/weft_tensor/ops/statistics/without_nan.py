"""Reductions and scans that leave NaN out."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.elementwise.arithmetic import maximum, sqrt
from weft_tensor.ops.elementwise.comparison import isnan, le, where
from weft_tensor.ops.indexing.sort import argmax, argmin
from weft_tensor.ops.reduction.cumulative import cumprod, cumsum
from weft_tensor.ops.reduction.standard import all, any, max, mean, min, prod, sum
from weft_tensor.ops.statistics.moments import std, var
from weft_tensor.types.axes import Axes, as_axes
from weft_tensor.types.dtypes import as_dtype

__all__ = [
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
]


def nansum(
    x: TensorLike, axis: Axes = None, dtype: Any = None, keepdims: bool = False
) -> TensorVariable:
    """The sum of the elements that are not NaN. See `numpy.nansum`.

    >>> nansum([1.0, float("nan"), 2.0]).eval()
    array(3.)
    """
    return sum(_filled(x, 0), axis, dtype, keepdims)


def nanprod(
    x: TensorLike, axis: Axes = None, dtype: Any = None, keepdims: bool = False
) -> TensorVariable:
    """The product of the elements that are not NaN. See `numpy.nanprod`.

    >>> nanprod([3.0, float("nan"), 2.0]).eval()
    array(6.)
    """
    return prod(_filled(x, 1), axis, dtype, keepdims)


def nancumsum(x: TensorLike, axis: int | None = None, dtype: Any = None) -> TensorVariable:
    """Sums of the elements up to each one, NaN taken for 0. See `numpy.nancumsum`.

    >>> nancumsum([1.0, float("nan"), 2.0]).eval()
    array([1., 1., 3.])
    """
    return cumsum(_filled(x, 0), axis, dtype)


def nancumprod(x: TensorLike, axis: int | None = None, dtype: Any = None) -> TensorVariable:
    """Products of the elements up to each one, NaN taken for 1. See `numpy.nancumprod`.

    >>> nancumprod([3.0, float("nan"), 2.0]).eval()
    array([3., 3., 6.])
    """
    return cumprod(_filled(x, 1), axis, dtype)


def nanmean(
    x: TensorLike, axis: Axes = None, dtype: Any = None, keepdims: bool = False
) -> TensorVariable:
    """The mean of the elements that are not NaN; NaN if all are. See `numpy.nanmean`.

    >>> nanmean([1.0, float("nan"), 2.0]).eval()
    array(1.5)
    """
    x = as_tensor(x)
    if not x.type.differentiable:
        return mean(x, axis, dtype, keepdims)
    kind = x.dtype if dtype is None else as_dtype(dtype)
    total = sum(_filled(x, 0).astype(kind), axis, keepdims=keepdims)
    return total / _count(x, axis, keepdims).astype(total.real.dtype)


def nanvar(
    x: TensorLike, axis: Axes = None, dtype: Any = None, ddof: int = 0, keepdims: bool = False
) -> TensorVariable:
    """The variance of the elements that are not NaN; NaN where `ddof` or fewer are left.

    See `numpy.nanvar`.

    >>> nanvar([1.0, float("nan"), 2.0]).eval()
    array(0.25)
    """
    x = as_tensor(x)
    if not x.type.differentiable:
        return var(x, axis, dtype, ddof, keepdims)
    axes = as_axes(axis, x.ndim)
    gone = isnan(x)
    x = x if dtype is None else x.astype(dtype)
    apart = where(gone, 0, x - nanmean(x, axes, keepdims=True)).astype(x.dtype)
    squares = (apart * apart.conj()).real if x.is_complex else apart * apart
    freedom = (_count(gone, axes, keepdims) - ddof).astype(squares.dtype)
    result = sum(squares, axes, keepdims=keepdims) / maximum(freedom, 0)
    return where(le(freedom, 0), np.nan, result).astype(squares.dtype)


def nanstd(
    x: TensorLike, axis: Axes = None, dtype: Any = None, ddof: int = 0, keepdims: bool = False
) -> TensorVariable:
    """The square root of `nanvar`. See `numpy.nanstd`.

    >>> nanstd([1.0, float("nan"), 2.0]).eval()
    array(0.5)
    """
    x = as_tensor(x)
    if not x.type.differentiable:
        return std(x, axis, dtype, ddof, keepdims)
    return sqrt(nanvar(x, axis, dtype, ddof, keepdims))


def nanmax(x: TensorLike, axis: Axes = None, keepdims: bool = False) -> TensorVariable:
    """The largest element that is not NaN; NaN if all are. See `numpy.nanmax`.

    >>> nanmax([1.0, float("nan"), 2.0]).eval()
    array(2.)
    """
    return _extremum(max, -np.inf, x, axis, keepdims)


def nanmin(x: TensorLike, axis: Axes = None, keepdims: bool = False) -> TensorVariable:
    """The smallest element that is not NaN; NaN if all are. See `numpy.nanmin`.

    >>> nanmin([1.0, float("nan"), 2.0]).eval()
    array(1.)
    """
    return _extremum(min, np.inf, x, axis, keepdims)


def nanargmax(x: TensorLike, axis: int | None = None, keepdims: bool = False) -> TensorVariable:
    """The first position of the largest element that is not NaN. See `numpy.nanargmax`.

    ValueError at the call where all are NaN.

    >>> nanargmax([1.0, float("nan"), 2.0]).eval()
    array(2)
    """
    return _position(argmax, -np.inf, x, axis, keepdims)


def nanargmin(x: TensorLike, axis: int | None = None, keepdims: bool = False) -> TensorVariable:
    """The first position of the smallest element that is not NaN. See `numpy.nanargmin`.

    ValueError at the call where all are NaN.

    >>> nanargmin([float("nan"), 2.0, 1.0]).eval()
    array(2)
    """
    return _position(argmin, np.inf, x, axis, keepdims)


def _filled(x: TensorLike, value: complex) -> TensorVariable:
    """`x` with `value` in place of NaN."""
    x = as_tensor(x)
    return where(isnan(x), value, x).astype(x.dtype) if x.type.differentiable else x


def _count(x: TensorVariable, axis: Axes, keepdims: bool) -> TensorVariable:
    """How many are not NaN; of a mask, how many are false."""
    return sum(~(x if x.dtype == "bool" else isnan(x)), axis, keepdims=keepdims)


def _extremum(
    reduce: Any, beyond: complex, x: TensorLike, axis: Axes, keepdims: bool
) -> TensorVariable:
    x = as_tensor(x)
    if not x.type.differentiable:
        return reduce(x, axis, keepdims)
    if x.is_complex:
        beyond = complex(beyond, beyond)  # in their order
    result = reduce(_filled(x, beyond), axis, keepdims)
    return where(all(isnan(x), axis, keepdims), np.nan, result).astype(x.dtype)


def _position(
    find: Any, beyond: float, x: TensorLike, axis: int | None, keepdims: bool
) -> TensorVariable:
    x = as_tensor(x)
    if not x.type.differentiable:
        return find(x, axis, keepdims)
    some = all(any(~isnan(x), axis)) if x.ndim else ~isnan(x)
    x = check_and_raise(x, some, ValueError, f"{find.__name__} of elements that are all NaN")
    return find(_filled(x, beyond), axis, keepdims)
