"""How far vectors of booleans are apart; numbers are True unless they are 0.

Of n elements along the last axis, tf are those that are True in the first vector alone, ft in the
second alone, tt in both and ff in none, each counted by its weight.
"""

from __future__ import annotations

from collections.abc import Callable

from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.distance.weights import not_negative
from weft_tensor.ops.elementwise.comparison import eq, neq, where
from weft_tensor.ops.reduction.standard import sum

__all__ = ["dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"]

_T = TensorVariable
_Metric = Callable[[TensorLike, TensorLike, TensorLike | None], _T]


def _by_counts(
    name: str, formula: str, example: str, of: Callable[[_T, _T, _T, _T], _T]
) -> _Metric:
    """A function of the counts tt, tf, ft and ff."""

    def metric(u: TensorLike, v: TensorLike, w: TensorLike | None = None) -> _T:
        first, second = neq(u, 0), neq(v, 0)
        weights = not_negative(1.0 if w is None else w)
        pairs = (first & second), (first & ~second), (~first & second), ~(first | second)
        return of(*[sum(pair * weights, axis=-1) for pair in pairs])

    metric.__name__ = metric.__qualname__ = name
    metric.__doc__ = f"""{formula}

    (..., n) and (..., n) make (...); each element counts as `w` says. See
    `scipy.spatial.distance.{name}`.

    >>> {name}([True, True, False], [True, False, False]).eval()
    array({example})
    """
    return metric


def _share(part: _T, whole: _T) -> _T:
    """0 where both are 0."""
    zero = eq(whole, 0)
    return where(zero, 0, part / where(zero, 1, whole))


dice = _by_counts(
    "dice",
    "The share (tf + ft) / (2 tt + tf + ft) of booleans; NaN where all are False.",
    "0.33333333",
    lambda tt, tf, ft, ff: (tf + ft) / (2 * tt + tf + ft),
)
jaccard = _by_counts(
    "jaccard",
    "The share (tf + ft) / (tt + tf + ft) of booleans; 0 where all are False.",
    "0.5",
    lambda tt, tf, ft, ff: _share(tf + ft, tt + tf + ft),
)
rogerstanimoto = _by_counts(
    "rogerstanimoto",
    "The share 2 (tf + ft) / (tt + ff + 2 (tf + ft)) of booleans.",
    "0.5",
    lambda tt, tf, ft, ff: 2 * (tf + ft) / (tt + ff + 2 * (tf + ft)),
)
russellrao = _by_counts(
    "russellrao",
    "The share (n - tt) / n of booleans.",
    "0.66666667",
    lambda tt, tf, ft, ff: (tf + ft + ff) / (tt + tf + ft + ff),
)
sokalsneath = _by_counts(
    "sokalsneath",
    "The share 2 (tf + ft) / (tt + 2 (tf + ft)) of booleans; NaN where all are False.",
    "0.66666667",
    lambda tt, tf, ft, ff: 2 * (tf + ft) / (tt + 2 * (tf + ft)),
)
yule = _by_counts(
    "yule",
    "The share 2 tf ft / (tt ff + tf ft) of booleans; 0 where tf or ft is.",
    "0.",
    lambda tt, tf, ft, ff: where(eq(tf * ft, 0), 0, _share(2 * tf * ft, tt * ff + tf * ft)),
)
