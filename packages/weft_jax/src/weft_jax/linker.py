"""The JAX linker: one `jax.jit` per graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import jax
import jax.numpy as jnp
import numpy as np

from weft_graph import FunctionGraph, RuleBook, Variable
from weft_graph.extend import (
    CompiledFunction,
    CompiledGraph,
    CompileRequest,
    Linker,
    Program,
    Shared,
    Unshared,
    disk_cache,
    is_cut,
    memory_of,
    without_collecting,
)
from weft_jax.analysis.buckets import Buckets, bucketed, check_buckets, padding
from weft_jax.analysis.mask_lifting import lift_masks
from weft_jax.analysis.segments import one_segment, opened, segments_of
from weft_jax.analysis.shape_policy import Dynamic, check_lengths
from weft_jax.analysis.sized_subscripts import book
from weft_jax.analysis.static_values import Plan, plan_for, with_near_lengths
from weft_jax.analysis.steady_slices import HOLDING, with_steady_slices
from weft_jax.compile.compile_stats import Compiles, CountedProgram, Specialised
from weft_jax.compile.final_transforms import with_final_transforms
from weft_jax.compile.hoisted_constants import on_device, passed_constants
from weft_jax.compile.joined_functions import joined
from weft_jax.compile.named_scopes import NO_NAMES, Names, names_of
from weft_jax.compile.tracing import Run
from weft_jax.disk import disk_recall
from weft_jax.interop.inspection import Inspection
from weft_jax.lowering.array_checks import fits, shown
from weft_jax.lowering.dispatch import has_function, jax_funcify
from weft_jax.lowering.on_host import on_host
from weft_jax.lowering.x64 import enable_x64
from weft_jax.ops.control.loop import DynamicLoops, with_host_loops
from weft_jax.runtime.batched_call import with_batches
from weft_jax.runtime.call import Call, Strategy
from weft_jax.runtime.donation import why_state_is_gone, with_donated_state
from weft_jax.runtime.error_location import error_translator, with_translated_errors
from weft_jax.runtime.jit_with_options import with_options
from weft_jax.runtime.nan_guard import guarded
from weft_jax.runtime.near_results import with_near_results
from weft_jax.runtime.packing import with_packed_arrays
from weft_jax.runtime.runtime_checks import Bounds
from weft_jax.runtime.segment_chain import Compiled, chained
from weft_jax.runtime.speculative_indices import with_speculation
from weft_jax.runtime.traced import Tracer
from weft_tensor import TensorType, expanded

__all__ = ["JAXLinker"]


Finish = Callable[[Any], Any] | None

_STRATEGIES = (
    with_speculation,
    with_batches,
    with_packed_arrays,
    with_near_results,
    with_options,
)
"""How calls are made beside the plain way, in this order, if lengths follow from shapes."""
_KEEPING_STRATEGIES = (with_speculation, with_donated_state)
"""The same for calls that keep state."""


_ON_DEVICE: set[type] = set()
"""The classes of arrays that JAX has computed, as they come: `isinstance` takes half a µs."""
_KINDS: WeakKeyDictionary[TensorType, set[object]] = WeakKeyDictionary()
"""What JAX says of arrays that were seen to be of a type: to ask each takes half a µs, too."""
_MANY_KINDS = 256


class JAXLinker(Linker):
    """Compiles a graph with `jax.jit`.

    64-bit dtypes stay what they are, whatever JAX's global setting. Results are awaited and
    come as NumPy arrays, which can't be written to where they are JAX's own memory. If all
    arguments are arrays of JAX, results are such as well, and need not be there yet. State
    stays on the device.

    JAX must know all lengths when it compiles. `dynamic` says what they may depend on:
    "auto", on anything; "static", on shapes and on the values of integer scalars and vectors
    among the inputs; "error", on shapes alone. What is not allowed is a DynamicShapeError
    when the function is made.

    `buckets` are lengths that are rounded up, by their names: with {"n": 64}, JAX compiles for
    lengths of 64, 128, ...; inputs are padded, and no result shows it. A function in which
    padding can't be kept from results is an error when it is made.

    In the body of a loop, such as `map`, lengths must not depend on values of the elements: that
    is a DynamicShapeInLoopError. With `dynamic_loops="host"`, Python runs such a loop, and JAX
    what is in it.

    An index that is out of range is an IndexError, as in Python; with `bounds="clip"` the first
    or last element takes its place. That spares each call a few µs, and lets JAX overwrite large
    state.

    To find errors: with `nan_guard`, a result that has NaN raises FloatingPointError, which
    names the first node that made one; with `disable_jit`, JAX runs operation by operation,
    so that debuggers stop inside the implementations of Ops.

    >>> import weft_tensor as wt
    >>> from weft_graph import Mode, function
    >>> n = wt.scalar("n", "int64")
    >>> f = function([n], wt.arange(n), mode=Mode(JAXLinker(dynamic="static")))
    >>> f(3), f.compile_stats.keys
    (array([0, 1, 2]), ((3,),))
    """

    name: ClassVar[str] = "jax"
    books: ClassVar[tuple[RuleBook, ...]] = (book,)
    omits: ClassVar[tuple[str, ...]] = ("lift_places",)  # XLA takes longer for numbers
    compiles_for_values: ClassVar[bool] = True
    runs_branches: ClassVar[bool] = True
    flushes_subnormals: ClassVar[bool] = True
    dynamic: Dynamic = "auto"
    bounds: Bounds = "check"
    buckets: Buckets = MappingProxyType({})
    dynamic_loops: DynamicLoops = "error"
    nan_guard: bool = False
    disable_jit: bool = False
    _names: Names = NO_NAMES

    def __init__(
        self,
        *,
        dynamic: Dynamic = "auto",
        bounds: Bounds = "check",
        buckets: Buckets | None = None,
        dynamic_loops: DynamicLoops = "error",
        nan_guard: bool = False,
        disable_jit: bool = False,
    ) -> None:
        if dynamic not in ("auto", "static", "error"):
            raise ValueError(f"dynamic must be 'auto', 'static' or 'error', not {dynamic!r}")
        if bounds not in ("check", "clip"):
            raise ValueError(f"bounds must be 'check' or 'clip', not {bounds!r}")
        if dynamic_loops not in ("error", "host"):
            raise ValueError(f"dynamic_loops must be 'error' or 'host', not {dynamic_loops!r}")
        if dynamic_loops == "host" and dynamic != "auto":
            raise ValueError(f"dynamic_loops='host' needs dynamic='auto', not {dynamic!r}")
        self.dynamic = dynamic
        self.dynamic_loops = dynamic_loops
        self.bounds = bounds
        for length, multiple in (buckets or {}).items():
            if multiple < 1:
                raise ValueError(f"buckets: {length!r} must have a multiple, not {multiple!r}")
        self.buckets = dict(buckets or {})
        self.nan_guard = nan_guard
        self.disable_jit = disable_jit

    def funcify(self, node: Variable) -> Run:
        """What `jax_funcify` gives."""
        return jax_funcify(node.op, node=node)

    def offers(self, function: CompiledFunction) -> Inspection:
        """Texts, costs, export: see `Inspection`."""
        return Inspection(function)

    def guard(self, variable: Variable, name: str, namespace: dict[str, Any]) -> str:
        """The type's own, of arrays of JAX, too: `filter` takes them two microseconds."""
        kind = variable.type
        if not isinstance(kind, TensorType):
            return super().guard(variable, name, namespace)
        namespace |= {"ndarray": np.ndarray, "on_device": _ON_DEVICE}
        namespace[f"kinds_{name}"] = _KINDS.setdefault(kind, set())
        on_host = f"type({name}) is ndarray and {kind.guard_of_array(name, namespace)}"
        return f"{on_host} or type({name}) in on_device and {name}.aval in kinds_{name}"

    def filter(self, variable: Variable, value: object) -> object:
        """`value` by the variable's type; arrays of JAX stay on their device."""
        kind = variable.type
        if not isinstance(value, jax.Array) or not isinstance(kind, TensorType):
            return super().filter(variable, value)
        if isinstance(value, jax.core.Tracer):
            raise TypeError("JAX is tracing this value: call `as_jax(f)` here, in place of `f`")
        if not fits(value, kind, value.dtype) or not np.can_cast(value.dtype, kind.dtype, "safe"):
            raise TypeError(f"expected {kind}, got an array of JAX: {shown(value)}")
        if value.dtype != kind.dtype:
            with enable_x64(True):
                return value.astype(kind.dtype)
        kinds = _KINDS.setdefault(kind, set())
        if len(kinds) == _MANY_KINDS:
            kinds.clear()
        kinds.add(value.aval)
        _ON_DEVICE.add(type(value))
        return value

    def recall(self, request: CompileRequest) -> CompiledGraph | None:
        """What was kept on disk of the same request: nothing is rewritten, traced or compiled."""
        kept = disk_cache.directory() is not None and self._keeps(request)
        return disk_recall.recall(self, request) if kept else None

    def _keeps(self, request: CompileRequest) -> bool:
        """Whether what runs `request` may be kept on disk."""
        return self._is_plain and not (self.nan_guard or request.updated)

    def linked(self, request: CompileRequest) -> CompiledGraph:
        """Results that JAX computes are finished as they come."""
        linker = self
        if names := names_of(request.written):
            linker = copy(self)
            linker._names = names
        graph = request.graph
        updated: tuple[Variable, ...] | None = None
        if request.updated and any(isinstance(v.op, Shared) for v in graph.inputs):
            updated = () if self.nan_guard else request.updated  # the guard wants the old state
        with without_collecting():
            compiled = linker.compiled(graph, updated)
        run = compiled.run
        usual = _finished if compiled.is_chain or self.buckets else None
        pairs = zip(graph.outputs, memory_of(graph), strict=True)
        own = _unshared if usual or compiled.keeps_state else _unless_jax
        finish = [_finisher(v, owner, usual, own) for v, owner in pairs]
        if compiled.keeps_state:
            run = _keeping_state(run, request, finish)
            finish = [None] * len(finish)
        if self.nan_guard:
            run = guarded(run, graph)
        if disk_cache.directory() is not None and self._keeps(request):
            disk_recall.remember(self, request, run, finish)
        program = CountedProgram(compiled.program, compiled.segments)
        return CompiledGraph(run, lambda: program, finish, self._error_translator(graph, compiled))

    def link(self, graph: FunctionGraph) -> tuple[Run, Program]:
        """What runs the segments of `graph`: a single one, as a rule."""
        compiled = self.compiled(graph)
        return compiled.run, compiled.program

    def compiled(self, graph: FunctionGraph, updated: Sequence[Variable] | None = None) -> Compiled:
        """What runs `graph`; if it `updated` state, that is kept where JAX computes it."""
        if self.dynamic_loops == "error" and not HOLDING.isdisjoint(graph.op_classes):
            graph = with_steady_slices(graph)
        if not self.buckets:
            return self._segments(lift_masks(graph), updated)
        plan = bucketed(expanded(graph, has_function), self.buckets)
        lifted = lift_masks(plan.graph)
        check_buckets(lifted, len(plan.names))
        compiled = self._segments(lifted)
        return compiled._replace(run=padding(compiled.run, plan, self.buckets))

    def _segments(
        self, graph: FunctionGraph, updated: Sequence[Variable] | None = None
    ) -> Compiled:
        if self.dynamic_loops == "host":
            graph = with_host_loops(graph, self._loop_body)
        graph = with_near_lengths(opened(graph))
        segments = segments_of(graph) if self.dynamic == "auto" else one_segment(graph)
        if is_cut(graph, segments):
            return chained(graph, segments, self._segment, self.bounds)
        return self._segment(graph, updated)

    def _loop_body(self, graph: FunctionGraph) -> Run:
        compiled = self._segments(lift_masks(graph))
        return with_translated_errors(compiled.run, self._error_translator(graph, compiled))

    def _error_translator(self, graph: FunctionGraph, compiled: Compiled) -> Callable[..., None]:
        """What improves errors of `graph`, as far as it is not done for each of its segments."""
        translate = error_translator(graph, self.bounds)
        if not compiled.is_chain:
            return translate

        def translate_indexing(error: Exception, *values: object) -> None:
            if type(error) is IndexError:  # a segment does not know what a mask is an index of
                translate(error, *values)

        return translate_indexing

    def _segment(self, graph: FunctionGraph, updated: Sequence[Variable] | None = None) -> Compiled:
        """The jitted function behind a host prologue, and the source that is traced."""
        plan = plan_for(graph)
        check_lengths(graph, plan, self.dynamic)
        is_plain = self._is_plain
        constants = passed_constants(plan.graph) if is_plain else []
        if constants:
            inputs = [*plan.graph.inputs, *constants]
            plan = plan._replace(graph=FunctionGraph(inputs, plan.graph.outputs))
        compiles = Compiles(self.name, len(graph.nodes), plan.sizes)
        tracer = Tracer(self.funcify, self._names, self.bounds, compiles, is_plain)
        traceable = with_final_transforms(joined(plan.graph))
        steps, program = tracer.program(plan._replace(graph=traceable))
        traced = tracer.traced(plan, steps)
        strategies: Sequence[Strategy] = ()
        if is_plain and updated is not None:
            strategies = _KEEPING_STRATEGIES
        elif is_plain:
            strategies = (with_speculation, with_near_results) if plan.sizes else _STRATEGIES
        call = Call(
            graph,
            plan,
            tracer,
            steps,
            traced,
            partial(self.jit, graph=graph, plan=plan),
            tuple(map(on_device, constants)),
            strategies,
            updated,
        )
        return Compiled(call.run(), program, (compiles,), keeps_state=updated is not None)

    @property
    def _is_plain(self) -> bool:
        """Whether `jax.jit` alone compiles, so that arguments may come in other forms, too."""
        return type(self).jit is JAXLinker.jit and not self.disable_jit

    def jit(self, function: Run, graph: FunctionGraph, plan: Plan) -> Run:
        """`function`, which takes the sizes of `plan`, then its arrays, compiled by JAX."""
        if self.disable_jit:
            return jax.disable_jit()(function)
        return Specialised(function, len(plan.sizes)) if plan.sizes else jax.jit(function)


def _finisher(v: Variable, owner: str, usual: Finish, own: Callable[[Any], Any]) -> Finish:
    """What makes of a result what users get: `usual` for arrays that nobody else has."""
    if not isinstance(v.type, TensorType):
        return v.type.finish if owner == "itself" else v.type.copy
    if owner == "inputs":
        return Unshared(own, usual or _as_it_is, v.type.may_share)
    return usual if owner == "itself" else own


def _unless_jax(value: object) -> object:
    """`value` as an array that nobody writes to, or in memory of its own."""
    return value if isinstance(value, jax.Array) else np.array(value)


def _as_it_is(value: object) -> object:
    return value


def _finished(value: object) -> object:
    return value if type(value) is np.ndarray and 0 not in value.strides else _unshared(value)


def _unshared(value: object) -> object:
    """`value` in memory of its own."""
    if not isinstance(value, jax.Array):
        return np.array(value)
    with enable_x64(True):
        return jnp.copy(value).block_until_ready()


def _keeping_state(on_device: Run, request: CompileRequest, finish: Sequence[Finish]) -> Run:
    """A function that leaves new values of shared variables where JAX computed them."""
    inputs = request.graph.inputs
    cells = {k: v.op.cell for k, v in enumerate(inputs) if isinstance(v.op, Shared)}
    count = len(inputs) - len(cells)
    width = len(finish) - len(request.updated)

    def run(*values: object) -> tuple[object, ...]:
        try:
            results = [
                r if finisher is None else finisher(r)
                for r, finisher in zip(on_device(*values), finish, strict=True)
            ]
            if any(type(value) is np.ndarray for value in values):
                for r in results:
                    if isinstance(r, jax.Array):
                        r.block_until_ready()
        except BaseException as error:
            for k, cell in cells.items():
                cell.give_back(values[k])
            if any(isinstance(value, jax.Array) and value.is_deleted() for value in values):
                error.add_note(why_state_is_gone(error))
            raise
        if not count or not all(isinstance(value, jax.Array) for value in values[:count]):
            results[:width] = map(on_host, results[:width])
        return tuple(results)

    return run
