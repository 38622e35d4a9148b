"""Repetition along axes in Numba: a view."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, reduce
from typing import Any

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value

from weft_graph import Variable
from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.intrinsics import intrinsic
from weft_numba.lowering.parameters import with_parameters
from weft_numba.lowering.places import array_in_place, shape_of, strides_of
from weft_numba.lowering.requirements import require
from weft_numba.numba_layer.kernel_intrinsic import MISMATCH
from weft_numba.ops.shape.reshape import memory_in_shape
from weft_tensor import BroadcastTo

__all__ = ["numba_funcify_broadcast_to"]

_I64 = ir.IntType(64)


@numba_funcify.register(BroadcastTo)
def numba_funcify_broadcast_to(op: BroadcastTo, *, node: Variable, **kwargs: object) -> Any:
    """A view, in which a row that is repeated is there once."""
    return _repeated(len(node.inputs) - 1)


@cache
def _repeated(ndim: int) -> Any:
    """The function of an array and so many lengths that gives a view with these lengths."""

    def typed(context: object, x: Any, *lengths: Any) -> Any:
        return x.copy(ndim=ndim, layout="A")(x, *lengths), _with_lengths

    return intrinsic(with_parameters(1 + ndim, typed))


def _with_lengths(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
    """The array with its last axes repeated to have these lengths, as Numba asks for it."""
    array = array_in_place(context, builder, sig.args[0], args[0])
    new = len(args) - 1 - sig.args[0].ndim
    strides, wrong = [_I64(0)] * new, []
    own = zip(shape_of(builder, array), strides_of(builder, array), args[1 + new :], strict=True)
    for n, stride, length in own:
        same = builder.icmp_signed("==", n, length)
        one = builder.icmp_signed("==", n, _I64(1))
        wrong.append(builder.not_(builder.or_(same, one)))
        strides.append(builder.select(same, stride, _I64(0)))
    wrong += [builder.icmp_signed("<", n, _I64(0)) for n in args[1:]]
    require(context, builder, builder.not_(reduce(builder.or_, wrong)), ValueError, MISMATCH)
    return memory_in_shape(context, builder, sig, array, list(args[1:]), strides)
