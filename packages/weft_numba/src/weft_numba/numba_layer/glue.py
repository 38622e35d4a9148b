"""Functions that run once in a call and only lead to loops: LLVM leaves them as they are written.

They check lengths, ask for memory and call loops. To optimise them takes a tenth of what LLVM
takes for a graph of many small steps, and what runs once is not noticeably faster for it.
"""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir

__all__ = ["leave_as_written", "let_optimise"]

_NUMERIC: Final = frozenset(["fadd", "fcmp", "fdiv", "fmul", "fsub", "select"])
_SHARE: Final = 0.1
"""What computes more than that is no glue."""


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


def _has_loops(function: ir.Function) -> bool:
    """Whether a block leads to itself or to one before it."""
    numbers = {block: k for k, block in enumerate(function.blocks)}
    targets = [getattr(block.terminator, "operands", ()) for block in function.blocks]
    return any(numbers.get(t, k + 1) <= k for k, each in enumerate(targets) for t in each)


def _computes(function: ir.Function) -> bool:
    names = [i.opname for block in function.blocks for i in block.instructions]
    return sum(name in _NUMERIC for name in names) > _SHARE * len(names)


def _calls(function: ir.Function) -> list[Any]:
    each: list[Any] = [i for block in function.blocks for i in block.instructions]
    return [i for i in each if i.opname == "call"]
