"""A sparse matrix, as its entries and where they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from weft_graph import Constant
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange, zeros
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.indexing.searchsorted import searchsorted
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import sum as total
from weft_tensor.ops.sets.distinct import unique
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import as_size, lengths_of, static_length
from weft_tensor.ops.shape.rearrange import repeat
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.types.symbolic_dims import provably_differ

__all__ = ["SparseArray"]


@dataclass(frozen=True, eq=False)
class SparseArray:
    """A matrix of which only some entries are stored; the others are zero.

    It is a structure of variables, as a function takes, returns, or carries through a loop. What
    is stored twice at a place is added up. Formulas of its parts are what users would write: `@`,
    `*` and `.T` are gathers, products and sums by index, on every backend and with derivatives.

    >>> a = SparseArray(as_tensor([2.0, 3.0]), as_tensor([0, 1]), as_tensor([1, 0]), (2, 2))
    >>> a.toarray().eval(), (a @ [1.0, 10.0]).eval()
    (array([[0., 2.],
           [3., 0.]]), array([20.,  3.]))
    """

    data: TensorVariable
    """The entries: a vector."""
    row: TensorVariable
    """The row of each, from 0 on."""
    col: TensorVariable
    """The column of each, from 0 on."""
    shape: tuple[Any, Any]
    """Two integer scalars."""

    ndim: ClassVar[int] = 2
    __array_ufunc__: ClassVar[None] = None
    """NumPy's arrays leave products to this class."""

    def __post_init__(self) -> None:
        m, n = self.shape
        object.__setattr__(self, "shape", (as_size(m), as_size(n)))

    @property
    def dtype(self) -> str:
        """That of the entries."""
        return self.data.dtype

    @property
    def nnz(self) -> TensorVariable:
        """How many entries are stored."""
        return lengths_of(self.data)[0]

    @property
    def T(self) -> SparseArray:  # NumPy's name
        """The transpose."""
        return SparseArray(self.data, self.col, self.row, self.shape[::-1])

    def transpose(self) -> SparseArray:
        """The transpose."""
        return self.T

    def astype(self, dtype: Any) -> SparseArray:
        """With entries of another dtype."""
        return replace(self, data=self.data.astype(dtype))

    def toarray(self) -> TensorVariable:
        """The matrix with all its zeros."""
        return _added(self.shape, self.dtype, (self.row, self.col), self.data)

    todense = toarray

    def diagonal(self) -> TensorVariable:
        """The entries whose row is their column, as many as the shorter side is long."""
        m, n = self.shape
        on = eq(self.row, self.col)
        least = where(m < n, m, n)
        places = where(on, self.row, 0)
        return _added((least,), self.dtype, (places,), where(on, self.data, 0))

    def trace(self) -> TensorVariable:
        """The sum of the diagonal."""
        return total(where(eq(self.row, self.col), self.data, 0))

    def sum(self, axis: int | None = None) -> TensorVariable:
        """The sum of all entries, or of those of each column (axis 0) or row (axis 1).

        Raises ValueError for another axis.
        """
        if axis is None:
            return total(self.data)
        if axis not in (0, 1, -1, -2):
            raise ValueError(f"sum: axis is 0 or 1, not {axis!r}{called()}")
        places, n = (self.col, self.shape[1]) if axis in (0, -2) else (self.row, self.shape[0])
        return _added((n,), total(self.data).dtype, (places,), self.data)

    def mean(self, axis: int | None = None) -> TensorVariable:
        """The mean of all elements, or of each column or row, the zeros among them."""
        m, n = self.shape
        number = m * n if axis is None else m if axis in (0, -2) else n
        return self.sum(axis) / number

    def sum_duplicates(self) -> SparseArray:
        """With one entry for each place, in the order of rows, and of columns within them."""
        keys = self.row.astype("int64") * self.shape[1] + self.col
        places, which = unique(keys, return_inverse=True)
        entries = _added(lengths_of(places), self.dtype, (which,), self.data)
        n = where(eq(self.shape[1], 0), 1, self.shape[1])
        return SparseArray(entries, places // n, places % n, self.shape)

    def map(self, function: Callable[[TensorVariable], TensorLike]) -> SparseArray:
        """With that function of each entry; of zero it must be zero, and zeros stay unstored.

        >>> import weft_tensor as wt
        >>> a = wt.sparse.coo_array(([4.0, 5.0], ([0, 0], [1, 1])), (1, 2))
        >>> a.map(wt.sqrt).toarray().eval()
        array([[0., 3.]])
        """
        once = self if _has_distinct_places(self) else self.sum_duplicates()
        return replace(once, data=as_tensor(function(once.data)))

    def power(self, n: TensorLike) -> SparseArray:
        """With powers of the entries; see `map`."""
        return self.map(lambda v: v**n)

    def __neg__(self) -> SparseArray:
        return replace(self, data=-self.data)

    def __abs__(self) -> SparseArray:
        return self.map(abs)

    def multiply(self, other: TensorLike) -> SparseArray:
        """Times a number, or elementwise a vector (of each row), or a matrix, that broadcasts."""
        x = as_tensor(other)
        if x.ndim > 2:
            raise ValueError(f"multiply takes at most 2 dimensions, not {x!r}{called()}")
        places: list[Any] = [self.row, self.col]
        static = [static_length(n) for n in lengths_of(x)]
        at = [0 if n == 1 else p for n, p in zip(static, places[2 - x.ndim :], strict=True)]
        lengths = zip(lengths_of(x), static, self.shape[2 - x.ndim :], strict=True)
        for n, size, own in lengths:
            x = x if size == 1 else _checked_length(x, n, own)
        return replace(self, data=self.data * index(x, tuple(at)) if at else self.data * x)

    __mul__ = multiply
    __rmul__ = multiply

    def __truediv__(self, other: TensorLike) -> SparseArray:
        return self.multiply(1 / as_tensor(other))

    def __add__(self, other: Any) -> Any:
        """The sum with a sparse matrix, which is sparse, or with a tensor, which is a tensor."""
        if not isinstance(other, SparseArray):
            return self.toarray() + as_tensor(other)
        parts = ((self.data, other.data), (self.row, other.row), (self.col, other.col))
        data, row, col = (concatenate(list(pair)) for pair in parts)
        for own, theirs in zip(self.shape, other.shape, strict=True):
            data = _checked_length(data, theirs, own)
        return SparseArray(data, row, col, self.shape)

    __radd__ = __add__

    def above(self, other: SparseArray) -> SparseArray:
        """With the rows of another below, which has as many columns."""
        (m, n), (below, columns) = self.shape, other.shape
        data = concatenate([self.data, _checked_length(other.data, columns, n)])
        row = concatenate([self.row, other.row + m])
        return SparseArray(data, row, concatenate([self.col, other.col]), (m + below, n))

    def __sub__(self, other: Any) -> Any:
        return self + (-other if isinstance(other, SparseArray) else -as_tensor(other))

    def __rsub__(self, other: TensorLike) -> TensorVariable:
        return as_tensor(other) - self.toarray()

    def __matmul__(self, other: Any) -> Any:
        """The product with a vector or matrix, a tensor; with a sparse matrix, which is sparse."""
        if isinstance(other, SparseArray):
            return _sparse_product(self, other)
        x = as_tensor(other)
        if x.ndim not in (1, 2):
            raise ValueError(f"a sparse matrix takes vectors and matrices, not {x!r}{called()}")
        x = _checked_length(x, lengths_of(x)[0], self.shape[1])
        entries = self.data if x.ndim == 1 else expand_dims(self.data, 1)
        terms = entries * index(x, (self.col,))
        return _added((self.shape[0], *lengths_of(x)[1:]), terms.dtype, (self.row,), terms)

    def __rmatmul__(self, other: TensorLike) -> TensorVariable:
        x = as_tensor(other)
        product: TensorVariable = self.T @ (x.T if x.ndim == 2 else x)
        return product.T if x.ndim == 2 else product

    dot = __matmul__


def _added(shape: Any, dtype: str, places: Any, entries: TensorVariable) -> TensorVariable:
    """Zeros, and at places, as often as they are named, the entries."""
    return updated(index(zeros(shape, dtype), places), "inc", entries)


def _has_distinct_places(a: SparseArray) -> bool:
    """Whether it is known that no place is there twice."""
    if not isinstance(a.row.op, Constant) or not isinstance(a.col.op, Constant):
        return False
    places = list(zip(a.row.op.value.tolist(), a.col.op.value.tolist(), strict=True))
    return len(set(places)) == len(places)


def _checked_length(x: TensorVariable, n: Any, own: TensorVariable) -> TensorVariable:
    """`x`, where the length n is a side's; else ValueError."""
    length, side = static_length(n), static_length(own)
    text = "a sparse matrix and what it meets have other shapes"
    if length is not None and side is not None:
        if provably_differ(length, side):
            raise ValueError(f"{text}: {length} and {side}{called()}")
        if length == side:
            return x
    return check_and_raise(x, eq(n, own), ValueError, text)


def _sparse_product(a: SparseArray, b: SparseArray) -> SparseArray:
    """Each entry of `a` meets all entries of the row of `b` that its column says."""
    data = _checked_length(a.data, b.shape[0], a.shape[1])
    order = argsort(b.row)
    rows = index(b.row, (order,))
    first, end = (searchsorted(rows, a.col, side) for side in ("left", "right"))
    count = end - first
    left = repeat(arange(a.nnz), count)
    begin = cumsum(count) - count
    right = index(order, (arange(lengths_of(left)[0]) + repeat(first - begin, count),))
    product = index(data, (left,)) * index(b.data, (right,))
    places = index(a.row, (left,)), index(b.col, (right,))
    return SparseArray(product, *places, (a.shape[0], b.shape[1]))
