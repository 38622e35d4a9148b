"""Who uses memory, as Numba counts it, and what is given back where functions are left early."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from llvmlite import ir
from numba.core import cgutils

from weft_numba.lowering.places import part_of

__all__ = ["change_count", "exit_blocks", "give_all_back", "led_out", "with_another_user"]

_I64: Final = ir.IntType(64)
_POINTER: Final = ir.IntType(8).as_pointer()
_COUNT: Final = ir.FunctionType(ir.VoidType(), [_POINTER])
_FEW: Final = 1000
"""So many notes, on all ways out together, may be in registers. With more, LLVM's time to sort
these is longer than for all else: notes that a function reads are in memory."""


def exit_blocks(builder: ir.IRBuilder, count: int, last: int | None = None) -> list[ir.Block]:
    """Blocks that return from the function being written, of those from `count` to before `last`.

    >>> function = ir.Function(ir.Module(), ir.FunctionType(_I64, []), "f")
    >>> builder = ir.IRBuilder(function.append_basic_block("entry"))
    >>> with builder.if_then(ir.Constant(ir.IntType(1), 1)):
    ...     _ = builder.ret(_I64(1))
    >>> [block.name for block in exit_blocks(builder, 1)]
    ['entry.if']
    """
    blocks = builder.function.blocks[count:last]
    return [block for block in blocks if isinstance(block.terminator, ir.Ret)]


def led_out(builder: ir.IRBuilder, exits: Sequence[ir.Block]) -> ir.Value:
    """Let blocks that return a status go on to a new one, where the builder then is.

    Gives the status, which is to be returned there.
    """
    out = builder.append_basic_block("give_back")
    builder.position_at_end(out)
    status = builder.phi(exits[0].terminator.return_value.type)
    for block in exits:
        status.add_incoming(block.terminator.return_value, block)
        block.instructions.pop()
        block.terminator = None
        builder.position_at_end(block)
        builder.branch(out)
    builder.position_at_end(out)
    return status


def change_count(builder: ir.IRBuilder, name: str, memory: ir.Value) -> None:
    """Count a user of memory more, or one less: by Numba's function of this name."""
    function = cgutils.get_or_insert_function(builder.module, _COUNT, name)
    builder.call(function, [memory])


def with_another_user(builder: ir.IRBuilder, array: ir.Value) -> ir.Value:
    """The value of an array, after counting one user more. Numba's own takes all of it apart."""
    change_count(builder, "NRT_incref", part_of(builder, array, 0))
    return array


def give_all_back(builder: ir.IRBuilder, notes: ir.Value, count: int, *, ways: int) -> None:
    """Count one user less of each of `count` pointers to memory, where so many ways lead to."""
    if count * ways <= _FEW:
        _write(builder, notes, _I64(count))
        return
    module, name = builder.module, "weft_give_back"
    if name not in module.globals:
        kind = ir.FunctionType(ir.VoidType(), [notes.type, _I64])
        function = ir.Function(module, kind, name)
        function.linkage = "internal"
        function.attributes.add("noinline")
        inside = ir.IRBuilder(function.append_basic_block())
        _write(inside, *function.args)
        inside.ret_void()
    builder.call(module.globals[name], [notes, _I64(count)])


def _write(builder: ir.IRBuilder, notes: ir.Value, count: ir.Value) -> None:
    with cgutils.for_range(builder, count) as loop:
        place = builder.gep(notes, [loop.index], inbounds=True)
        change_count(builder, "NRT_decref", builder.load(place))
