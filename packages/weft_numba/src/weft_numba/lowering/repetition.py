"""Which code may run many times in a call: that of loops, and of functions that others call.

What runs once, and only leads to loops, LLVM leaves as it is written. Such functions check lengths,
ask for memory and call loops: to optimise them takes a tenth of LLVM's time for a graph of many
small steps, and they are hardly faster for it. Where there are few, calls are short, and what they
take is a twentieth of one.
"""

from __future__ import annotations

from typing import Any, Final
from weakref import WeakKeyDictionary

from llvmlite import ir
from llvmlite.ir import IRBuilder

__all__ = [
    *("LONG", "is_repeated", "leave_as_written", "let_optimise", "note_repetition"),
    *("optimise_short", "within_loops"),
]

_REPEATED: Final[WeakKeyDictionary[Any, bool]] = WeakKeyDictionary()
_NUMERIC: Final = frozenset(["fadd", "fcmp", "fdiv", "fmul", "fsub", "select"])
_SHARE: Final = 0.1
"""What computes more than that is no glue."""
_SHORT: Final = 600
"""Of so few instructions together, LLVM's time is short."""
LONG: Final = 300
"""To optimise a program of so many blocks takes a twelfth of the time to compile it; left, calls
take 1.03 as long."""


def within_loops(blocks: Any) -> set[int]:
    """Where those of Numba's blocks begin that a later one goes back to, or past.

    >>> from numba.core.compiler import run_frontend
    >>> def count(n):
    ...     k = 0
    ...     while k < n:
    ...         k += 1
    ...     return k
    >>> blocks = run_frontend(count).blocks
    >>> first, *inside, last = blocks
    >>> within_loops(blocks) == {*inside}
    True
    """
    ranges = [
        (target, end)
        for end, block in blocks.items()
        for target in block.terminator.get_targets()
        if target <= end
    ]
    return {place for place in blocks for begin, end in ranges if begin <= place <= end}


def note_repetition(builder: IRBuilder, is_repeated: bool) -> None:
    """Say whether what is written next, in the same function, may run many times."""
    _REPEATED[builder.function] = is_repeated


def is_repeated(builder: IRBuilder) -> bool:
    """What was said last."""
    return _REPEATED.get(builder.function, False)


def leave_as_written(function: ir.Function) -> None:
    """Let LLVM only translate a function, if it has no loop and computes next to nothing.

    Loops are not put into the place of their calls there: they would be left as written, too.

    >>> function = ir.Function(ir.Module(), ir.FunctionType(ir.VoidType(), []), "f")
    >>> _ = ir.IRBuilder(function.append_basic_block()).ret_void()
    >>> leave_as_written(function)
    >>> sorted(function.attributes)
    ['noinline', 'optnone']
    """
    if _has_loops(function) or _computes(function):
        return
    for attribute in ("noinline", "optnone"):
        function.attributes.add(attribute)
    for call in _calls(function):
        call.attributes.add("noinline")


def let_optimise(function: ir.Function) -> None:
    """Take back what was said of a function, for it also runs often."""
    if "optnone" in function.attributes:
        function.attributes.discard("optnone")
        for call in _calls(function):
            call.attributes.discard("noinline")


def optimise_short(module: ir.Module) -> None:
    """Take back what was said of the functions of a module where they are few and short."""
    values: list[Any] = list(module.globals.values())
    left = [value for value in values if "optnone" in getattr(value, "attributes", ())]
    if sum([len(block.instructions) for f in left for block in f.blocks]) < _SHORT:
        for function in left:
            let_optimise(function)


def _has_loops(function: ir.Function) -> bool:
    """Whether a block leads back to itself: what is within a condition stands after what follows.

    >>> function = ir.Function(ir.Module(), ir.FunctionType(ir.VoidType(), []), "f")
    >>> builder = ir.IRBuilder(function.append_basic_block("first"))
    >>> last, within = [function.append_basic_block(name) for name in ("last", "within")]
    >>> _ = builder.branch(within)
    >>> _ = ir.IRBuilder(within).branch(last)
    >>> _has_loops(function)
    False
    >>> _ = ir.IRBuilder(last).branch(within)
    >>> _has_loops(function)
    True
    """
    blocks: list[Any] = function.blocks
    targets = {block: iter(getattr(block.terminator, "operands", ())) for block in blocks}
    done: set[Any] = set()
    for first in targets:
        way: dict[Any, None] = {} if first in done else {first: None}
        while way:
            block, _ = way.popitem()
            target: Any = next(targets[block], None)
            if target is None:
                done.add(block)
                continue
            way[block] = None
            if target in way:
                return True
            if isinstance(target, ir.Block) and target not in done:
                way[target] = None
    return False


def _computes(function: ir.Function) -> bool:
    names = [i.opname for block in function.blocks for i in block.instructions]
    return sum(map(_NUMERIC.__contains__, names)) > _SHARE * len(names)


def _calls(function: ir.Function) -> list[Any]:
    blocks: list[Any] = function.blocks
    return [i for block in blocks for i in block.instructions if i.opname == "call"]
