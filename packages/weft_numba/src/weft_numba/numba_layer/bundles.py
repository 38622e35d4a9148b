"""Many arrays of one type as one value of machine code: tables of them, which loops go through.

Numba takes each array that a function is given, or gives, apart where it is called. LLVM's time
grows faster than the length of such code: a function of 300 arrays would take a minute.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.imputils import impl_ret_borrowed, lower_builtin
from numba.core.pythonapi import NativeValue, box, unbox
from numba.core.typing.templates import AbstractTemplate, infer, signature
from numba.np import numpy_support

from weft_graph import Op, Variable
from weft_numba.lowering.intrinsics import intrinsic
from weft_numba.lowering.parameters import with_parameters
from weft_numba.lowering.places import note_place, part_of, place_of, size_of
from weft_numba.lowering.users import with_another_user

__all__ = ["FROM_BUNDLES", "Bundle", "Source", "bundled", "element", "of_sources", "tupled"]

_I64 = ir.IntType(64)
_POINTER = ir.IntType(8).as_pointer()

Source = tuple[int, int | None]
"""An argument, by number; or which element of it, if it is a bundle, or a tuple."""

FROM_BUNDLES: Final[dict[type[Op], Callable[[Variable, tuple[Source, ...]], Any]]] = {}
"""Functions of arguments that may be bundles: for Ops that need not take these apart."""


class Bundle(types.Type):
    """Numba's type of `count` arrays; Python gives and gets a tuple of them.

    >>> import numba
    >>> import numpy as np
    >>> pair = Bundle(numba.float64[::1], 2)
    >>> last = numba.njit(lambda arrays: arrays[1])
    >>> _ = last.compile((pair,))
    >>> last.overloads[(pair,)].entry_point((np.array([1.0, 2.0]), np.array([3.0])))
    array([3.])
    """

    def __init__(self, array: types.Array, count: int) -> None:
        self.array = array
        self.count = count
        super().__init__(name=f"weft_bundle({array}, {count})")


@register_default(Bundle)
class _Model(models.StructModel):
    """The table, and what counts who uses it."""

    def __init__(self, manager: Any, kind: Bundle) -> None:
        place = types.CPointer(kind.array)
        members = [("owner", types.MemInfoPointer(place)), ("table", place)]
        super().__init__(manager, kind, members)  # type: ignore[no-untyped-call]  # Numba has no types


def _made(context: Any, builder: IRBuilder, kind: Bundle) -> Any:
    """A bundle of nothing yet: arrays that are put into it are given back with it."""
    entry = context.get_value_type(kind.array)
    size = kind.count * size_of(context, entry)
    owner = context.nrt.meminfo_alloc_dtor_unchecked(
        builder, _I64(size), _destructor(context, builder.module, kind)
    )
    bundle = cgutils.create_struct_proxy(kind)(context, builder)
    bundle.owner = owner
    with builder.if_then(cgutils.is_not_null(builder, owner)):
        data = context.nrt.meminfo_data(builder, owner)
        cgutils.memset(builder, data, _I64(size), 0)
        bundle.table = builder.bitcast(data, entry.as_pointer())
    return bundle


def _destructor(context: Any, module: Any, kind: Bundle) -> Value:
    """The function that Numba's runtime calls before it frees a table."""
    arguments = [_POINTER, _I64, _POINTER]
    function = cgutils.get_or_insert_function(
        module, ir.FunctionType(ir.VoidType(), arguments), f"weft_unbundle_{kind}"
    )
    if function.is_declaration:
        function.linkage = "internal"
        builder = IRBuilder(function.append_basic_block("entry"))
        pointer = context.get_value_type(kind.array).as_pointer()
        table = builder.bitcast(function.args[0], pointer)
        with cgutils.for_range(builder, _I64(kind.count)) as loop:
            array = builder.load(builder.gep(table, [loop.index]))
            context.nrt.decref(builder, kind.array, array)
        builder.ret_void()
    return function


@unbox(Bundle)  # type: ignore[untyped-decorator]  # Numba has no types
def _unbox(kind: Bundle, obj: Any, c: Any) -> NativeValue:
    """A tuple of arrays, of whose types the caller has made sure."""
    bundle = _made(c.context, c.builder, kind)
    failed = cgutils.alloca_once_value(c.builder, cgutils.is_null(c.builder, bundle.owner))
    with cgutils.if_likely(c.builder, c.builder.not_(c.builder.load(failed))):
        get = ir.FunctionType(c.pyapi.pyobj, [c.pyapi.pyobj, c.pyapi.py_ssize_t])
        function = cgutils.get_or_insert_function(c.builder.module, get, "PyTuple_GetItem")
        with cgutils.for_range(c.builder, _I64(kind.count)) as loop:
            item = c.builder.call(function, [obj, loop.index])
            place = c.builder.gep(bundle.table, [loop.index])
            status = c.pyapi.nrt_adapt_ndarray_from_python(item, c.builder.bitcast(place, _POINTER))
            wrong = cgutils.is_not_null(c.builder, status)
            c.builder.store(c.builder.or_(c.builder.load(failed), wrong), failed)
    with cgutils.if_unlikely(c.builder, c.builder.load(failed)):
        c.pyapi.err_set_string("PyExc_TypeError", "arrays could not be read")
        c.context.nrt.decref(c.builder, kind, bundle._getvalue())
    return NativeValue(bundle._getvalue(), is_error=c.builder.load(failed))


@box(Bundle)  # type: ignore[untyped-decorator]  # Numba has no types
def _box(kind: Bundle, value: Any, c: Any) -> Any:
    """A tuple of arrays; None of Python's kind, with an error, if there is no memory."""
    bundle = cgutils.create_struct_proxy(kind)(c.context, c.builder, value=value)
    dtype = numpy_support.as_dtype(kind.array.dtype)
    dtype = c.env_manager.read_const(c.env_manager.add_const(dtype))
    subclass = c.pyapi.unserialize(c.pyapi.serialize_object(kind.array.box_type))
    new_tuple = c.pyapi.tuple_new(kind.count)
    result = cgutils.alloca_once_value(c.builder, new_tuple)
    integer = ir.IntType(32)
    pyobj = c.pyapi.pyobj
    adapt = ir.FunctionType(pyobj, [_POINTER, pyobj, integer, integer, pyobj])
    adapted = cgutils.get_or_insert_function(
        c.builder.module, adapt, "NRT_adapt_ndarray_to_python_acqref"
    )
    put = ir.FunctionType(integer, [pyobj, c.pyapi.py_ssize_t, pyobj])
    function = cgutils.get_or_insert_function(c.builder.module, put, "PyTuple_SetItem")
    numbers = [integer(kind.array.ndim), integer(1)]
    with cgutils.for_range(c.builder, _I64(kind.count)) as loop:
        place = c.builder.bitcast(c.builder.gep(bundle.table, [loop.index]), _POINTER)
        item = c.builder.call(adapted, [place, subclass, *numbers, dtype])
        c.builder.call(function, [new_tuple, loop.index, item])
        with cgutils.if_unlikely(c.builder, cgutils.is_null(c.builder, item)):
            c.builder.store(c.pyapi.get_null_object(), result)
    c.context.nrt.decref(c.builder, kind, value)
    with cgutils.if_unlikely(c.builder, cgutils.is_null(c.builder, c.builder.load(result))):
        c.pyapi.decref(new_tuple)
    return c.builder.load(result)


def element(context: Any, builder: IRBuilder, kind: Bundle, value: Any, k: int) -> Any:
    """The address of one of the arrays."""
    bundle = cgutils.create_struct_proxy(kind)(context, builder, value=value)
    return builder.gep(bundle.table, [_I64(k)])


@infer
class _Typed(AbstractTemplate):
    key = "static_getitem"

    def generic(self, arguments: Any, keywords: Any) -> Any:
        """What `bundle[k]` is."""
        bundle, _ = arguments
        return signature(bundle.array, *arguments) if isinstance(bundle, Bundle) else None


@lower_builtin("static_getitem", Bundle, types.IntegerLiteral)  # type: ignore[untyped-decorator]  # Numba has no types
def _item(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
    """One of the arrays."""
    kind = sig.args[0]
    array = _read(context, builder, kind, *args)
    return with_another_user(builder, array)


def _read(context: Any, builder: IRBuilder, kind: Any, value: Value, k: int) -> Value:
    """Element `k` of a bundle or a tuple, which holds it meanwhile."""
    if not isinstance(kind, Bundle):
        return part_of(builder, value, k)
    place = element(context, builder, kind, value, k)
    array = builder.load(place)
    note_place(builder, array, place)
    return array


def of_sources(
    typed: Any, sources: Sequence[Source], count: int, context: object, *argument_types: Any
) -> tuple[Any, Any]:
    """`typed`, of what is in some of the arguments, and of those after them."""
    kinds = [argument_types[a] if k is None else _kind(argument_types[a], k) for a, k in sources]
    sig, write = typed(context, *kinds, *argument_types[count:])

    def spread(context: Any, builder: IRBuilder, outer: Any, args: Sequence[Value]) -> Value:
        values = [
            args[a] if k is None else _read(context, builder, argument_types[a], args[a], k)
            for a, k in sources
        ]
        return write(context, builder, sig, [*values, *args[count:]])

    return sig.return_type(*argument_types), spread


def _kind(kind: Any, k: int) -> Any:
    return kind.array if isinstance(kind, Bundle) else kind[k]


@cache
def bundled(count: int) -> Any:
    """The function of so many arrays, of one dtype and rank, that bundles them.

    >>> import numba
    >>> import numpy as np
    >>> pair = bundled(2)
    >>> numba.njit(lambda x: pair(x, x[::2]))(np.arange(3))
    (array([0, 1, 2]), array([0, 2]))
    """

    def typed(context: object, *arrays: Any) -> Any:
        first = arrays[0]
        return Bundle(types.Array(first.dtype, first.ndim, "A"), count)(*arrays), _bundle

    return intrinsic(with_parameters(count, typed))


@cache
def tupled(count: int) -> Any:
    """The function of so many values that gives a tuple of them.

    >>> import numba
    >>> pair = tupled(2)
    >>> numba.njit(lambda x: pair(x, 1.5))(2)
    (2, 1.5)
    """

    def typed(context: object, *kinds: Any) -> Any:
        return types.BaseTuple.from_types(kinds)(*kinds), _tuple

    return intrinsic(with_parameters(count, typed))


def _tuple(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
    value = context.make_tuple(builder, sig.return_type, args)
    return impl_ret_borrowed(context, builder, sig.return_type, value)


def _bundle(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
    """Arrays of any layout have the same structure; each gets one more user."""
    kind = sig.return_type
    bundle = _made(context, builder, kind)
    cgutils.guard_memory_error(context, builder, bundle.owner, "not enough memory")
    entry = context.get_value_type(kind.array)
    places = cgutils.alloca_once(builder, entry.as_pointer(), len(args))
    for k, value in enumerate(args):
        place = builder.bitcast(place_of(builder, value), entry.as_pointer())
        builder.store(place, builder.gep(places, [_I64(k)]))
    with cgutils.for_range(builder, _I64(len(args))) as loop:
        array = builder.load(builder.load(builder.gep(places, [loop.index])))
        context.nrt.incref(builder, kind.array, array)
        builder.store(array, builder.gep(bundle.table, [loop.index]))
    return bundle._getvalue()
