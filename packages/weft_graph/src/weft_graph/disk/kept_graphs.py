"""What is kept on disk for Python's linker: graphs that took long to rewrite, as they are after it.

A later process links them. What they take over from the graph as it was written, as inputs and
where nodes were made, they have from the same nodes in that process.
"""

from __future__ import annotations

import pickle
import platform
import sys
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from weft_graph.core.function_graph import FunctionGraph
from weft_graph.core.nodes import Named, Variable
from weft_graph.core.pickling import Row, marked, row_of, variable_of
from weft_graph.core.source_location import Place, here
from weft_graph.disk import disk_cache
from weft_graph.disk.request_key import Compiler, about
from weft_graph.linking.compile_request import CompileRequest
from weft_graph.linking.linker import Linker
from weft_graph.linking.python_linker import py_funcify
from weft_graph.ops.loop import nodes_inside

__all__ = ["recall", "remember"]

_OWN: Final = ("weft_graph", "weft_tensor")
_FOLDING: Final = ("numpy", "scipy")
"""What constants are computed with."""


def remember(linker: Linker, request: CompileRequest) -> None:
    """Keep the rewritten graph of `request`, if other processes can use it."""
    key = _key_of(linker, request)
    if key is None or disk_cache.directory() is None:
        return
    numbers = {v: k for k, v in enumerate(request.leaves)}
    index: dict[Variable, int] = {}
    rows: list[int | Row] = []
    with suppress(Exception), marked(_places(request)):  # pickling may raise anything
        for v in request.graph.order:
            index[v] = len(rows)
            rows.append(row_of(v, index) if (number := numbers.get(v)) is None else number)
        outputs = [index[v] for v in request.graph.outputs]
        disk_cache.store(key, pickle.dumps((rows, outputs)), about(request))


def recall(linker: Linker, request: CompileRequest) -> FunctionGraph | None:
    """The rewritten graph that an earlier process has kept of the same request."""
    key = _key_of(linker, request)
    entry = None if key is None else disk_cache.load(key)
    if entry is None:
        return None
    leaves = request.leaves
    variables: list[Variable] = []
    with suppress(Exception), marked(_places(request)):  # unpickling may raise anything
        rows, outputs = pickle.loads(entry)
        for row in rows:
            is_leaf = isinstance(row, int)
            variables.append(leaves[row] if is_leaf else variable_of(row, variables))
        return FunctionGraph(request.written.inputs, [variables[k] for k in outputs])
    return None


def _places(request: CompileRequest) -> list[Place]:
    """Where the nodes of a request were made, and where it is compiled, in an order that
    another process has as well."""
    order = request.written.order
    inside = [v for op in dict.fromkeys([v.op for v in order]) for v in nodes_inside(op)]
    return [here(1), *(v.place for v in (*order, *inside) if type(v.op) is not Named)]


def _key_of(linker: Linker, request: CompileRequest) -> str | None:
    packages = tuple([name for name in _OWN if name in sys.modules])
    compiler = Compiler(packages, _versions(), py_funcify, platform.machine, ())
    return compiler.key_of(linker, request)


@cache
def _versions() -> dict[str, str]:
    """What tells versions of what constants are computed with: to read these takes longer."""
    versions = {}
    for name in _FOLDING:
        spec = find_spec(name)
        if spec is not None and spec.origin is not None:
            state = Path(spec.origin).stat()
            versions[name] = f"{spec.origin} {state.st_size} {state.st_mtime_ns}"
    return versions
