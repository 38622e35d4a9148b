"""Resamples of observations: intervals of statistics, and tests by what chance makes of them."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Sequence
from inspect import signature
from itertools import combinations, permutations, product
from math import comb, factorial, inf, prod
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor, constant
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange, full_like
from weft_tensor.ops.elementwise.arithmetic import abs, minimum
from weft_tensor.ops.elementwise.op import broadcast_dims
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.indexing.take import take, take_along_axis
from weft_tensor.ops.random.distributions import integers, split, uniform
from weft_tensor.ops.reduction.standard import mean, sum
from weft_tensor.ops.sample_statistics.ranks import quantile
from weft_tensor.ops.sample_statistics.samples import one_of, precision, several
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.ops.special.normal import ndtr, ndtri
from weft_tensor.ops.statistics.moments import std

__all__ = [
    "BootstrapResult",
    "ConfidenceInterval",
    "MonteCarloTestResult",
    "PermutationTestResult",
    "bootstrap",
    "monte_carlo_test",
    "permutation_test",
]

_T = TensorVariable
Statistic = Callable[..., TensorLike]
_SIDES = ("two-sided", "less", "greater")


class ConfidenceInterval(NamedTuple):
    """Both ends."""

    low: TensorVariable
    high: TensorVariable


class BootstrapResult(NamedTuple):
    """An interval, the statistic of the resamples along the last axis, and how far they spread."""

    confidence_interval: ConfidenceInterval
    bootstrap_distribution: TensorVariable
    standard_error: TensorVariable


class PermutationTestResult(NamedTuple):
    """The statistic, its probability, and the statistic of the permutations, first axis."""

    statistic: TensorVariable
    pvalue: TensorVariable
    null_distribution: TensorVariable


class MonteCarloTestResult(NamedTuple):
    """The statistic, its probability, and the statistic of the draws, first axis."""

    statistic: TensorVariable
    pvalue: TensorVariable
    null_distribution: TensorVariable


def _rows(name: str, data: Sequence[TensorLike], axis: int) -> list[_T]:
    """Samples along the last axis; their other axes are alike."""
    if not isinstance(data, (tuple, list)) or not data:
        raise ValueError(f"{name} takes a tuple of samples, as in `(x,)` or `(x, y)`{called()}")
    rows = [of.rows for of in several(data, axis)]
    others = lengths_of(rows[0])[:-1]
    for v in rows[1:]:
        others = broadcast_dims(others, lengths_of(v)[:-1])
    return [broadcast_to(v, (*others, lengths_of(v)[-1])) for v in rows]


def _of_rows(statistic: Statistic, rows: Sequence[_T]) -> _T:
    """The statistic of each vector along the last axis, which is told to one that takes `axis`."""
    named = {"axis": -1} if _takes_axis(statistic) else {}

    def call(*vectors: _T) -> _T:
        return as_floating(statistic(*vectors, **named))

    vmap = lazy_import("weft_tensor.batching.functions.vmap")
    mapped: Callable[..., _T] = call
    for _ in range(rows[0].ndim - 1):
        mapped = vmap(mapped)
    return mapped(*rows)


def _takes_axis(statistic: Statistic) -> bool:
    try:
        return "axis" in signature(statistic).parameters
    except (TypeError, ValueError):  # of some functions in C
        return False


def _taken(rows: _T, places: _T) -> _T:
    """Elements along the last axis at places in a matrix, whose rows are resamples: axis 0."""
    return moveaxis(take(rows, places, axis=-1), -2, 0)


def _interval(low: _T, high: _T, alternative: str) -> ConfidenceInterval:
    below = full_like(low, -inf) if alternative == "less" else low
    return ConfidenceInterval(below, full_like(high, inf) if alternative == "greater" else high)


def _corrected(
    statistic: Statistic,
    rows: Sequence[_T],
    together: Sequence[Sequence[int]],
    found: _T,
    drawn: _T,
    alpha: TensorVariable,
) -> tuple[_T, _T]:
    """The shares at which the ends are: B. Efron and R. J. Tibshirani, An Introduction to the
    Bootstrap (1993), 14.3 and 15.4.
    """
    share = 0.5 * mean((drawn < found).astype(found.dtype) + (drawn <= found), 0)
    bias = ndtri(share)
    cubes: list[_T] = []
    squares: list[_T] = []
    for group in together:
        n = lengths_of(rows[group[0]])[-1]
        others = arange(n - 1)
        whole = [arange(n)[:, None] * 0 + arange(lengths_of(v)[-1]) for v in rows]
        without = others + (others >= arange(n)[:, None])
        left = [_taken(v, without if k in group else whole[k]) for k, v in enumerate(rows)]
        each = _of_rows(statistic, left)
        apart = (n - 1) * (mean(each, 0, keepdims=True) - each) / n
        cubes.append(sum(apart**3, 0))
        squares.append(sum(apart**2, 0))
    speed = sum(stack(cubes), 0) / (6 * sum(stack(squares), 0) ** 1.5)
    ends = [bias + ndtri(alpha), bias - ndtri(alpha)]
    low, high = (ndtr(bias + end / (1 - speed * end)) for end in ends)
    return low, high


def bootstrap(
    data: Sequence[TensorLike],
    statistic: Statistic,
    *,
    rng: TensorLike,
    n_resamples: int = 9999,
    batch: int | None = None,
    vectorized: bool | None = None,
    paired: bool = False,
    axis: int = 0,
    confidence_level: TensorLike = 0.95,
    alternative: str = "two-sided",
    method: str = "BCa",
) -> BootstrapResult:
    """An interval of a statistic, and its standard error, by resamples with replacement.

    See `scipy.stats.bootstrap`. All resamples are computed at once, and stay the same for a key.

    Parameters
    ----------
    data
        A tuple of samples, with observations along `axis`; other axes broadcast.
    statistic
        A function of one vector for each sample; `vmap` makes it one of all resamples.
    rng
        A key, made by `wt.random.key`, `split` or `fold_in`.
    batch, vectorized
        Make no difference.
    paired
        Whether observations at the same place stay together; samples are of one length then.
    alternative
        With "less" the interval starts at -inf, with "greater" it ends at inf.
    method
        "percentile", "basic" or "BCa". NaN with "BCa" where all resamples are to one side.

    Raises
    ------
    ValueError
        for another method or alternative, and if `data` is no tuple of samples.

    Examples
    --------
    >>> from weft_tensor import mean, random
    >>> x = [1.0, 2.0, 4.0, 8.0, 16.0]
    >>> found = bootstrap((x,), mean, rng=random.key(3), n_resamples=500)
    >>> low, high = found.confidence_interval
    >>> bool((low < 6.2).eval()), bool((high > 6.2).eval())
    (True, True)
    """
    one_of("bootstrap", "method", method, ("percentile", "basic", "BCa"))
    one_of("bootstrap", "alternative", alternative, _SIDES)
    rows = _rows("bootstrap", data, axis)
    keys = [rng] * len(rows) if paired else list(split(rng, len(rows)))
    sizes = [lengths_of(rows[0 if paired else k])[-1] for k in range(len(rows))]
    places = [integers(k, n, size=(n_resamples, n)) for k, n in zip(keys, sizes, strict=True)]
    found = _of_rows(statistic, rows)
    drawn = _of_rows(statistic, [_taken(v, at) for v, at in zip(rows, places, strict=True)])
    alpha = (1 - as_tensor(confidence_level)) / (2 if alternative == "two-sided" else 1)
    low, high = alpha + 0 * found, 1 - alpha + 0 * found
    if method == "BCa":
        each = range(len(rows))
        together = [list(each)] if paired else [[k] for k in each]
        low, high = _corrected(statistic, rows, together, found, drawn, alpha)
    shares = stack([low, high])
    ends = quantile(drawn, shares, axis=0)
    first, last = index(ends, 0), index(ends, 1)
    if method == "basic":
        first, last = 2 * found - last, 2 * found - first
    spread = std(drawn, 0, ddof=1)
    return BootstrapResult(_interval(first, last, alternative), moveaxis(drawn, 0, -1), spread)


def _chance(found: _T, null: _T, alternative: str, adjustment: int) -> _T:
    """How many are at least as extreme, but for rounding; of two sides twice the rarer one."""
    near = 100 * precision(found.dtype) * abs(found)
    size = lengths_of(null)[0] + adjustment
    less = (sum(null <= found + near, 0) + adjustment) / size
    greater = (sum(null >= found - near, 0) + adjustment) / size
    both = minimum(2 * minimum(less, greater), 1.0)
    return {"less": less, "greater": greater, "two-sided": both}[alternative].astype(found.dtype)


def monte_carlo_test(
    data: TensorLike | Sequence[TensorLike],
    rvs: Callable[..., TensorLike] | Sequence[Callable[..., TensorLike]],
    statistic: Statistic,
    *,
    rng: TensorLike,
    n_resamples: int = 9999,
    batch: int | None = None,
    vectorized: bool | None = None,
    alternative: str = "two-sided",
    axis: int = 0,
) -> MonteCarloTestResult:
    """How likely a statistic is at least as extreme, where samples are what `rvs` draws.

    See `scipy.stats.monte_carlo_test`. `batch` and
    `vectorized` make no difference. `data` is one sample, or a tuple of as many as `rvs`, whose
    functions take a key and `size=`, as `wt.stats.norm.rvs` does; `statistic` and `rng` are as for
    `bootstrap`. Raises ValueError for another alternative, and for other numbers of both.

    >>> from weft_tensor import mean, random
    >>> from weft_tensor.stats import norm
    >>> x = [0.3, 2.0, 1.0, 1.5]
    >>> test = monte_carlo_test(x, norm.rvs, mean, rng=random.key(1), n_resamples=400)
    >>> bool((test.pvalue < 0.06).eval())
    True
    """
    one_of("monte_carlo_test", "alternative", alternative, _SIDES)
    draws = [rvs] if callable(rvs) else list(rvs)
    samples: Any = (data,) if callable(rvs) else data
    rows = _rows("monte_carlo_test", samples, axis)
    if len(draws) != len(rows):
        raise ValueError(f"monte_carlo_test: {len(rows)} samples, {len(draws)} rvs{called()}")
    keys = split(rng, len(rows))
    drawn = [
        as_tensor(draw(keys[k], size=(n_resamples, *lengths_of(v)))).astype(v.dtype)
        for k, (draw, v) in enumerate(zip(draws, rows, strict=True))
    ]
    found, null = _of_rows(statistic, rows), _of_rows(statistic, drawn)
    return MonteCarloTestResult(found, _chance(found, null, alternative, 1), null)


def permutation_test(
    data: Sequence[TensorLike],
    statistic: Statistic,
    *,
    rng: TensorLike | None = None,
    permutation_type: str = "independent",
    n_resamples: int = 9999,
    batch: int | None = None,
    vectorized: bool | None = None,
    alternative: str = "two-sided",
    axis: int = 0,
) -> PermutationTestResult:
    """How likely a statistic is at least as extreme, where observations are rearranged.

    See `scipy.stats.permutation_test`. `batch` and
    `vectorized` make no difference. With "independent" they change between samples, with
    "samples" those at one place do (of one sample, their signs), and with "pairings" each sample
    has them in another order. Where lengths are known when the graph is made, and there are no
    more than `n_resamples` ways, each is taken once; else `rng` chooses, as in `bootstrap`.

    Raises ValueError for another type or alternative, and without a key where one is needed.

    >>> from weft_tensor import mean
    >>> x, y = [1.0, 2.0, 3.5], [4.0, 6.0, 9.0, 7.0]
    >>> permutation_test((x, y), lambda a, b: mean(a) - mean(b)).pvalue.eval().round(4).item()
    0.0571
    """
    kinds = ("independent", "samples", "pairings")
    one_of("permutation_test", "permutation_type", permutation_type, kinds)
    one_of("permutation_test", "alternative", alternative, _SIDES)
    rows = _rows("permutation_test", data, axis)
    known = [v.type.shape[-1] for v in rows]
    lengths = [n for n in known if isinstance(n, int)]
    ways = _ways(permutation_type, lengths) if len(lengths) == len(known) else inf
    exact = ways <= n_resamples
    if not exact and rng is None:
        raise ValueError(
            "permutation_test: there are too many permutations, or lengths are not known: "
            f"give a key as `rng=wt.random.key(0)`{called()}"
        )
    count = None if exact else n_resamples
    drawn = _REARRANGED[permutation_type](rows, lengths, rng, count)
    found, null = _of_rows(statistic, rows), _of_rows(statistic, drawn)
    chance = _chance(found, null, alternative, 0 if exact else 1)
    return PermutationTestResult(found, chance, null)


def _ways(permutation_type: str, lengths: Sequence[int]) -> float:
    """How many permutations there are."""
    if permutation_type == "independent":
        ends = np.cumsum(lengths).tolist()
        return prod(comb(end, n) for end, n in zip(ends, lengths, strict=True))
    if permutation_type == "samples":
        return factorial(max(len(lengths), 2)) ** lengths[0]
    return factorial(lengths[0]) ** len(lengths)


def _partitions(lengths: Sequence[int]) -> np.ndarray:
    """All ways to part the integers up to the sum of lengths, one a row."""

    def parts(rest: frozenset[int], sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
        if not sizes:
            yield ()
            return
        for own in combinations(sorted(rest), sizes[0]):
            for others in parts(rest.difference(own), sizes[1:]):
                yield own + others

    return np.array(list(parts(frozenset(range(builtins.sum(lengths))), lengths)))


def _orders(n: int, times: int) -> np.ndarray:
    """All ways to order n integers several times, along the first axis."""
    return np.array(list(product(permutations(range(n)), repeat=times)))


def _between(rows: Sequence[_T], lengths: Sequence[int], rng: Any, count: int | None) -> list[_T]:
    sizes = [lengths_of(v)[-1] for v in rows]
    whole = concatenate(rows, -1)
    if count is None:
        places = constant(_partitions(lengths))
    else:
        places = argsort(uniform(rng, size=(count, lengths_of(whole)[-1])), -1)
    rearranged, start, parts = _taken(whole, places), constant(0), []
    for size in sizes:
        parts.append(index(rearranged, (..., slice(start, start + size))))
        start = start + size
    return parts


def _at_places(rows: Sequence[_T], lengths: Sequence[int], rng: Any, count: int | None) -> list[_T]:
    pair = [rows[0], -rows[0]] if len(rows) == 1 else rows
    whole = stack(pair, -1)
    n, k = lengths_of(rows[0])[-1], len(pair)
    if count is None:
        order = constant(_orders(k, lengths[0]))
    else:
        order = argsort(uniform(rng, size=(count, n, k)), -1)
    order = expand_dims(order, tuple(range(1, whole.ndim - 1)))
    each = (lengths_of(order)[0], *lengths_of(whole))
    changed = take_along_axis(broadcast_to(whole, each), broadcast_to(order, each), -1)
    return [index(changed, (..., j)) for j in range(len(rows))]


def _within(rows: Sequence[_T], lengths: Sequence[int], rng: Any, count: int | None) -> list[_T]:
    if count is None:
        orders = _orders(lengths[0], len(rows))
        return [_taken(v, constant(orders[:, k])) for k, v in enumerate(rows)]
    chosen = argsort(uniform(rng, size=(len(rows), count, lengths_of(rows[0])[-1])), -1)
    return [_taken(v, index(chosen, k)) for k, v in enumerate(rows)]


_REARRANGED: Final = {"independent": _between, "samples": _at_places, "pairings": _within}
