"""Where the diagonals and the triangles of matrices are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange, ones
from weft_tensor.ops.creation.diagonals import diag, tri
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import eq
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.indexing.nonzero import nonzero
from weft_tensor.ops.shape.length import as_size, lengths_of
from weft_tensor.ops.shape.reshape import ravel, reshape

__all__ = [
    "diag_indices",
    "diag_indices_from",
    "diagflat",
    "fill_diagonal",
    "mask_indices",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
]


def tril_indices(
    n: SizeLike, k: SizeLike = 0, m: SizeLike | None = None
) -> tuple[TensorVariable, ...]:
    """The rows and the columns of the elements on and below diagonal `k`, of n rows.

    Of as many columns, or `m`. See `numpy.tril_indices`.

    >>> [v.eval() for v in tril_indices(2)]
    [array([0, 1, 1]), array([0, 0, 1])]
    """
    return nonzero(tri(n, m, k, "bool"))


def triu_indices(
    n: SizeLike, k: SizeLike = 0, m: SizeLike | None = None
) -> tuple[TensorVariable, ...]:
    """The rows and the columns of the elements on and above diagonal `k`, of n rows.

    Of as many columns, or `m`. See `numpy.triu_indices`.

    >>> [v.eval() for v in triu_indices(2)]
    [array([0, 0, 1]), array([0, 1, 1])]
    """
    return nonzero(~tri(n, m, as_size(k) - 1, "bool"))


def tril_indices_from(x: TensorLike, k: SizeLike = 0) -> tuple[TensorVariable, ...]:
    """As `tril_indices`, for the shape of a matrix. See `numpy.tril_indices_from`.

    >>> [v.eval() for v in tril_indices_from([[1, 2], [3, 4]])]
    [array([0, 1, 1]), array([0, 0, 1])]
    """
    n, m = _matrix(x, "tril_indices_from")
    return tril_indices(n, k, m)


def triu_indices_from(x: TensorLike, k: SizeLike = 0) -> tuple[TensorVariable, ...]:
    """As `triu_indices`, for the shape of a matrix. See `numpy.triu_indices_from`.

    >>> [v.eval() for v in triu_indices_from([[1, 2], [3, 4]])]
    [array([0, 0, 1]), array([0, 1, 1])]
    """
    n, m = _matrix(x, "triu_indices_from")
    return triu_indices(n, k, m)


def mask_indices(
    n: SizeLike, mask_func: Callable[..., Any], k: SizeLike = 0
) -> tuple[TensorVariable, ...]:
    """Where `mask_func(matrix, k)` leaves anything of an n by n matrix of ones.

    As `triu` and `tril` do. See `numpy.mask_indices`.

    >>> from weft_tensor import triu
    >>> [v.eval() for v in mask_indices(2, triu, 1)]
    [array([0]), array([1])]
    """
    return nonzero(mask_func(ones((n, n), "int64"), k))


def _matrix(x: TensorLike, name: str) -> tuple[TensorVariable, ...]:
    x = as_tensor(x)
    if x.ndim != 2:
        raise ValueError(f"{name} takes a matrix, not {x!r}")
    return lengths_of(x)


def diag_indices(n: SizeLike, ndim: int = 2) -> tuple[TensorVariable, ...]:
    """The index of the diagonal of a tensor of `ndim` axes of length n. See `numpy.diag_indices`.

    >>> [v.eval() for v in diag_indices(2)]
    [array([0, 1]), array([0, 1])]
    """
    return (arange(n),) * ndim


def diag_indices_from(x: TensorLike) -> tuple[TensorVariable, ...]:
    """As `diag_indices`, for a tensor whose axes are of one length. See `numpy.diag_indices_from`.

    >>> [v.eval() for v in diag_indices_from([[1, 2], [3, 4]])]
    [array([0, 1]), array([0, 1])]
    """
    x = as_tensor(x)
    return diag_indices(_same_lengths(x, "diag_indices_from"), x.ndim)


def _same_lengths(x: Any, name: str) -> TensorVariable:
    if x.ndim < 2:
        raise ValueError(f"{name} takes a tensor of rank 2 at least, not {x!r}")
    n, *others = lengths_of(x)
    for other in others:
        n = check_and_raise(
            n, eq(n, other), ValueError, f"{name}: the axes of {x!r} differ in length"
        )
    return n


def diagflat(x: TensorLike, k: SizeLike = 0) -> TensorVariable:
    """The matrix with all elements of `x` on diagonal `k`. See `numpy.diagflat`.

    >>> diagflat([[1], [2]]).eval()
    array([[1, 0],
           [0, 2]])
    """
    return diag(ravel(as_tensor(x)), k)


def fill_diagonal(x: TensorLike, val: TensorLike, wrap: bool = False) -> TensorVariable:
    """`x` with `val` on its main diagonal: as a new tensor, `x` stays as it is.

    A vector `val` goes along the diagonal, from its beginning again if it is shorter. With
    `wrap`, the diagonal of a tall matrix begins again below. See `numpy.fill_diagonal`. Raises
    ValueError if there are fewer than two axes.

    >>> fill_diagonal([[1, 2], [3, 4]], 0).eval()
    array([[0, 2],
           [3, 0]])
    """
    x = as_tensor(x)
    if x.ndim < 2:
        raise ValueError(f"fill_diagonal takes a tensor of rank 2 at least, not {x!r}")
    step: Any = 1
    if x.ndim == 2:
        n, m = lengths_of(x)
        step = m + 1
        places = arange(0, n * m if wrap else minimum(n * m, m * m), maximum(step, 1))
    else:
        n = _same_lengths(x, "fill_diagonal")
        for _ in range(x.ndim - 1):
            step = 1 + step * n
        places = arange(n) * step
    values: Any = as_tensor(val).astype(x.dtype)
    if values.ndim:
        values = ravel(values)
        (count,) = lengths_of(values)
        values = index(values, arange(lengths_of(places)[0]) % maximum(count, 1))
    flat = updated(index(ravel(x), places), "set", values)
    return reshape(flat, lengths_of(x))
