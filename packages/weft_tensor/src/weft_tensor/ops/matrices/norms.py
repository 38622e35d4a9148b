"""Norms of vectors and matrices, and what is read off singular values."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_graph import stop_gradient
from weft_tensor.build.convert import as_floating, as_tensor, constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import maximum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, gt, neq, where
from weft_tensor.ops.linalg.det import slogdet
from weft_tensor.ops.linalg.eigh import eigvalsh
from weft_tensor.ops.linalg.solve import inv
from weft_tensor.ops.linalg.square import diagonal_ones, matrix_type, square_type
from weft_tensor.ops.linalg.svd import svdvals
from weft_tensor.ops.reduction.standard import all as all_of
from weft_tensor.ops.reduction.standard import max as greatest
from weft_tensor.ops.reduction.standard import min as least
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims, ravel
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.axes import Axes

__all__ = ["cond", "matrix_norm", "matrix_rank", "norm", "vector_norm"]


def _root(squares: TensorVariable) -> TensorVariable:
    """The square root, whose derivative at zero is zero: a norm has its least value there."""
    nothing = eq(squares, 0)
    zero, one = constant(0, squares.dtype), constant(1, squares.dtype)
    return where(nothing, zero, sqrt(where(nothing, one, squares)))


def _squared(x: TensorVariable) -> TensorVariable:
    return x.real**2 + x.imag**2 if x.is_complex else x * x


def _of_vectors(x: TensorVariable, order: Any, axis: Axes, keepdims: bool) -> TensorVariable:
    if order is None or order == 2:
        return _root(sum(_squared(x), axis, keepdims=keepdims))
    if isinstance(order, str):
        raise ValueError(f"norm: vectors have no norm {order!r}, only None and numbers")
    if order == 0:
        return sum(neq(x, 0).astype(absolute(x).dtype), axis, keepdims=keepdims)
    sizes = absolute(x)
    if order == np.inf:
        return greatest(sizes, axis, keepdims=keepdims, initial=0)
    if order == -np.inf:
        return least(sizes, axis, keepdims=keepdims)
    if order == 1:
        return sum(sizes, axis, keepdims=keepdims)
    return sum(sizes**order, axis, keepdims=keepdims) ** (1 / order)


def _of_matrices(x: TensorVariable, order: Any) -> TensorVariable:
    """On the last two axes, which go."""
    matrix_type(x.type, "norm")
    if order is None or order == "fro":
        return _root(sum(_squared(x), (-2, -1)))
    if order == "nuc":
        return sum(svdvals(x), -1)
    if isinstance(order, str) or order not in (1, -1, 2, -2, np.inf, -np.inf):
        raise ValueError(
            f"norm: ord of matrices is None, 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, not {order!r}"
        )
    sizes = svdvals(x) if abs(order) == 2 else sum(absolute(x), -2 if abs(order) == 1 else -1)
    return greatest(sizes, -1, initial=0) if order > 0 else least(sizes, -1)


def norm(x: TensorLike, ord: Any = None, axis: Axes = None, keepdims: bool = False) -> Any:
    """The norm of vectors or matrices.

    Parameters
    ----------
    x
        A tensor.
    ord
        Of vectors, any number p: the sum of abs(x)**p to the power of 1/p; `inf` and `-inf` for
        the greatest and the least, 0 for how many are not zero. Of matrices, "fro" for the root
        of the sum of squares, "nuc" for the sum of singular values, 2 and -2 for the greatest
        and the least of them, 1, -1, `inf` and `-inf` for those of the sums of columns or rows.
    axis
        One for vectors, two for matrices. By default, x is a vector or a matrix, and without
        `ord` anything.
    keepdims
        Whether the axes stay, of length 1. See `numpy.linalg.norm`.

    Raises
    ------
    ValueError
        for a norm that there is not, and for more than two axes.

    Examples
    --------
    >>> norm([3.0, 4.0]).eval(), norm([[3.0, 4.0], [0.0, 1.0]], 1).eval()
    (array(5.), array(5.))
    """
    v = as_floating(x)
    if axis is None and (ord is None or v.ndim == 1):
        whole = _of_vectors(ravel(v), ord, 0, False)
        return expand_dims(whole, tuple(range(v.ndim))) if keepdims else whole
    axes = tuple(range(v.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if len(axes) == 1:
        return _of_vectors(v, ord, axes[0], keepdims)
    if len(axes) != 2:
        raise ValueError(f"norm is of vectors or matrices, one or two axes, not {len(axes)}")
    row, column = (a % v.ndim if -v.ndim <= a < v.ndim else a for a in axes)
    if row == column:
        raise ValueError("norm: the two axes are the same")
    result = _of_matrices(moveaxis(v, (row, column), (-2, -1)), ord)
    return expand_dims(result, tuple(sorted((row, column)))) if keepdims else result


def vector_norm(
    x: TensorLike, axis: Axes = None, keepdims: bool = False, ord: Any = 2
) -> TensorVariable:
    """The norm of x as one vector, or of vectors along axes. See `numpy.linalg.vector_norm`.

    >>> vector_norm([[3.0, 4.0], [0.0, 0.0]], axis=-1).eval()
    array([5., 0.])
    """
    return _of_vectors(as_floating(x), ord, axis, keepdims)


def matrix_norm(x: TensorLike, keepdims: bool = False, ord: Any = "fro") -> TensorVariable:
    """The norm of matrices, on the last two axes. See `norm` and `numpy.linalg.matrix_norm`.

    >>> matrix_norm([[3.0, 0.0], [0.0, 4.0]]).eval()
    array(5.)
    """
    v = as_floating(x)
    result = _of_matrices(v, ord)
    return expand_dims(result, (-2, -1)) if keepdims else result


def cond(x: TensorLike, p: Any = None) -> TensorVariable:
    """The condition number: how much errors can grow where a system is solved.

    The greatest singular value over the least one (`p` None or 2), the inverse of that (-2), or
    the norm times that of the inverse, which is infinite if there is none. See `numpy.linalg.cond`.

    >>> print(cond([[4.0, 0.0], [0.0, 1.0]]).eval())
    4.0
    """
    v = as_floating(x)
    if 0 in v.type.shape[-2:]:
        raise np.linalg.LinAlgError(f"cond is not defined for matrices without elements: {v.type}")
    if p is None or p in (2, -2):
        s = svdvals(v)
        above, below = (s[..., -1], s[..., 0]) if p == -2 else (s[..., 0], s[..., -1])
        nothing = eq(below, 0)
        ratio = above / where(nothing, constant(1, s.dtype), below)
        return where(nothing, constant(np.inf, s.dtype), ratio)
    square_type(v.type, "cond")
    size = stop_gradient(greatest(absolute(v), axis=(-2, -1), keepdims=True, initial=0))
    v = v / where((size > 0) & (size < np.inf), size, 1)  # squares are numbers then
    regular = neq(slogdet(v)[0], 0)
    inverse = inv(where(expand_dims(regular, (-2, -1)), v, diagonal_ones(v)))
    ratio = _of_matrices(v, p) * _of_matrices(inverse, p)
    return where(regular, ratio, constant(np.inf, ratio.dtype))


def matrix_rank(
    A: TensorLike,
    tol: TensorLike | None = None,
    hermitian: bool = False,
    *,
    rtol: TensorLike | None = None,
) -> TensorVariable:
    """How many singular values of matrices are more than `tol`, or `rtol` times the greatest.

    By default `rtol` is the precision of the dtype times the longer axis. `hermitian`: x is
    symmetric. Of a vector, 1 if it is not zero. See `numpy.linalg.matrix_rank`.

    >>> matrix_rank([[1.0, 2.0], [2.0, 4.0]]).eval()
    array(1)
    """
    if tol is not None and rtol is not None:
        raise ValueError("matrix_rank: give tol or rtol, not both")
    v = as_floating(A)
    if v.ndim < 2:
        return (~all_of(eq(v, 0))).astype("int64")
    s = absolute(eigvalsh(v)) if hermitian else svdvals(v)
    if tol is not None:
        least_size = expand_dims(as_tensor(tol), -1)
    else:
        relative = default_cutoff(v) if rtol is None else as_tensor(rtol)
        ends = s[..., :1], s[..., -1:]  # one of them is the greatest, where there is any
        least_size = maximum(*ends) * expand_dims(relative, -1)
    return sum(gt(s, least_size).astype("int64"), -1)


def default_cutoff(x: TensorVariable) -> TensorVariable:
    """The precision of the dtype times the longer axis of matrices."""
    m, n = lengths_of(x)[-2:]
    precision = np.finfo(np.dtype(x.dtype))
    return maximum(m, n).astype(str(precision.dtype)) * constant(
        precision.eps, str(precision.dtype)
    )
