"""Functions of vectors, and of axes, applied to tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.map import map
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims, reshape
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.axes import Axes, as_axis, listed

__all__ = ["apply_along_axis", "apply_over_axes"]


def apply_along_axis(
    func1d: Callable[..., TensorLike], axis: int, x: TensorLike, *args: Any, **kwargs: Any
) -> TensorVariable:
    """`func1d` of each vector along `axis`, its results in the place of these: a `map`.

    What computes on whole tensors at once is faster. See `numpy.apply_along_axis`. Raises
    ValueError for a scalar.

    >>> apply_along_axis(lambda v: v[::-1], 0, [[1, 2], [3, 4]]).eval()
    array([[3, 4],
           [1, 2]])
    """
    x = as_tensor(x)
    if not x.ndim:
        raise ValueError(f"apply_along_axis takes a tensor with an axis, not {x!r}")
    along = as_axis(axis, x.ndim)
    rows = moveaxis(x, along, -1)
    *others, n = lengths_of(rows)
    vectors = reshape(rows, (_product(others), n))
    results = map(lambda v: as_tensor(func1d(v, *args, **kwargs)), vectors)
    own = lengths_of(results)[1:]
    whole = reshape(results, (*others, *own))
    sources = list(range(len(others), whole.ndim))
    return moveaxis(whole, sources, list(range(along, along + len(own)))) if own else whole


def _product(lengths: Any) -> Any:
    total: Any = 1
    for n in lengths:
        total = n * total
    return total


def apply_over_axes(
    func: Callable[..., TensorVariable], x: TensorLike, axes: Axes
) -> TensorVariable:
    """`func(x, axis)` for one axis after another, which are kept with length 1.

    See `numpy.apply_over_axes`. Raises ValueError if the function gives neither the rank of `x` nor
    one less.

    >>> from weft_tensor import sum
    >>> apply_over_axes(sum, [[1, 2], [3, 4]], [0, 1]).eval()
    array([[10]])
    """
    result = as_tensor(x)
    for axis in range(result.ndim) if axes is None else listed(axes):
        along = as_axis(axis, result.ndim)
        value = func(result, along)
        if value.ndim == result.ndim - 1:
            value = expand_dims(value, along)
        if value.ndim != result.ndim:
            raise ValueError(f"apply_over_axes: the function of axis {axis} gives {value!r}")
        result = value
    return result
