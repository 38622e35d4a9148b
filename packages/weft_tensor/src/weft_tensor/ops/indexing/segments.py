"""Sums, products and extremes of the slices that belong to each of several segments."""

from __future__ import annotations

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import full
from weft_tensor.ops.elementwise.comparison import eq, ge
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.reduction.standard import max as largest
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import as_size, lengths_of
from weft_tensor.types.constants import inf

__all__ = ["segment_max", "segment_min", "segment_prod", "segment_sum"]


def segment_sum(
    data: TensorLike, segment_ids: TensorLike, num_segments: SizeLike | None = None
) -> TensorVariable:
    """The sums of the slices, along the first axis, of each segment.

    `segment_ids` says for each slice, in any order, to which it belongs: 0, 1, 2, ... There are
    `num_segments`; without, as many as the largest of the ids wants. A segment without slices
    has what changes nothing: here zeros. See `jax.ops.segment_sum`. Raises TypeError for ids
    that are no integers, ValueError for such that are no vector or negative, and IndexError for
    such that are too large.

    >>> segment_sum([5.0, 1.0, 2.0], [0, 2, 0]).eval()
    array([7., 0., 1.])
    """
    return _by_segment("segment_sum", "inc", data, segment_ids, num_segments)


def segment_prod(
    data: TensorLike, segment_ids: TensorLike, num_segments: SizeLike | None = None
) -> TensorVariable:
    """The products of the slices of each segment; 1 for none. See `segment_sum`.

    >>> segment_prod([5.0, 1.0, 2.0], [0, 2, 0]).eval()
    array([10.,  1.,  1.])
    """
    return _by_segment("segment_prod", "mul", data, segment_ids, num_segments)


def segment_max(
    data: TensorLike, segment_ids: TensorLike, num_segments: SizeLike | None = None
) -> TensorVariable:
    """The largest of the slices of each segment; the least number for none. See `segment_sum`.

    >>> segment_max([5, 1, 2], [0, 1, 0]).eval()
    array([5, 1])
    """
    return _by_segment("segment_max", "maximum", data, segment_ids, num_segments)


def segment_min(
    data: TensorLike, segment_ids: TensorLike, num_segments: SizeLike | None = None
) -> TensorVariable:
    """The smallest of the slices of each segment; the largest number for none. See `segment_sum`.

    >>> segment_min([5, 1, 2], [0, 1, 0]).eval()
    array([2, 1])
    """
    return _by_segment("segment_min", "minimum", data, segment_ids, num_segments)


def _by_segment(
    name: str, mode: str, data: TensorLike, segment_ids: TensorLike, count: SizeLike | None
) -> TensorVariable:
    x, ids = as_tensor(data), as_tensor(segment_ids)
    if ids.dtype[0] not in "iu":
        raise TypeError(f"{name} takes integers as segment_ids, not {ids!r}")
    if ids.ndim != 1 or not x.ndim:
        raise ValueError(
            f"{name} takes a vector of segment_ids, one for each slice of data: {ids!r} for {x!r}"
        )
    message = f"{name}: a number of segment_ids is negative"
    ids = check_and_raise(ids.astype("int64"), ge(ids, 0), ValueError, message)
    message = f"{name}: data and segment_ids are of different lengths"
    fits = eq(lengths_of(x)[0], lengths_of(ids)[0])
    ids = check_and_raise(ids, fits, ValueError, message)
    n = largest(concatenate([ids, [-1]])) + 1 if count is None else as_size(count)
    start = full((n, *lengths_of(x)[1:]), _neutral(mode, x.dtype), x.dtype)
    return updated(index(start, ids), mode, x)


def _neutral(mode: str, dtype: str) -> float:
    """What changes nothing."""
    if mode in ("inc", "mul"):
        return mode == "mul"
    if dtype == "bool":
        return mode == "minimum"
    if dtype[0] in "fc":
        return -inf if mode == "maximum" else inf
    limits = np.iinfo(dtype)
    return int(limits.min if mode == "maximum" else limits.max)
