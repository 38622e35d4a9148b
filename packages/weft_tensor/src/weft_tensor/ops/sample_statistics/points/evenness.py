"""How evenly points fill the unit cube, and points in other boxes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import eye
from weft_tensor.ops.elementwise.arithmetic import abs, maximum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.reduction.standard import all, mean, min, prod, sum
from weft_tensor.ops.sample_statistics.samples import numbers, one_of
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["discrepancy", "geometric_discrepancy", "scale"]

_T = TensorVariable


def _sample(name: str, sample: TensorLike) -> _T:
    x = numbers(sample)
    if x.ndim != 2:
        raise ValueError(f"{name} takes points as rows of a matrix, not {x!r}{called()}")
    inside = all((x >= 0) & (x <= 1))
    return check_and_raise(x, inside, ValueError, f"{name}: points are not in the unit cube")


def _pairs(x: _T) -> tuple[_T, _T]:
    return x[:, None, :], x[None, :, :]


def _over_pairs(parts: _T) -> _T:
    return mean(prod(parts, -1), (0, 1))


def _centered(x: _T, d: _T) -> _T:
    off = abs(x - 0.5)
    (one, two), (a, b) = _pairs(off), _pairs(x)
    alone = mean(prod(1 + 0.5 * off - 0.5 * off**2, -1))
    return (13 / 12) ** d - 2 * alone + _over_pairs(1 + 0.5 * (one + two - abs(a - b)))


def _wrapped(x: _T, d: _T) -> _T:
    a, b = _pairs(x)
    apart = abs(a - b)
    return _over_pairs(1.5 - apart * (1 - apart)) - (4 / 3) ** d


def _mixture(x: _T, d: _T) -> _T:
    off = abs(x - 0.5)
    (one, two), (a, b) = _pairs(off), _pairs(x)
    apart = abs(a - b)
    alone = mean(prod(5 / 3 - 0.25 * off - 0.25 * off**2, -1))
    both = _over_pairs(15 / 8 - 0.25 * (one + two) - 0.75 * apart + 0.5 * apart**2)
    return (19 / 12) ** d - 2 * alone + both


def _star(x: _T, d: _T) -> _T:
    a, b = _pairs(x)
    alone = mean(prod(1 - x**2, -1))
    return sqrt((1 / 3) ** d - 2 ** (1 - d) * alone + _over_pairs(1 - maximum(a, b)))


_METHODS: Final[dict[str, Callable[[_T, _T], _T]]] = {
    "CD": _centered, "WD": _wrapped, "MD": _mixture, "L2-star": _star,
}  # fmt: skip


def discrepancy(sample: TensorLike, *, method: str = "CD") -> TensorVariable:
    """How far the shares of points in boxes are from the boxes' volumes: small where they fill all.

    `sample` has points of the unit cube as rows. `method` is "CD", "WD", "MD" (centered, wrapped
    around, a mixture of both; F. J. Hickernell, A generalized discrepancy and quadrature error
    bound, 1998; Y.-D. Zhou, K.-T. Fang and J.-H. Ning, Mixture discrepancy for quasi-random point
    sets, 2013) or "L2-star". See `scipy.stats.qmc.discrepancy`. Raises ValueError for another
    method, what is no matrix, and, when it is computed, points outside.

    >>> discrepancy([[0.25, 0.75], [0.75, 0.25]]).eval().round(4)
    np.float64(0.0623)
    """
    one_of("discrepancy", "method", method, tuple(_METHODS))
    x = _sample("discrepancy", sample)
    return _METHODS[method](x, lengths_of(x)[1].astype("float64")).astype(x.dtype)


def geometric_discrepancy(sample: TensorLike) -> TensorVariable:
    """The least distance between two points: large where they fill the cube.

    See `scipy.stats.qmc.geometric_discrepancy`, of which this is method "mindist" with Euclid's
    metric. Raises ValueError for what is no matrix, and, when it is computed, points outside of
    the unit cube.

    >>> geometric_discrepancy([[0.0, 0.0], [0.3, 0.4], [1.0, 1.0]]).eval()
    array(0.5)
    """
    x = _sample("geometric_discrepancy", sample)
    a, b = _pairs(x)
    same = eye(lengths_of(x)[0]) > 0
    square = where(same, float("inf"), sum(where(same[:, :, None], 0.0, a - b) ** 2, -1))
    return sqrt(min(square))


def scale(
    sample: TensorLike, l_bounds: TensorLike, u_bounds: TensorLike, *, reverse: bool = False
) -> TensorVariable:
    """Points of the unit cube in the box between bounds; with `reverse`, the other way.

    See `scipy.stats.qmc.scale`. Raises ValueError, when it is computed, for points outside, and
    bounds that are not in order.

    >>> scale([[0.5, 0.25]], [0.0, -1.0], [4.0, 1.0]).eval()
    array([[ 2. , -0.5]])
    """
    x, low, high = numbers(sample), as_tensor(l_bounds), as_tensor(u_bounds)
    low = check_and_raise(low, all(low < high), ValueError, "scale: l_bounds are below u_bounds")
    inside = all((x >= low) & (x <= high)) if reverse else all((x >= 0) & (x <= 1))
    x = check_and_raise(x, inside, ValueError, "scale: points are outside of the box")
    return (x - low) / (high - low) if reverse else low + x * (high - low)
