"""The nearest of what lies along a line, for each of its points, in time linear in its length.

A. Meijster, J. Roerdink, W. Hesselink, A general algorithm for computing distance transforms in
linear time (2000). Lines are walked along side by side.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.creation.creation import arange, zeros
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.reduction.extremes_so_far import cummax
from weft_tensor.ops.reduction.standard import any
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["nearest_along"]


class _Walk(NamedTuple):
    """Of each line: how far it was seen, and whose parts of it follow each other until there."""

    seen: Any
    last: Any
    """Which part is the last; -1 if there is none."""
    whose: Any
    begin: Any


def nearest_along(
    sizes: TensorVariable, join: Callable[..., Any], end: Callable[..., Any]
) -> TensorVariable:
    """The place k, on its line, of the least `join(size at k, i - k)` for each place i.

    Lines are the rows of `sizes`. `end(k, u, size, other)` is the last place for which k, with its
    size, is as near as u > k with the other; it may be infinite or lie outside. What it gives for
    other u is not used.

    >>> from weft_tensor.build.convert import as_tensor
    >>> middle = lambda k, u, a, b: ((b - a) / (u - k) + u + k) // 2
    >>> lines = as_tensor([[0.0, 9.0, 9.0, 1.0]])
    >>> nearest_along(lines, lambda far, k: far + k**2, middle).eval()
    array([[0, 0, 3, 3]])
    """
    m, n = lengths_of(sizes)
    line = arange(m)

    def walked(walk: _Walk) -> _Walk:
        u, at = minimum(walk.seen, n - 1), maximum(walk.last, 0)
        k, begin = index(walk.whose, (line, at)), index(walk.begin, (line, at))
        size, other = index(sizes, (line, k)), index(sizes, (line, u))
        going = walk.seen < n
        drops = going & (walk.last >= 0) & (join(size, begin - k) > join(other, begin - u))
        place = where(walk.last < 0, 0, 1 + end(k, u, size, other))
        adds = going & ~drops & (place < n)
        last = walk.last + adds - drops
        slot = where(adds, last, n)
        begins = where(adds, place, 0).astype("int64")
        return _Walk(
            walk.seen + (going & ~drops),
            last,
            updated(index(walk.whose, (line, slot)), "set", u),
            updated(index(walk.begin, (line, slot)), "set", begins),
        )

    none, room = zeros(m, "int64"), zeros((m, n + 1), "int64")
    walk: _Walk = while_loop(lambda w: any(w.seen < n), walked, _Walk(none + 1, none, room, room))
    live = arange(n) <= index(walk.last, (slice(None), None))
    begin, whose = (where(live, index(v, (..., slice(0, n))), 0) for v in (walk.begin, walk.whose))
    rows = index(line, (slice(None), None))
    return cummax(updated(index(zeros((m, n), "int64"), (rows, begin)), "maximum", whose), 1)
