"""Joining in Numba: each input is copied to its place."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np import arrayobj

from weft_graph import Variable
from weft_numba.allocation import empty
from weft_numba.dispatch import numba_funcify
from weft_numba.intrinsics import with_parameters
from weft_tensor import Concatenate, Stack

__all__ = ["joined", "numba_funcify_concatenate", "numba_funcify_stack"]

_I64 = ir.IntType(64)
_DIFFER = "tensors to be joined differ in a length"


@numba_funcify.register(Concatenate)
def numba_funcify_concatenate(op: Concatenate, *, node: Variable, **kwargs: Any) -> Any:
    """One loop nest per input."""
    return joined(len(node.inputs), node.type.dtype, op.axis)  # type: ignore[attr-defined]  # a tensor


@numba_funcify.register(Stack)
def numba_funcify_stack(op: Stack, *, node: Variable, **kwargs: Any) -> Any:
    """One loop nest per input."""
    return joined(len(node.inputs), node.type.dtype, None)  # type: ignore[attr-defined]  # a tensor


@cache
def joined(count: int, dtype: str, axis: int | None) -> Any:
    """The function of so many arrays that joins them along an axis; None for a new first one.

    >>> import numba
    >>> import numpy as np
    >>> pair = joined(2, "int64", 0)
    >>> numba.njit(lambda x: pair(x, x))(np.array([1, 2]))
    array([1, 2, 1, 2])
    """

    def typed(context: Any, *given: Any) -> Any:
        first = given[0]
        ndim = getattr(first, "ndim", 0) + (axis is None)
        scalar = numba.from_dtype(np.dtype(dtype))
        return types.Array(scalar, ndim, "C")(*given), _Joiner(axis)

    return intrinsic(with_parameters(count, typed))


class _Joiner:
    """Writes the copying into a function that Numba compiles."""

    def __init__(self, axis: int | None) -> None:
        self.axis = axis

    def __call__(self, context: Any, builder: Any, sig: Any, args: Any) -> Any:
        """The new array, as Numba asks for it."""
        self.context, self.builder = context, builder
        kind = sig.return_type
        arrays = [
            context.make_array(t)(context, builder, value) if isinstance(t, types.Array) else value
            for t, value in zip(sig.args, args, strict=True)
        ]
        shapes = [
            cgutils.unpack_tuple(builder, array.shape) if isinstance(t, types.Array) else []
            for t, array in zip(sig.args, arrays, strict=True)
        ]
        out = empty(context, builder, kind, self._lengths(shapes))
        start: Any = _I64(0)
        for t, array, shape in zip(sig.args, arrays, shapes, strict=True):
            with cgutils.loop_nest(builder, shape, _I64) as indices:
                value = self._read(t, array, indices)
                value = context.cast(builder, value, getattr(t, "dtype", t), kind.dtype)
                place = self._place(kind, out, start, indices)
                arrayobj.store_item(context, builder, kind, value, place)
            start = builder.add(start, _I64(1) if self.axis is None else shape[self.axis])
        return out._getvalue()

    def _lengths(self, shapes: Sequence[Sequence[Any]]) -> list[Any]:
        """The lengths of the result; raises where inputs don't fit together."""
        builder = self.builder
        lengths = list(shapes[0])
        for shape in shapes[1:]:
            for a, (length, first) in enumerate(zip(shape, shapes[0], strict=True)):
                if a == self.axis:
                    lengths[a] = builder.add(lengths[a], length)
                    continue
                differ = builder.icmp_signed("!=", length, first)
                with builder.if_then(differ, likely=False):
                    self.context.call_conv.return_user_exc(builder, ValueError, (_DIFFER,))
        return lengths if self.axis is not None else [_I64(len(shapes)), *lengths]

    def _read(self, kind: Any, array: Any, indices: Sequence[Any]) -> Any:
        if not isinstance(kind, types.Array):
            return array
        context, builder = self.context, self.builder
        place = cgutils.get_item_pointer(context, builder, kind, array, indices, wraparound=False)
        return arrayobj.load_item(context, builder, kind, place)

    def _place(self, kind: Any, out: Any, start: Any, indices: Sequence[Any]) -> Any:
        """Where an element of an input goes."""
        context, builder = self.context, self.builder
        if self.axis is None:
            where = [start, *indices]
        else:
            where = list(indices)
            where[self.axis] = builder.add(start, where[self.axis])
        return cgutils.get_item_pointer(context, builder, kind, out, where, wraparound=False)
