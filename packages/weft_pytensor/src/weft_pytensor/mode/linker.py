"""PyTensor's modes WEFT, WEFT_NUMBA and WEFT_JAX: `pytensor.function(..., mode="WEFT")`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from pytensor.compile.mode import (
    Mode,
    predefined_linkers,
    predefined_modes,
    register_linker,
    register_mode,
)
from pytensor.graph.fg import FunctionGraph
from pytensor.graph.rewriting.db import RewriteDatabaseQuery
from pytensor.link.basic import JITLinker
from pytensor.tensor.random.type import RandomGeneratorType

from weft_graph import function, rewrite
from weft_pytensor.convert.choices import choices
from weft_pytensor.convert.from_pytensor import from_pytensor
from weft_pytensor.convert.shared import generator_of, key_of

__all__ = ["WeftLinker"]


class WeftLinker(JITLinker):  # type: ignore[misc]  # PyTensor's class has no types
    """Compiles PyTensor's function graphs with Weft.

    Parameters
    ----------
    backend
        Weft's mode: "numba", "jax" or "py".
    """

    required_rewrites = ("minimum_compile",)
    incompatible_rewrites = ("cxx_only", "BlasOpt", "fusion", "inplace", "scan_save_mem_prealloc")

    def __init__(self, backend: str = "numba") -> None:
        super().__init__()
        self.backend = backend

    def fgraph_convert(self, fgraph: FunctionGraph, **_: Any) -> Callable[..., Any]:
        """The graph as a function of Weft's, with keys in place of generators."""
        graph = from_pytensor(fgraph)
        outputs = rewrite(list(graph.outputs), choices)
        call = function(graph.inputs, outputs, mode=self.backend, on_unused_input="ignore")
        inputs = _generators(fgraph.inputs)
        drawn = _generators(fgraph.outputs)
        return _with_generators(call, inputs, drawn) if inputs or drawn else call

    def create_thunk_inputs(self, storage_map: Mapping[object, list[object]]) -> list[list[object]]:
        """The cells of the inputs."""
        return [storage_map[v] for v in self.fgraph.inputs]

    def jit_compile(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """What Weft has compiled already."""
        return fn

    def __repr__(self) -> str:
        return f"WeftLinker({self.backend!r})"


def _generators(variables: Sequence[Any]) -> list[int]:
    return [k for k, v in enumerate(variables) if isinstance(v.type, RandomGeneratorType)]


def _with_generators(
    call: Callable[..., Any], inputs: Sequence[int], outputs: Sequence[int]
) -> Callable[..., Any]:
    def converted(*values: Any) -> list[Any]:
        arguments = list(values)
        for k in inputs:
            arguments[k] = key_of(arguments[k])
        results = list(call(*arguments))
        for k in outputs:
            results[k] = generator_of(results[k])
        return results

    return converted


_BACKENDS: Final = {"WEFT": "numba", "WEFT_NUMBA": "numba", "WEFT_JAX": "jax", "WEFT_PY": "py"}


def register_modes() -> None:
    """Make the modes known to PyTensor, by name."""
    for name, backend in _BACKENDS.items():
        if name not in predefined_modes:
            linker = WeftLinker(backend)
            if name.lower() not in predefined_linkers:
                register_linker(name.lower(), linker)
            query = RewriteDatabaseQuery(
                include=linker.required_rewrites, exclude=linker.incompatible_rewrites
            )
            register_mode(name, Mode(linker, query))
