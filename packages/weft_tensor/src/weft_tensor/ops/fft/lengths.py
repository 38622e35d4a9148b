"""How many points transforms are fast for."""

from __future__ import annotations

from functools import reduce
from typing import Any, Final

from weft_tensor.build.of_numbers import of_numbers
from weft_tensor.build.variable import SizeLike
from weft_tensor.ops.elementwise.arithmetic import ceil, maximum, minimum
from weft_tensor.ops.elementwise.exponential import log2
from weft_tensor.ops.fft.transforms import fast_points
from weft_tensor.ops.shape.length import static_length

__all__ = ["fast_size", "next_fast_len", "prev_fast_len"]

_ODD: Final = (1, 3, 5, 9, 15, 27)
"""Of these times powers of 2, the next is at most a fifth above any number."""

next_fast_len = of_numbers(
    __name__,
    "scipy.fft",
    "next_fast_len",
    "The next number of points, no less, that is a product of small factors",
    "next_fast_len(13)",
    "14",
)
prev_fast_len = of_numbers(
    __name__,
    "scipy.fft",
    "prev_fast_len",
    "The last number of points, no more, that is a product of small factors",
    "prev_fast_len(13)",
    "12",
)


def fast_size(n: SizeLike) -> Any:
    """`fast_points` of a length, which may be a variable.

    >>> from weft_tensor import lscalar
    >>> n = lscalar("n")
    >>> fast_size(997), fast_size(n).eval({n: 997})
    (1000, array(1024))
    """
    length = static_length(n)
    if isinstance(length, int):
        return fast_points(length)
    least: Any = maximum(n, 1).astype("float64")
    sizes = (odd * 2.0 ** maximum(ceil(log2(least / odd)), 1.0) for odd in _ODD)
    return reduce(minimum, sizes).astype("int64")
