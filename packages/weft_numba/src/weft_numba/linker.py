"""The Numba linker: one njit function per graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, ClassVar

import numba
import numpy as np

from weft_graph import (
    Constant,
    FunctionGraph,
    Linker,
    Program,
    PythonLinker,
    Variable,
    load_source,
    transpile,
)
from weft_numba.dispatch import numba_funcify
from weft_numba.source import njit
from weft_tensor import TensorType

__all__ = ["NumbaLinker"]


class NumbaLinker(Linker):
    """Compiles a graph to machine code with Numba.

    The code is made when the graph is linked, for C-contiguous inputs; for inputs of another
    layout it is made when they first come.
    """

    name: ClassVar[str] = "numba"

    def funcify(self, node: Variable) -> Callable[..., Any]:
        """What `numba_funcify` gives, as a function that Numba has taken."""
        function = numba_funcify(node.op, node=node)
        return function if hasattr(function, "py_func") else njit(function)

    def link(self, graph: FunctionGraph) -> tuple[Callable[..., Any], Program]:
        """The compiled function, and the source it was compiled from."""
        arrays = _array_constants(graph)
        parameters = [*graph.inputs, *arrays]
        program = transpile(FunctionGraph(parameters, graph.outputs), self.funcify, reuse=False)
        for name, value in program.namespace.items():
            if isinstance(value, np.ndarray):
                program.namespace[name] = value[()]
        machine = njit(program.load())
        if all(isinstance(v.type, TensorType) for v in parameters):
            _compile(machine, parameters)
        return _door(machine, graph, arrays), program


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


def _compile(machine: Any, parameters: Sequence[Variable]) -> None:
    signature = tuple(_numba_type(v) for v in parameters)
    try:
        machine.compile(signature)
    except numba.core.errors.NumbaError as error:
        error.add_note(
            "Numba could not compile a graph of Weft. If the message above is about an "
            "implementation of yours, check what `numba_funcify` returns for that Op; "
            "mode='py' works without it."
        )
        raise


def _numba_type(v: Variable) -> Any:
    if isinstance(v.op, Constant):
        return numba.typeof(v.op.value)
    assert isinstance(v.type, TensorType)
    scalar = numba.from_dtype(v.type.numpy_dtype)
    return numba.types.Array(scalar, v.type.ndim, "C") if v.type.ndim else scalar


def _door(machine: Any, graph: FunctionGraph, arrays: Sequence[Variable]) -> Callable[..., Any]:
    """From arrays to what the machine code takes (scalars for rank 0), and back."""
    names = [f"x{k}" for k in range(len(graph.inputs))]
    given = [
        f"{name}[()]" if isinstance(v.type, TensorType) and not v.type.ndim else name
        for name, v in zip(names, graph.inputs, strict=True)
    ]
    namespace: dict[str, Any] = {"machine": machine, "array": np.array, "named": _named(graph)}
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
    lines += [
        "    try:",
        f"        {''.join(r + ', ' for r in results)} = {call}" if results else f"        {call}",
        "    except Exception as error:",
        f"        named({', '.join(['error', *names])})",
        "        raise",
    ]
    lines.append(f"    return ({''.join(r + ', ' for r in returned)})")
    return load_source("run", "\n".join(lines) + "\n", namespace)


def _named(graph: FunctionGraph) -> Callable[..., Exception]:
    """Adds to an error the note on the node that raises it in Python, if one does."""
    python = PythonLinker()

    @cache
    def reference() -> tuple[Callable[..., Any], Program]:
        return python.link(graph)

    def named(error: Exception, *values: Any) -> Exception:
        program = None
        try:
            run, program = reference()
            with np.errstate(all="ignore"):
                run(*values)
        except Exception as again:
            if program and type(again) is type(error):
                python.explain(again, program)
                for note in getattr(again, "__notes__", ()):
                    error.add_note(note)
        return error

    return named
