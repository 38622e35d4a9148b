"""Where in memory the values of functions are that are being written as LLVM code.

A value of several numbers, as an array is, is long code wherever it is read or written as a whole;
by its address, what is wanted of it is read, and it is given to others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final
from weakref import WeakKeyDictionary

from llvmlite import ir
from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils

from weft_numba.lowering.lengths import product

__all__ = [
    *("array_at", "array_in_place", "forget_place", "known_place", "memory", "new_array"),
    *("note_place", "part_of", "place_of", "shape_of", "size_of", "strides_of", "value_in_place"),
]

_PLACES: Final[WeakKeyDictionary[Any, dict[Any, Any]]] = WeakKeyDictionary()
_I32: Final = ir.IntType(32)


def _places(builder: IRBuilder) -> dict[Any, Any]:
    return _PLACES.setdefault(builder.function, {})


def note_place(builder: IRBuilder, value: Value, place: Value) -> None:
    """Say that `value` was read from memory at `place`, where it stays."""
    _places(builder)[value] = place


def known_place(builder: IRBuilder, value: Value) -> Value | None:
    """The address that was said of a value, or None."""
    return _places(builder).get(value)


def forget_place(builder: IRBuilder, value: Value) -> None:
    """Say that another value comes to where `value` was."""
    _places(builder).pop(value, None)


def memory(builder: IRBuilder, kind: Any) -> Value:
    """Room for a value, from the beginning of the function to its end."""
    with builder.goto_entry_block():
        builder.position_at_start(builder.block)  # before what is put there
        return builder.alloca(kind)


@cache
def size_of(context: Any, kind: Any) -> int:
    """How many bytes values of an LLVM type have: LLVM is asked by a module that it reads."""
    return int(context.get_abi_sizeof(kind))


def place_of(builder: IRBuilder, value: Value) -> Value:
    """The address of a value: it is put there right after it has been computed, if it is."""
    places = _places(builder)
    if value in places:
        return places[value]
    place = memory(builder, value.type)
    if not isinstance(value, ir.Instruction) or isinstance(value, ir.PhiInstr):
        builder.store(value, place)
        return place
    with builder.goto_block(value.parent):
        builder.position_after(value)
        builder.store(value, place)
    return places.setdefault(value, place)


def part_of(builder: IRBuilder, value: Value, k: int) -> Value:
    """Element `k` of a value of several, read from its place if that is known."""
    place = known_place(builder, value)
    if place is None:
        return builder.extract_value(value, k)
    address = builder.gep(place, [_I32(0), _I32(k)], inbounds=True)
    part = builder.load(address)
    if isinstance(part.type, ir.Aggregate):
        note_place(builder, part, address)
    return part


@cache
def _structure(kind: Any) -> Any:
    """Numba's structure of arrays, without a look at whether they are another library's.

    It finds that they are not by reading all that it can compile again.
    """
    from numba.np.arrayobj import make_array  # what is recalled does not need it

    numbas = make_array(kind)
    return type("Array", (numbas,), {"_make_refs": numbas.__base__._make_refs})


def array_at(context: Any, builder: IRBuilder, kind: Any, address: Value) -> Any:
    """Numba's structure of the array that lies at an address."""
    return _structure(kind)(context, builder, ref=address)


def array_in_place(context: Any, builder: IRBuilder, kind: Any, value: Value) -> Any:
    """Numba's structure of an array, which is only to be read: it lies where the value does.

    Numba's own would be a copy, filled with zeros twice before: of some arrays that is most of what
    LLVM reads.
    """
    return array_at(context, builder, kind, place_of(builder, value))


def new_array(
    context: Any,
    builder: IRBuilder,
    kind: Any,
    *,
    data: Value,
    lengths: Sequence[Value],
    strides: Sequence[Value],
    itemsize: Value,
    meminfo: Value,
    parent: Value | None = None,
    place: Value | None = None,
) -> Any:
    """Numba's structure of an array of such fields, at `place` if one is given."""
    place = memory(builder, context.get_value_type(kind)) if place is None else place
    array = array_at(context, builder, kind, place)
    array.meminfo = meminfo
    array.parent = cgutils.get_null_value(array.parent.type) if parent is None else parent
    array.nitems = product(builder, lengths)
    array.itemsize = itemsize
    array.data = data
    for name, numbers in (("shape", lengths), ("strides", strides)):
        first = array._get_ptr_by_name(name)
        for k, x in enumerate(numbers):
            builder.store(x, builder.gep(first, [_I32(0), _I32(k)], inbounds=True))
    return array


def shape_of(builder: IRBuilder, array: Any) -> list[Value]:
    """The lengths of Numba's structure of an array, each by itself: none is negative."""
    lengths = _numbers_of(builder, array, "shape")
    for n in lengths:
        bounds = builder.module.add_metadata([n.type(0), n.type(2**63 - 1)])
        n.set_metadata("range", bounds)
    return lengths


def strides_of(builder: IRBuilder, array: Any) -> list[Value]:
    """Its strides."""
    return _numbers_of(builder, array, "strides")


def _numbers_of(builder: IRBuilder, array: Any, name: str) -> list[Any]:
    first: Any = array._get_ptr_by_name(name)
    return [
        builder.load(builder.gep(first, [_I32(0), _I32(k)], inbounds=True))
        for k in range(first.type.pointee.count)
    ]


def value_in_place(builder: IRBuilder, array: Any) -> Value:
    """The value of Numba's structure of an array, which stays where it is."""
    value = array._getvalue()
    note_place(builder, value, array._getpointer())
    return value
