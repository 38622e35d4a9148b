"""Parts of a sparse matrix, as NumPy's indices name them."""

from __future__ import annotations

from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.creation.creation import arange, ones
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.nonzero import flatnonzero
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.sparse.entries import Entries, added
from weft_tensor.ops.sparse.pairs import elements, product

__all__ = ["selected"]


def selected(a: Entries, key: Any) -> Entries | TensorVariable:
    """The rows and columns that `key` names: sparse; a tensor where it names a row, or elements.

    Raises ValueError for more than two indices, and for such as are of another rank, or new axes.

    >>> import weft_tensor as wt
    >>> a = wt.sparse.coo_array(([2.0, 3.0], ([0, 1], [1, 0])), (2, 2)).entries
    >>> selected(a, 0).eval(), selected(a, (1, 0)).eval()
    (array([0., 2.]), array(3.))
    """
    keys = key if isinstance(key, tuple) else (key,)
    if len(keys) > 2:
        raise ValueError(f"a sparse matrix takes two indices, not {len(keys)}{called()}")
    rows, columns = (_places(k, n) for k, n in zip((*keys, slice(None))[:2], a.shape, strict=True))
    if rows is not None and columns is not None and not any(isinstance(k, slice) for k in keys):
        return elements(a, rows, columns)
    part = a if rows is None else _rows(a, rows)
    if columns is None:
        return part
    if isinstance(part, TensorVariable):
        return index(part, (columns,))
    turned = _rows(_transposed(part), columns)
    return turned if isinstance(turned, TensorVariable) else _transposed(turned)


def _rows(a: Entries, at: TensorVariable) -> Entries | TensorVariable:
    """One row as a vector, or several, as often as they are named, as a sparse matrix."""
    if not at.ndim:
        return added(a.shape[1:], a.data.dtype, (a.col,), where(eq(a.row, at), a.data, 0))
    count = lengths_of(at)
    which = Entries(ones(count, a.data.dtype), arange(count[0]), at, (count[0], a.shape[0]))
    return product(which, a)


def _transposed(a: Entries) -> Entries:
    return Entries(a.data, a.col, a.row, (a.shape[1], a.shape[0]))


def _places(key: Any, n: TensorVariable) -> TensorVariable | None:
    """Which of n rows a key names: their numbers; None for all."""
    if isinstance(key, slice):
        return None if key == slice(None) else arange(n)[key]
    at = None if key is None or key is ... else as_tensor(key)
    if at is not None and at.ndim == 1 and at.dtype == "bool":
        at = flatnonzero(at)
    if at is None or at.ndim > 1 or at.dtype[0] not in "iu":
        text = "integers, slices, vectors of integers, or masks"
        raise ValueError(f"indices of a sparse matrix are {text}, not {key!r}{called()}")
    return index(arange(n), (at,))
