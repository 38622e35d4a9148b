"""The entries of a sparse matrix and their places, and what is made of those of one matrix."""

from __future__ import annotations

from typing import Any, NamedTuple

from weft_graph.extend import called
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import zeros
from weft_tensor.ops.elementwise.comparison import eq, neq, where
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.indexing.nonzero import flatnonzero
from weft_tensor.ops.sets.distinct import unique
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.types.symbolic_dims import provably_differ

__all__ = ["Entries", "added", "checked_length", "chosen", "distinct", "nonzeros"]


class Entries(NamedTuple):
    """What a sparse matrix consists of."""

    data: TensorVariable
    row: TensorVariable
    col: TensorVariable
    shape: tuple[TensorVariable, TensorVariable]


def added(shape: Any, dtype: str, places: Any, entries: TensorVariable) -> TensorVariable:
    """Zeros, and at places, as often as they are named, the entries.

    >>> import weft_tensor as wt
    >>> added((2,), "float64", ([1, 1],), wt.as_tensor([3.0, 4.0])).eval()
    array([0., 7.])
    """
    return updated(index(zeros(shape, dtype), places), "inc", entries)


def checked_length(x: TensorVariable, n: Any, own: TensorVariable) -> TensorVariable:
    """`x`, where the length n is a side's; else ValueError.

    >>> import weft_tensor as wt
    >>> checked_length(wt.as_tensor(1.0), wt.as_tensor(2), wt.as_tensor(2)).eval()
    array(1.)
    """
    length, side = static_length(n), static_length(own)
    text = "a sparse matrix and what it meets have other shapes"
    if length is not None and side is not None:
        if provably_differ(length, side):
            raise ValueError(f"{text}: {length} and {side}{called()}")
        if length == side:
            return x
    return check_and_raise(x, eq(n, own), ValueError, text)


def distinct(a: Entries) -> Entries:
    """With one entry for each place, in the order of rows, and of columns within them.

    >>> import weft_tensor as wt
    >>> a = wt.sparse.coo_array(([1.0, 2.0], ([0, 0], [1, 1])), (2, 2))
    >>> once = distinct(a.entries)
    >>> once.data.eval(), once.col.eval()
    (array([3.]), array([1]))
    """
    columns = a.shape[1]
    places, which = unique(a.row.astype("int64") * columns + a.col, return_inverse=True)
    entries = added(lengths_of(places), a.data.dtype, (which,), a.data)
    n = where(eq(columns, 0), 1, columns)
    return Entries(entries, places // n, places % n, a.shape)


def chosen(a: Entries, mask: TensorVariable) -> Entries:
    """Those entries for which the mask says so.

    >>> import weft_tensor as wt
    >>> a = wt.sparse.coo_array(([1.0, 2.0], ([0, 1], [1, 0])), (2, 2))
    >>> chosen(a.entries, a.data > 1).row.eval()
    array([1])
    """
    keep = flatnonzero(mask)
    data, row, col = (index(part, (keep,)) for part in (a.data, a.row, a.col))
    return Entries(data, row, col, a.shape)


def nonzeros(a: Entries) -> Entries:
    """One entry for each element that is not zero, in the order of rows.

    >>> import weft_tensor as wt
    >>> a = wt.sparse.coo_array(([1.0, -1.0, 5.0], ([0, 0, 1], [1, 1, 0])), (2, 2))
    >>> nonzeros(a.entries).data.eval()
    array([5.])
    """
    once = distinct(a)
    return chosen(once, neq(once.data, 0))
