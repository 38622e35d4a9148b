"""Reductions and scans that leave NaN out."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.elementwise.arithmetic import maximum, sqrt
from weft_tensor.ops.elementwise.comparison import isnan, le
from weft_tensor.ops.elementwise.comparison import where as choice
from weft_tensor.ops.indexing.argmax import argmax, argmin
from weft_tensor.ops.reduction.cumulative import cumprod, cumsum
from weft_tensor.ops.reduction.standard import all, any, max, min, prod, sum
from weft_tensor.ops.reduction.standard import mean as mean_of
from weft_tensor.ops.statistics.moments import freedom_of, std, var
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
    x: TensorLike,
    axis: Axes = None,
    dtype: Any = None,
    keepdims: bool = False,
    *,
    initial: TensorLike | None = None,
    where: TensorLike | None = None,
) -> TensorVariable:
    """The sum of the elements that are not NaN. See `numpy.nansum`, and `sum` for the keywords.

    >>> nansum([1.0, float("nan"), 2.0]).eval()
    array(3.)
    """
    return sum(_filled(x, 0), axis, dtype, keepdims, initial=initial, where=where)


def nanprod(
    x: TensorLike,
    axis: Axes = None,
    dtype: Any = None,
    keepdims: bool = False,
    *,
    initial: TensorLike | None = None,
    where: TensorLike | None = None,
) -> TensorVariable:
    """The product of the elements that are not NaN. See `numpy.nanprod`, and `nansum`.

    >>> nanprod([3.0, float("nan"), 2.0]).eval()
    array(6.)
    """
    return prod(_filled(x, 1), axis, dtype, keepdims, initial=initial, where=where)


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
    x: TensorLike,
    axis: Axes = None,
    dtype: Any = None,
    keepdims: bool = False,
    *,
    where: TensorLike | None = None,
) -> TensorVariable:
    """The mean of the elements that are not NaN; NaN if all are. See `numpy.nanmean`.

    Of those where `where` is true.

    >>> nanmean([1.0, float("nan"), 2.0]).eval()
    array(1.5)
    """
    x = as_tensor(x)
    if not x.type.differentiable:
        return mean_of(x, axis, dtype, keepdims, where=where)
    kind = x.dtype if dtype is None else as_dtype(dtype)
    total = sum(_filled(x, 0).astype(kind), axis, keepdims=keepdims, where=where)
    return total / _count(isnan(x), axis, keepdims, where).astype(total.real.dtype)


def nanvar(
    x: TensorLike,
    axis: Axes = None,
    dtype: Any = None,
    ddof: TensorLike = 0,
    keepdims: bool = False,
    *,
    where: TensorLike | None = None,
    mean: TensorLike | None = None,
    correction: TensorLike | None = None,
) -> TensorVariable:
    """The variance of the elements that are not NaN; NaN where `ddof` or fewer are left.

    See `numpy.nanvar`, and `var` for the keywords.

    >>> nanvar([1.0, float("nan"), 2.0]).eval()
    array(0.25)
    """
    x = as_tensor(x)
    if not x.type.differentiable:
        return var(x, axis, dtype, ddof, keepdims, where=where, mean=mean, correction=correction)
    axes = as_axes(axis, x.ndim)
    is_nan = isnan(x)
    x = x if dtype is None else x.astype(dtype)
    middle = nanmean(x, axes, keepdims=True, where=where) if mean is None else as_tensor(mean)
    apart = choice(is_nan, 0, x - middle).astype(x.dtype)
    squares = (apart * apart.conj()).real if x.is_complex else apart * apart
    freedom = _count(is_nan, axes, keepdims, where) - freedom_of(ddof, correction)
    result = sum(squares, axes, keepdims=keepdims, where=where)
    result = result / maximum(freedom, 0).astype(squares.dtype)
    return choice(le(freedom, 0), np.nan, result).astype(squares.dtype)


def nanstd(
    x: TensorLike,
    axis: Axes = None,
    dtype: Any = None,
    ddof: TensorLike = 0,
    keepdims: bool = False,
    *,
    where: TensorLike | None = None,
    mean: TensorLike | None = None,
    correction: TensorLike | None = None,
) -> TensorVariable:
    """The square root of `nanvar`. See `numpy.nanstd`.

    >>> nanstd([1.0, float("nan"), 2.0]).eval()
    array(0.5)
    """
    x = as_tensor(x)
    if not x.type.differentiable:
        return std(x, axis, dtype, ddof, keepdims, where=where, mean=mean, correction=correction)
    return sqrt(
        nanvar(x, axis, dtype, ddof, keepdims, where=where, mean=mean, correction=correction)
    )


def nanmax(
    x: TensorLike,
    axis: Axes = None,
    keepdims: bool = False,
    *,
    initial: TensorLike | None = None,
    where: TensorLike | None = None,
) -> TensorVariable:
    """The largest element that is not NaN; NaN if all are. See `numpy.nanmax`, and `max`.

    >>> nanmax([1.0, float("nan"), 2.0]).eval()
    array(2.)
    """
    return _extremum(max, -np.inf, x, axis, keepdims, initial, where)


def nanmin(
    x: TensorLike,
    axis: Axes = None,
    keepdims: bool = False,
    *,
    initial: TensorLike | None = None,
    where: TensorLike | None = None,
) -> TensorVariable:
    """The smallest element that is not NaN; NaN if all are. See `numpy.nanmin`, and `min`.

    >>> nanmin([1.0, float("nan"), 2.0]).eval()
    array(1.)
    """
    return _extremum(min, np.inf, x, axis, keepdims, initial, where)


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


def _filled(x: TensorLike, value: TensorLike) -> TensorVariable:
    """`x` with `value` in place of NaN."""
    x = as_tensor(x)
    return choice(isnan(x), value, x).astype(x.dtype) if x.type.differentiable else x


def _count(
    is_nan: TensorVariable, axis: Axes, keepdims: bool, where: TensorLike | None
) -> TensorVariable:
    """How many are left, of those where `where` is true."""
    return sum(~is_nan, axis, keepdims=keepdims, where=where)


def _extremum(
    reduce: Any,
    beyond: complex,
    x: TensorLike,
    axis: Axes,
    keepdims: bool,
    initial: TensorLike | None,
    where: TensorLike | None,
) -> TensorVariable:
    x = as_tensor(x)
    if not x.type.differentiable:
        return reduce(x, axis, keepdims, initial=initial, where=where)
    if x.is_complex:
        beyond = complex(beyond, beyond)  # in their order
    nothing = all(isnan(x), axis, keepdims, where=where)
    if initial is not None:
        nothing = nothing & isnan(as_tensor(initial))
        initial = _filled(as_tensor(initial).astype(x.dtype), beyond)
    result = reduce(_filled(x, beyond), axis, keepdims, initial=initial, where=where)
    return choice(nothing, np.nan, result).astype(x.dtype)


def _position(
    find: Any, beyond: float, x: TensorLike, axis: int | None, keepdims: bool
) -> TensorVariable:
    x = as_tensor(x)
    if not x.type.differentiable:
        return find(x, axis, keepdims)
    some = all(any(~isnan(x), axis)) if x.ndim else ~isnan(x)
    x = check_and_raise(x, some, ValueError, f"{find.__name__} of elements that are all NaN")
    return find(_filled(x, beyond), axis, keepdims)
