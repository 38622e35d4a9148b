"""Changes of shape in Numba: views where there can be, copies where not."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, reduce
from typing import Any, Final

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils, types
from numba.np import arrayobj

from weft_graph import Variable
from weft_numba.fusion.nest_function import nest_of
from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.intrinsics import intrinsic
from weft_numba.lowering.njit_source import compiled
from weft_numba.lowering.parameters import with_parameters
from weft_numba.lowering.places import (
    array_in_place,
    new_array,
    shape_of,
    strides_of,
    value_in_place,
)
from weft_numba.lowering.requirements import require
from weft_numba.lowering.users import with_another_user
from weft_numba.numba_layer.allocation import empty
from weft_numba.numba_layer.new_array import load_element, store_element
from weft_numba.numba_layer.outlining import outlined
from weft_numba.numba_layer.views import Kept, New, Picked, view
from weft_tensor import ExpandDims, Reshape, Squeeze, broadcast_to

__all__ = [
    "memory_in_shape",
    "numba_funcify_expand_dims",
    "numba_funcify_reshape",
    "numba_funcify_squeeze",
    "one_element",
    "reshaped",
]

_I64 = ir.IntType(64)
_DIFFERS = "cannot reshape: the number of elements differs"
_SAME: Final = "def lowered(x):\n    return x\n"


@numba_funcify.register(Reshape)
def numba_funcify_reshape(op: Reshape, *, node: Variable, **kwargs: object) -> Any:
    """A view of the contiguous input; its first element for rank 0, an array of it from rank 0."""
    x: Any = node.inputs[0].type
    out: Any = node.type
    if out.ndim:
        return reshaped(out.ndim) if x.ndim else _of_one(out.ndim)
    if not x.ndim:
        return compiled(_SAME)
    return compiled(
        "def lowered(x):\n"
        "    if x.size != 1:\n"
        f"        raise ValueError({_DIFFERS!r})\n"
        f"    return x[{', '.join('0' * x.ndim)}]\n"
    )


@cache
def _of_one(ndim: int) -> Any:
    """The function of a number and so many lengths, all 1, that gives an array of it."""

    def typed(context: object, x: Any, *lengths: Any) -> Any:
        kind = types.Array(x, ndim, "C")
        return kind(x, *lengths), outlined("one", write)

    def write(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        number, *lengths = args
        fits = reduce(builder.and_, [builder.icmp_signed("==", n, _I64(1)) for n in lengths])
        require(context, builder, fits, ValueError, _DIFFERS)
        array = empty(context, builder, sig.return_type, lengths)
        store_element(context, builder, sig.return_type, array, [_I64(0)] * ndim, number)
        return array._getvalue()

    return intrinsic(with_parameters(1 + ndim, typed))


def one_element(number: Any, ndim: int) -> Any:
    """The function of a number of this type that gives an array of it alone.

    >>> import numba
    >>> import weft_tensor as wt
    >>> table = one_element(wt.scalar("x").type, 2)
    >>> numba.njit(lambda x: table(x))(3.0)
    array([[3.]])
    """
    x = number()
    return nest_of([x], broadcast_to(x, (1,) * ndim))


@numba_funcify.register(ExpandDims)
def numba_funcify_expand_dims(op: ExpandDims, *, node: Variable, **kwargs: object) -> Any:
    """A view; an array of one element for rank 0."""
    x: Any = node.inputs[0].type
    ndim = x.ndim + len(op.axis)
    if not x.ndim:
        return one_element(x, ndim)
    rest = iter(range(x.ndim))
    return view(tuple([New() if a in op.axis else Kept(next(rest)) for a in range(ndim)]))


@numba_funcify.register(Squeeze)
def numba_funcify_squeeze(op: Squeeze, *, node: Variable, **kwargs: object) -> Any:
    """A view; the element itself for rank 0."""
    x: Any = node.inputs[0].type
    if not x.ndim:
        return compiled(_SAME)
    axes = range(x.ndim)
    return view(tuple([Picked(a, 0, only=True) if a in op.axis else Kept(a) for a in axes]))


@cache
def reshaped(ndim: int) -> Any:
    """The function of an array and so many lengths that gives the array in that shape.

    >>> import numba
    >>> import numpy as np
    >>> table = reshaped(2)
    >>> numba.njit(lambda x: table(x, 2, 2))(np.arange(4))
    array([[0, 1],
           [2, 3]])
    """

    def typed(context: object, x: Any, *lengths: Any) -> Any:
        layout = "A" if x.layout != "C" and x.ndim == ndim else "C"
        return x.copy(ndim=ndim, layout=layout)(x, *lengths), _RESHAPED

    return intrinsic(with_parameters(1 + ndim, typed))


def _reshaped(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
    """The array in its new shape, as Numba asks for it."""
    kind, result = sig.args[0], sig.return_type
    array = array_in_place(context, builder, kind, args[0])
    lengths = list(args[1:])
    total: Any = _I64(1)
    wrong: list[Any] = []
    for n in lengths:
        product = builder.smul_with_overflow(total, n)
        total = builder.extract_value(product, 0)
        wrong += [builder.extract_value(product, 1), builder.icmp_signed("<", n, _I64(0))]
    differs = builder.icmp_signed("!=", array.nitems, total)
    fits = builder.not_(reduce(builder.or_, wrong, differs))
    require(context, builder, fits, ValueError, _DIFFERS)
    strides = [array.itemsize]
    for length in reversed(lengths[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    if kind.layout == "C":
        return memory_in_shape(context, builder, sig, array, lengths, strides)
    shape, own = shape_of(builder, array), strides_of(builder, array)
    if kind.ndim == result.ndim:
        pairs, strides = [*zip(shape, lengths, strict=True)], own
    else:
        inner = [builder.mul(n, s) for n, s in zip(shape[1:], own[1:], strict=True)]
        pairs = [*zip(own, [*inner, array.itemsize], strict=True)]
    as_it_is = reduce(builder.and_, [builder.icmp_signed("==", *pair) for pair in pairs])
    slot = cgutils.alloca_once(builder, context.get_value_type(result))
    with builder.if_else(as_it_is) as (kept, copied):
        with kept:
            builder.store(memory_in_shape(context, builder, sig, array, lengths, strides), slot)
        with copied:
            out = empty(context, builder, result.copy(layout="C"), lengths)
            _copy(context, builder, kind, array, result, out)
            builder.store(out._getvalue(), slot)
    return builder.load(slot)


_RESHAPED: Final = outlined("reshaped", _reshaped, repeated=False)


def memory_in_shape(
    context: Any,
    builder: IRBuilder,
    sig: Any,
    array: Any,
    lengths: list[Value],
    strides: list[Value],
) -> Value:
    """The memory of an array with another shape."""
    result = new_array(
        context,
        builder,
        sig.return_type,
        data=array.data,
        lengths=lengths,
        strides=strides,
        itemsize=array.itemsize,
        meminfo=array.meminfo,
        parent=array.parent,
    )
    return with_another_user(builder, value_in_place(builder, result))


def _copy(
    context: Any, builder: IRBuilder, kind: Any, array: Any, result: types.Array, out: Any
) -> None:
    """Copy an array's elements in order into the contiguous memory of another."""
    shape = shape_of(builder, array)
    with cgutils.loop_nest(builder, shape, _I64) as indices:
        at: Any = _I64(0)
        for index, length in zip(indices, shape, strict=True):
            at = builder.add(builder.mul(at, length), index)
        value = load_element(context, builder, kind, array, indices)
        arrayobj.store_item(context, builder, result, value, builder.gep(out.data, [at]))
