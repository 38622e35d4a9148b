"""Variances, weighted means, covariances."""

from __future__ import annotations

from typing import Any

from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import neq
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.reduction.masked import mask_of
from weft_tensor.ops.reduction.standard import all, max, min, size, sum
from weft_tensor.ops.reduction.standard import mean as mean_of
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.reshape import expand_dims, squeeze
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.axes import Axes, as_axes
from weft_tensor.types.dtypes import as_dtype, promote

__all__ = ["average", "corrcoef", "cov", "ptp", "std", "var"]


def var(
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
    """The mean of the squared distances from the mean over `axis`. See `numpy.var`.

    Divided by the number of elements without `ddof`. Integers are computed in float64; of
    complex numbers, the squares of the distances are real. Of the elements where `where` is true;
    `correction` is another name of `ddof`, and `mean` the means, with the axes kept, if they are
    known.

    >>> var([1.0, 2.0, 6.0], ddof=1).eval()
    array(7.)
    """
    x = as_tensor(x)
    axes = as_axes(axis, x.ndim)
    if dtype is not None:
        x = x.astype(dtype)
    x = as_floating(x)
    if mean is None:
        mean = mean_of(x, axes, keepdims=True, where=where)
    apart = x - as_tensor(mean)
    squares = (apart * apart.conj()).real if x.is_complex else apart * apart
    if where is None:
        number = size(x, axes)
    else:
        number = sum(mask_of(where, x, "var"), axes, keepdims=keepdims)
    count = maximum(number - freedom_of(ddof, correction), 0).astype(squares.dtype)
    result = sum(squares, axes, keepdims=keepdims, where=where) / count
    return result if dtype is None or x.is_complex else result.astype(dtype)


def std(
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
    """The square root of the variance over `axis`. See `numpy.std`, and `var`.

    >>> std([1.0, 2.0, 6.0], ddof=1).eval().round(3)
    np.float64(2.646)
    """
    freedom = freedom_of(ddof, correction)
    result = sqrt(var(x, axis, dtype, freedom, keepdims, where=where, mean=mean))
    return result if dtype is None or as_dtype(dtype)[0] == "c" else result.astype(dtype)


def freedom_of(ddof: TensorLike, correction: TensorLike | None) -> Any:
    """What is said by either of two names."""
    if correction is None:
        return ddof
    if not (isinstance(ddof, int) and ddof == 0):
        raise ValueError("ddof and correction are one and the same: give one of them")
    return correction


def ptp(x: TensorLike, axis: Axes = None, keepdims: bool = False) -> TensorVariable:
    """The largest element minus the smallest, over `axis`. See `numpy.ptp`.

    >>> ptp([[1, 5], [3, 9]], axis=1).eval()
    array([4, 6])
    """
    return max(x, axis, keepdims) - min(x, axis, keepdims)


def average(
    x: TensorLike,
    axis: Axes = None,
    weights: TensorLike | None = None,
    returned: bool = False,
    keepdims: bool = False,
) -> Any:
    """The mean over `axis`, each element with a weight; with `returned`, and their sum.

    `weights` have the shape of `x`, or that of the axes. ZeroDivisionError at the call if
    they sum to zero. See `numpy.average`. Raises TypeError if the weights have neither the shape of
    `x` nor that of its axes.

    >>> average([1.0, 2.0, 6.0], weights=[1, 1, 2]).eval()
    array(3.75)
    """
    x = as_tensor(x)
    axes = as_axes(axis, x.ndim)
    if weights is None:
        result = mean_of(x, axes, keepdims=keepdims)
        total = broadcast_to(as_tensor(size(x, axes)).astype(result.dtype), result.shape)
        return (result, total) if returned else result
    w = as_tensor(weights)
    dtype = promote((x.dtype, w.dtype))
    if dtype[0] in "biu":
        dtype = "float64"
    if w.ndim != x.ndim:
        if w.ndim != len(axes):
            raise TypeError(
                f"average takes weights of the shape of {x!r}, or of its axes {axes}, not {w!r}"
            )
        w = moveaxis(
            expand_dims(w, tuple(range(w.ndim, x.ndim))), range(w.ndim), _in_order(axis, x)
        )
    total = sum(w.astype(dtype), axes, keepdims=keepdims)
    total = check_and_raise(
        total, all(neq(total, 0)), ZeroDivisionError, "the weights of average sum to zero"
    )
    result = sum(x.astype(dtype) * w.astype(dtype), axes, keepdims=keepdims) / total
    return (result, broadcast_to(total, result.shape)) if returned else result


def _in_order(axis: Axes, x: Any) -> list[int]:
    """The axes as given, counted from 0."""
    axes: Any = [axis] if hasattr(axis, "__index__") else range(x.ndim) if axis is None else axis
    return [int(a) % x.ndim for a in axes]


def cov(
    m: TensorLike,
    y: TensorLike | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: TensorLike | None = None,
    aweights: TensorLike | None = None,
    *,
    dtype: Any = None,
) -> TensorVariable:
    """Covariances of the rows of `m` (and of `y`); with `rowvar=False` of the columns.

    `fweights` says how often each observation counts, `aweights` how much. One variable, a
    vector or a matrix of which one row is known, has a scalar. See `numpy.cov`. Raises RuntimeError
    for weights that are no vector, TypeError for `fweights` that are no integers, ValueError for a
    `ddof` that is none.

    >>> cov([[1.0, 2.0, 3.0], [1.0, 0.0, -1.0]]).eval()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    x = _variables(m, rowvar)
    if y is not None:
        x = concatenate(list(_common(x, _variables(y, rowvar))), axis=0)
    x = x.astype(dtype or promote((x.dtype, "float64")))
    w: Any = 1
    for weights, what in ((fweights, "fweights"), (aweights, "aweights")):
        if weights is None:
            continue
        vector = as_tensor(weights)
        if vector.ndim != 1:
            raise RuntimeError(f"{what} of cov is a vector, not {vector!r}")
        if what == "fweights" and vector.dtype[0] not in "iub":
            raise TypeError(f"fweights of cov are integers, not {vector!r}")
        vector = check_and_raise(
            vector, all(vector >= 0), ValueError, f"{what} of cov must not be negative"
        )
        w = w * vector.astype("float64")
    if ddof is not None and int(ddof) != ddof:
        raise ValueError(f"cov: ddof is an integer, not {ddof!r}")
    delta = (not bias) if ddof is None else ddof
    w = broadcast_to(as_tensor(w).astype(x.real.dtype), x.shape[1:])
    count = sum(w)
    used = 1 if aweights is None else sum(w * aweights) / count
    apart = x - sum(x * w, 1, keepdims=True) / count
    divisor = maximum(count - delta * used, 0.0).astype(x.real.dtype)
    c = matmul(apart * w, apart.T.conj()) / divisor
    return squeeze(c) if c.type.shape == (1, 1) else c


def corrcoef(
    x: TensorLike, y: TensorLike | None = None, rowvar: bool = True, *, dtype: Any = None
) -> TensorVariable:
    """Correlations of the rows of `x` (and of `y`); with `rowvar=False` of the columns.

    See `numpy.corrcoef`.

    >>> corrcoef([[1.0, 2.0, 3.0], [1.0, 0.0, -1.0]]).eval()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    c = cov(x, y, rowvar, dtype=dtype)
    if not c.ndim:
        return c / c
    spread = sqrt(c.diagonal().real)
    c = c / expand_dims(spread, 1) / expand_dims(spread, 0)
    if not c.is_complex:
        return minimum(maximum(c, -1), 1)
    real, imag = (minimum(maximum(part, -1), 1) for part in (c.real, c.imag))
    return real + 1j * imag


def _variables(m: TensorLike, rowvar: bool) -> TensorVariable:
    """A matrix of one row for each variable."""
    x = as_tensor(m)
    if x.ndim > 2:
        raise ValueError(f"cov takes a vector or a matrix, not {x!r}")
    if x.ndim < 2:
        return expand_dims(x, tuple(range(2 - x.ndim)))
    return x if rowvar else x.T


def _common(*tensors: Any) -> list[TensorVariable]:
    dtype = promote(tuple([x.dtype for x in tensors]))
    return [x.astype(dtype) for x in tensors]
