"""Where a signal is larger, or smaller, than around."""

from __future__ import annotations

from collections.abc import Callable
from operator import index as whole
from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.comparison import gt, lt
from weft_tensor.ops.indexing.nonzero import nonzero
from weft_tensor.ops.indexing.take import take
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.sample_statistics.samples import one_of
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.types.axes import as_axis

__all__ = ["argrelextrema", "argrelmax", "argrelmin"]


def argrelextrema(
    data: TensorLike,
    comparator: Callable[[Any, Any], TensorVariable],
    axis: int = 0,
    order: int = 1,
    mode: str = "clip",
) -> tuple[TensorVariable, ...]:
    """Where elements compare to `order` neighbours on both sides, along an axis.

    `comparator` takes two tensors, as `wt.gt` does; beyond the ends there is the last element,
    or, with mode="wrap", the other end. The result is a vector of indices for each axis. See
    `scipy.signal.argrelextrema`. Raises ValueError for an order below 1, and another mode.

    >>> from weft_tensor import ge
    >>> argrelextrema([1.0, 3.0, 3.0, 2.0], ge)[0].eval()
    array([1, 2])
    """
    one_of("argrelextrema", "mode", mode, ("clip", "wrap"))
    if whole(order) < 1:
        raise ValueError(f"argrelextrema: order is 1 or more, not {order!r}{called()}")
    x = as_tensor(data)
    along = as_axis(axis, x.ndim)
    n = lengths_of(x)[along]
    places = arange(n)

    def moved(by: int) -> TensorVariable:
        at = places + by
        return take(x, at % n if mode == "wrap" else clip(at, 0, n - 1), along)

    results = comparator(x, x).eq(comparator(x, x))
    for by in range(1, order + 1):
        results = results & comparator(x, moved(by)) & comparator(x, moved(-by))
    return nonzero(results)


def argrelmax(
    data: TensorLike, axis: int = 0, order: int = 1, mode: str = "clip"
) -> tuple[TensorVariable, ...]:
    """Where elements are larger than their neighbours: `argrelextrema`.

    See `scipy.signal.argrelmax`, and `find_peaks` for flat ones.

    >>> argrelmax([1.0, 3.0, 2.0, 4.0, 1.0])[0].eval()
    array([1, 3])
    """
    return argrelextrema(data, gt, axis, order, mode)


def argrelmin(
    data: TensorLike, axis: int = 0, order: int = 1, mode: str = "clip"
) -> tuple[TensorVariable, ...]:
    """Where elements are smaller than their neighbours: `argrelextrema`.

    See `scipy.signal.argrelmin`.

    >>> argrelmin([1.0, 3.0, 2.0, 4.0, 1.0])[0].eval()
    array([2])
    """
    return argrelextrema(data, lt, axis, order, mode)
