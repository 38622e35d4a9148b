"""How much of the variance of a function each of its inputs explains."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.distributions.laws import as_law
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.reduction.standard import mean
from weft_tensor.ops.sample_statistics.points.sequences import Sobol
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import as_size
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.ops.shape.transpose import matrix_transpose, moveaxis

__all__ = ["SobolResult", "sobol_indices"]


class SobolResult(NamedTuple):
    """Shares of the variance."""

    first_order: TensorVariable
    """What each input explains alone."""
    total_order: TensorVariable
    """What it explains together with all others."""


def sobol_indices(
    *,
    func: Callable[[TensorVariable], TensorLike] | Mapping[str, TensorLike],
    n: SizeLike,
    dists: Sequence[Any] | None = None,
    method: str | Callable[..., Any] = "saltelli_2010",
    rng: TensorLike | None = None,
) -> SobolResult:
    """Sobol's indices of a function of independent random inputs. See `scipy.stats.sobol_indices`.

    By scrambled points of Sobol's (A. Saltelli and others, Variance based sensitivity analysis of
    model output, 2010). They have derivatives by what `func` and `dists` use.

    Parameters
    ----------
    func
        Takes a matrix with a column for each place and a row for each input, and returns a value
        for each column, or a matrix of several in rows; or what it gave at such places: `f_A`,
        `f_B` of s rows and n columns, and `f_AB` of shape (d, s, n).
    n
        How many places: a power of 2 is best.
    dists
        The distribution of each input, as `wt.stats.uniform(0, 1)`, or whatever has `ppf`.
    method
        "saltelli_2010", or a function of `f_A`, `f_B` and `f_AB` that returns both indices.
    rng
        A key, as `wt.random.key(0)`, unless values are given.

    Returns
    -------
    A `SobolResult`, of a number for each input, or a row of them for each value of `func`.

    Raises
    ------
    ValueError
        without a key or distributions, unless values are given, and for another method.

    Examples
    --------
    >>> from weft_tensor import random
    >>> from weft_tensor.stats import uniform
    >>> found = sobol_indices(
    ...     func=lambda x: 3 * x[0] + x[1], n=1024, dists=[uniform()] * 2, rng=random.key(0)
    ... )
    >>> found.first_order.eval().round(3)
    array([0.9, 0.1])
    """
    if isinstance(method, str) and method != "saltelli_2010":
        raise ValueError(f"sobol_indices: method is 'saltelli_2010', not {method!r}{called()}")
    if isinstance(func, Mapping):
        a, b, mixed = (as_tensor(func[name]) for name in ("f_A", "f_B", "f_AB"))
    else:
        a, b, mixed = _values(func, as_size(n), dists, rng)
    if a.ndim == 1:
        a, b = a.expand_dims(0), b.expand_dims(0)
        mixed = mixed.expand_dims(1)
    if callable(method):
        return SobolResult(*method(f_A=a, f_B=b, f_AB=mixed))
    middle = mean(stack([a, b]), (0, -1)).expand_dims(-1)
    a, b, mixed = a - middle, b - middle, mixed - middle
    variance = mean(stack([a, b]) ** 2, (0, -1))
    first = mean(b * (mixed - a), -1) / variance
    total = 0.5 * mean((a - mixed) ** 2, -1) / variance
    shares = [matrix_transpose(v) for v in (first, total)]
    if shares[0].type.shape[0] == 1:
        shares = [index(v, 0) for v in shares]
    return SobolResult(*shares)


def _values(
    func: Callable[[TensorVariable], TensorLike], n: Any, dists: Any, rng: TensorLike | None
) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
    """At two sets of places, and at the first with the rows of the second, one at a time."""
    if dists is None or rng is None:
        raise ValueError(
            "sobol_indices: places are drawn: give the inputs' dists, and a key as "
            f"rng=wt.random.key(0){called()}"
        )
    d = len(dists)
    points = matrix_transpose(Sobol(2 * d, rng=rng).random(n))
    laws = [law if hasattr(law, "ppf") and not callable(law) else as_law(law) for law in dists]

    def places(rows: TensorVariable) -> TensorVariable:
        return stack([law.ppf(index(rows, k)) for k, law in enumerate(laws)])

    first, second = places(points[:d]), places(points[d:])
    row = arange(d)
    mixed = where(
        eq(row.reshape((d, 1, 1)), row.reshape((1, d, 1))),
        second.expand_dims(0),
        first.expand_dims(0),
    )
    columns = reshape(moveaxis(mixed, 0, 1), (d, -1))
    found = as_tensor(func(concatenate([first, second, columns], 1)))
    a, b = index(found, (..., slice(None, n))), index(found, (..., slice(n, 2 * n)))
    rest = index(found, (..., slice(2 * n, None)))
    split = reshape(rest, (d, n)) if found.ndim == 1 else reshape(rest, (rest.shape[0], d, n))
    return a, b, split if found.ndim == 1 else moveaxis(split, 1, 0)
