"""What two sparse matrices make together: products of rows and columns, of elements, of all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.searchsorted import searchsorted
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.sets.distinct import unique
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.rearrange import repeat
from weft_tensor.ops.shape.reshape import expand_dims, ravel
from weft_tensor.ops.sparse.entries import Entries, checked_length, distinct

__all__ = ["elements", "elementwise_product", "extremes", "kronecker", "product"]


def product(a: Entries, b: Entries) -> Entries:
    """The matrix product: each entry of `a` meets all of the row of `b` that its column says.

    >>> import weft_tensor as wt
    >>> a = wt.sparse.coo_array(([2.0, 3.0], ([0, 1], [1, 0])), (2, 2)).entries
    >>> product(a, a).data.eval()
    array([6., 6.])
    """
    data = checked_length(a.data, b.shape[0], a.shape[1])
    order = argsort(b.row)
    rows = index(b.row, (order,))
    first, end = (searchsorted(rows, a.col, side) for side in ("left", "right"))
    count = end - first
    left = repeat(arange(lengths_of(a.data)[0]), count)
    begin = cumsum(count) - count
    right = index(order, (arange(lengths_of(left)[0]) + repeat(first - begin, count),))
    entries = index(data, (left,)) * index(b.data, (right,))
    return Entries(entries, index(a.row, (left,)), index(b.col, (right,)), (a.shape[0], b.shape[1]))


def extremes(
    a: Entries, b: Entries, stored: Callable[..., Any], meet: Callable[..., Any]
) -> Entries:
    """Elementwise the larger or smaller: of what is `stored` at a place, and where one `meet`s 0.

    >>> import weft_tensor as wt
    >>> a = wt.sparse.coo_array(([2.0, 3.0], ([0, 1], [1, 0])), (2, 2)).entries
    >>> extremes(a, a, wt.segment_max, wt.maximum).data.eval()
    array([2., 3.])
    """
    a, b = distinct(a), distinct(b)
    columns = a.shape[1]
    for own, theirs in zip(a.shape, b.shape, strict=True):
        b = b._replace(data=checked_length(b.data, theirs, own))
    at = concatenate([v.row.astype("int64") * columns + v.col for v in (a, b)])
    places, which, counts = unique(at, return_inverse=True, return_counts=True)
    found = stored(concatenate([a.data, b.data]), which, lengths_of(places)[0])
    n = where(eq(columns, 0), 1, columns)
    data = where(counts < 2, meet(found, 0), found)
    return Entries(data, places // n, places % n, a.shape)


def elements(a: Entries, row: TensorVariable, col: TensorVariable) -> TensorVariable:
    """The elements of `a` at these places, all of which are within it.

    >>> import weft_tensor as wt
    >>> a = wt.sparse.coo_array(([2.0, 3.0], ([0, 1], [1, 0])), (2, 2)).entries
    >>> elements(a, wt.as_tensor([0, 0]), wt.as_tensor([0, 1])).eval()
    array([0., 2.])
    """
    once = distinct(a)
    n = a.shape[1]
    places = concatenate([once.row * n + once.col, [-1]])
    wanted = row.astype("int64") * n + col
    at = searchsorted(places[:-1], wanted)
    return where(eq(index(places, (at,)), wanted), index(concatenate([once.data, [0]]), (at,)), 0)


def elementwise_product(a: Entries, b: Entries) -> Entries:
    """Each entry of `a` times the element of `b` at its place.

    >>> import weft_tensor as wt
    >>> a = wt.sparse.coo_array(([2.0, 3.0], ([0, 1], [1, 0])), (2, 2)).entries
    >>> elementwise_product(a, a).data.eval()
    array([4., 9.])
    """
    data = a.data
    for own, theirs in zip(a.shape, b.shape, strict=True):
        data = checked_length(data, theirs, own)
    return a._replace(data=data * elements(b, a.row, a.col))


def kronecker(a: Entries, b: Entries) -> Entries:
    """Each entry of `a` times all of `b`. See `numpy.kron`.

    >>> import weft_tensor as wt
    >>> a = wt.sparse.coo_array(([2.0, 3.0], ([0, 1], [1, 0])), (2, 2)).entries
    >>> kronecker(a, a).row.eval()
    array([0, 1, 2, 3])
    """
    m, n = b.shape
    data = expand_dims(a.data, 1) * b.data
    row = expand_dims(a.row * m, 1) + b.row
    col = expand_dims(a.col * n, 1) + b.col
    return Entries(ravel(data), ravel(row), ravel(col), (a.shape[0] * m, a.shape[1] * n))
