"""Observations in clusters: the nearest of a few centres, and centres by the means of theirs."""

from __future__ import annotations

from operator import index as whole
from typing import Any, Final, NamedTuple

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor, constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import fori_loop, scan, while_loop
from weft_tensor.ops.creation.creation import full_like, ones_like, zeros
from weft_tensor.ops.distributions.samplers.choices import choice
from weft_tensor.ops.elementwise.arithmetic import minimum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.indexing.argmax import argmin
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.searchsorted import searchsorted
from weft_tensor.ops.indexing.segments import segment_sum
from weft_tensor.ops.linalg.cholesky import cholesky
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.random.distributions import normal, split, uniform
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import mean, sum
from weft_tensor.ops.sample_statistics.samples import numbers, one_of
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.statistics.moments import cov, std

__all__ = ["kmeans", "kmeans2", "vq", "whiten"]


def whiten(obs: TensorLike) -> TensorVariable:
    """Each column of observations over its standard deviation, if that is not 0.

    See `scipy.cluster.vq.whiten`.

    >>> whiten([[1.0, 5.0], [3.0, 5.0]]).eval()
    array([[1., 5.],
           [3., 5.]])
    """
    x = numbers(obs)
    spread = std(x, axis=0)
    return x / where(eq(spread, 0), 1.0, spread)


def _rows(obs: TensorLike, name: str) -> TensorVariable:
    """A matrix; of a vector each element is a row."""
    x = numbers(obs)
    if x.ndim not in (1, 2):
        raise ValueError(
            f"{name} takes a matrix with a row for each observation, not {x!r}{called()}"
        )
    return x if x.ndim == 2 else x.expand_dims(1)


def _squares(rows: TensorVariable, centres: TensorVariable) -> TensorVariable:
    """The squared distance of each row from each centre."""
    return sum((rows.expand_dims(1) - centres) ** 2, -1)


def vq(obs: TensorLike, code_book: TensorLike) -> tuple[TensorVariable, TensorVariable]:
    """Which row of a code book is nearest to each observation, and how far that is.

    Both are matrices with a row for each, or vectors; of several as near it is the first. See
    `scipy.cluster.vq.vq`. Raises ValueError for other ranks.

    >>> [v.eval().tolist() for v in vq([[1.0, 0.0], [5.0, 4.0]], [[0.0, 0.0], [5.0, 5.0]])]
    [[0, 1], [1.0, 1.0]]
    """
    rows, centres = _rows(obs, "vq"), _rows(code_book, "vq")
    codes = argmin(_squares(rows, centres), 1)
    return codes.astype("int32"), _apart(rows, index(centres, codes))


def _apart(rows: TensorVariable, centres: TensorVariable) -> TensorVariable:
    squares = sum((rows - centres) ** 2, -1)
    away = squares > 0
    return where(away, sqrt(where(away, squares, 1.0)), 0.0)


def _means(
    rows: TensorVariable, codes: TensorVariable, otherwise: TensorVariable
) -> TensorVariable:
    """The mean of the rows of each code; of a code that has none, what it is otherwise."""
    k = lengths_of(otherwise)[0]
    count = segment_sum(ones_like(index(rows, (slice(None), 0))), codes, k).expand_dims(1)
    means = segment_sum(rows, codes, k) / where(count > 0, count, 1.0)
    return where(count > 0, means, otherwise)


class _Search(NamedTuple):
    centres: Any
    """Where distances are measured from in the next step."""
    codes: Any
    """Of which rows these are the means."""
    before: Any
    codes_before: Any
    """The same in the last step."""
    missed: Any
    """The mean distance in the last step, and in that before."""
    missed_before: Any


def kmeans(
    obs: TensorLike,
    k_or_guess: TensorLike,
    iter: int = 20,
    thresh: float = 1e-5,
    *,
    rng: TensorLike | None = None,
) -> tuple[TensorVariable, TensorVariable]:
    """Centres of clusters, and the mean distance of observations from the nearest of them.

    Centres move to the means of what is nearest to them until the mean distance changes by
    `thresh` or less. Derivatives by the observations are those of the clusters that there are. See
    `scipy.cluster.vq.kmeans`.

    Parameters
    ----------
    obs
        Real numbers: a matrix with a row for each observation, or a vector.
    k_or_guess
        The first centres; or how many there are, drawn among the observations.
    iter
        Of a number of centres, how often they are drawn: the best ones are returned.
    thresh
        Which change is small.
    rng
        A key, made by `wt.random.key`: needed to draw centres.

    Returns
    -------
    The centres, and a number. A centre that nothing is nearest to is infinitely far; SciPy leaves
    it out.

    Raises
    ------
    ValueError
        for other ranks, an `iter` below 1, and a missing key.

    Examples
    --------
    >>> centres, missed = kmeans([[0.0], [2.0], [9.0], [11.0]], [[1.0], [8.0]])
    >>> centres.eval().ravel(), missed.eval()
    (array([ 1., 10.]), array(1.))
    """
    rows, guess = _rows(obs, "kmeans"), as_tensor(k_or_guess)
    if whole(iter) < 1:
        raise ValueError(f"kmeans: iter must be at least 1, not {iter}{called()}")
    is_line = numbers(obs).ndim == 1
    if guess.ndim:
        return _of_rank(is_line, *_settled(rows, _rows(guess, "kmeans"), thresh))
    keys = split(_key("kmeans", rng), iter)
    first = _drawn(rows, guess, keys[0])

    def again(best: Any, key: Any) -> tuple[Any, None]:
        centres, missed = _settled(rows, _drawn(rows, guess, key), thresh)
        better = missed < best[1]
        return (where(better, centres, best[0]), where(better, missed, best[1])), None

    best, _ = scan(again, _settled(rows, first, thresh), keys[1:])
    return _of_rank(is_line, *best)


def _of_rank(is_line: bool, centres: Any, other: Any) -> tuple[TensorVariable, TensorVariable]:
    """Centres of the rank of the observations."""
    return centres.squeeze(1) if is_line else centres, other


def _key(name: str, key: TensorLike | None) -> TensorLike:
    if key is None:
        raise ValueError(f"{name}: centres are drawn by a key: rng=wt.random.key(...){called()}")
    return key


def _settled(
    rows: TensorVariable, guess: TensorVariable, thresh: float
) -> tuple[TensorVariable, TensorVariable]:
    far = full_like(guess, float("inf"))

    def step(s: _Search) -> _Search:
        codes, apart = vq(rows, s.centres)
        after = _means(rows, codes, far)
        return _Search(after, codes, s.centres, s.codes, mean(apart), s.missed)

    infinite = constant(float("inf"), rows.dtype)
    codes = zeros((lengths_of(rows)[0],), "int32")
    start = _Search(guess.astype(rows.dtype), codes, far, codes, infinite, -infinite)
    end = while_loop(lambda s: abs(s.missed - s.missed_before) > thresh, step, start)
    codes, before = stop_gradient(end.codes), stop_gradient(end.before)
    moved = _means(rows, stop_gradient(end.codes_before), before)
    before = where(end.missed_before < float("inf"), moved, before)
    return _means(rows, codes, far), mean(_apart(rows, index(before, codes)))


def _drawn(rows: TensorVariable, k: Any, key: TensorLike) -> TensorVariable:
    """Different observations."""
    return choice(key, rows, k, replace=False)


def _scattered(rows: TensorVariable, k: Any, key: TensorLike) -> TensorVariable:
    """Of the normal distribution with the observations' mean and covariance."""
    n = lengths_of(rows)[1]
    spread = cholesky(cov(rows, rowvar=False).reshape((n, n)))
    return mean(rows, 0) + matmul(normal(key, size=(k, n)), spread.T)


def _apart_from_others(rows: TensorVariable, k: Any, key: TensorLike) -> TensorVariable:
    """Observations one after another, by their squared distances from those before.

    Arthur and Vassilvitskii, k-means++: the advantages of careful seeding (2007).
    """
    shares = uniform(key, size=(k,)).astype(rows.dtype)
    m, n = lengths_of(rows)

    def pick(i: Any, state: tuple[Any, Any]) -> tuple[Any, Any]:
        centres, nearest = state
        sums = cumsum(where(eq(i, 0), 1.0, nearest))
        chosen = searchsorted(sums, index(shares, i) * index(sums, -1), side="right")
        row = index(rows, minimum(chosen, m - 1))
        return centres[i].set(row), minimum(nearest, sum((rows - row) ** 2, -1))

    far = full_like(index(rows, (slice(None), 0)), float("inf"))
    centres: TensorVariable
    centres, _ = fori_loop(0, k, pick, (zeros((k, n), rows.dtype), far))
    return centres


_FIRST: Final = {"random": _scattered, "points": _drawn, "++": _apart_from_others}


def kmeans2(
    data: TensorLike,
    k: TensorLike,
    iter: int = 10,
    thresh: float = 1e-5,
    minit: str = "random",
    missing: str = "warn",
    *,
    rng: TensorLike | None = None,
) -> tuple[TensorVariable, TensorVariable]:
    """Centres after a number of steps, and which was nearest to each observation before the last.

    As `kmeans`, but a centre that nothing is nearest to stays. See `scipy.cluster.vq.kmeans2`.

    Parameters
    ----------
    data
        Real numbers: a matrix with a row for each observation, or a vector.
    k
        How many centres there are, or which they are at first: then `minit` makes no difference.
    iter
        How many steps are made.
    thresh
        Makes no difference, as in SciPy.
    minit
        How the first centres are drawn: "random", of a normal distribution; "points", among the
        observations; "++", among these, far from each other; "matrix" if `k` has them.
    missing
        "warn", which gives no warning: there is no error at a centre that nothing is nearest to.
    rng
        A key, made by `wt.random.key`: needed to draw centres.

    Raises
    ------
    ValueError
        for other ranks, an `iter` below 1, another `minit` or `missing`, and a missing key.

    Examples
    --------
    >>> centres, codes = kmeans2([0.0, 2.0, 9.0, 11.0], [1.0, 8.0], minit="matrix")
    >>> centres.eval(), codes.eval()
    (array([ 1., 10.]), array([0, 0, 1, 1], dtype=int32))
    """
    one_of("kmeans2", "minit", minit, (*_FIRST, "matrix"))
    one_of("kmeans2", "missing", missing, ("warn",))
    if whole(iter) < 1:
        raise ValueError(f"kmeans2: iter must be at least 1, not {iter}{called()}")
    rows, guess = _rows(data, "kmeans2"), as_tensor(k)
    if not guess.ndim and minit == "matrix":
        raise ValueError(f"kmeans2: minit is 'matrix', and k is no centres but {k!r}{called()}")
    if guess.ndim:
        start = _rows(guess, "kmeans2")
    else:
        start = _FIRST[minit](rows, guess, _key("kmeans2", rng))

    def step(_: Any, state: tuple[Any, Any]) -> tuple[Any, Any]:
        centres, _ = state
        codes, _ = vq(rows, centres)
        return _means(rows, codes, centres), codes

    codes = zeros((lengths_of(rows)[0],), "int32")
    centres, codes = fori_loop(0, iter, step, (start.astype(rows.dtype), codes))
    return _of_rank(numbers(data).ndim == 1, centres, codes)
