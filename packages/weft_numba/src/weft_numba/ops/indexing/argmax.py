"""Where the largest and the smallest element are, by NumPy's own functions for vectors."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from llvmlite import ir
from llvmlite.ir import Value
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_new_ref
from numba.extending import intrinsic

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.requirements import require
from weft_numba.numba_layer.allocation import empty
from weft_numba.numba_layer.vectors import Vectors
from weft_numba.numba_layer.views import with_axis_moved
from weft_tensor import ArgMax, ArgMin

__all__ = ["numba_funcify_argextremum"]

_EMPTY: Final = "the position of the largest or smallest of no elements"


@numba_funcify.register(ArgMax)
@numba_funcify.register(ArgMin)
def numba_funcify_argextremum(op: ArgMax | ArgMin, **kwargs: object) -> Any:
    """NumPy's function for vectors."""
    return _extremum("argmax" if isinstance(op, ArgMax) else "argmin", op.axis)


@cache
def _extremum(name: str, axis: int) -> Any:
    def typed(context: object, x: Any) -> Any:
        result = types.Array(types.int64, x.ndim - 1, "C") if x.ndim > 1 else types.int64
        return result(x), write

    def write(context: Any, builder: Any, sig: Any, args: Any) -> Value:
        kind, result = sig.args[0], sig.return_type
        lanes = with_axis_moved(context, builder, kind, args[0], axis, kind.ndim - 1)
        x = Vectors(context, builder, *lanes)
        some = builder.icmp_signed("!=", x.length, x.length.type(0))
        require(context, builder, some, ValueError, _EMPTY)
        source = x.contiguous()
        if x.others:
            positions = empty(context, builder, result, x.others)
            x.call(name, [source.data], [positions.data])
            value = impl_ret_new_ref(context, builder, result, positions._getvalue())
        else:
            slot = cgutils.alloca_once(builder, ir.IntType(64))
            x.call(name, [source.data], [slot])
            value = builder.load(slot)
        x.drop(source)
        return value

    return intrinsic(typed)
