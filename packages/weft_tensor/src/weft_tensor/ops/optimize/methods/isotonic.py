"""The nearest increasing sequence."""

from __future__ import annotations

from typing import Any, NamedTuple

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.creation.creation import arange, ones_like, zeros
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.segments import segment_sum
from weft_tensor.ops.optimize.problem import begun
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import all
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.types.dtypes import promote

__all__ = ["IsotonicRegression", "isotonic_regression"]


class IsotonicRegression(NamedTuple):
    """An increasing sequence, and the blocks in which it is level."""

    x: TensorVariable
    """The sequence."""
    weights: TensorVariable
    """The sum of weights of each block."""
    blocks: TensorVariable
    """Where each block begins, and the last one ends."""


class _Pools(NamedTuple):
    """Blocks as a stack: their sums, weights and beginnings; how many; and the next element."""

    sums: Any
    weights: Any
    begins: Any
    count: Any
    next: Any


def isotonic_regression(
    y: TensorLike, *, weights: TensorLike | None = None, increasing: bool = True
) -> IsotonicRegression:
    """The sequence that nowhere falls and has the least weighted sum of squares to `y`.

    By pooling neighbours that violate the order, in as many steps as two times the length. See
    `scipy.optimize.isotonic_regression`. Derivatives are those of the means of blocks.

    Parameters
    ----------
    y
        A real vector.
    weights
        Positive numbers, as many: 1 by default.
    increasing
        False for a sequence that nowhere rises.

    Raises
    ------
    ValueError
        for what is no vector, other lengths and, when it is computed, weights that are not
        positive.

    Examples
    --------
    >>> isotonic_regression([1.0, 3.0, 2.0, 4.0]).x.eval()
    array([1. , 2.5, 2.5, 4. ])
    """
    values = begun(y, "isotonic_regression: y")
    shares = ones_like(values) if weights is None else begun(weights, "weights")
    if (values.ndim, shares.ndim) != (1, 1):
        raise ValueError(f"isotonic_regression takes vectors, not {y!r} and {weights!r}{called()}")
    n = lengths_of(values)[0]
    dtype = promote([values.dtype, shares.dtype])
    values, shares = values.astype(dtype), specify_shape(shares.astype(dtype), n)
    if weights is not None:
        message = "isotonic_regression: weights must be positive"
        shares = check_and_raise(shares, all(shares > 0), ValueError, message)
    begins, count = _pooled(stop_gradient(values if increasing else -values), shares)
    at = where(arange(n + 1) < count, begins, n)
    block = cumsum(index(zeros(n + 1, "int64")[at].set(1), slice(0, n))) - 1
    whole = segment_sum(shares, block, n)
    sums = segment_sum(values * shares, block, n)
    x = index(sums, block) / index(whole, block)
    edges = concatenate([index(begins, slice(0, count)), n.expand_dims(0)], 0)
    return IsotonicRegression(x, index(whole, slice(0, count)), edges)


def _pooled(y: TensorVariable, weights: TensorVariable) -> tuple[Any, Any]:
    """Where blocks begin, and how many there are."""
    weights = stop_gradient(weights)
    n = lengths_of(y)[0]

    def falls(s: _Pools) -> TensorVariable:
        """Whether the last block but one lies above the last, or beside it."""
        last, before = maximum(s.count - 1, 0), maximum(s.count - 2, 0)
        above = s.sums[before] * s.weights[last] >= s.sums[last] * s.weights[before]
        return (s.count > 1) & above

    def body(s: _Pools) -> _Pools:
        merges = falls(s)
        last, at = maximum(s.count - 1, 0), minimum(s.next, n - 1)
        place = where(merges, maximum(s.count - 2, 0), minimum(s.count, n - 1))
        total = where(merges, s.sums[place] + s.sums[last], y[at] * weights[at])
        weight = where(merges, s.weights[place] + s.weights[last], weights[at])
        begin = where(merges, s.begins[place], at)
        return _Pools(
            s.sums[place].set(total),
            s.weights[place].set(weight),
            s.begins[place].set(begin),
            where(merges, s.count - 1, s.count + 1),
            where(merges, s.next, s.next + 1),
        )

    none, room = as_tensor(0), zeros((n + 1,), y.dtype)
    first = _Pools(room, room, room.astype("int64"), none, none)
    end: _Pools = while_loop(lambda s: (s.next < n) | falls(s), body, first)
    return end.begins, end.count
