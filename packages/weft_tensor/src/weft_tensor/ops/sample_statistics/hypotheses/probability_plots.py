"""How straight probability plots are: by a shape parameter, or the power of a transformation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft_graph.extend import called
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import linspace
from weft_tensor.ops.distributions.normal_rows import norm
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.optimize.scalar_minimum import minimize_scalar
from weft_tensor.ops.reduction.standard import mean, sum
from weft_tensor.ops.sample_statistics.hypotheses.further_tests import expected_shares
from weft_tensor.ops.sample_statistics.samples import numbers
from weft_tensor.ops.sample_statistics.transformations import boxcox, yeojohnson
from weft_tensor.ops.shape.reshape import ravel

__all__ = ["boxcox_normplot", "ppcc_max", "ppcc_plot", "yeojohnson_normplot"]


def _straightness(places: TensorVariable, ordered: TensorVariable) -> TensorVariable:
    """The correlation of both along the last axis."""
    one, two = (v - mean(v, -1, keepdims=True) for v in (places, ordered))
    product, squares = sum(one * two, -1), sum(one**2, -1) * sum(two**2, -1)
    return product * squares**-0.5


def _law(dist: Any) -> Any:
    return lazy_import(f"weft_tensor.stats.{dist}") if isinstance(dist, str) else dist


def _vector(name: str, x: TensorLike, low: float, high: float) -> TensorVariable:
    if not low < high:
        raise ValueError(f"{name}: {high!r} must be above {low!r}{called()}")
    return ravel(numbers(x))


def ppcc_max(
    x: TensorLike, brack: tuple[float, float] = (0.0, 1.0), dist: Any = "tukeylambda"
) -> TensorVariable:
    """The shape parameter of a distribution with which a probability plot is straightest.

    `dist` is a distribution of `wt.stats` with one shape parameter, or its name; `brack` is where
    to begin. See `scipy.stats.ppcc_max`.

    >>> ppcc_max([-3.0, -1.0, -0.4, 0.1, 0.4, 1.2, 2.5]).eval().round(4)
    np.float64(-0.6843)
    """
    ordered = sort(ravel(numbers(x)), -1)
    shares, law = expected_shares(ordered), _law(dist)
    return minimize_scalar(
        lambda shape: -_straightness(law.ppf(shares, shape, check=False), ordered), bracket=brack
    ).x


def ppcc_plot(
    x: TensorLike, a: float, b: float, dist: Any = "tukeylambda", plot: None = None, N: int = 80
) -> tuple[TensorVariable, TensorVariable]:
    """N shape parameters from a to b, and the correlations of the probability plots.

    `dist` is as for `ppcc_max`. See `scipy.stats.ppcc_plot`; there is no `plot` here. Raises
    ValueError unless b is above a.

    >>> shapes, found = ppcc_plot([-3.0, -1.0, 0.1, 1.2, 2.5], -0.5, 0.5, N=3)
    >>> found.eval().round(4)
    array([0.9944, 0.9958, 0.9942])
    """
    ordered = sort(_vector("ppcc_plot", x, a, b), -1)
    shapes = linspace(a, b, N)
    places = _law(dist).ppf(expected_shares(ordered), shapes[:, None], check=False)
    return shapes, _straightness(places, ordered)


def _normplot(
    name: str, transform: Callable[..., Any], x: TensorLike, la: float, lb: float, count: int
) -> tuple[TensorVariable, TensorVariable]:
    values = sort(_vector(name, x, la, lb), -1)
    powers = linspace(la, lb, count)
    places = norm.ppf(expected_shares(values))
    return powers, _straightness(places, transform(values, powers[:, None]))


def boxcox_normplot(
    x: TensorLike, la: float, lb: float, plot: None = None, N: int = 80
) -> tuple[TensorVariable, TensorVariable]:
    """N powers from la to lb, and how straight normal plots are after `boxcox` with each.

    See `scipy.stats.boxcox_normplot`; there is no `plot` here. Raises ValueError unless lb is above
    la.

    >>> boxcox_normplot([1.0, 2.0, 3.0, 9.0], -1.0, 1.0, N=3)[1].eval().round(4)
    array([0.9725, 0.9868, 0.9042])
    """
    return _normplot("boxcox_normplot", boxcox, x, la, lb, N)


def yeojohnson_normplot(
    x: TensorLike, la: float, lb: float, plot: None = None, N: int = 80
) -> tuple[TensorVariable, TensorVariable]:
    """N powers from la to lb, and how straight normal plots are after `yeojohnson` with each.

    See `scipy.stats.yeojohnson_normplot`; there is no `plot` here. Raises ValueError unless lb is
    above la.

    >>> yeojohnson_normplot([-1.0, 2.0, 3.0, 9.0], 0.0, 2.0, N=3)[1].eval().round(4)
    array([0.934 , 0.9619, 0.8654])
    """
    return _normplot("yeojohnson_normplot", yeojohnson, x, la, lb, N)
