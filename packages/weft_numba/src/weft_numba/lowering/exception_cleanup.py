"""Numba's compiler, with one defect less: what raises gives back the memory that it holds.

Numba returns from a function as soon as something in it raises, and forgets all arrays that the
function has made, or was given, by then. Here each variable's references to memory are noted
while it lives, and what is still noted is given back on the way out.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import chain
from typing import Any, ClassVar, Final

from llvmlite import ir as llvm
from numba.core import cgutils, ir, types
from numba.core.analysis import compute_use_defs, must_use_alloca
from numba.core.compiler import DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

from weft_numba.lowering.lifetimes import ends_of_variables, unpacked_tuples
from weft_numba.lowering.places import (
    array_at,
    forget_place,
    known_place,
    memory,
    note_place,
    part_of,
    place_of,
    shape_of,
)
from weft_numba.lowering.repetition import (
    LONG,
    leave_as_written,
    note_repetition,
    optimise_short,
    within_loops,
)
from weft_numba.lowering.unique_names import UniqueNames
from weft_numba.lowering.users import change_count, exit_blocks, give_all_back, led_out

__all__ = ["RefcountSafeCompiler", "RefcountSafeLowering"]

_FAILURE: Final = "failure"
"""The name of where an exception is left. By Numba's own, `excinfo`, its pass over counts of
references knows what raises, takes that to keep what it holds, and drops counts that ours gives
back: arrays, those of callers as well, would be freed twice."""

_I32: Final = llvm.IntType(32)
_I64: Final = llvm.IntType(64)
_POINTER: Final = llvm.IntType(8).as_pointer()
_Lower: Any = Lower


@lru_cache(maxsize=1024)
def _references(models: Any, kind: Any) -> int:
    """How many references to memory a value has."""
    if isinstance(kind, (types.Array, types.Number)):
        return int(isinstance(kind, types.Array))
    model = models[kind]
    inner = [_references(models, part) for part, _ in model.traverse(None)]
    return int(model.has_nrt_meminfo()) + sum(inner)


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
        uses = compute_use_defs(blocks)
        elsewhere = {*must_use_alloca(blocks), *chain.from_iterable(uses.usemap.values())}
        homes = Counter(chain.from_iterable(uses.defmap.values()))
        statements = chain.from_iterable(b.find_insts(ir.Assign) for b in self.blocks.values())
        times = Counter(statement.target.name for statement in statements)
        self._singly_assigned_vars = {
            v for v, count in homes.items() if count == times[v] == 1 and v not in elsewhere
        }

    def pre_lower(self) -> None:
        """Look at where variables end; make room for the notes: none are taken yet."""
        super().pre_lower()
        self.function.args[1].name = _FAILURE
        self._exits: list[Any] = []
        self._counts: dict[str, int] = {}
        self._taken: dict[str, list[int]] = {}
        self._free: list[int] = []
        self._size = 0
        self._unnoted: dict[str, Any] = {}
        self._given: set[str] = set()
        self._giver = ""
        self._loaded: dict[str, list[Any]] = {}
        self._often = {id(self.blocks[place]) for place in within_loops(self.blocks)}
        if self.generator_info is not None:
            return
        assigned = [i for b in self.blocks.values() for i in b.find_insts(ir.Assign)]
        for name in dict.fromkeys([i.target.name for i in assigned]):
            if count := _references(self.context.data_model_manager, self.typeof(name)):
                self._counts[name] = count
        self._ends = ends_of_variables(self.blocks)
        self._unpacked = unpacked_tuples(self.blocks)
        if self._counts:
            kind = llvm.ArrayType(_POINTER, sum(self._counts.values()))
            self._notes = memory(self.builder, kind)

    def pre_block(self, block: Any) -> None:
        """Begin a block: what the one before has returned is the caller's.

        Functions that are no machine code of their own are those that others call.
        """
        super().pre_block(block)
        is_part = self.flags.no_compile
        note_repetition(self.builder, is_part or id(block) in self._often)
        self._unnoted.clear()

    def lower_inst(self, inst: Any) -> None:
        """Write a statement, and find where it leaves the function."""
        before, count = self.builder.block, len(self.function.blocks)
        last = before.instructions[-1] if before.instructions else None
        super().lower_inst(inst)
        if self._counts and not isinstance(inst, ir.Return):
            exits = [before] if isinstance(before.terminator, llvm.Ret) else []
            if len(self.function.blocks) > count:
                exits += exit_blocks(self.builder, count)
            if exits:
                self._exits += exits
                target = inst.target.name if isinstance(inst, ir.Assign) else None
                self._note_all_but(target, before, last)

    def lower_assign(self, ty: Any, inst: Any) -> llvm.Value:
        """The value of an assignment, which takes over what a variable holds that ends with it."""
        value = inst.value
        if getattr(value, "op", "") == "getattr" and value.attr == "shape":
            kind = self.typeof(value.value.name)
            if isinstance(kind, types.Array) and kind.ndim:
                return self._lengths(kind, value.value.name)
        is_tuple = isinstance(value, ir.Expr) and value.op in ("exhaust_iter", "static_getitem")
        if (not isinstance(value, ir.Var) and not is_tuple) or inst.target.name not in self._counts:
            return super().lower_assign(ty, inst)
        source = value.value.name if is_tuple else value.name
        if source in self._blk_local_varmap:
            if is_tuple and value.op == "static_getitem":
                if source in self._unpacked:
                    return part_of(self.builder, self.loadvar(source), value.index)
            elif source in self._ends[id(inst)] and self.typeof(source) == ty:
                self._given.add(source)
                self._giver = source
                return self.loadvar(source)
        return super().lower_assign(ty, inst)

    def _lengths(self, kind: Any, name: str) -> llvm.Value:
        """The lengths of an array: Numba would read and write all that it is before."""
        is_local = name in self._blk_local_varmap
        place = place_of(self.builder, self.loadvar(name)) if is_local else self.getvar(name)
        array = array_at(self.context, self.builder, kind, place)
        return cgutils.pack_array(self.builder, shape_of(self.builder, array))

    def loadvar(self, name: str) -> llvm.Value:
        """The value of a variable, which can be read in its place until it changes."""
        value = super().loadvar(name)
        if name in self._counts and name not in self._blk_local_varmap:
            note_place(self.builder, value, self.getvar(name))
            self._loaded.setdefault(name, []).append(value)
        return value

    def storevar(self, value: llvm.Value, name: str, argidx: int | None = None) -> None:
        """Store a variable; what it holds is noted before the next statement that may fail."""
        giver, self._giver = self._giver, ""
        source = known_place(self.builder, value)
        if source is None or argidx is not None or name not in self._counts or self._is_local(name):
            self._forget(name)
            super().storevar(value, name, argidx=argidx)
        else:
            self._copy(source, name)
        if name not in self._counts:
            return
        if name in self._blk_local_varmap:
            if giver in self._taken:
                self._taken[name] = self._taken.pop(giver)
            else:
                self._unnoted.pop(giver, None)
                self._unnoted[name] = value
        else:
            self._note(name, self._memory_of(self.typeof(name), value))
            self._dropped(giver)

    def delvar(self, name: str) -> None:
        """Delete a variable, which holds nothing any more."""
        if name in self._given:
            self._given.remove(name)
            return
        is_local = name in self._blk_local_varmap
        if name in self._unpacked and is_local:
            pass
        elif name in self._counts and not is_local and self._is_array(name):
            self.decref(self.typeof(name), self.loadvar(name))
            self.builder.store(_POINTER(None), self._memory_at(self.getvar(name)))
            self._forget(name)
        else:
            self._forget(name)
            super().delvar(name)
        if is_local:
            self._dropped(name)
        elif name in self._taken:
            self._note(name, [_POINTER(None)] * self._counts[name])

    def alloca(self, name: str, type: Any) -> llvm.Value:
        """Room for a variable; of an array, only what counts its users must say that it is none."""
        if not isinstance(type, types.Array):
            return super().alloca(name, type)
        kind = self.context.get_value_type(type)
        with self.builder.goto_entry_block():
            place = self.builder.alloca(kind, name=name)
            self.builder.store(_POINTER(None), self._memory_at(place))
        return place

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
        if self._size:
            with self.builder.goto_block(self._notes.parent):
                self.builder.position_after(self._notes)
                cgutils.memset(self.builder, self._notes, _I64(8 * self._size), 0)
        if len(self.function.blocks) > LONG and not self.flags.no_compile:
            leave_as_written(self.function)
        optimise_short(self.module)
        super().post_lower()

    def _is_local(self, name: str) -> bool:
        return name in self._singly_assigned_vars

    def _is_array(self, name: str) -> bool:
        return isinstance(self.typeof(name), types.Array)

    def _memory_at(self, place: llvm.Value) -> llvm.Value:
        """The address of what counts the users of the array at `place`: Numba has it first."""
        return self.builder.gep(place, [_I32(0), _I32(0)], inbounds=True)

    def _copy(self, source: llvm.Value, name: str) -> None:
        """Put what is at `source` into the place of a variable."""
        kind = self.typeof(name)
        self._alloca_var(name, kind)
        place = self.getvar(name)
        self.decref(kind, self.loadvar(name))
        self._forget(name)
        if source is not place:
            size = self.context.get_abi_sizeof(self.context.get_value_type(kind))
            cgutils.raw_memcpy(self.builder, place, source, _I64(size), _I64(1))

    def _forget(self, name: str) -> None:
        """Nothing that was read from the place of a variable is there any more."""
        for value in self._loaded.pop(name, ()):
            forget_place(self.builder, value)

    def _memory_of(self, kind: Any, value: llvm.Value) -> list[llvm.Value]:
        """The references in a value. Numba would take all of an array apart for the only one."""
        model = self.context.data_model_manager[kind]
        if isinstance(kind, types.Array):
            return [part_of(self.builder, value, 0)]
        if isinstance(kind, types.BaseTuple):
            parts: list[Any] = list(kind)  # type: ignore[call-overload]  # Numba's
            models = self.context.data_model_manager
            held = [(k, part) for k, part in enumerate(parts) if _references(models, part)]
            each = [self._memory_of(part, part_of(self.builder, value, k)) for k, part in held]
            return [*chain.from_iterable(each)]
        has_own = model.has_nrt_meminfo()
        references = [model.get_nrt_meminfo(self.builder, value)] if has_own else []
        for part, get in model.traverse(self.builder):
            if _references(self.context.data_model_manager, part):
                references += self._memory_of(part, get(value))
        return references

    def _count(self, name: str, kind: Any, value: llvm.Value) -> None:
        if _references(self.context.data_model_manager, kind):
            for memory in self._memory_of(kind, value):
                change_count(self.builder, name, memory)

    def _note(self, name: str, references: list[llvm.Value]) -> None:
        if name not in self._taken:
            new = range(self._size, self._size + len(references) - len(self._free))
            self._size += len(new)
            self._free += new
            self._taken[name] = [self._free.pop() for _ in references]
        for place, reference in zip(self._taken[name], references, strict=True):
            self.builder.store(reference, self._place(_I64(place)))

    def _note_all_but(self, name: str | None, block: Any, last: Any) -> None:
        """Note what is held before a statement that may fail: it begins after `last` of `block`."""
        names = [other for other in self._unnoted if other != name]
        with self.builder.goto_block(block):
            if last is None:
                self.builder.position_at_start(block)
            else:
                self.builder.position_after(last)
            for other in names:
                value = self._unnoted.pop(other)
                self._note(other, self._memory_of(self.typeof(other), value))

    def _dropped(self, name: str) -> None:
        """Variable `name` of one block holds nothing any more: others may have its notes."""
        self._unnoted.pop(name, None)
        if name in self._taken:
            self._note(name, [_POINTER(None)] * self._counts[name])
            self._free += self._taken.pop(name)

    def _place(self, index: llvm.Value) -> llvm.Value:
        return self.builder.gep(self._notes, [_I64(0), index], inbounds=True)

    def _give_back(self) -> None:
        """Write the end of what fails: it gives back what is noted, and returns its status."""
        builder = self.builder
        status = led_out(builder, self._exits)
        give_all_back(builder, self._place(_I64(0)), self._size, ways=len(self._exits))
        builder.ret(status)


@register_pass(mutates_CFG=True, analysis_only=False)
class RefcountSafeLowering(NativeLowering):
    """The pass that writes the code."""

    _name = "weft_clean_lowering"

    @property
    def lowering_class(self) -> type[Lower]:
        """What writes the code."""
        return _RefcountSafeLower


_NEEDLESS: Final = (InlineClosureLikes, NopythonRewrites)
"""Passes that look for what no graph's program has: functions in it, arithmetic on arrays."""


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
        """Numba's own passes; the last of them but one is ours.

        Those in which a name is one variable, the programs of graphs, go without what they have no
        need of.
        """
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        whole = self.state.flags.enable_ssa
        passes.passes = [
            (self.lowering if each is NativeLowering else each, what)
            for each, what in passes.passes
            if whole or each not in _NEEDLESS
        ]
        passes.finalize()
        return [passes]
