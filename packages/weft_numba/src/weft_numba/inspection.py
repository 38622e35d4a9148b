"""The code that a function compiled with Numba is made of, to be read."""

from __future__ import annotations

from functools import partial

from weft_graph import Function, FunctionGraph
from weft_graph.extend import Branch
from weft_numba.analysis.specialise import narrowed
from weft_numba.fusion.emit_program import written
from weft_numba.fusion.grouping import Fused, fuse
from weft_numba.fusion.parameters import groups, signature
from weft_numba.linker import NumbaLinker
from weft_numba.llvm.loop_nest import lower
from weft_numba.llvm.loop_order import collapsed, ordered, together
from weft_numba.lowering.njit_source import njit
from weft_numba.runtime.segments import opened, segments_of

__all__ = ["assembly_code", "llvm_code"]


def llvm_code(f: Function) -> str:
    """The loop nests of `f` in LLVM's language, as they are for contiguous arrays.

    >>> import weft_tensor as wt
    >>> from weft_graph import function
    >>> x = wt.vector("x")
    >>> "fmul contract double" in llvm_code(function([x], x * x, mode="numba"))
    True
    """
    linker, graphs = _found(f)
    how = partial(lower, exact=linker.exact, parallel=linker.parallel)
    modules = []
    todo = [(graph, True) for graph in graphs]
    for graph, assume in todo:
        for step in fuse(graph, assume=assume):
            if isinstance(step, Fused):
                layouts = "C" * len(step.kernel.operands)
                nest = ordered(step.kernel, layouts)
                nest = collapsed(nest, together(nest, layouts))
                modules.append(how(nest, layouts).module)
            elif isinstance(step.op, Branch):
                todo += [(case.graph, False) for case in (step.op.on_true, step.op.on_false)]
    return "\n".join(modules)


def assembly_code(f: Function) -> str:
    """The instructions of `f` for this machine, with what Numba writes around the loops.

    >>> import weft_tensor as wt
    >>> from weft_graph import function
    >>> x = wt.vector("x")
    >>> "weft_function" in assembly_code(function([x], x * x, mode="numba"))
    True
    """
    linker, graphs = _found(f)
    options = {"exact": linker.exact, "parallel": linker.parallel}
    texts: list[str] = []
    for graph in graphs:
        arguments, results = groups(graph.inputs), groups(graph.outputs)
        program = written(graph, linker.funcify, arguments, results, **options, assume=True)
        machine = njit(program.load())
        machine.compile(signature(graph.inputs))
        texts += machine.inspect_asm().values()
    return "\n".join(texts)


def _found(f: Function) -> tuple[NumbaLinker, list[FunctionGraph]]:
    """The linker, and the graphs that are compiled: one, unless Python runs some of the Ops."""
    linker = f.mode.linker
    if not isinstance(linker, NumbaLinker):
        raise TypeError(f"{f} is not compiled with Numba: make it with mode='numba'")
    segments = [s for s in segments_of(opened(f.graph)) if not s.by_python]
    return linker, [narrowed(s.graph, assume=True).graph for s in segments]
