"""The Numba linker: one njit function per graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from types import FunctionType
from typing import Any, ClassVar

import numba
import numpy as np

from weft_graph import (
    Constant,
    FunctionGraph,
    Linker,
    Program,
    Reference,
    Variable,
    load_source,
    node_note,
)
from weft_numba.dispatch import numba_funcify
from weft_numba.faults import culprit, raised_in
from weft_numba.machine_types import numba_type
from weft_numba.narrowing import Narrowed, narrowed
from weft_numba.program import written
from weft_numba.source import njit
from weft_tensor import TensorType

__all__ = ["NumbaLinker"]


class NumbaLinker(Linker):
    """Compiles a graph to machine code with Numba.

    The code is made when the graph is linked, for C-contiguous inputs; for inputs of another
    layout it is made when they first come. With `exact=True` all functions are the C
    library's own, one number at a time: often to the last digit right, where its functions
    of whole vectors may be 4 units in the last place off, and slower.

    >>> import weft_tensor as wt
    >>> from weft_graph import Mode, function
    >>> x = wt.vector("x")
    >>> function([x], wt.exp(x), mode=Mode(NumbaLinker(exact=True)))([0.0, 1.0])
    array([1.        , 2.71828183])
    """

    name: ClassVar[str] = "numba"

    def __init__(self, *, exact: bool = False) -> None:
        self.exact = exact

    def funcify(self, node: Variable) -> Callable[..., Any]:
        """What `numba_funcify` gives, as a function that Numba has taken."""
        function: Any = numba_funcify(node.op, node=node, exact=self.exact)
        is_plain = isinstance(function, FunctionType)
        taken: Callable[..., Any] = njit(function) if is_plain else function
        return taken

    def link(self, graph: FunctionGraph) -> tuple[Callable[..., Any], Program]:
        """The compiled function, and the source it was compiled from."""
        usual = narrowed(graph, assume=True)
        others = cache(lambda: self._link(graph, narrowed(graph, assume=False))[0])
        return self._link(graph, usual, lambda *values: others()(*values))

    def _link(
        self, graph: FunctionGraph, usual: Narrowed, others: Callable[..., Any] | None = None
    ) -> tuple[Callable[..., Any], Program]:
        """The function for the usual calls; `others` is for those that don't fit the conditions."""
        arrays = _array_constants(usual.graph)
        parameters = [*graph.inputs, *arrays]
        program = written(
            FunctionGraph(parameters, usual.graph.outputs),
            self.funcify,
            exact=self.exact,
            assume=others is not None,
        )
        for name, value in program.namespace.items():
            if isinstance(value, np.ndarray):
                program.namespace[name] = value[()]
        machine = njit(program.load())
        if all(isinstance(v.type, TensorType) for v in parameters):
            _compile(machine, parameters, program)
        conditions = usual.conditions
        return _door(machine, graph, arrays, program, conditions, others), program


def _array_constants(graph: FunctionGraph) -> list[Variable]:
    """Constants that are passed as arguments, so that they are no part of the machine code."""
    inputs = set(graph.inputs)
    return [
        v
        for v in graph.order
        if isinstance(v.op, Constant)
        and v not in inputs
        and isinstance(v.type, TensorType)
        and v.type.ndim
    ]


def _compile(machine: Any, parameters: Sequence[Variable], program: Program) -> None:
    signature = tuple([numba_type(v) for v in parameters])
    try:
        machine.compile(signature)
    except Exception as error:
        better = culprit(program, "C")
        if better is None:
            raise
        raise better from better.__cause__ or error


def _door(
    machine: Any,
    graph: FunctionGraph,
    arrays: Sequence[Variable],
    program: Program,
    conditions: Sequence[str],
    others: Callable[..., Any] | None,
) -> Callable[..., Any]:
    """From arrays to what the machine code takes (scalars for rank 0), and back."""
    names = [f"x{k}" for k in range(len(graph.inputs))]
    given = [
        f"{name}[()]" if isinstance(v.type, TensorType) and not v.type.ndim else name
        for name, v in zip(names, graph.inputs, strict=True)
    ]
    namespace: dict[str, Any] = {
        "machine": machine,
        "array": np.array,
        "others": others,
        "better": _better(graph, program),
    }
    for k, v in enumerate(arrays):
        assert isinstance(v.op, Constant)
        namespace[f"c{k}"] = v.op.value
    given += [f"c{k}" for k in range(len(arrays))]
    results = [f"r{k}" for k in range(len(graph.outputs))]
    returned = []
    for result, v in zip(results, graph.outputs, strict=True):
        if isinstance(v.type, TensorType) and not v.type.ndim:
            namespace[f"dtype_{result}"] = v.type.numpy_dtype
            returned.append(f"array({result}, dtype_{result})")
        else:
            returned.append(result)
    call = f"machine({', '.join(given)})"
    lines = [f"def run({', '.join(names)}):"]
    if conditions:
        lines.append(f"    if not ({' and '.join(conditions)}):")
        lines.append(f"        return others({', '.join(names)})")
    lines += [
        "    try:",
        f"        {''.join(r + ', ' for r in results)} = {call}" if results else f"        {call}",
        "    except Exception as error:",
        f"        fault = better({', '.join(['error', *names])})",
        "        if fault is error: raise",
        "        raise fault from error",
    ]
    lines.append(f"    return ({''.join(r + ', ' for r in returned)})")
    return load_source("run", "\n".join(lines) + "\n", namespace)


def _better(graph: FunctionGraph, program: Program) -> Callable[..., Exception]:
    """What to raise in place of an error of the machine code: it, with a note, or another."""
    reference = Reference(graph)

    def better(error: Exception, *values: Any) -> Exception:
        if isinstance(error, numba.core.errors.NumbaError):  # for another layout of the inputs
            return culprit(program, "A") or error
        with np.errstate(all="ignore"):
            found = reference.better(error, *values)
        if found is error and not getattr(error, "__notes__", ()):
            node = raised_in(error, program)
            if node is not None:
                error.add_note(node_note(node))
        return found

    return better
