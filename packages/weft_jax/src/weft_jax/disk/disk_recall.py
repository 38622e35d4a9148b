"""What is kept on disk of a request: how it is called, as source, and the places of its programs.

What JAX compiles is kept beside that, for the shapes of the first call (`kept_programs`).
"""

from __future__ import annotations

import io
import linecache
import pickle
from collections.abc import Callable, Sequence
from functools import cache
from types import FunctionType
from typing import Any, Final

import jax
import numpy as np

from weft_graph.extend import (
    CompiledGraph,
    CompileRequest,
    Linker,
    about,
    disk_cache,
    load_source,
    nodes_inside,
)
from weft_jax.analysis.printing import prints
from weft_jax.compile.compile_stats import Specialised
from weft_jax.compile.hoisted_constants import is_on_device, on_device, placed
from weft_jax.compile.kept_programs import KeptProgram, NotKeptError
from weft_jax.disk.cache_key import JAX
from weft_jax.interop.wrap_jax import JAXOp
from weft_jax.lowering.x64 import enable_x64
from weft_jax.runtime.batched_call import BatchedCall
from weft_jax.runtime.jit_with_options import InSmallKernelsByShapes, JitWithOptions

__all__ = ["recall", "remember"]

Run = Callable[..., Any]
_JITTED: Final = type(jax.jit(len))
_PLAIN: Final = frozenset({bool, dict, float, int, list, str, tuple, type(None)})


def remember(linker: Linker, request: CompileRequest, run: Run, finish: Sequence[Any]) -> None:
    """Keep how `request` is called, and have kept what JAX compiles when it is."""
    key = _key_of(linker, request)
    if key is None or prints(request.graph):
        return
    with io.BytesIO() as file:
        pickler = _Pickler(file, request)
        try:
            pickler.dump((run, tuple(finish)))
        except Exception:  # much has no place in another process
            return
        data = file.getvalue()
    if not pickler.programs:
        return
    line = about(request)
    for k, program in enumerate(pickler.programs):
        program.kept = f"{key}-{k}", line
    disk_cache.store(key, pickle.dumps((key, data)), line)


def recall(linker: Linker, request: CompileRequest) -> CompiledGraph | None:
    """How an earlier process ran the same request.

    Where that is not enough, as for other shapes or where a call is an error, all is made anew.
    """
    key = _key_of(linker, request)
    entry = None if key is None else disk_cache.load(key)
    if entry is None:
        return None
    try:
        of, data = pickle.loads(entry)
        recalled, finish = _Unpickler(io.BytesIO(data), request, of).load()
    except Exception:  # unpickling an object of the user's may raise anything
        return None
    whole = cache(lambda: linker.linked(request))
    run = recalled

    def call(*values: object) -> Any:
        nonlocal run
        now = run  # another thread may replace it meanwhile
        try:
            return now(*values)
        except Exception:  # that something is not kept is one reason
            if now is not recalled:
                raise
            run = whole().run
        return run(*values)

    return CompiledGraph(
        call,
        lambda: whole().program,
        finish,
        lambda error, *values: whole().rescue(error, *values),
    )


def _key_of(linker: Linker, request: CompileRequest) -> str | None:
    """Under which key `request` is kept; functions for JAX may call what no key tells."""
    ops = {v.op for v in request.written.order}
    if any(isinstance(u.op, JAXOp) for op in ops for u in nodes_inside(op)):
        return None
    return None if any(isinstance(op, JAXOp) for op in ops) else JAX.key_of(linker, request)


class _Pickler(pickle.Pickler):
    """Writes generated functions as their source, programs as their numbers, and constants of
    the user's as their places."""

    def __init__(self, file: Any, request: CompileRequest) -> None:
        super().__init__(file)
        self.programs: list[JitWithOptions | InSmallKernelsByShapes] = []
        constants = [(k, v) for k, v in enumerate(request.leaves) if is_on_device(v)]
        self.places = {id(on_device(v)): k for k, v in constants}

    def persistent_id(self, value: Any) -> Any:
        if type(value) in _PLAIN:
            return None
        if isinstance(value, jax.Array):
            place = self.places.get(id(value))
            return ("array", np.asarray(value)) if place is None else ("constant", place)
        if value is enable_x64:
            return ("settings",)
        if type(value) is type(enable_x64.set_local):
            return ("setting", value.__name__)
        if isinstance(value, (JitWithOptions, InSmallKernelsByShapes)):
            if value not in self.programs:
                self.programs.append(value)
            return ("program", self.programs.index(value), value.static)
        if isinstance(value, BatchedCall):
            return ("one by one",)
        return ("none",) if isinstance(value, (Specialised, _JITTED)) else None

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, FunctionType) and value.__code__.co_filename.startswith("<weft "):
            source = "".join(linecache.getlines(value.__code__.co_filename))
            names = {k: v for k, v in value.__globals__.items() if k != "__builtins__"}
            return load_source, (value.__name__, source, names)
        return NotImplemented


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: Any, request: CompileRequest, key: str) -> None:
        super().__init__(file)
        self.request, self.key = request, key
        self.programs: dict[int, KeptProgram] = {}

    def persistent_load(self, name: Any) -> Any:
        kind, *rest = name
        if kind == "setting":
            return getattr(enable_x64, *rest)
        if kind == "settings":
            return enable_x64
        if kind == "constant":
            return on_device(self.request.leaves[rest[0]])
        if kind == "array":
            return placed(*rest)
        if kind == "program":
            number, static = rest
            entry = f"{self.key}-{number}"
            return self.programs.setdefault(number, KeptProgram(entry, static))
        return _one_by_one if kind == "one by one" else _not_kept


def _one_by_one(*values: object) -> None:
    """For the shapes of a program that is kept, batches did not pay: else it had not been run."""


def _not_kept(*values: object) -> object:
    raise NotKeptError
