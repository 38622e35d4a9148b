"""What is known of a normal population's mean and spread after a sample."""

from __future__ import annotations

from typing import NamedTuple

from weft_graph.extend import called
from weft_tensor.build.of_numbers import check_known
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.distributions.gamma_rows import gengamma, invgamma, t
from weft_tensor.ops.distributions.laws import Frozen
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.reduction.standard import mean
from weft_tensor.ops.sample_statistics.samples import numbers
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.shape.reshape import ravel
from weft_tensor.ops.statistics.moments import var

__all__ = ["bayes_mvs", "mvsdist"]


class Estimate(NamedTuple):
    """A mean, and between what the number lies with a given probability."""

    statistic: TensorVariable
    minmax: tuple[TensorVariable, TensorVariable]


def mvsdist(data: TensorLike) -> tuple[Frozen, Frozen, Frozen]:
    """The distributions of the mean, the variance and the deviation of a normal population.

    As they are after a sample, if before nothing is known: T. E. Oliphant, A Bayesian perspective
    on estimating mean, variance, and standard-deviation from data, 2006. See
    `scipy.stats.mvsdist`, which takes normal ones in their place for more than 1,000 observations.
    Raises ValueError for fewer than two, if their number is known.

    >>> mvsdist([6.0, 9.0, 12.0, 7.0, 8.0, 8.0, 13.0])[0].mean().eval()
    array(9.)
    """
    rows = ravel(numbers(data))
    length = static_length(lengths_of(rows)[0])
    if isinstance(length, int) and length < 2:
        raise ValueError(f"mvsdist takes two observations or more, not {length}{called()}")
    n = lengths_of(rows)[0].astype(rows.dtype)
    square, half = var(rows), (n - 1) / 2
    scale = n * square / 2
    return (
        t(n - 1, loc=mean(rows), scale=sqrt(square / (n - 1))),
        invgamma(half, scale=scale),
        gengamma(half, -2.0, scale=sqrt(scale)),
    )


def bayes_mvs(data: TensorLike, alpha: TensorLike = 0.9) -> tuple[Estimate, Estimate, Estimate]:
    """The mean, the variance and the deviation of a normal population, and between what each lies.

    `alpha` is with which probability. See `mvsdist`, and `scipy.stats.bayes_mvs`. Raises ValueError
    where it is known not to be above 0 and below 1.

    >>> bayes_mvs([6.0, 9.0, 12.0, 7.0, 8.0, 8.0, 13.0])[0].minmax[0].eval().round(4)
    np.float64(7.1037)
    """
    check_known(alpha, lambda p: (p > 0) & (p < 1), "bayes_mvs: alpha is above 0 and below 1")
    first, second, third = (_estimate(law, alpha) for law in mvsdist(data))
    return first, second, third


def _estimate(law: Frozen, alpha: TensorLike) -> Estimate:
    low, high = law.interval(alpha)
    return Estimate(law.mean(), (low, high))
