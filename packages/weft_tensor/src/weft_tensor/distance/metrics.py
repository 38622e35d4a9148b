"""How far vectors of numbers are apart; of stacks of vectors, each from each that it meets.

Where a distance has a root or a power, its slopes at equal vectors are 0.
"""

from __future__ import annotations

from math import inf

from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.distance.weights import not_negative
from weft_tensor.ops.elementwise.arithmetic import maximum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, neq, where
from weft_tensor.ops.elementwise.exponential import log
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.reduction.standard import max, mean, sum
from weft_tensor.ops.special.entropies import rel_entr

__all__ = [
    *("braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine", "euclidean"),
    *("hamming", "jensenshannon", "mahalanobis", "minkowski", "seuclidean", "sqeuclidean"),
]

_Weights = TensorLike | None


def _pair(u: TensorLike, v: TensorLike) -> list[TensorVariable]:
    return [x if x.type.differentiable else x.astype("float64") for x in as_tensors((u, v))]


def _apart(u: TensorLike, v: TensorLike) -> TensorVariable:
    first, second = _pair(u, v)
    return abs(first - second)


def _total(x: TensorVariable, w: _Weights) -> TensorVariable:
    return sum(x if w is None else x * not_negative(w), axis=-1)


def _power(x: TensorVariable, p: TensorLike) -> TensorVariable:
    """x to the power p for x of at least 0, whose slopes at 0 are 0."""
    zero = eq(x, 0)
    inside = where(zero, 1, x)
    return where(zero, 0, sqrt(inside) if isinstance(p, float) and p == 0.5 else inside**p)


def sqeuclidean(u: TensorLike, v: TensorLike, w: _Weights = None) -> TensorVariable:
    """The sum of squared differences along the last axis, each times `w`.

    (..., n) and (..., n) make (...). See `scipy.spatial.distance.sqeuclidean`.

    >>> sqeuclidean([0.0, 0.0], [3.0, 4.0]).eval()
    array(25.)
    """
    first, second = _pair(u, v)
    return _total((first - second) ** 2, w)


def euclidean(u: TensorLike, v: TensorLike, w: _Weights = None) -> TensorVariable:
    """The root of `sqeuclidean`; its slopes at equal vectors are 0.

    (..., n) and (..., n) make (...). See `scipy.spatial.distance.euclidean`.

    >>> euclidean([0.0, 0.0], [3.0, 4.0]).eval()
    array(5.)
    """
    return _power(sqeuclidean(u, v, w), 0.5)


def seuclidean(u: TensorLike, v: TensorLike, V: TensorLike) -> TensorVariable:
    """As `euclidean`, each squared difference divided by its variance `V`.

    (..., n), (..., n) and (n,) make (...). See `scipy.spatial.distance.seuclidean`.

    >>> seuclidean([0.0, 0.0], [3.0, 4.0], [1.0, 4.0]).eval()
    array(3.60555128)
    """
    return euclidean(u, v, 1 / as_tensor(V))


def cityblock(u: TensorLike, v: TensorLike, w: _Weights = None) -> TensorVariable:
    """The sum of what the elements along the last axis are apart, each times `w`.

    (..., n) and (..., n) make (...). See `scipy.spatial.distance.cityblock`.

    >>> cityblock([0.0, 0.0], [3.0, -4.0]).eval()
    array(7.)
    """
    return _total(_apart(u, v), w)


def chebyshev(u: TensorLike, v: TensorLike, w: _Weights = None) -> TensorVariable:
    """The most that elements along the last axis are apart, of those whose `w` is above 0.

    (..., n) and (..., n) make (...). See `scipy.spatial.distance.chebyshev`.

    >>> chebyshev([0.0, 0.0], [3.0, -4.0]).eval()
    array(4.)
    """
    apart = _apart(u, v)
    return max(apart if w is None else where(not_negative(w) > 0, apart, 0), axis=-1, initial=0)


def minkowski(
    u: TensorLike, v: TensorLike, p: TensorLike = 2, w: _Weights = None
) -> TensorVariable:
    """The sum of the powers `p` of what elements are apart, each times `w`, to the power 1 / p.

    (..., n) and (..., n) make (...); p may be `inf`. See `scipy.spatial.distance.minkowski`.
    Raises ValueError for a number p that is not above 0.

    >>> minkowski([0.0, 0.0], [3.0, 4.0], 3).eval()
    array(4.49794145)
    """
    root: TensorLike = 1 / as_tensor(p)
    if isinstance(p, (int, float)):
        if not p > 0:
            raise ValueError(f"minkowski takes p above 0, not {p}")
        root = 1 / p
        if p == inf:
            return chebyshev(u, v, w)
        if p in (1, 2):
            return (cityblock if p == 1 else euclidean)(u, v, w)
    return _power(_total(_power(_apart(u, v), p), w), root)


def canberra(u: TensorLike, v: TensorLike, w: _Weights = None) -> TensorVariable:
    """The sum of what elements are apart, as shares of their sizes; 0 where both are 0.

    (..., n) and (..., n) make (...). See `scipy.spatial.distance.canberra`.

    >>> canberra([1.0, 0.0], [3.0, 0.0]).eval()
    array(0.5)
    """
    first, second = _pair(u, v)
    size = abs(first) + abs(second)
    zero = eq(size, 0)
    return _total(where(zero, 0, abs(first - second) / where(zero, 1, size)), w)


def braycurtis(u: TensorLike, v: TensorLike, w: _Weights = None) -> TensorVariable:
    """The sum of differences, as a share of that of sums; NaN where these are all 0.

    (..., n) and (..., n) make (...). See `scipy.spatial.distance.braycurtis`.

    >>> braycurtis([1.0, 0.0], [3.0, 1.0]).eval()
    array(0.6)
    """
    first, second = _pair(u, v)
    return _total(abs(first - second), w) / _total(abs(first + second), w)


def correlation(
    u: TensorLike, v: TensorLike, w: _Weights = None, centered: bool = True
) -> TensorVariable:
    """1 less the correlation of the elements along the last axis, weighted by `w`.

    (..., n) and (..., n) make (...); NaN where one does not vary. Not `centered`, it is
    `cosine`. See `scipy.spatial.distance.correlation`.

    >>> correlation([1.0, 2.0, 3.0], [3.0, 2.0, 1.0]).eval()
    array(2.)
    """
    first, second = _pair(u, v)
    if centered:
        weights = None if w is None else as_tensor(w) / sum(w, axis=-1, keepdims=True)
        first, second = (
            x - (mean(x, axis=-1) if w is None else _total(x, weights)).expand_dims(-1)
            for x in (first, second)
        )
    sizes = _total(first * first, w) * _total(second * second, w)
    return clip(1 - _total(first * second, w) / sqrt(sizes), 0, 2)


def cosine(u: TensorLike, v: TensorLike, w: _Weights = None) -> TensorVariable:
    """1 less the cosine of the angle between the vectors along the last axis.

    (..., n) and (..., n) make (...); NaN where one is 0. See `scipy.spatial.distance.cosine`.

    >>> cosine([1.0, 0.0], [0.0, 2.0]).eval()
    array(1.)
    """
    return correlation(u, v, w, centered=False)


def mahalanobis(u: TensorLike, v: TensorLike, VI: TensorLike) -> TensorVariable:
    """The root of d @ VI @ d, where d is the difference; its slopes at equal vectors are 0.

    (..., n), (..., n) and (n, n) make (...). `VI` is the inverse of a covariance matrix. See
    `scipy.spatial.distance.mahalanobis`.

    >>> mahalanobis([0.0, 0.0], [3.0, 4.0], [[1.0, 0.0], [0.0, 4.0]]).eval()
    array(8.54400375)
    """
    first, second = _pair(u, v)
    difference = (first - second).expand_dims(-2)
    return _power(sum(matmul(difference, VI) * difference, axis=(-2, -1)), 0.5)


def jensenshannon(
    p: TensorLike,
    q: TensorLike,
    base: float | None = None,
    *,
    axis: int = 0,
    keepdims: bool = False,
) -> TensorVariable:
    """The root of the divergence of Jensen and Shannon of two vectors of probabilities.

    Both are divided by their sums along `axis`, which is left out. The slopes at equal vectors are
    0. See `scipy.spatial.distance.jensenshannon`.

    >>> jensenshannon([1.0, 0.0], [0.0, 1.0], 2.0).eval()
    array(1.)
    """
    first, second = (x / sum(x, axis=axis, keepdims=True) for x in _pair(p, q))
    middle = 0.5 * (first + second)
    parts = rel_entr(first, middle) + rel_entr(second, middle)
    total = sum(parts, axis=axis, keepdims=keepdims)
    return _power(maximum(0.5 * total if base is None else 0.5 * total / log(base), 0), 0.5)


def hamming(u: TensorLike, v: TensorLike, w: _Weights = None) -> TensorVariable:
    """The share of elements along the last axis that differ, weighted by `w`.

    (..., n) and (..., n) make (...). See `scipy.spatial.distance.hamming`.

    >>> hamming([1, 2, 3, 4], [1, 2, 4, 3]).eval()
    array(0.5)
    """
    differ = neq(u, v).astype("float64")
    return mean(differ, axis=-1) if w is None else _total(differ, w) / sum(w, axis=-1)
