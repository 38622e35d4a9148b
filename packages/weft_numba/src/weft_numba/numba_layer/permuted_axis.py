"""An array whose elements along an axis come in another order, for code that Numba compiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from llvmlite.ir import IRBuilder, Value
from numba.core import types
from numba.core.imputils import impl_ret_new_ref

from weft_numba.lowering.intrinsics import intrinsic
from weft_numba.lowering.places import array_in_place, shape_of
from weft_numba.numba_layer.new_array import filled, load_element
from weft_numba.numba_layer.outlining import outlined

__all__ = ["permuted"]


@cache
def permuted(
    name: str, axis: int, place: Callable[[IRBuilder, Value, Value], Value]
) -> Callable[..., object]:
    """The function of an array, under a name of its own.

    `place(builder, k, n)` writes where the element comes from that will be at k, of n along the
    axis; -1 is the last axis.

    >>> import numba
    >>> import numpy as np
    >>> def back(builder, k, n):
    ...     return builder.sub(builder.sub(n, k), n.type(1))
    >>> turned = permuted("turned", 0, back)
    >>> numba.njit(lambda x: turned(x))(np.arange(3))
    array([2, 1, 0])
    """

    def typed(context: object, x: Any) -> Any:
        result = types.Array(x.dtype, x.ndim, "C")
        return result(x), outlined(f"{name} {axis}", write)

    def write(context: Any, builder: IRBuilder, sig: Any, args: Any) -> Value:
        kind, result = sig.args[0], sig.return_type
        array = array_in_place(context, builder, kind, args[0])
        shape = shape_of(builder, array)

        def value(indices: Sequence[Value]) -> Value:
            there = list(indices)
            there[axis] = place(builder, indices[axis], shape[axis])
            return load_element(context, builder, kind, array, there)

        out = filled(context, builder, result, shape, value)
        return impl_ret_new_ref(context, builder, result, out._getvalue())

    function: Callable[..., object] = intrinsic(typed)
    return function
