"""Numbers of equal ratios, and powers of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft_tensor.build.convert import as_floatings, as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange, linspace
from weft_tensor.ops.elementwise.arithmetic import sign
from weft_tensor.ops.elementwise.comparison import eq, neq, where
from weft_tensor.ops.elementwise.exponential import log10
from weft_tensor.ops.elementwise.power import pow as power
from weft_tensor.ops.reduction.cumulative import cumprod
from weft_tensor.ops.reduction.standard import all as all_of
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.length import as_size, lengths_of
from weft_tensor.ops.shape.rearrange import flip
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.axes import as_axes
from weft_tensor.types.dtypes import as_dtype, promote

__all__ = ["geomspace", "logspace", "vander"]


def _floats(values: Sequence[TensorLike]) -> tuple[TensorVariable, ...]:
    """Of equal rank, and not of integers."""
    floats = as_floatings(values)
    ndim = max(v.ndim for v in floats)
    return tuple([expand_dims(v, tuple(range(ndim - v.ndim))) for v in floats])


def logspace(
    start: TensorLike,
    stop: TensorLike,
    num: SizeLike = 50,
    endpoint: bool = True,
    base: TensorLike = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> TensorVariable:
    """`num` numbers from `base**start` to `base**stop`, of equal ratios. See `numpy.logspace`.

    >>> logspace(0, 2, 3).eval()
    array([  1.,  10., 100.])
    """
    begin, end, root = _floats((start, stop, base))
    exponents = linspace(begin, end, num, endpoint, axis=axis)
    result = power(expand_dims(root, as_axes(axis, begin.ndim + 1)), exponents)
    return result if dtype is None else result.astype(dtype)


def geomspace(
    start: TensorLike,
    stop: TensorLike,
    num: SizeLike = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
) -> TensorVariable:
    """`num` numbers from `start` to `stop`, each of the same ratio to the one before.

    Real ones are both positive or both negative; between complex ones, it is the shorter way round
    zero. ValueError at the call if one is zero. See `numpy.geomspace`.

    >>> geomspace(1, 8, 4).eval()
    array([1., 2., 4., 8.])
    """
    begin, end = _floats((start, stop))
    kind = promote([begin.dtype, end.dtype, as_dtype(dtype or "float64")])
    message = "geomspace: a sequence of equal ratios can't include zero"
    begin, end = (
        check_and_raise(v.astype(kind), all_of(neq(v, 0)), ValueError, message)
        for v in (begin, end)
    )
    signs = sign(begin)
    begin, end = begin / signs, end / signs
    size = as_size(num)
    powers = logspace(log10(begin), log10(end), size, endpoint).astype(kind)
    k = expand_dims(arange(size), tuple(range(1, powers.ndim)))
    if endpoint:
        powers = where(eq(k, size - 1), end, powers)
    result = where(eq(k, 0), begin, powers) * signs
    result = moveaxis(result, 0, axis)
    return result if dtype is None else result.astype(dtype)


def vander(x: TensorLike, N: SizeLike | None = None, increasing: bool = False) -> TensorVariable:
    """The powers of each element of a vector: N columns, the highest first. See `numpy.vander`.

    Raises ValueError for what is no vector.

    >>> vander([1, 2, 3], 3).eval()
    array([[1, 1, 1],
           [4, 2, 1],
           [9, 3, 1]])
    """
    x = as_tensor(x)
    if x.ndim != 1:
        raise ValueError(f"vander takes a vector, not {x!r}")
    (n,) = lengths_of(x)
    count = n if N is None else as_size(N)
    x = x.astype(promote([x.dtype, "int64"]))
    exponents = arange(count)
    if x.is_complex:  # of which XLA has powers by logarithms
        factors = where(eq(exponents, 0), 1, broadcast_to(expand_dims(x, 1), (n, count)))
        powers = cumprod(factors.astype(x.dtype), 1)
    else:
        powers = power(expand_dims(x, 1), exponents.astype(x.dtype))
    return powers if increasing else flip(powers, 1)
