"""`np.empty`, whose memory may be what a freed array of that size leaves behind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils, types
from numba.extending import intrinsic

from weft_numba.numba_layer.allocation import empty

__all__ = ["new_array"]


@intrinsic
def new_array(typing_context: Any, shape: Any, dtype: Any) -> Any:
    """A contiguous array whose elements are not set; `shape` is a tuple of lengths of 0 or more.

    >>> import numba
    >>> import numpy as np
    >>> numba.njit(lambda n: new_array((n, 3), np.float32))(2).shape
    (2, 3)
    """
    kind = types.Array(dtype.instance_type, len(shape), "C")

    def write(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        lengths = [
            context.cast(builder, n, t, types.intp)
            for n, t in zip(cgutils.unpack_tuple(builder, args[0]), shape, strict=True)
        ]
        return empty(context, builder, kind, lengths)._getvalue()

    return kind(shape, dtype), write
