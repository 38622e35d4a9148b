"""What rows of `linkage` say of the joins: which two clusters each joins, and what is below it."""

from __future__ import annotations

from weft_graph.extend import called
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import fori_loop
from weft_tensor.ops.creation.creation import arange, zeros_like
from weft_tensor.ops.elementwise.arithmetic import maximum
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.sample_statistics.samples import numbers
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["children_of", "largest_below", "rows_of"]


def rows_of(name: str, Z: TensorLike) -> TensorVariable:  # SciPy's name
    """`Z` as a matrix; ValueError for others."""
    rows = numbers(Z)
    if rows.ndim != 2:
        raise ValueError(f"{name} takes rows of `linkage`, not {rows!r}{called()}")
    return rows


def children_of(rows: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    """The numbers of both clusters of each join."""
    left, right = (index(rows, (slice(None), k)).astype("int64") for k in (0, 1))
    return left, right


def largest_below(rows: TensorVariable, values: TensorVariable) -> TensorVariable:
    """The largest of the values of each join, and of those below it."""
    joins = lengths_of(rows)[0]
    left, right = children_of(rows)
    every = arange(2 * joins + 1)

    def step(k: TensorVariable, found: TensorVariable) -> TensorVariable:
        below = [index(found, index(side, k)) for side in (left, right)]
        highest = maximum(index(values, k), maximum(*below))
        return where(eq(every, joins + 1 + k), highest, found)

    found: TensorVariable = fori_loop(0, joins, step, zeros_like(every).astype(values.dtype))
    return index(found, slice(joins + 1, None))
