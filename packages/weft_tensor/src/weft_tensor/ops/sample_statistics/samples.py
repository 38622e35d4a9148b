"""Samples: observations along the last axis, and what tests make of statistics."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.comparison import eq, isnan, logical_or
from weft_tensor.ops.elementwise.op import broadcast_dims
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.nonzero import flatnonzero
from weft_tensor.ops.reduction.standard import all, any, mean, sum
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims, reshape
from weft_tensor.ops.shape.transpose import transpose
from weft_tensor.types.axes import Axes, as_axes
from weft_tensor.types.dtypes import promote

__all__ = [
    "Observations",
    "SignificanceResult",
    "by_policy",
    "central_moment",
    "chosen_observations",
    "counts_of",
    "in_place",
    "numbers",
    "observations",
    "one_of",
    "pairs",
    "precision",
    "probability",
    "several",
]


class SignificanceResult(NamedTuple):
    """A statistic, and the probability of one at least as extreme."""

    statistic: TensorVariable
    pvalue: TensorVariable


class Observations(NamedTuple):
    """Observations along the last axis of `rows`, and where the axes were."""

    rows: TensorVariable
    axes: tuple[int, ...]
    keepdims: bool

    @property
    def number(self) -> TensorVariable:
        """How many there are, in the dtype of the rows."""
        return lengths_of(self.rows)[-1].astype(self.rows.dtype)

    def result(self, value: TensorVariable) -> TensorVariable:
        """What is one number for each row, with the axes that are to be kept."""
        return expand_dims(value, self.axes) if self.keepdims else value


def by_policy(
    nan_policy: str, *samples: Observations, one_stays: bool = False
) -> list[Observations]:
    """Samples as `nan_policy` says of NaN; those of pairs lose what belongs together.

    It stays ("propagate"), is a ValueError when the function runs ("raise"), or is left out
    ("omit"). As many observations as values make them fill no rows: "omit" is of one sample alone.
    With `one_stays`, NaN is left of what is NaN alone: for what is one of the observations.
    Raises ValueError for another policy, and for rows of which it would leave out.
    """
    one_of("nan_policy", "it", nan_policy, ("propagate", "raise", "omit"))
    given = list(samples)
    if nan_policy == "propagate":
        return given
    holes = reduce(logical_or, [isnan(of.rows) for of in given])
    if nan_policy == "raise":
        first = given[0]
        rows = check_and_raise(first.rows, ~any(holes), ValueError, "there is NaN")
        return [first._replace(rows=rows), *given[1:]]
    if holes.ndim != 1:
        raise ValueError(
            "nan_policy='omit' leaves out of one sample, as of vectors and with axis=None: "
            f"take functions like `nanmean`, or `map` over the rows of {given[0].rows!r}{called()}"
        )
    kept = ~holes
    if one_stays:
        kept = kept | (all(holes) & eq(arange(lengths_of(holes)[0]), 0))
    places = flatnonzero(kept)
    return [of._replace(rows=index(of.rows, places)) for of in given]


def in_place(a: TensorLike, nan_policy: str) -> TensorVariable:
    """Numbers for results that have a place for each: NaN that is left out stands there still."""
    x = numbers(a)
    if nan_policy == "omit":
        return x
    return by_policy(nan_policy, Observations(x, (), False))[0].rows


def one_of(name: str, what: str, value: object, choices: Sequence[object]) -> None:
    """ValueError if an argument of a function is none of those that it may be."""
    if value not in choices:
        names = ", ".join(map(repr, choices))
        raise ValueError(f"{name}: {what} is one of {names}, not {value!r}{called()}")


def numbers(a: TensorLike) -> TensorVariable:
    """`a` as real floating numbers; TypeError for complex ones."""
    return as_floating(_real(a))


def _real(a: TensorLike) -> TensorVariable:
    x = as_tensor(a)
    if x.is_complex:
        raise TypeError(f"observations are real numbers, not {x!r}{called()}")
    return x


def observations(
    a: TensorLike,
    axis: Axes,
    nan_policy: str = "propagate",
    keepdims: bool = False,
    one_stays: bool = False,
) -> Observations:
    """Real floating numbers with the observations of each sample along the last axis."""
    return chosen_observations(numbers(a), axis, nan_policy, keepdims, one_stays)


def chosen_observations(
    a: TensorLike,
    axis: Axes,
    nan_policy: str = "propagate",
    keepdims: bool = False,
    one_stays: bool = False,
) -> Observations:
    """The same in the dtype that they have: for what is one of them."""
    x = _real(a)
    axes = as_axes(axis, x.ndim)
    others = [k for k in range(x.ndim) if k not in axes]
    rows = transpose(x, [*others, *axes])
    if len(axes) != 1:
        lengths = lengths_of(x)
        rows = reshape(rows, (*[lengths[k] for k in others], -1))
    return by_policy(nan_policy, Observations(rows, axes, keepdims), one_stays=one_stays)[0]


def several(
    samples: Sequence[TensorLike],
    axis: Axes,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> list[Observations]:
    """Samples of one rank and dtype, whose other axes broadcast."""
    tensors = [numbers(a) for a in samples]
    dtype = promote(tuple([x.dtype for x in tensors]))
    tensors = [x.astype(dtype) for x in tensors]
    if axis is not None:
        rank = max(x.ndim for x in tensors)
        tensors = [expand_dims(x, tuple(range(rank - x.ndim))) for x in tensors]
    given = [observations(x, axis, nan_policy, keepdims) for x in tensors]
    if given[0].rows.ndim < 2 or len(given) < 2:
        return given
    batch = broadcast_dims(*[lengths_of(of.rows)[:-1] for of in given])
    return [
        of._replace(rows=broadcast_to(of.rows, (*batch, lengths_of(of.rows)[-1]))) for of in given
    ]


def pairs(
    x: TensorLike,
    y: TensorLike,
    axis: Axes,
    nan_policy: str = "propagate",
    keepdims: bool = False,
    one_stays: bool = False,
) -> tuple[Observations, Observations]:
    """Two samples of pairs, of one shape."""
    first, second = several([x, y], axis, keepdims=keepdims)
    length = lengths_of(first.rows)[-1]
    rows = specify_shape(second.rows, *[None] * (second.rows.ndim - 1), length)
    first, second = by_policy(nan_policy, first, second._replace(rows=rows), one_stays=one_stays)
    return first, second


def central_moment(rows: TensorVariable, order: int, center: Any = None) -> TensorVariable:
    """The mean of powers of the distances from the mean, along the last axis."""
    middle = mean(rows, -1, keepdims=True) if center is None else center
    return mean((rows - middle) ** order, -1)


def precision(dtype: str) -> float:
    """The distance from 1 to the next number.

    >>> precision("float32") == 2.0**-23
    True
    """
    return float(np.finfo(dtype).eps)


def counts_of(mask: TensorVariable, dtype: str) -> TensorVariable:
    """How many are true along the last axis, in a dtype."""
    return sum(mask, -1).astype(dtype)


def probability(
    law: Any, statistic: TensorVariable, alternative: str, *parameters: TensorLike
) -> TensorVariable:
    """Of a statistic at least as extreme, where `law` is symmetric around 0."""
    if alternative == "two-sided":
        share = 2 * law.sf(abs(statistic), *parameters, check=False)
    elif alternative in ("less", "greater"):
        tail = law.cdf if alternative == "less" else law.sf
        share = tail(statistic, *parameters, check=False)
    else:
        names = "'two-sided', 'less' or 'greater'"
        raise ValueError(f"alternative is {names}, not {alternative!r}{called()}")
    return share.astype(statistic.dtype)
