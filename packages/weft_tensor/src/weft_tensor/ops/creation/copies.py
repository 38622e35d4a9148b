"""Tensors like others: what would be a copy, or without values, where arrays are changed in place.

Tensors are immutable, so that none of these copies anything.
"""

from __future__ import annotations

from typing import Any

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizesLike, TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import Shape, zeros, zeros_like
from weft_tensor.ops.shape.reshape import atleast_1d, expand_dims

__all__ = [
    "array",
    "asarray",
    "ascontiguousarray",
    "asfortranarray",
    "copy",
    "empty",
    "empty_like",
    "stacklists",
    "tensor_copy",
]


def empty(shape: Shape, dtype: Any = None) -> TensorVariable:
    """Zeros, where NumPy promises no values. See `numpy.empty`.

    >>> empty(2).eval().shape
    (2,)
    """
    return zeros(shape, dtype)


def empty_like(
    x: TensorLike, dtype: Any = None, *, shape: SizesLike | None = None
) -> TensorVariable:
    """Zeros of the shape and dtype of `x`. See `numpy.empty_like`, and `full_like`.

    >>> empty_like([1, 2]).eval().shape
    (2,)
    """
    return zeros_like(x, dtype, shape=shape)


def asarray(x: TensorLike, dtype: Any = None, *, copy: bool | None = None) -> TensorVariable:
    """`x` as a tensor, converted to `dtype` if that is given. See `numpy.asarray`.

    Nothing can change a tensor, so that to `copy` it or not makes no difference.

    >>> asarray([1, 2], "float32").eval()
    array([1., 2.], dtype=float32)
    """
    return as_tensor(x) if dtype is None else as_tensor(x).astype(dtype)


def array(
    x: TensorLike, dtype: Any = None, *, copy: bool | None = True, ndmin: int = 0
) -> TensorVariable:
    """`x` as a tensor of `dtype`, with `ndmin` axes at least: new ones first. See `numpy.array`.

    Nothing can change a tensor, so that to `copy` it or not makes no difference.

    >>> array([1, 2], "float32", ndmin=2).eval()
    array([[1., 2.]], dtype=float32)
    """
    tensor = asarray(x, dtype)
    return (
        tensor if tensor.ndim >= ndmin else expand_dims(tensor, tuple(range(ndmin - tensor.ndim)))
    )


def copy(x: TensorLike) -> TensorVariable:
    """`x` itself, as a tensor: nothing can change it. See `numpy.copy`.

    >>> copy([1, 2]).eval()
    array([1, 2])
    """
    return as_tensor(x)


tensor_copy = copy


def ascontiguousarray(x: TensorLike, dtype: Any = None) -> TensorVariable:
    """`x` with an axis at least; how it lies in memory the compiler decides.

    See `numpy.ascontiguousarray`.

    >>> ascontiguousarray(1).eval()
    array([1])
    """
    return atleast_1d(asarray(x, dtype))


asfortranarray = ascontiguousarray


def stacklists(tensors: TensorLike) -> TensorVariable:
    """Nested lists of tensors of one shape as one tensor: what `as_tensor` does.

    >>> stacklists([[as_tensor(1), 2], [3, 4]]).eval()
    array([[1, 2],
           [3, 4]])
    """
    return as_tensor(tensors)
