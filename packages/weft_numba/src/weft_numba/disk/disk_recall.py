"""What is kept on disk of a request: machine code and how a door uses it, or a graph to be cut."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from weft_graph import Constant, FunctionGraph, Variable, replace
from weft_graph.extend import CompileRequest, Linker, about
from weft_graph.extend import disk_cache as cache
from weft_numba.disk.cache_key import NUMBA
from weft_numba.disk.object_code import ObjectCode, loaded, object_code
from weft_numba.fusion.parameters import Groups, adapted
from weft_numba.runtime.finishers import How

__all__ = ["Recalled", "key_of", "key_of_others", "recall", "remember", "remember_graph"]


class Recalled(NamedTuple):
    """Machine code that an earlier process has compiled."""

    call: Callable[..., Any]
    constants: list[Any]
    """Arrays: the first arguments of `call`."""
    finish: tuple[How, ...]
    conditions: tuple[str, ...]
    """When `call` computes the right thing."""


def key_of(linker: Linker, request: CompileRequest) -> str | None:
    """Under which key is kept what `request` is compiled to, if anything is."""
    return NUMBA.key_of(linker, request)


def key_of_others(linker: Linker, request: CompileRequest) -> str | None:
    """The key of the code of `request` for calls that are not usual.

    It is made when such a call comes: since the usual code, lowerings may have been registered.
    """
    if cache.directory() is None and cache.shared_directory() is None:
        return None
    key = NUMBA.key(linker, request)
    return key and f"{key}-others"


def remember(
    key: str | None,
    request: CompileRequest,
    compiled: Any,
    inputs: Groups,
    outputs: Groups,
    constants: Sequence[Variable],
    finish: tuple[How, ...],
    conditions: tuple[str, ...],
) -> None:
    """Keep under `key` what `request` was compiled to, as Numba has it, if others can use that.

    Of constants that the user has written, only their places are kept; others are results of
    rewriting.
    """
    if key is None or cache.directory() is None:
        return
    code = object_code(compiled)
    if code is None:
        return
    places = {v: k for k, v in enumerate(request.leaves)}
    literals = [places.get(v, v.op.value) for v in constants if isinstance(v.op, Constant)]
    parts = (tuple(code), inputs, outputs, literals, finish, conditions)
    cache.store(key, pickle.dumps(parts), about(request))


def remember_graph(linker: Linker, request: CompileRequest, graph: FunctionGraph) -> FunctionGraph:
    """Keep the rewritten `graph` of `request`, parts of which are compiled and kept by themselves.

    Gives the graph as another process recalls it, so that the parts are equal: results have
    no names there.
    """
    places = {v: k for k, v in enumerate(request.leaves)}
    constants = [v for v in graph.order if type(v.op) is Constant and v in places]
    plain = FunctionGraph([*graph.inputs, *constants], graph.outputs).nominal
    positions = [places[v] for v in constants]
    key = key_of(linker, request)
    if key is not None and cache.directory() is not None:
        with suppress(Exception):  # pickling an object of the user's may raise anything
            cache.store(key, pickle.dumps((plain, positions)), about(request))
    return _with_inputs(request, plain, positions)


def _with_inputs(
    request: CompileRequest, plain: FunctionGraph, positions: Sequence[int]
) -> FunctionGraph:
    """`plain` over the inputs of `request` and those of its constants that `positions` says."""
    inputs = [*request.written.inputs, *(request.leaves[k] for k in positions)]
    outputs = replace(plain.outputs, dict(zip(plain.inputs, inputs, strict=True)))
    return FunctionGraph(request.written.inputs, outputs)


def recall(key: str | None, request: CompileRequest) -> Recalled | FunctionGraph | None:
    """What an earlier process has kept of the same request under `key`."""
    entry = None if key is None else cache.load(key)
    if entry is None:
        return None
    try:
        first, *rest = pickle.loads(entry)
        if isinstance(first, FunctionGraph):
            return _with_inputs(request, first, *rest)
        arguments, results, constants, finish, conditions = rest
        call = loaded(ObjectCode(*first))
    except Exception:  # unpickling an object of the user's may raise anything
        call = None
    if call is None:
        return None
    leaves: Any = request.leaves
    values = [leaves[c].op.value if isinstance(c, int) else c for c in constants]
    return Recalled(adapted(call, arguments, results), values, finish, conditions)
