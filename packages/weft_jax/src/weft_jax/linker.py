"""The JAX linker: one `jax.jit` per graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from types import MappingProxyType
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from weft_graph import FunctionGraph, RuleBook, Variable
from weft_graph.extend import (
    CompiledFunction,
    Linked,
    Linker,
    Program,
    Shared,
    Task,
    is_cut,
    may_share,
    without_collecting,
)
from weft_jax.analysis.buckets import Buckets, bucketed, check_buckets, padding
from weft_jax.analysis.mask_lifting import lift_masks
from weft_jax.analysis.segments import one_segment, opened, segments_of
from weft_jax.analysis.shape_policy import Dynamic, check_lengths
from weft_jax.analysis.static_values import Plan, plan_for, with_near_lengths
from weft_jax.compile.compile_stats import Compiles, Specialised
from weft_jax.compile.hoisted_constants import on_device, passed_constants
from weft_jax.compile.named_scopes import NO_NAMES, Names, names_of
from weft_jax.compile.tracing import Steps, program_of
from weft_jax.compile.xla_options import Telling
from weft_jax.interop.inspection import Inspection
from weft_jax.lowering.array_checks import fits, shown
from weft_jax.lowering.dispatch import jax_funcify
from weft_jax.lowering.on_host import on_host
from weft_jax.lowering.x64 import enable_x64, of_dtype
from weft_jax.ops.control.map import DynamicLoops, with_host_loops
from weft_jax.ops.indexing.index import book
from weft_jax.runtime.batched_call import Batched, may_batch
from weft_jax.runtime.donation import Donating, donated_state, why_state_is_gone
from weft_jax.runtime.entry import call_of
from weft_jax.runtime.error_location import rescued, rescuer
from weft_jax.runtime.nan_guard import guarded
from weft_jax.runtime.runtime_checks import Bounds, Flags, noting
from weft_jax.runtime.segment_chain import chained
from weft_jax.runtime.speculative_indices import Presuming, may_presume
from weft_tensor import TensorType

__all__ = ["JAXLinker"]


Finish = Callable[[Any], Any] | None


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

    def funcify(self, node: Variable) -> Callable[..., Any]:
        """What `jax_funcify` gives."""
        return jax_funcify(node.op, node=node)

    def offers(self, function: CompiledFunction) -> Inspection:
        """Texts, costs, export: see `Inspection`."""
        return Inspection(function)

    def filter(self, variable: Variable, value: Any) -> Any:
        """`value` by the variable's type; arrays of JAX stay on their device."""
        kind = variable.type
        if not isinstance(value, jax.Array) or not isinstance(kind, TensorType):
            return super().filter(variable, value)
        if isinstance(value, jax.core.Tracer):
            raise TypeError("JAX is tracing this value: call `as_jax(f)` here, in place of `f`")
        if not fits(value, kind, value.dtype) or not np.can_cast(value.dtype, kind.dtype, "safe"):
            raise TypeError(f"expected {kind}, got an array of JAX: {shown(value)}")
        with enable_x64(True):
            return value if value.dtype == kind.dtype else value.astype(kind.dtype)

    def linked(self, task: Task) -> Linked:
        """Results that JAX computes are finished as they come."""
        knowing = self
        if names := names_of(task.written):
            knowing = copy(self)
            knowing._names = names
        graph = task.graph
        with without_collecting():
            made = super(JAXLinker, knowing).linked(task)
        shared = may_share(graph)
        make_keeping = getattr(made.run, "keeping", None)
        usual = None if hasattr(made.run, "keeping") else _finished
        run = made.run
        finish = [_finisher(v, s, usual) for v, s in zip(graph.outputs, shared, strict=True)]
        if task.updated and make_keeping:
            donated = () if self.nan_guard else task.updated  # the guard wants the old state
            finish = [_finisher(v, s, None) for v, s in zip(graph.outputs, shared, strict=True)]
            run = _keeping_state(make_keeping(donated), task, finish)
            finish = [None] * len(shared)
        if self.nan_guard:
            run = guarded(run, graph)
        return Linked(run, lambda: made.program, finish, self._rescuer(graph, made.program))

    def link(self, graph: FunctionGraph) -> tuple[Callable[..., Any], Program]:
        """What runs the segments of `graph`: a single one, as a rule."""
        if not self.buckets:
            return self._linked(lift_masks(graph))
        plan = bucketed(graph, self.buckets)
        lifted = lift_masks(plan.graph)
        check_buckets(lifted, len(plan.names))
        run, program = self._linked(lifted)
        return padding(run, plan, self.buckets), program

    def _linked(self, graph: FunctionGraph) -> tuple[Callable[..., Any], Program]:
        if self.dynamic_loops == "host":
            graph = with_host_loops(graph, self._link_body)
        graph = with_near_lengths(opened(graph))
        segments = segments_of(graph) if self.dynamic == "auto" else one_segment(graph)
        if is_cut(graph, segments):
            return chained(graph, segments, self.link_segment, self.bounds)
        return self.link_segment(graph)

    def _link_body(self, graph: FunctionGraph) -> Callable[..., Any]:
        run, program = self._linked(lift_masks(graph))
        return rescued(run, self._rescuer(graph, program))

    def _rescuer(self, graph: FunctionGraph, program: Program) -> Callable[..., None]:
        """What improves errors of `graph`, as far as it is not done for each of its segments."""
        rescue = rescuer(graph, program, self.bounds)
        if isinstance(program, Steps):
            return rescue

        def rescue_indexing(error: Exception, *values: Any) -> None:
            if type(error) is IndexError:  # a segment does not know what a mask is an index of
                rescue(error, *values)

        return rescue_indexing

    def link_segment(self, graph: FunctionGraph) -> tuple[Callable[..., Any], Program]:
        """The jitted function behind a host prologue, and the source that is traced."""
        plan = plan_for(graph)
        check_lengths(graph, plan, self.dynamic)
        is_plain = self._is_plain
        constants = passed_constants(plan.graph) if is_plain else []
        if constants:
            traced = FunctionGraph([*plan.graph.inputs, *constants], plan.graph.outputs)
            plan = plan._replace(graph=traced)
        passed = tuple(map(on_device, constants))
        compiles = Compiles(self.name, len(graph.nodes), plan.sizes)
        program = program_of(plan, self.funcify, self._names)
        batched = None
        if is_plain and not plan.sizes and may_batch(plan.graph):
            batched = Batched(plan.graph, self.funcify, self._names, self.bounds, compiles)
        has_state = any(isinstance(v.op, Shared) for v in graph.inputs)

        def made(presumes: bool) -> Any:
            checked = self._checked(graph, program, compiles, presumes)
            jitted = self.jit(checked, graph, plan)
            small = checked if is_plain else None
            run: Any = call_of(graph, plan, jitted, passed, small, batched)

            def keeping(updated: Sequence[Variable]) -> Callable[..., Any]:
                state = donated_state(graph, plan, updated) if is_plain else {}
                step = Donating(checked, jitted, compiles, state) if state else jitted
                return call_of(graph, plan, step, passed, keep=True)

            run.keeping = keeping if has_state else None
            return run

        run = Presuming(made) if is_plain and may_presume(plan.graph) else made(False)
        told: Any = program
        told.segments = (compiles,)
        return run, program

    @property
    def _is_plain(self) -> bool:
        """Whether `jax.jit` alone compiles, so that arguments may come in other forms, too."""
        return type(self).jit is JAXLinker.jit and not self.disable_jit

    def _checked(
        self, graph: FunctionGraph, program: Steps, compiles: Compiles, presumes: bool
    ) -> Callable[..., Any]:
        """What JAX traces: the outputs of `graph`, and what the host is to check."""
        dtypes = [v.type.dtype if isinstance(v.type, TensorType) else None for v in graph.outputs]

        def checked(*values: Any) -> tuple[Any, ...]:
            on_cpu = self._is_plain and jax.default_backend() == "cpu"
            by_host = values[len(compiles.sizes) :] if on_cpu else ()
            checking = noting(program, self.bounds, by_host, presumes=presumes)
            with checking as checks, compiles.tracing(values):
                results = program.run(*[_as_jax(value) for value in values])
            outputs = tuple(
                r if dtype is None else of_dtype(r, dtype)
                for r, dtype in zip(results, dtypes, strict=True)
            )
            flags = Flags.of(checks)
            return outputs if flags is None else (*outputs, flags)

        return checked

    def jit(
        self, function: Callable[..., Any], graph: FunctionGraph, plan: Plan
    ) -> Callable[..., Any]:
        """`function`, which takes the sizes of `plan`, then its arrays, compiled by JAX."""
        if self.disable_jit:
            return jax.disable_jit()(function)
        return Specialised(function, len(plan.sizes)) if plan.sizes else Telling(function)


def _as_jax(value: Any) -> Any:
    """`value` as JAX has it, where it is not tracing."""
    return jnp.asarray(value) if isinstance(value, np.ndarray) else value


def _finisher(v: Variable, is_shared: bool, usual: Finish) -> Finish:
    """What makes of a result what users get: `usual` for arrays that nobody else has."""
    if isinstance(v.type, TensorType):
        return _unshared if is_shared else usual
    return v.type.copy if is_shared else v.type.finish


def _finished(value: Any) -> Any:
    return value if type(value) is np.ndarray and 0 not in value.strides else _unshared(value)


def _unshared(value: Any) -> Any:
    """`value` in memory of its own."""
    if not isinstance(value, jax.Array):
        return np.array(value)
    with enable_x64(True):
        return jnp.copy(value).block_until_ready()


def _keeping_state(
    on_device: Callable[..., Any], task: Task, finish: Sequence[Finish]
) -> Callable[..., Any]:
    """A function that leaves new values of shared variables where JAX computed them."""
    inputs = task.graph.inputs
    cells = {k: v.op.cell for k, v in enumerate(inputs) if isinstance(v.op, Shared)}
    given = len(inputs) - len(cells)
    returned = len(finish) - len(task.updated)

    def run(*values: Any) -> tuple[Any, ...]:
        try:
            results = [
                r if done is None else done(r)
                for r, done in zip(on_device(*values), finish, strict=True)
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
        if not given or not all(isinstance(value, jax.Array) for value in values[:given]):
            results[:returned] = map(on_host, results[:returned])
        return tuple(results)

    return run
