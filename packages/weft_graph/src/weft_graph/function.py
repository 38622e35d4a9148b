"""Compiled functions: from expressions to a Python callable."""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from weft_graph.graph import FunctionGraph
from weft_graph.linker import Linker, Names, identifier, load_source
from weft_graph.modes import Mode, as_mode, rewrite_graph
from weft_graph.nodes import Constant, Input, Variable
from weft_graph.traversal import replace

__all__ = ["Function", "function"]


class Function:
    """A compiled graph. It has no state: many threads may call it at once.

    Made by `function`. `graph` is the rewritten graph that runs, `source` the Python
    source that was generated for it.
    """

    def __init__(
        self,
        inputs: Sequence[Variable],
        outputs: Variable | Sequence[Variable],
        mode: Mode,
        graph: FunctionGraph,
    ) -> None:
        self.inputs = tuple(inputs)
        self.outputs = outputs
        self.mode = mode
        self.graph = graph
        self._run, self._program = mode.linker.link(graph)
        self._entry = _entry(self.inputs, outputs, graph, mode.linker, self._run)

    @property
    def source(self) -> str:
        """The Python source of the compiled graph."""
        return self._program.source

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The outputs for these values of the inputs, given in order or by name."""
        try:
            return self._entry(*args, **kwargs)
        except Exception as error:
            self.mode.linker.explain(error, self._program)
            raise

    def __repr__(self) -> str:
        inputs = ", ".join(f"{v}: {v.type}" for v in self.inputs)
        return f"<Function ({inputs}), {len(self.graph)} nodes, mode {self.mode.linker.name}>"


def function(
    inputs: Sequence[Variable],
    outputs: Variable | Sequence[Variable],
    *,
    mode: Mode | Linker | str | None = None,
    givens: Mapping[Variable, Variable] | None = None,
) -> Function:
    """Compile `outputs` as a function of `inputs`.

    Parameters
    ----------
    inputs
        The variables whose values a call gives, by position or by name.
    outputs
        One variable (the call returns its value) or several (it returns a list).
    mode
        "py", "numba", "jax", or a `Mode`; by default numba if it is installed, else py.
    givens
        Variables to replace by others before compiling.

    Raises
    ------
    MissingInputError
        if the outputs depend on an input that is not listed.
    ValueError
        for a mode that is unknown or whose package is not installed.

    Examples
    --------
    >>> from weft_graph import Op, Type
    >>> class Twice(Op):
    ...     def infer(self, x):
    ...         return x
    ...     def impl(self, x):
    ...         return x + x
    >>> word = Type()("word")
    >>> shout = function([word], Twice()(word), mode="py")
    >>> shout("ha"), shout(word="ho")
    ('haha', 'hoho')
    """
    _refuse_single(inputs)
    flat = [outputs] if isinstance(outputs, Variable) else list(outputs)
    for output in flat:
        if not isinstance(output, Variable):
            raise TypeError(f"output {output!r} is a {type(output).__name__}, not a Variable")
    if givens:
        flat = replace(flat, givens, [v for v in inputs if v not in givens])
    compiled = as_mode(mode)
    graph = rewrite_graph(FunctionGraph(inputs, flat), compiled.books)
    graph = rewrite_graph(graph, compiled.linker.books)
    return Function(inputs, outputs, compiled, graph)


def _refuse_single(inputs: object) -> None:
    if isinstance(inputs, Variable):
        raise TypeError(f"inputs must be a sequence: write function([{inputs}], ...)")


def _entry(
    inputs: Sequence[Variable],
    outputs: Variable | Sequence[Variable],
    graph: FunctionGraph,
    linker: Linker,
    run: Callable[..., Any],
) -> Callable[..., Any]:
    """The generated door: checks of the arguments, the call, and the outputs' last touch.

    Its own names begin with an underscore, which those of parameters never do.
    """
    names = Names()
    names.new("weft_call")
    namespace: dict[str, Any] = {"_run": run, "_disagree": _disagree}
    public = [names.new(identifier(v.name or "", f"x{i}")) for i, v in enumerate(inputs)]
    parameters = [f"_{p}" if hasattr(builtins, p) else p for p in public]
    lines = [f"def weft_call({', '.join(public)}):"]
    if parameters != public:  # a parameter called `type` would hide what guards call
        lines.append(f"    return _checked({', '.join(public)})")
        lines.append(f"def _checked({', '.join(parameters)}):")
    symbols: dict[str, list[tuple[str, str]]] = {}
    for parameter, v in zip(parameters, inputs, strict=True):
        check = f"_check_{parameter}"
        namespace[check] = _checker(linker, v)
        guard = v.type.guard(parameter, namespace)
        lines.append(f"    if not ({guard}): {parameter} = {check}({parameter})")
        for symbol, place in v.type.symbols(parameter):
            symbols.setdefault(symbol, []).append((parameter, place))
    lines += _agreement(symbols)
    results = [f"_r{i}" for i in range(len(graph.outputs))]
    call = f"_run({', '.join(parameters)})"
    lines.append(f"    {''.join(r + ', ' for r in results)} = {call}" if results else f"    {call}")
    finished = []
    for result, v, shared in zip(results, graph.outputs, _may_share(graph), strict=True):
        finish = f"_finish{result}"
        namespace[finish] = v.type.copy if shared else v.type.finish
        finished.append(f"{finish}({result})")
    single = isinstance(outputs, Variable)
    lines.append(f"    return {finished[0] if single else '[' + ', '.join(finished) + ']'}")
    return load_source("weft_call", "\n".join(lines) + "\n", namespace)


def _checker(linker: Linker, variable: Variable) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        try:
            return linker.filter(variable, value)
        except (TypeError, ValueError) as error:
            made = f", made at {variable.made_at}" if variable.made_at else ""
            if type(error) not in (TypeError, ValueError):  # it may need other arguments
                error.add_note(f"input {variable!r}{made}")
                raise
            raise type(error)(f"input {variable!r}{made}: {error}") from None

    return check


def _agreement(symbols: Mapping[str, list[tuple[str, str]]]) -> list[str]:
    """Statements that compare what has equal symbols; `2*n` is compared if `n` is known."""
    plain = {s: places[0][1] for s, places in symbols.items() if s.isidentifier()}
    lines = []
    for symbol, places in symbols.items():
        words = re.findall(r"[^\W\d]\w*", symbol)
        if not all(word in plain for word in words):
            expected, compared = places[0][1], places[1:]
        elif symbol in plain:
            expected, compared = plain[symbol], places[1:]
        else:
            expected = re.sub(r"[^\W\d]\w*", lambda m: f"({plain[m[0]]})", symbol)
            compared = places
        if compared:
            checks = " and ".join(f"{expected} == {place}" for _, place in compared)
            found = ", ".join(f"({p!r}, {place})" for p, place in places)
            lines.append(f"    if not ({checks}): _disagree({symbol!r}, {expected}, [{found}])")
    return lines


def _disagree(symbol: str, expected: int, found: Sequence[tuple[str, int]]) -> None:
    given = ", ".join(f"{length} in {name}" for name, length in found)
    raise ValueError(
        f"the dimension {symbol!r} must have one length everywhere ({expected}), but it is {given}"
    )


def _may_share(graph: FunctionGraph) -> list[bool]:
    """For every output, whether its memory may be that of an input, constant or other output."""
    taken: set[Variable] = set()
    result = []
    for output in graph.outputs:
        roots, todo = set(), [output]
        while todo:
            v = todo.pop()
            if v in graph.inputs or not v.op.view_of:
                roots.add(v)
            else:
                todo.extend(v.inputs[i] for i in v.op.view_of)
        outside = any(v in graph.inputs or isinstance(v.op, (Constant, Input)) for v in roots)
        result.append(outside or bool(roots & taken))
        taken |= roots
    return result
