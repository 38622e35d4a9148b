"""Numba's compiler, with one defect less: what raises gives back the memory that it holds.

Numba returns from a function as soon as something in it raises, and forgets all arrays that the
function has made, or was given, by then. Here each variable's references to memory are noted
while it lives, and what is still noted is given back on the way out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any, ClassVar, Final

from llvmlite import ir as llvm
from numba.core import cgutils, ir, types
from numba.core.analysis import compute_use_defs, must_use_alloca
from numba.core.compiler import DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering

from weft_numba.lowering.unique_names import UniqueNames

__all__ = ["RefcountSafeCompiler", "RefcountSafeLowering", "exit_blocks", "led_out"]

_FAILURE: Final = "failure"
"""The name of where an exception is left. By Numba's own, `excinfo`, its pass over counts of
references knows what raises, takes that to keep what it holds, and drops counts that ours gives
back: arrays, those of callers as well, would be freed twice."""

_I64: Final = llvm.IntType(64)
_POINTER: Final = llvm.IntType(8).as_pointer()
_Lower: Any = Lower
_COUNT: Final = llvm.FunctionType(llvm.VoidType(), [_POINTER])


def exit_blocks(builder: llvm.IRBuilder, count: int, last: int | None = None) -> list[llvm.Block]:
    """Blocks that return from the function being written, of those from `count` to before `last`.

    >>> function = llvm.Function(llvm.Module(), llvm.FunctionType(_I64, []), "f")
    >>> builder = llvm.IRBuilder(function.append_basic_block("entry"))
    >>> with builder.if_then(llvm.Constant(llvm.IntType(1), 1)):
    ...     _ = builder.ret(_I64(1))
    >>> [block.name for block in exit_blocks(builder, 1)]
    ['entry.if']
    """
    blocks = builder.function.blocks[count:last]
    return [block for block in blocks if isinstance(block.terminator, llvm.Ret)]


def led_out(builder: llvm.IRBuilder, exits: Sequence[llvm.Block]) -> llvm.Value:
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


class _RefcountSafeLower(_Lower):  # type: ignore[misc]  # Numba has no types
    """Writes a function of Numba's as LLVM code."""

    def _find_singly_assigned_variable(self) -> None:
        """What needs no place in memory, as Numba finds it, in a time that is linear in the length.

        Numba looks through all statements of a block for each variable.
        """
        blocks = self.func_ir.blocks
        self._blk_local_varmap: dict[str, Any] = {}
        self._singly_assigned_vars: set[str] = set()
        if self.func_ir.func_id.is_generator:
            return
        known = compute_use_defs(blocks)
        elsewhere = {*must_use_alloca(blocks), *chain.from_iterable(known.usemap.values())}
        homes = Counter(chain.from_iterable(known.defmap.values()))
        statements = chain.from_iterable(b.find_insts(ir.Assign) for b in self.blocks.values())
        times = Counter(statement.target.name for statement in statements)
        self._singly_assigned_vars = {
            v for v, count in homes.items() if count == times[v] == 1 and v not in elsewhere
        }

    def pre_lower(self) -> None:
        """Make room for the notes: none are taken yet."""
        super().pre_lower()
        self.function.args[1].name = _FAILURE
        self._exits: list[Any] = []
        self._places: dict[str, list[int]] = {}
        self._size = 0
        if self.generator_info is not None:
            return
        assigned = [i for b in self.blocks.values() for i in b.find_insts(ir.Assign)]
        for name in dict.fromkeys([i.target.name for i in assigned]):
            if count := self._references(self.typeof(name)):
                self._places[name] = list(range(self._size, self._size + count))
                self._size += count
        if self._size:
            kind = llvm.ArrayType(_POINTER, self._size)
            self._notes = cgutils.alloca_once(self.builder, kind)
            cgutils.memset(self.builder, self._notes, _I64(8 * self._size), 0)

    def lower_inst(self, inst: Any) -> None:
        """Write a statement, and find where it leaves the function."""
        before = self.builder.block
        count = len(self.function.blocks)
        super().lower_inst(inst)
        if self._places and not isinstance(inst, ir.Return):
            if isinstance(before.terminator, llvm.Ret):
                self._exits.append(before)
            if len(self.function.blocks) > count:
                self._exits += exit_blocks(self.builder, count)

    def storevar(self, value: llvm.Value, name: str, argidx: int | None = None) -> None:
        """Store a variable, and note its references."""
        super().storevar(value, name, argidx=argidx)
        if name in self._places:
            self._note(name, self._memory_of(self.typeof(name), value))

    def delvar(self, name: str) -> None:
        """Delete a variable, which holds nothing any more."""
        super().delvar(name)
        if name in self._places:
            self._note(name, [_POINTER(None)] * len(self._places[name]))

    def incref(self, kind: Any, value: llvm.Value) -> None:
        """Count one more user of what is in a value."""
        self._count("NRT_incref", kind, value)

    def decref(self, kind: Any, value: llvm.Value) -> None:
        """Count one user less, and free what nobody uses."""
        self._count("NRT_decref", kind, value)

    def post_lower(self) -> None:
        """Lead all ways out but the good one past the notes."""
        if self._exits:
            self._give_back()
        super().post_lower()

    def _references(self, kind: Any) -> int:
        """How many references to memory a value has."""
        if isinstance(kind, (types.Array, types.Number)):
            return int(isinstance(kind, types.Array))
        model = self.context.data_model_manager[kind]
        inner = [self._references(part) for part, _ in model.traverse(self.builder)]
        return int(model.has_nrt_meminfo()) + sum(inner)

    def _memory_of(self, kind: Any, value: llvm.Value) -> list[llvm.Value]:
        """The references in a value. Numba would take all of an array apart for the only one."""
        model = self.context.data_model_manager[kind]
        if isinstance(kind, types.Array):
            return [model.get(self.builder, value, "meminfo")]
        has_own = model.has_nrt_meminfo()
        references = [model.get_nrt_meminfo(self.builder, value)] if has_own else []
        for part, get in model.traverse(self.builder):
            references += self._memory_of(part, get(value))
        return references

    def _count(self, name: str, kind: Any, value: llvm.Value) -> None:
        for memory in self._memory_of(kind, value):
            self._call(name, memory)

    def _call(self, name: str, memory: llvm.Value) -> None:
        function = cgutils.get_or_insert_function(self.builder.module, _COUNT, name)
        self.builder.call(function, [memory])

    def _note(self, name: str, references: list[llvm.Value]) -> None:
        for place, memory in zip(self._places[name], references, strict=True):
            self.builder.store(memory, self._place(_I64(place)))

    def _place(self, index: llvm.Value) -> llvm.Value:
        return self.builder.gep(self._notes, [_I64(0), index], inbounds=True)

    def _give_back(self) -> None:
        """Write the end of what fails: it gives back what is noted, and returns its status."""
        builder = self.builder
        status = led_out(builder, self._exits)
        with cgutils.for_range(builder, _I64(self._size)) as loop:
            memory = builder.load(self._place(loop.index))
            self._call("NRT_decref", memory)
        builder.ret(status)


@register_pass(mutates_CFG=True, analysis_only=False)
class RefcountSafeLowering(NativeLowering):
    """The pass that writes the code."""

    _name = "weft_clean_lowering"

    @property
    def lowering_class(self) -> type[Lower]:
        """What writes the code."""
        return _RefcountSafeLower


class RefcountSafeCompiler(UniqueNames):
    """For `numba.njit(..., pipeline_class=RefcountSafeCompiler)`.

    >>> import numba
    >>> import numpy as np
    >>> @numba.njit(pipeline_class=RefcountSafeCompiler)
    ... def third(x):
    ...     return (x + x)[2]
    >>> third(np.arange(3.0))
    4.0
    """

    lowering: ClassVar[type[NativeLowering]] = RefcountSafeLowering

    def define_pipelines(self) -> list[Any]:
        """Numba's own passes; the last of them but one is ours."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [
            (self.lowering if each is NativeLowering else each, what)
            for each, what in passes.passes
        ]
        passes.finalize()
        return [passes]
