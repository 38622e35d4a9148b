"""Order, written in LLVM's terms: NumPy's own functions, for one vector after another."""

from __future__ import annotations

from functools import cache
from typing import Any

from llvmlite.ir import Value
from numba.core import types
from numba.core.imputils import impl_ret_new_ref
from numba.extending import intrinsic

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.numba_layer.vectors import Vectors
from weft_numba.numba_layer.views import with_axis_moved
from weft_tensor import ArgSort, Sort

__all__ = ["numba_funcify_sort", "ordered"]


@numba_funcify.register(Sort)
@numba_funcify.register(ArgSort)
def numba_funcify_sort(op: Sort | ArgSort, **kwargs: object) -> Any:
    """NumPy's function for vectors."""
    return ordered("sort" if isinstance(op, Sort) else "stable_argsort", op.axis)


@cache
def ordered(name: str, axis: int) -> Any:
    """The function of an array that calls one of `numpy_functions` along an axis.

    >>> import numba
    >>> import numpy as np
    >>> positions = ordered("stable_argsort", 0)
    >>> numba.njit(lambda x: positions(x))(np.array([3.0, 1.0, 2.0]))
    array([1, 2, 0])
    """

    def typed(context: object, x: Any) -> Any:
        item = x.dtype if name == "sort" else types.int64
        return types.Array(item, x.ndim, "C" if axis == x.ndim - 1 else "A")(x), write

    def write(context: Any, builder: Any, sig: Any, args: Any) -> Value:
        result, last = sig.return_type, sig.args[0].ndim - 1
        lanes = with_axis_moved(context, builder, sig.args[0], args[0], axis, last)
        x = Vectors(context, builder, *lanes)
        if name == "sort":
            out = x.copied()
            x.call(name, [out.data])
        else:
            source, out = x.contiguous(), x.new(types.int64, lambda indices: indices[-1])
            x.call(name, [source.data, out.data])
            x.drop(source)
        kind = types.Array(result.dtype, result.ndim, "C")
        _, array = with_axis_moved(context, builder, kind, out._getvalue(), last, axis)
        return impl_ret_new_ref(context, builder, result, array)

    return intrinsic(typed)
