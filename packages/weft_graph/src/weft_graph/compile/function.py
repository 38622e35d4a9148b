"""Compiled functions: from expressions to a Python callable."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from sys import modules
from time import perf_counter
from typing import Any

from weft_graph.compile.arguments import (
    Replacements,
    Unused,
    as_dict,
    check_updates,
    check_used,
    parameters_of,
    static_inputs,
)
from weft_graph.compile.mode import Mode, as_mode, rewrite_graph, rewrite_lazily
from weft_graph.core.function_graph import FunctionGraph
from weft_graph.core.nodes import Variable
from weft_graph.core.pytree import NUMBERS, leaves
from weft_graph.core.source_location import Place, here
from weft_graph.core.toposort import toposort
from weft_graph.core.traversal import replace
from weft_graph.linking.compile_request import CompiledGraph, CompileRequest
from weft_graph.linking.compiled_function import Parameter
from weft_graph.linking.entry import entry
from weft_graph.linking.linker import Linker
from weft_graph.linking.program import load_source
from weft_graph.linking.python_linker import PythonLinker
from weft_graph.linking.usage_site import telling_uses
from weft_graph.observe.observers import (
    FunctionLog,
    StatsWanted,
    TraceWanted,
    VerifyWanted,
    observed,
)
from weft_graph.observe.profile import Profile, profile
from weft_graph.ops.doubts import tell_doubts
from weft_graph.ops.shared import Cell, Shared, get_value
from weft_graph.ops.static import Static
from weft_graph.pictures.late import page_part
from weft_graph.rewriting.watchers import Log, unwatched, watchers
from weft_graph.text.did_you_mean import no_such_name

__all__ = ["Function", "function"]


class Function:
    """A compiled graph, to be called with the values of its inputs, in order or by name.

    Made by `function`. It has no state of its own: many threads may call it at once. Calls
    that update shared variables take turns, so that each begins with what another left. It
    pickles as its rewritten graph, and is compiled again where it is loaded.
    """

    __slots__ = ("__call__", "__dict__", "__weakref__")

    __call__: Callable[..., Any]
    """The generated entry itself: nothing stands between a call and it."""

    def __init__(
        self,
        parameters: Sequence[Parameter],
        outputs: Any,
        updated: Sequence[Variable],
        request: CompileRequest,
        mode: Mode,
        log: Log,
        *,
        name: str | None = None,
        may_recall: bool = True,
        place: Place = (None, 0),
    ) -> None:
        self.name = name
        self.parameters = tuple(parameters)
        self.outputs = outputs
        self.updated = tuple(updated)
        self.mode = mode
        self.log = log
        """What compiling did, phase by phase, and what rules saved; a `Trace` if one was wanted."""
        self._request = request
        if isinstance(log, FunctionLog):
            log.again = request.again
        self._linked = self._found(may_recall)
        _check_state(self._linked, request.written, self.updated, mode.linker)
        self._linked.rescue = telling_uses(self._linked.rescue, request, place)
        shared = request.written.inputs[len(self.inputs) :]
        for v in updated:
            _cell(v).is_updated = True
        self.__call__ = entry(
            self.parameters,
            outputs,
            [_cell(v) for v in shared],
            [_cell(v) for v in updated],
            request.written,
            mode.linker,
            self._linked,
        )

    def _found(self, may_recall: bool) -> CompiledGraph:
        start = perf_counter()
        recalled = self.mode.linker.recall(self._request) if may_recall else None
        if recalled is not None:
            seconds = perf_counter() - start
            self.log.note(
                f"recall for {self.mode.linker.name}", seconds, len(self._request.written)
            )
            return recalled
        graph = self._request.graph
        start = perf_counter()
        result = self.mode.linker.linked(self._request)
        self.log.note(f"link for {self.mode.linker.name}", perf_counter() - start, len(graph))
        return result

    @property
    def graph(self) -> FunctionGraph:
        """The graph as it is computed, after rewriting."""
        with unwatched():
            return self._request.graph

    @property
    def written(self) -> FunctionGraph:
        """The graph as its user wrote it, before rewriting; not known of one that was pickled."""
        return self._request.written

    @property
    def inputs(self) -> tuple[Variable, ...]:
        """The variables whose values a call gives, in order."""
        return tuple([v for p in self.parameters for v in leaves(p.structure, p.name)])

    @property
    def results(self) -> tuple[Variable, ...]:
        """The variables whose values a call returns, in order."""
        return tuple(leaves(self.outputs, "outputs", NUMBERS))

    @property
    def source(self) -> str:
        """The Python source of the compiled graph."""
        return self._linked.program.source

    def profile(self, *args: Any, repeat: int = 10) -> Profile:
        """Where the time goes at a call with `args`: per step of what is compiled.

        Where the linker can't tell, per node by the Python implementations.
        """
        shared = self.graph.inputs[len(self.inputs) :]
        linker = self.mode.linker
        state = [linker.filter(v, get_value(v)) for v in shared]
        values = [*self._leaf_values(args), *state]
        timings = linker.timings(self.graph, values, repeat)
        return profile(self.graph, values, repeat) if timings is None else Profile(timings)

    def _leaf_values(self, args: Sequence[Any]) -> list[Any]:
        graph = FunctionGraph(self.inputs, self.inputs)
        linked = PythonLinker().linked(CompileRequest(graph, (), rewrite_graph))
        own = self.mode.linker
        probe = entry(self.parameters, list(self.inputs), [], [], graph, own, linked)
        return list(probe(*args))

    def __getattr__(self, name: str) -> Any:
        """What the linker offers of its functions, such as `lower_text` of those for JAX."""
        mode: Mode | None = self.__dict__.get("mode")
        extras = mode.linker.offers(self) if mode and not name.startswith("_") else None
        if extras is None or not hasattr(type(extras), name):
            owner = f"a function compiled for {mode.linker.name}" if mode else "a function"
            names = [*dir(type(self)), *dir(type(extras))]
            raise no_such_name(owner, name, {n: n for n in names if not n.startswith("_")})
        return getattr(extras, name)

    def __reduce__(self) -> tuple[object, ...]:
        log = Log(self.log.plain[:-1])
        state = (self.parameters, self.outputs, self.updated, self.graph, self.mode.linker, log)
        return _load, (*state, self.name)

    def __repr__(self) -> str:
        inputs = ", ".join(f"{v}: {v.type}" for v in self.inputs)
        nodes = f"{len(self.graph)} nodes, mode {self.mode.linker.name}"
        return f"<Function {self.name or ''}({inputs}), {nodes}>"

    def _repr_html_(self) -> str:
        return page_part(repr(self), self.graph)


def _load(
    parameters: Any,
    outputs: Any,
    updated: Any,
    graph: Any,
    linker: Linker,
    log: Any,
    name: str | None = None,
) -> Function:
    request = CompileRequest(graph, (), rewrite_graph, updated)
    return Function(parameters, outputs, updated, request, Mode(linker, books=[]), log, name=name)


def _check_state(
    linked: CompiledGraph, graph: FunctionGraph, updated: Sequence[Variable], linker: Linker
) -> None:
    """Have new values compared with the type of their variable, where theirs says less."""
    finish = list(linked.finish)
    for k, v in enumerate(updated, len(finish) - len(updated)):
        if graph.outputs[k].type is not v.type:
            finish[k] = _into_state(v, finish[k], linker)
    linked.finish = tuple(finish)


def _into_state(
    variable: Variable, finish: Callable[[Any], Any] | None, linker: Linker
) -> Callable[[Any], Any]:
    """What makes of a result the new value of a shared variable."""

    def convert(value: Any) -> Any:
        try:
            return linker.filter(variable, value)
        except (TypeError, ValueError) as error:
            origin = f", made at {variable.made_at}" if variable.made_at else ""
            raise type(error)(f"the new value of {variable!r}{origin}: {error}") from None

    namespace: dict[str, Any] = {"convert": convert, "finish": finish}
    value = "value" if finish is None else "finish(value)"
    guard = linker.guard(variable, "new", namespace)
    source = (
        f"def checked(value):\n    new = {value}\n    return new if {guard} else convert(new)\n"
    )
    return load_source("checked", source, namespace)


def _cell(variable: Variable) -> Cell:
    assert isinstance(variable.op, Shared)
    return variable.op.cell


def function(
    inputs: Sequence[Any] | Mapping[str, Any],
    outputs: Any = None,
    *,
    mode: Mode | Linker | str | None = None,
    updates: Replacements | None = None,
    givens: Replacements | None = None,
    name: str | None = None,
    on_unused_input: Unused = "ignore",
    allow_input_downcast: bool | None = None,
    trace: TraceWanted = False,
    verify: VerifyWanted = False,
    stats: StatsWanted = False,
) -> Function:
    """Compile `outputs` as a function of `inputs`.

    Parameters
    ----------
    inputs
        The parameters of the function: variables, `In(variable, value=default)`, or nested dicts,
        lists, tuples and dataclasses of variables. As a dict: parameters by name.
    outputs
        A variable, or a nested structure of variables: a call returns values in the same
        structure. None stands for itself.
    mode
        "py", "numba", "jax", or a `Mode`; by default numba if it is installed, else py.
    updates
        Shared variables, and the expressions whose values they get at the end of each call, as a
        dict or in pairs; a pair may be of two nested structures.
    givens
        Variables to replace by others before compiling, as a dict or in pairs.
    name
        What the function is called where it is shown.
    on_unused_input
        What to do if no output depends on an input: "ignore" it, "warn", or "raise".
    allow_input_downcast
        Whether values of other dtypes are converted to those of the inputs also where something is
        lost, as 2.7 for an integer; otherwise they are refused. Numbers of Python's are taken in
        the dtype of the input in either case, if they fit.
    trace, verify, stats
        Watch the rewriting: print or show every change, check that none changes a result,
        count what each rule does. See `rewrite_graph`.

    Raises
    ------
    MissingInputError
        if the outputs depend on an input that is not listed.
    ValueError
        for a mode that is unknown or whose package is not installed; for an unused input
        with `on_unused_input="raise"`; for two updates, or two givens, of one variable.
    TypeError
        for inputs or outputs that are no variables, updates of what is not shared, or an
        update of another type.

    Examples
    --------
    >>> from weft_graph import Op, Type
    >>> class Twice(Op):
    ...     def infer(self, x):
    ...         return x
    ...     def impl(self, x):
    ...         return x + x
    >>> word = Type()("word")
    >>> shout = function([word], {"twice": Twice()(word)}, mode="py")
    >>> shout("ha"), shout(word="ho")
    ({'twice': 'haha'}, {'twice': 'hoho'})
    """
    compiled, importing = _with_imports(mode)
    start = perf_counter()
    parameters = parameters_of(inputs, bool(allow_input_downcast))
    inputs_in_order = [v for p in parameters for v in leaves(p.structure, p.name)]
    results = leaves(outputs, "outputs", NUMBERS)
    updates, givens = as_dict("updates", updates or {}), as_dict("givens", givens or {})
    if updates:
        check_updates(updates)
    flat = [*results, *updates.values()]
    if givens:
        flat = replace(flat, givens, [v for v in inputs_in_order if v not in givens])
    shared = [v for v in toposort(flat, set(inputs_in_order)) if isinstance(v.op, Shared)]
    check_used(inputs_in_order, flat, on_unused_input)
    if compiled.linker.compiles_for_values and (static := static_inputs(inputs)):
        flat = replace(flat, {v: Static()(v) for v in static})
    graph = FunctionGraph(
        [*inputs_in_order, *(v for v in shared if v not in inputs_in_order)], flat
    )
    tell_doubts(graph.order, graph.outputs)
    seconds = perf_counter() - start
    is_watched = bool(watchers()) or not (trace is verify is stats is False)
    with observed(trace, verify, stats) as log:
        if importing:
            log.note("import", importing, 0)
        log.note("build", seconds, len(graph))
        books = [*compiled.books, *compiled.linker.books]
        rewrite = rewrite_lazily if compiled.linker.runs_branches else rewrite_graph
        request = CompileRequest(graph, books, rewrite, updates)
        return Function(
            parameters,
            outputs,
            list(updates),
            request,
            compiled,
            log,
            name=name,
            may_recall=not is_watched,
            place=here(2),
        )


def _with_imports(mode: Any) -> tuple[Mode, float]:
    """The mode, and for how many seconds what it needs was imported: 0.0 if it was there."""
    start, count = perf_counter(), len(modules)
    chosen_mode = as_mode(mode)
    return chosen_mode, perf_counter() - start if len(modules) > count else 0.0
