"""The code that a function compiled with Numba is made of, to be read."""

from __future__ import annotations

from functools import partial

from weft_graph import Function, FunctionGraph
from weft_numba.fusion import Fused, fuse
from weft_numba.linker import NumbaLinker
from weft_numba.loops import can_collapse, collapsed, lower
from weft_numba.machine_types import numba_type
from weft_numba.narrowing import narrowed
from weft_numba.program import written
from weft_numba.source import njit

__all__ = ["assembly_code", "llvm_code"]


def llvm_code(f: Function) -> str:
    """The loop nests of `f` in LLVM's language, as they are for contiguous arrays.

    >>> import weft_tensor as wt
    >>> from weft_graph import function
    >>> x = wt.vector("x")
    >>> "fmul double" in llvm_code(function([x], x * x, mode="numba"))
    True
    """
    linker, graph = _found(f)
    how = partial(lower, exact=linker.exact, parallel=linker.parallel)
    modules = []
    for step in fuse(graph, assume=True):
        if isinstance(step, Fused):
            layouts = "C" * len(step.inputs)
            flat = can_collapse(step.kernel, layouts)
            nest = collapsed(step.kernel) if flat else step.kernel
            modules.append(how(nest, layouts).module)
    return "\n".join(modules)


def assembly_code(f: Function) -> str:
    """The instructions of `f` for this machine, with what Numba writes around the loops.

    >>> import weft_tensor as wt
    >>> from weft_graph import function
    >>> x = wt.vector("x")
    >>> "weft_function" in assembly_code(function([x], x * x, mode="numba"))
    True
    """
    linker, graph = _found(f)
    options = {"exact": linker.exact, "parallel": linker.parallel}
    program = written(graph, linker.funcify, **options, assume=True)
    machine = njit(program.load())
    machine.compile(tuple([numba_type(v) for v in graph.inputs]))
    return "\n".join(machine.inspect_asm().values())


def _found(f: Function) -> tuple[NumbaLinker, FunctionGraph]:
    linker = f.mode.linker
    if not isinstance(linker, NumbaLinker):
        raise TypeError(f"{f} is not compiled with Numba: make it with mode='numba'")
    return linker, narrowed(f.graph, assume=True).graph
