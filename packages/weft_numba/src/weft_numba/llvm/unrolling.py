"""Loops that LLVM leaves as they are written.

It writes the body of a loop of unknown length several times over, and once more for vectors. That
doubles the code of linear algebra, and what it takes to compile it: bodies there are long, call
other functions, or are written for vectors, and are not faster for it.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

__all__ = ["keep_loops_short", "with_vectors"]


def keep_loops_short(function: ir.Function, mark: str = "llvm.loop.unroll.disable") -> None:
    """Tell LLVM not to unroll the loops of a function, or what else `mark` says of them.

    >>> function = ir.Function(ir.Module(), ir.FunctionType(ir.VoidType(), []), "f")
    >>> builder = ir.IRBuilder(function.append_basic_block())
    >>> _ = builder.branch(builder.block)
    >>> keep_loops_short(function)
    >>> [line for line in str(function.module).splitlines() if "loop" in line]
    ['  br label %".2", !llvm.loop !1', '!0 = !{ !"llvm.loop.unroll.disable" }']
    """
    module: Any = function.module
    numbers = {block: k for k, block in enumerate(function.blocks)}
    for k, block in enumerate(function.blocks):
        branch: Any = block.terminator
        targets = branch.operands if isinstance(branch, ir.Branch | ir.ConditionalBranch) else ()
        is_last = any(numbers.get(target, k + 1) <= k for target in targets)
        if is_last and "llvm.loop" not in branch.metadata:
            _mark(branch, module.add_metadata([mark]))


def with_vectors(last: ir.Block) -> None:
    """Let LLVM write the loop that ends with `last` for vectors, whatever the others are.

    What is no whole vector stays a loop.
    """
    module: Any = last.function.module
    vectors = module.add_metadata(["llvm.loop.vectorize.enable", ir.IntType(1)(1)])
    _mark(last.terminator, vectors, module.add_metadata(["llvm.loop.unroll.disable"]))


def _mark(branch: Any, *marks: Any) -> None:
    module: Any = branch.module
    name = module.add_metadata([*marks, ir.IntType(64)(len(module.metadata))])
    name.operands = (name, *marks)  # what tells it from others is that it names itself
    branch.set_metadata("llvm.loop", name)
