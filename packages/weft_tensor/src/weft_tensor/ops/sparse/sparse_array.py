"""A sparse matrix, as its entries and where they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, NoReturn

from weft_graph import Constant
from weft_graph.extend import called, no_such_name
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import ones_like, zeros_like
from weft_tensor.ops.elementwise.arithmetic import (
    ceil,
    deg2rad,
    floor,
    maximum,
    minimum,
    rad2deg,
    rint,
    sign,
    sqrt,
    trunc,
)
from weft_tensor.ops.elementwise.comparison import eq, neq, where
from weft_tensor.ops.elementwise.complex import conj, imag, real
from weft_tensor.ops.elementwise.exponential import expm1, log1p
from weft_tensor.ops.elementwise.trigonometric import (
    arcsin,
    arcsinh,
    arctan,
    arctanh,
    sin,
    sinh,
    tan,
    tanh,
)
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.segments import segment_max, segment_min
from weft_tensor.ops.reduction.standard import sum as total
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import as_size, lengths_of, static_length
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.sparse.entries import Entries, added, checked_length, distinct, nonzeros
from weft_tensor.ops.sparse.pairs import elementwise_product, extremes, product
from weft_tensor.ops.sparse.selection import selected

__all__ = ["SparseArray"]


def _of_each(function: Callable[[TensorVariable], TensorVariable]) -> Callable[[Any], Any]:
    """The method that maps a function of which 0 is 0."""

    def method(self: SparseArray) -> SparseArray:
        return self.map(function)

    method.__name__ = function.__name__
    method.__doc__ = f"`{function.__name__}` of each element, see `map`."
    return method


_OTHERWISE: Final = {
    "H": "T.conj()",
    "asformat": "the array itself: there is one format",
    "getcol": "A[:, [j]]",
    "getrow": "A[[i]]",
    "reshape": "coo_array((data, (row, col)), shape)",
    "resize": "coo_array((data, (row, col)), shape)",
    "setdiag": "A + diags_array([values - A.diagonal()], offsets=[0])",
    "sort_indices": "sum_duplicates",
    "sorted_indices": "sum_duplicates",
    **dict.fromkeys(("tobsr", "todia", "todok", "tolil"), "tocoo: there is one format"),
}
"""What methods of SciPy's are here."""


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

    @classmethod
    def __weft_argument__(cls, value: Any) -> Any:
        """One of SciPy's, of any format, as its entries."""
        return value.tocoo() if hasattr(value, "tocoo") else value

    @property
    def entries(self) -> Entries:
        """What it consists of, without methods."""
        return Entries(self.data, self.row, self.col, self.shape)

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

    @property
    def mT(self) -> SparseArray:  # NumPy's name
        """The transpose."""
        return self.T

    def transpose(self) -> SparseArray:
        """The transpose."""
        return self.T

    @property
    def real(self) -> SparseArray:
        """The real parts."""
        return self.map(real)

    @property
    def imag(self) -> SparseArray:
        """The imaginary parts."""
        return self.map(imag)

    def copy(self) -> SparseArray:
        """Itself: nothing changes it."""
        return self

    def astype(self, dtype: Any) -> SparseArray:
        """With entries of another dtype."""
        return replace(self, data=self.data.astype(dtype))

    def toarray(self) -> TensorVariable:
        """The matrix with all its zeros."""
        return added(self.shape, self.dtype, (self.row, self.col), self.data)

    todense = toarray

    def diagonal(self) -> TensorVariable:
        """The entries whose row is their column, as many as the shorter side is long."""
        m, n = self.shape
        on = eq(self.row, self.col)
        least = where(m < n, m, n)
        places = where(on, self.row, 0)
        return added((least,), self.dtype, (places,), where(on, self.data, 0))

    def trace(self) -> TensorVariable:
        """The sum of the diagonal."""
        return total(where(eq(self.row, self.col), self.data, 0))

    def sum(self, axis: int | None = None) -> TensorVariable:
        """The sum of all entries, or of those of each column (axis 0) or row (axis 1).

        Raises ValueError for another axis.
        """
        if axis is None:
            return total(self.data)
        places, n, _ = self._lines(axis)
        return added((n,), total(self.data).dtype, (places,), self.data)

    def mean(self, axis: int | None = None) -> TensorVariable:
        """The mean of all elements, or of each column or row, the zeros among them."""
        return self.sum(axis) / self._lines(axis)[2]

    def max(self, axis: int | None = None) -> TensorVariable:
        """The largest of all elements, or of each column or row, the zeros among them.

        Raises ValueError where there is none.

        >>> SparseArray(as_tensor([-2.0]), as_tensor([0]), as_tensor([1]), (1, 2)).max(0).eval()
        array([ 0., -2.])
        """
        return self._extreme(axis, segment_max, maximum)

    def min(self, axis: int | None = None) -> TensorVariable:
        """The smallest, see `max`."""
        return self._extreme(axis, segment_min, minimum)

    def _extreme(self, axis: int | None, stored: Any, meet: Any) -> TensorVariable:
        once = self.sum_duplicates()
        places, n, length = once._lines(axis)
        found = stored(once.data, places, n)
        count = added((n,), "int64", (places,), ones_like(places))
        text = "an extreme of no element"
        of_all = check_and_raise(found, length > 0, ValueError, text)
        found = where(count < length, meet(of_all, 0), of_all)
        return index(found, 0) if axis is None else found

    def _lines(self, axis: int | None) -> tuple[TensorVariable, Any, TensorVariable]:
        """The line of each entry, how many there are, and how long they are."""
        m, n = self.shape
        if axis is None:
            return zeros_like(self.row), 1, m * n
        if axis not in (0, 1, -1, -2):
            raise ValueError(f"axis is 0 or 1, not {axis!r}{called()}")
        return (self.col, n, m) if axis in (0, -2) else (self.row, m, n)

    def count_nonzero(self, axis: int | None = None) -> TensorVariable:
        """How many elements, of all or of each column or row, are not zero."""
        once = self.sum_duplicates()
        return replace(once, data=neq(once.data, 0).astype("int64")).sum(axis)

    def nonzero(self) -> tuple[TensorVariable, TensorVariable]:
        """The rows and the columns of the elements that are not zero."""
        found = self.eliminate_zeros()
        return found.row, found.col

    def sum_duplicates(self) -> SparseArray:
        """With one entry for each place, in the order of rows, and of columns within them."""
        return SparseArray(*distinct(self.entries))

    tocoo = tocsc = tocsr = sum_duplicates

    def eliminate_zeros(self) -> SparseArray:
        """With one entry for each element that is not zero; what had this place keeps its own."""
        return SparseArray(*nonzeros(self.entries))

    def __getitem__(self, key: Any) -> Any:
        """The rows and columns that are named by slices, integers, vectors of these, or masks.

        A row, a column, or elements are tensors; else it is sparse.

        >>> a = SparseArray(as_tensor([2.0, 3.0]), as_tensor([0, 1]), as_tensor([1, 0]), (2, 2))
        >>> a[1].eval(), a[:, 1:].toarray().eval().tolist(), a[[0, 1], [1, 1]].eval()
        (array([3., 0.]), [[2.0], [0.0]], array([2., 0.]))
        """
        found = selected(self.entries, key)
        return found if isinstance(found, TensorVariable) else SparseArray(*found)

    def map(self, function: Callable[[TensorVariable], TensorLike]) -> SparseArray:
        """With that function of each entry; of zero it must be zero, and zeros stay unstored.

        >>> import weft_tensor as wt
        >>> a = wt.sparse.coo_array(([4.0, 5.0], ([0, 0], [1, 1])), (1, 2))
        >>> a.map(wt.sqrt).toarray().eval()
        array([[0., 3.]])
        """
        once = self if _has_distinct_places(self) else self.sum_duplicates()
        return replace(once, data=as_tensor(function(once.data)))

    arcsin, arcsinh, arctan, arctanh = (_of_each(f) for f in (arcsin, arcsinh, arctan, arctanh))
    sin, sinh, tan, tanh = (_of_each(f) for f in (sin, sinh, tan, tanh))
    ceil, floor, rint, sign, trunc = (_of_each(f) for f in (ceil, floor, rint, sign, trunc))
    conj, conjugate, deg2rad, rad2deg = (_of_each(f) for f in (conj, conj, deg2rad, rad2deg))
    expm1, log1p, sqrt = (_of_each(f) for f in (expm1, log1p, sqrt))

    def power(self, n: TensorLike) -> SparseArray:
        """With powers of the entries; see `map`."""
        return self.map(lambda v: v**n)

    __pow__ = power

    def maximum(self, other: Any) -> Any:
        """Elementwise the larger of two: of a sparse matrix or 0 sparse, of a tensor a tensor.

        >>> a = SparseArray(as_tensor([-2.0]), as_tensor([0]), as_tensor([1]), (1, 2))
        >>> a.maximum(a * 2).toarray().eval(), a.maximum(0).toarray().eval()
        (array([[ 0., -2.]]), array([[0., 0.]]))
        """
        return self._meeting(other, segment_max, maximum)

    def minimum(self, other: Any) -> Any:
        """Elementwise the smaller of two, see `maximum`."""
        return self._meeting(other, segment_min, minimum)

    def _meeting(self, other: Any, stored: Any, meet: Any) -> Any:
        if isinstance(other, SparseArray):
            return SparseArray(*extremes(self.entries, other.entries, stored, meet))
        if isinstance(other, (int, float)) and other == 0:
            return self.map(lambda v: meet(v, 0))
        return meet(self.toarray(), other)

    def __getattr__(self, name: str) -> NoReturn:
        offered = {} if name.startswith("_") else _OTHERWISE | {n: n for n in dir(self)}
        raise no_such_name("'SparseArray' object", name, offered)

    def __setitem__(self, key: object, value: object) -> NoReturn:
        raise TypeError(
            "sparse matrices never change: write A + coo_array((values, (rows, columns)), A.shape)"
        )

    def __neg__(self) -> SparseArray:
        return replace(self, data=-self.data)

    def __abs__(self) -> SparseArray:
        return self.map(abs)

    def multiply(self, other: Any) -> SparseArray:
        """Times a number, or elementwise a vector (of each row), or a matrix, that broadcasts.

        The matrix may be sparse, too, and then has the same shape.
        """
        if isinstance(other, SparseArray):
            return SparseArray(*elementwise_product(self.entries, other.entries))
        x = as_tensor(other)
        if x.ndim > 2:
            raise ValueError(f"multiply takes at most 2 dimensions, not {x!r}{called()}")
        places: list[Any] = [self.row, self.col]
        static = [static_length(n) for n in lengths_of(x)]
        at = [0 if n == 1 else p for n, p in zip(static, places[2 - x.ndim :], strict=True)]
        lengths = zip(lengths_of(x), static, self.shape[2 - x.ndim :], strict=True)
        for n, size, own in lengths:
            x = x if size == 1 else checked_length(x, n, own)
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
            data = checked_length(data, theirs, own)
        return SparseArray(data, row, col, self.shape)

    __radd__ = __add__

    def above(self, other: SparseArray) -> SparseArray:
        """With the rows of another below, which has as many columns."""
        (m, n), (below, columns) = self.shape, other.shape
        data = concatenate([self.data, checked_length(other.data, columns, n)])
        row = concatenate([self.row, other.row + m])
        return SparseArray(data, row, concatenate([self.col, other.col]), (m + below, n))

    def __sub__(self, other: Any) -> Any:
        return self + (-other if isinstance(other, SparseArray) else -as_tensor(other))

    def __rsub__(self, other: TensorLike) -> TensorVariable:
        return as_tensor(other) - self.toarray()

    def __matmul__(self, other: Any) -> Any:
        """The product with a vector or matrix, a tensor; with a sparse matrix, which is sparse."""
        if isinstance(other, SparseArray):
            return SparseArray(*product(self.entries, other.entries))
        x = as_tensor(other)
        if x.ndim not in (1, 2):
            raise ValueError(f"a sparse matrix takes vectors and matrices, not {x!r}{called()}")
        x = checked_length(x, lengths_of(x)[0], self.shape[1])
        entries = self.data if x.ndim == 1 else expand_dims(self.data, 1)
        terms = entries * index(x, (self.col,))
        return added((self.shape[0], *lengths_of(x)[1:]), terms.dtype, (self.row,), terms)

    def __rmatmul__(self, other: TensorLike) -> TensorVariable:
        x = as_tensor(other)
        product: TensorVariable = self.T @ (x.T if x.ndim == 2 else x)
        return product.T if x.ndim == 2 else product

    dot = __matmul__


def _has_distinct_places(a: SparseArray) -> bool:
    """Whether it is known that no place is there twice."""
    if not isinstance(a.row.op, Constant) or not isinstance(a.col.op, Constant):
        return False
    places = list(zip(a.row.op.value.tolist(), a.col.op.value.tolist(), strict=True))
    return len(set(places)) == len(places)
