"""Products of vectors, matrices and tensors, by the axes that are added up."""

from __future__ import annotations

from operator import index as whole
from typing import Any

from numpy.exceptions import AxisError

from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import zeros_like
from weft_tensor.ops.elementwise.comparison import eq
from weft_tensor.ops.elementwise.complex import conj_of
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.products.contraction import Term, contracted
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims, ravel, squeeze
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.axes import as_axes, as_axis, listed
from weft_tensor.types.dtypes import promote
from weft_tensor.types.symbolic_dims import provably_differ

__all__ = ["cross", "inner", "matvec", "tensordot", "vdot", "vecdot", "vecmat"]


def tensordot(a: TensorLike, b: TensorLike, axes: Any = 2) -> TensorVariable:
    """Products added up over `axes`: the last of `a` and the first of `b`, or two lists.

    See `numpy.tensordot`. Raises ValueError if lengths are known to differ, and for the same axis
    twice.

    >>> tensordot([[1, 2], [3, 4]], [[1, 0], [0, 1]]).eval()
    array(5)
    >>> tensordot([[1, 2], [3, 4]], [5, 6], axes=(0, 0)).eval()
    array([23, 34])
    """
    x, y = _alike(a, b)
    if hasattr(axes, "__index__"):
        count = whole(axes)
        if count < 0:
            raise ValueError(f"tensordot adds up over 0 axes or more, not {count}")
        if count > min(x.ndim, y.ndim):
            raise AxisError(f"tensordot can't add up over {count} axes of {x!r} and {y!r}")
        pairs = [(x.ndim - count + k, k) for k in range(count)]
    else:
        left, right = (listed(part) for part in axes)
        if len(left) != len(right):
            raise ValueError(f"tensordot: axes are as many of one as of the other, not {axes}")
        for v, axes_of in ((x, left), (y, right)):
            if not all(-v.ndim <= k < v.ndim for k in axes_of):
                raise AxisError(f"tensordot: the axes {axes_of} are not all those of {v!r}")
            if len({k % v.ndim for k in axes_of}) < len(axes_of):
                raise ValueError(f"tensordot adds up over each axis once, not over {axes_of}")
        pairs = [(i % x.ndim, j % y.ndim) for i, j in zip(left, right, strict=True)]
    labels = [("b", k) for k in range(y.ndim)]
    for i, j in pairs:
        n, m = x.type.shape[i], y.type.shape[j]
        if provably_differ(n, m) and type(n) is type(m):
            raise ValueError(
                f"tensordot: axis {i} of {x!r} and axis {j} of {y!r} must have one length"
            )
        labels[j] = ("a", i)
    first = Term(x, tuple([("a", k) for k in range(x.ndim)]))
    inner = {("a", i) for i, _ in pairs}
    return contracted(first, Term(y, tuple(labels)), {*first.labels, *labels} - inner).x


def inner(a: TensorLike, b: TensorLike) -> TensorVariable:
    """Products added up over the last axes of both. See `numpy.inner`.

    >>> inner([[1, 2], [3, 4]], [1, 1]).eval()
    array([3, 7])
    """
    x, y = as_tensors((a, b))
    return tensordot(x, y, (-1, -1)) if x.ndim and y.ndim else x * y


def vdot(a: TensorLike, b: TensorLike) -> TensorVariable:
    """The product of the flattened vectors, of the first conjugate. See `numpy.vdot`.

    >>> vdot([1 + 1j, 2], [1, 1j]).eval()
    array(1.+1.j)
    """
    x, y = _alike(a, b)
    return matmul(ravel(conj_of(x)), ravel(y))


def vecdot(x1: TensorLike, x2: TensorLike, axis: int = -1) -> TensorVariable:
    """Products of vectors along `axis`, of the first conjugate. See `numpy.vecdot`.

    >>> vecdot([[1, 2], [3, 4]], [1, 1]).eval()
    array([3, 7])
    """
    x, y = (_with_axes(v, 1, "vecdot") for v in _alike(x1, x2))
    x, y = (v if axis == -1 else moveaxis(v, axis, -1) for v in (x, y))
    _same_last(x, y, -1, "vecdot")
    if x.ndim == y.ndim == 1:
        return matmul(conj_of(x), y)
    return sum(conj_of(_checked_last(x, y)) * y, -1).astype(x.dtype)


def matvec(x1: TensorLike, x2: TensorLike) -> TensorVariable:
    """Products of matrices and vectors, in stacks that are broadcast. See `numpy.matvec`.

    >>> matvec([[1, 2], [3, 4]], [[1, 1], [0, 1]]).eval()
    array([[3, 7],
           [2, 4]])
    """
    x, y = _with_axes(as_tensor(x1), 2, "matvec"), _with_axes(as_tensor(x2), 1, "matvec")
    _same_last(x, y, -1, "matvec")
    return matmul(x, y) if y.ndim == 1 else squeeze(matmul(x, expand_dims(y, -1)), -1)


def vecmat(x1: TensorLike, x2: TensorLike) -> TensorVariable:
    """Products of vectors, conjugate, and matrices, in stacks. See `numpy.vecmat`.

    >>> vecmat([1, 1], [[1, 2], [3, 4]]).eval()
    array([4, 6])
    """
    x, y = _with_axes(as_tensor(x1), 1, "vecmat"), _with_axes(as_tensor(x2), 2, "vecmat")
    _same_last(x, y, -2, "vecmat")
    x = conj_of(x)
    return matmul(x, y) if x.ndim == 1 else squeeze(matmul(expand_dims(x, -2), y), -2)


def cross(
    a: TensorLike,
    b: TensorLike,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> TensorVariable:
    """The vectors at right angles to vectors of length 3. See `numpy.cross`.

    Vectors that are known to have length 2 lie in a plane; of two such, the third element alone is
    left. Raises ValueError, at the call where lengths are unknown, for vectors of another length.

    >>> cross([1, 0, 0], [0, 1, 0]).eval()
    array([0, 0, 1])
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    (a0, a1, *a2), (b0, b1, *b2) = (_elements(v, k) for v, k in ((a, axisa), (b, axisb)))
    third = a0 * b1 - a1 * b0
    if not a2 and not b2:
        return third
    x, y = (v[0] if v else zeros_like(third) for v in (a2, b2))
    parts = [a1 * y - x * b1, x * b0 - a0 * y, third]
    as_axes(axisc, parts[0].ndim + 1)
    return stack(parts, axisc)


def _alike(a: TensorLike, b: TensorLike) -> tuple[TensorVariable, TensorVariable]:
    """Both, in one dtype."""
    x, y = as_tensors((a, b))
    dtype = promote((x.dtype, y.dtype))
    return x.astype(dtype), y.astype(dtype)


def _with_axes(x: Any, ndim: int, name: str) -> TensorVariable:
    if x.ndim < ndim:
        raise ValueError(f"{name} takes a tensor of rank {ndim} at least here, not {x!r}")
    return x


def _same_last(x: Any, y: Any, axis: int, name: str) -> None:
    n, m = x.type.shape[-1], y.type.shape[axis]
    if provably_differ(n, m) and type(n) is type(m):
        raise ValueError(f"{name} adds up over axes of one length, not {n} and {m}: {x!r}, {y!r}")


def _checked_last(x: Any, y: Any) -> TensorVariable:
    """`x`, if its last axis is as long as that of `y`: a product would repeat one of length 1."""
    n, m = lengths_of(x)[-1], lengths_of(y)[-1]
    if x.type.shape[-1] is not None and x.type.shape[-1] == y.type.shape[-1]:
        return x
    return check_and_raise(x, eq(n, m), ValueError, "vecdot adds up over axes of one length")


def _elements(v: TensorLike, axis: int) -> list[TensorVariable]:
    """What stands first, second and third in the vectors along `axis`."""
    x = as_tensor(v)
    along = as_axis(axis, x.ndim)
    n = x.type.shape[along]
    message = (
        f"cross takes vectors of length 3, or of known length 2, as axis {along} of {x!r} is not"
    )
    if isinstance(n, int) and n not in (2, 3):
        raise ValueError(message)
    if not isinstance(n, int):
        x = check_and_raise(x, eq(lengths_of(x)[along], 3), ValueError, message)
    rows = moveaxis(x, along, -1)
    return [index(rows, (..., k)) for k in range(n if isinstance(n, int) else 3)]
