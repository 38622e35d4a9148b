"""Whether observations are normal, or of another law whose parameters they say."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any, Final, NamedTuple

from weft_graph.extend import called
from weft_tensor.build.convert import constant
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.distributions.normal_rows import norm
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, rint, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.elementwise.trigonometric import arcsin
from weft_tensor.ops.indexing.searchsorted import interp
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.polynomials.polynomials import polyval
from weft_tensor.ops.reduction.standard import max, mean, min, sum
from weft_tensor.ops.sample_statistics.samples import (
    SignificanceResult,
    numbers,
    observations,
    one_of,
)
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.special.normal import ndtri
from weft_tensor.types.axes import Axes

__all__ = ["AndersonResult", "anderson", "shapiro"]

_FIRST: Final = (-2.706056, 4.434685, -2.07119, -0.147981, 0.221157, 0.0)
_SECOND: Final = (-3.582633, 5.682633, -1.752461, -0.293762, 0.042981, 0.0)
"""How much larger the outermost two weights are, as polynomials of 1 / sqrt(n)."""


def _weights(n: TensorVariable) -> TensorVariable:
    """What observations in order are multiplied by, up to their sign: a vector of unit length."""
    count, k = n.astype("float64"), arange(n)
    scores = ndtri((k + 0.625) / (count + 0.25))
    total, small = sum(scores**2), 1 / sqrt(count)
    last = -ndtri(0.625 / (count + 0.25))
    second = -ndtri(1.625 / (count + 0.25))
    end = polyval(_FIRST, small) + last / sqrt(total)
    next_end = polyval(_SECOND, small) + second / sqrt(total)
    is_long = count > 5
    rest = total - 2 * last**2 - where(is_long, 2 * second**2, 0.0)
    left = 1 - 2 * end**2 - where(is_long, 2 * next_end**2, 0.0)
    inner = scores * sqrt(left / where(count > 3, rest, 1.0))
    from_end = minimum(k, n - 1 - k)
    side = where(k < n - 1 - k, -1.0, 1.0)
    end = where(count > 3, end, 0.5**0.5)
    outer = where(
        from_end.eq(0), side * end, where(is_long & from_end.eq(1), side * next_end, inner)
    )
    return where(k.eq(n - 1 - k), 0.0, outer)


def shapiro(
    x: TensorLike, *, axis: Axes = None, nan_policy: str = "propagate", keepdims: bool = False
) -> SignificanceResult:
    """Whether observations may be normal, by the square of their correlation with normal scores.

    By P. Royston, Algorithm AS R94, 1995, for up to some 5000 observations. See
    `scipy.stats.shapiro`. NaN for fewer than three; 1 where all are equal.

    >>> [v.eval().round(4).item() for v in shapiro([1.0, 2.0, 3.0, 4.0, 9.0])]
    [0.867, 0.2543]
    """
    of = observations(x, axis, nan_policy, keepdims)
    rows = sort(of.rows.astype("float64"), -1)
    n = lengths_of(rows)[-1]
    weights = _weights(n)
    width = max(rows, -1, initial=-float("inf")) - min(rows, -1, initial=float("inf"))
    steady = width.eq(0)
    scaled = rows / where(steady, 1.0, width).expand_dims(-1)
    apart = scaled - mean(scaled, -1, keepdims=True)
    size, norms = sqrt(sum(apart**2, -1)), sqrt(sum(weights**2))
    size = where(steady, 1.0, size)
    # 1 - w, from the difference of unit vectors, since w is near 1.
    unit = apart / size.expand_dims(-1) - weights / norms
    half = sum(unit**2, -1) / 2
    rest = where(steady, 0.0, half * (2 - half))
    chance = _chance(where(steady, 0.5, rest), n.astype("float64"))
    few = n < 3
    w = where(few, float("nan"), 1 - rest)
    p = where(few, float("nan"), where(steady, 1.0, chance))
    return SignificanceResult(*[of.result(v.astype(of.rows.dtype)) for v in (w, p)])


def _chance(rest: TensorVariable, n: TensorVariable) -> TensorVariable:
    """The probability of a correlation as far below 1."""
    y, size = log(rest), log(n)
    limit = 0.459 * n - 2.273
    is_few = n <= 11
    below = where(is_few, limit, 0.0) - y
    few = -log(where(below <= 0, 1.0, below))
    middle = where(
        is_few,
        polyval((-6.714e-4, 0.025054, -0.39978, 0.544), n),
        polyval((0.0038915, -0.083751, -0.31082, -1.5861), size),
    )
    spread = exp(
        where(
            is_few,
            polyval((-0.0020322, 0.062767, -0.77857, 1.3822), n),
            polyval((0.0030302, -0.082676, -0.4803), size),
        )
    )
    chance = norm.sf((where(is_few, few, y) - middle) / spread, check=False)
    chance = where(is_few & (below <= 0), 0.0, chance)
    third = 6 / pi * (arcsin(sqrt(maximum(1 - rest, 0.0))) - pi / 3)
    return where(n.eq(3), maximum(third, 0.0), chance)


class AndersonResult(NamedTuple):
    """A statistic, above which values it is how rare by chance, and these shares in percent."""

    statistic: TensorVariable
    critical_values: TensorVariable
    significance_level: TensorVariable


_COMMON: Final = (15.0, 10.0, 5.0, 2.5, 1.0)
_LIMITS: Final[dict[str, tuple[tuple[float, ...], tuple[float, ...], Callable[[Any], Any]]]] = {
    "norm": (_COMMON, (0.561, 0.631, 0.752, 0.873, 1.035), lambda n: 1 + 0.75 / n + 2.25 / n**2),
    "expon": (_COMMON, (0.916, 1.062, 1.321, 1.591, 1.959), lambda n: 1 + 0.6 / n),
    "logistic": (
        (25.0, 10.0, 5.0, 2.5, 1.0, 0.5),
        (0.426, 0.563, 0.66, 0.769, 0.906, 1.01),
        lambda n: 1 + 0.25 / n,
    ),
    **dict.fromkeys(
        ("gumbel_l", "gumbel_r"),
        ((25.0, *_COMMON[1:]), (0.474, 0.637, 0.757, 0.877, 1.038), lambda n: 1 + 0.2 / sqrt(n)),
    ),
}
"""Of each law: percents, limits of many observations, and by what these are divided for n."""
_OTHER_NAMES: Final = {"gumbel": "gumbel_l", "extreme1": "gumbel_l"}


def anderson(x: TensorLike, dist: str = "norm", *, method: str | None = None) -> Any:
    """Whether observations may be of a law, whose parameters are estimated from them.

    By Anderson's and Darling's statistic; its limits are those of M. A. Stephens, EDF statistics
    for goodness of fit and some comparisons, 1974. See `scipy.stats.anderson`.

    Parameters
    ----------
    x
        A vector.
    dist
        "norm", "expon", "logistic", "gumbel_l" ("gumbel", "extreme1") or "gumbel_r".
    method
        "interpolate" for the probability between the limits.

    Returns
    -------
    `statistic`, `critical_values` and `significance_level`, in percent; or with a method
    `statistic` and `pvalue`.

    Raises
    ------
    ValueError
        for another dist or method, and for what is no vector.

    Examples
    --------
    >>> found = anderson([1.0, 2.0, 3.0, 4.0, 9.0])
    >>> found.statistic.eval().round(4), found.critical_values.eval()
    (np.float64(0.4015), array([0.452, 0.509, 0.606, 0.704, 0.835]))
    """
    name = _OTHER_NAMES.get(dist.lower(), dist.lower())
    one_of("anderson", "dist", name, tuple(_LIMITS))
    if method not in (None, "interpolate"):
        raise ValueError(f"anderson: method is None or 'interpolate', not {method!r}{called()}")
    values = numbers(x)
    if values.ndim != 1:
        raise ValueError(f"anderson takes a vector, not {values!r}{called()}")
    ordered = sort(values.astype("float64"))
    n = lengths_of(ordered)[0].astype("float64")
    law: Any = lazy_import(f"weft_tensor.stats.{name}")
    if name == "norm":
        apart = ordered - mean(ordered)
        unit = apart / sqrt(sum(apart**2) / (n - 1))
    elif name == "expon":
        unit = ordered / mean(ordered)
    else:
        place, size = law.fit(ordered)
        unit = (ordered - place) / size
    shares = law.logcdf(unit) + law.logsf(unit)[::-1]
    statistic = -n - sum((2 * arange(n.astype("int64")) + 1) * shares) / n
    levels, limits, part = _LIMITS[name]
    critical = rint(1000 * (constant(limits) / part(n))) / 1000
    if method is None:
        return AndersonResult(statistic, critical, constant(levels))
    return SignificanceResult(statistic, interp(statistic, critical, constant(levels) / 100))
