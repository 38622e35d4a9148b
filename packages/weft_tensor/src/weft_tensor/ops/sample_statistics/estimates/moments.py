"""Cumulants, L-moments, expectiles, mean directions."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from math import comb
from typing import Any, NamedTuple

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.of_numbers import check_known
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.arithmetic import abs, sqrt
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.optimize.scalar_root import root_scalar
from weft_tensor.ops.reduction.standard import max, mean, min, sum
from weft_tensor.ops.sample_statistics.samples import central_moment, numbers, observations
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import ravel
from weft_tensor.types.axes import Axes

__all__ = ["DirectionalStats", "directional_stats", "expectile", "kstat", "kstatvar", "lmoment"]


def kstat(
    data: TensorLike,
    n: int = 2,
    *,
    axis: Axes = None,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> TensorVariable:
    """The estimate without bias of the n-th cumulant, from 1 to 4. See `scipy.stats.kstat`.

    Raises ValueError for another n.

    >>> kstat([1.0, 2.0, 4.0, 9.0], 3).eval().round(4)
    np.float64(60.0)
    """
    if n not in (1, 2, 3, 4):
        raise ValueError(f"kstat: n is 1, 2, 3 or 4, not {n!r}{called()}")
    of = observations(data, axis, nan_policy, keepdims)
    count = of.number
    if n == 1:
        return of.result(mean(of.rows, -1))
    square = central_moment(of.rows, 2)
    if n == 2:
        value = square * count / (count - 1)
    elif n == 3:
        value = central_moment(of.rows, 3) * count**2 / ((count - 1) * (count - 2))
    else:
        both = (count + 1) * central_moment(of.rows, 4) - 3 * (count - 1) * square**2
        value = both * count**2 / ((count - 1) * (count - 2) * (count - 3))
    return of.result(value.astype(of.rows.dtype))


def kstatvar(
    data: TensorLike,
    n: int = 2,
    *,
    axis: Axes = None,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> TensorVariable:
    """The estimate without bias of the variance of `kstat`, of n = 1 or 2.

    See `scipy.stats.kstatvar`. Raises ValueError for another n.

    >>> kstatvar([1.0, 2.0, 4.0, 9.0], 1).eval().round(4)
    np.float64(3.1667)
    """
    if n not in (1, 2):
        raise ValueError(f"kstatvar: n is 1 or 2, not {n!r}{called()}")
    of = observations(data, axis, nan_policy, keepdims)
    count, second = of.number, kstat(of.rows, 2, axis=-1)
    if n == 1:
        return of.result(second / count)
    fourth = kstat(of.rows, 4, axis=-1)
    return of.result((2 * count * second**2 + (count - 1) * fourth) / (count * (count + 1)))


def lmoment(
    sample: TensorLike,
    order: int | Sequence[int] | None = None,
    *,
    axis: Axes = 0,
    sorted: bool = False,
    standardize: bool = True,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> TensorVariable:
    """The L-moments of observations: those of an `order`, or of several along a first axis.

    By J. R. M. Hosking, L-moments, 1990; 1 to 4 by default, from the third one on by the second
    where they are to be standardized. See `scipy.stats.lmoment`. Raises ValueError for an order
    below 1.

    >>> lmoment([1.0, 2.0, 4.0, 9.0]).eval().round(4)
    array([4.    , 2.1667, 0.4615, 0.2308])
    """
    orders = [1, 2, 3, 4] if order is None else [order] if isinstance(order, int) else [*order]
    if not orders or builtins.min(orders) < 1:
        raise ValueError(f"lmoment: order is 1, 2, ... or several of them, not {order!r}{called()}")
    of = observations(sample, axis, nan_policy, keepdims)
    rows = of.rows if sorted else sort(of.rows, -1)
    n, k = lengths_of(rows)[-1], arange(lengths_of(rows)[-1])
    weights = [1.0 + 0 * k]
    for j in range(builtins.max([*orders, 2]) - 1):
        weights.append(weights[-1] * (k - j) / (n - 1 - j))
    parts = [mean(rows * w.astype(rows.dtype), -1) for w in weights]

    def of_order(r: int) -> TensorVariable:
        signs = ((-1) ** (r - 1 - j) * comb(r - 1, j) * comb(r - 1 + j, j) for j in range(r))
        value: Any = 0.0
        for sign, part in zip(signs, parts, strict=False):
            value = value + sign * part
        return as_tensor(value)

    values = [of_order(r) / of_order(2) if standardize and r > 2 else of_order(r) for r in orders]
    results = [of.result(v.astype(rows.dtype)) for v in values]
    return results[0] if isinstance(order, int) else stack(results, 0)


def expectile(
    a: TensorLike, alpha: TensorLike = 0.5, *, weights: TensorLike | None = None
) -> TensorVariable:
    """The value from which observations above, weighted by `alpha`, are as far as those below.

    The mean for 0.5. Derivatives follow from the balance. See `scipy.stats.expectile`. Raises
    ValueError where `alpha` is known not to be from 0 to 1.

    >>> expectile([1.0, 2.0, 6.0], 0.75).eval().round(6)
    np.float64(4.2)
    """
    check_known(alpha, lambda p: (p >= 0) & (p <= 1), "expectile: alpha is from 0 to 1")
    x, share = ravel(numbers(a)), numbers(alpha)
    own = numbers(1.0 if weights is None else weights)

    def balance(t: TensorVariable) -> TensorVariable:
        return sum(abs((x <= t) - share) * (t - x) * own) / sum(own + 0 * x)

    return root_scalar(balance, bracket=(min(x), max(x))).root.astype(x.dtype)


class DirectionalStats(NamedTuple):
    """The mean direction of vectors, and how long their mean is."""

    mean_direction: TensorVariable
    mean_resultant_length: TensorVariable


def directional_stats(
    samples: TensorLike, *, axis: int = 0, normalize: bool = True
) -> DirectionalStats:
    """The mean direction of vectors, which are along the last axis, over another axis.

    With `normalize` each has length 1 first. See `scipy.stats.directional_stats`. Raises
    ValueError for fewer than two axes.

    >>> directional_stats([[3.0, 0.0], [0.0, 1.0]]).mean_direction.eval().round(4)
    array([0.7071, 0.7071])
    """
    x = numbers(samples)
    if x.ndim < 2:
        raise ValueError(f"directional_stats takes two axes or more, not {x!r}{called()}")
    x = x / sqrt(sum(x**2, -1, keepdims=True)) if normalize else x
    middle = mean(x, axis)
    size = sqrt(sum(middle**2, -1, keepdims=True))
    return DirectionalStats(middle / size, size.squeeze(-1))
