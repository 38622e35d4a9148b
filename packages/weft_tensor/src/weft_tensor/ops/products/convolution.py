"""Sums of products of one vector with another that is moved along it."""

from __future__ import annotations

from typing import Any

from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange, zeros
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import ge, logical_and, lt, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.types.dtypes import promote

__all__ = ["convolve", "correlate"]


def convolve(a: TensorLike, v: TensorLike, mode: str = "full") -> TensorVariable:
    """The convolution of two vectors. See `numpy.convolve`.

    `mode` is "full", "same" (as long as the longer) or "valid" (where both overlap wholly).
    ValueError, at the call where lengths are unknown, if one is empty.

    >>> convolve([1, 2, 3], [0, 1, 1]).eval()
    array([0, 1, 3, 5, 3])
    """
    x, y = (_vector(expand_dims(u, 0) if not u.ndim else u, "convolve") for u in as_tensors((a, v)))
    return _moved(x, index(y, slice(None, None, -1)), mode, "convolve", reverses=False)


def correlate(a: TensorLike, v: TensorLike, mode: str = "valid") -> TensorVariable:
    """The cross-correlation of two vectors, of the second conjugate. See `numpy.correlate`.

    As `convolve` otherwise.

    >>> correlate([1, 2, 3], [0, 1, 1], "full").eval()
    array([1, 3, 5, 3, 0])
    """
    x, y = (_vector(u, "correlate") for u in as_tensors((a, v)))
    return _moved(x, y.conj() if y.is_complex else y, mode, "correlate", reverses=True)


def _vector(x: Any, name: str) -> Any:
    if x.ndim != 1:
        raise ValueError(f"{name} takes vectors, not {x!r}")
    message = f"{name} takes vectors with elements, not {x!r}"
    if x.type.shape[0] == 0:
        raise ValueError(message)
    if isinstance(x.type.shape[0], int):
        return x
    return check_and_raise(x, lt(0, lengths_of(x)[0]), ValueError, message)


def _moved(x: Any, y: Any, mode: str, name: str, reverses: bool) -> Any:
    """Sums of products of `y` with each part of `x`, which has zeros at its ends.

    In NumPy the shorter is moved along the longer, which tells on which side "same" has one
    more; `reverses` says whether the result is turned round if that is `x`.
    """
    (n,), (m,) = lengths_of(x), lengths_of(y)
    longer, shorter = maximum(n, m), minimum(n, m)
    before = (shorter - 1) // 2
    if mode == "full":
        start, count = as_tensor(0), n + m - 1
    elif mode == "same":
        start = where(lt(n, m), shorter // 2, before) if reverses else before
        count = longer
    elif mode == "valid":
        start, count = shorter - 1, longer - shorter + 1
    else:
        raise ValueError(f"{name} takes mode 'full', 'same' or 'valid', not {mode!r}")
    dtype = promote((x.dtype, y.dtype))
    ends = zeros(m - 1, dtype)
    padded = concatenate([ends, x.astype(dtype), ends])
    places = expand_dims(arange(count) + start, 1) + arange(m)
    there = logical_and(ge(places, m - 1), lt(places, n + m - 1))  # 0 times infinity is NaN
    products = index(padded, places) * y.astype(dtype)
    return sum(where(there, products, 0), 1).astype(dtype)
