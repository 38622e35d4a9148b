"""The generated entry of a compiled function: checks of the arguments, the call, the results."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any, Final

from weft_graph.core.function_graph import FunctionGraph
from weft_graph.core.nodes import Variable
from weft_graph.core.protocols import shortened
from weft_graph.core.pytree import assembly, described, leaves, unpacking
from weft_graph.linking.compile_request import CompiledGraph, Unshared
from weft_graph.linking.compiled_function import Parameter
from weft_graph.linking.linker import Linker
from weft_graph.linking.program import Names, identifier, load_common
from weft_graph.ops.shared import TAKEN, Cell, begin_to_read, end_reading, release, take_turn

__all__ = ["agreement", "call_under", "entry"]


_SHOWN: Final = 7
"""How many parameters are named in errors about arguments."""


def entry(
    parameters: Sequence[Parameter],
    outputs: Any,
    cells: Sequence[Cell],
    updated: Sequence[Cell],
    graph: FunctionGraph,
    linker: Linker,
    linked: CompiledGraph,
) -> Callable[..., Any]:
    """The function that users call.

    The inputs of `graph` are the leaves of the parameters, then what is in `cells`; its
    outputs are the leaves of `outputs`, then the new contents of the cells `updated`: if
    there are any, the call takes its turn at them, and at what it reads. Names that begin
    with an underscore are the door's own: parameters have none.
    """
    namespace: dict[str, Any] = {
        "_run": linked.run,
        "_others": linked.others,
        "_arranged": linked.arranged,
        "_rescue": linked.rescue,
    }
    public = _public_names(parameters)
    hidden = [f"_{name}" if hasattr(builtins, name) else name for name in public]
    lines = [f"def weft_call({_signature(public, parameters, namespace)}):"]
    if hidden != public:  # a parameter called `type` would hide what guards call
        lines.append(f"    return _checked({', '.join(public)})")
        lines.append(f"def _checked({', '.join(hidden)}):")
    places: list[str] = []
    lossy: set[str] = set()
    for name, parameter in zip(hidden, parameters, strict=True):
        own = leaves(parameter.structure, parameter.name)
        single = isinstance(parameter.structure, Variable)
        texts = [name] if single else [f"_leaf{len(places) + k}" for k in range(len(own))]
        unpacked = unpacking(parameter.structure, name, parameter.name, iter(texts), namespace)
        lines += ["    " + line for line in unpacked]
        places += texts
        lossy |= {*texts} if parameter.may_lose else set()
    unpacking_ends = len(lines)
    for k, cell in enumerate(cells):  # another backend may have left a value of its own kind
        namespace[f"_cell{k}"] = cell
        lines.append(f"    _shared{k} = _cell{k}.value")
        places.append(f"_shared{k}")
    others = _arrangements(places, graph, linker, linked)
    lines += _checks(places, graph, linker, others, lossy, namespace)
    results = [f"_r{k}" for k in range(len(graph.outputs))]
    call = call_under(linked.conditions, places, "_run", "_others")
    if any(others):
        call = f"_arranged({', '.join(places)}) if _is_other else {call}"
    lines += [
        "    try:",
        f"        {''.join([r + ', ' for r in results])} = {call}"
        if results
        else f"        {call}",
        "    except Exception as _error:",
        f"        _rescue({', '.join(['_error', *places])})",
        "        raise",
    ]
    finished = []
    for result, finish in zip(results, linked.finish, strict=True):
        if finish is not None:
            namespace[f"_finish{result}"] = finish
        arguments = ", ".join([result, *(places if isinstance(finish, Unshared) else ())])
        finished.append(result if finish is None else f"_finish{result}({arguments})")
    count = len(results) - len(updated)
    for k, (cell, value) in enumerate(zip(updated, finished[count:], strict=True)):
        namespace[f"_updated{k}"] = cell
        lines.append(f"    _new{k} = {value}")
    lines.append(f"    _result = {assembly(outputs, iter(finished[:count]), namespace)}")
    lines += [f"    _updated{k}.value = _new{k}" for k in range(len(updated))]
    lines.append("    return _result")
    if updated:
        lines[unpacking_ends:] = _in_turn(lines[unpacking_ends:], cells, updated, namespace)
    elif cells:
        lines[unpacking_ends:] = _reading(lines[unpacking_ends:], cells, namespace)
    function = load_common("weft_call", "\n".join(lines) + "\n", namespace)
    function.__qualname__ = _as_called(public, parameters)
    return function


def _as_called(names: Sequence[str], parameters: Sequence[Parameter]) -> str:
    """What Python calls the function in its errors about arguments: what its user has written."""
    texts = [
        f"{name}: {described(p.structure)}" + "".join(f" = {shortened.repr(d)}" for d in p.default)
        for name, p in zip(names, parameters[:_SHOWN], strict=False)
    ]
    more = ["..."] if len(parameters) > _SHOWN else []
    return f"function([{', '.join(texts + more)}], ...)"


def _in_turn(
    lines: list[str], cells: Sequence[Cell], updated: Sequence[Cell], namespace: dict[str, Any]
) -> list[str]:
    """`lines` as what is done while no other call changes what is in these cells.

    Where they fail, what they have taken is given back.
    """
    namespace["_turn"] = sorted({*cells, *updated}, key=lambda cell: cell.number)
    namespace |= {"_take_turn": take_turn, "_release": release}
    if cells:
        indented = ["    " + line for line in lines[len(cells) :]]
        back = [f"        _cell{k}.give_back(_shared{k})" for k in range(len(cells))]
        failing = ["    except BaseException:", *back, "        raise"]
        lines = [*lines[: len(cells)], "    try:", *indented, *failing]
    return _framed("_held = _take_turn(_turn)", lines, "_release(_held)")


def _reading(lines: list[str], cells: Sequence[Cell], namespace: dict[str, Any]) -> list[str]:
    """`lines` as what is done while nobody overwrites what is in `cells`."""
    namespace["_cells"] = cells
    namespace |= {"_begin": begin_to_read, "_end": end_reading, "_TAKEN": TAKEN}
    settled = [
        f"    if _shared{k} is _TAKEN: _shared{k} = _cell{k}.settled()" for k in range(len(cells))
    ]
    may_be_taken = " or ".join(f"_cell{k}.is_overwritten" for k in range(len(cells)))
    return _framed(
        f"_reader = _begin(_cells) if {may_be_taken} else None",
        [*lines[: len(cells)], *settled, *lines[len(cells) :]],
        "if _reader is not None: _end(_reader, _cells)",
    )


def _framed(before: str, lines: Sequence[str], after: str) -> list[str]:
    indented = ["    " + line for line in lines]
    return [f"    {before}", "    try:", *indented, "    finally:", f"        {after}"]


def call_under(conditions: Sequence[str], places: Sequence[str], run: str, others: str) -> str:
    """The call of `run` with the values in these places, or of `others` if a condition fails.

    >>> call_under(["{0}.shape[0] == {1}.shape[0]"], ["a", "b"], "run", "others")
    '(run if a.shape[0] == b.shape[0] else others)(a, b)'
    """
    arguments = ", ".join(places)
    if not conditions:
        return f"{run}({arguments})"
    test = " and ".join(conditions).format(*places)
    return f"({run} if {test} else {others})({arguments})"


def _public_names(parameters: Sequence[Parameter]) -> list[str]:
    names = Names()
    names.new("weft_call")
    return [names.new(identifier(p.name, f"x{k}")) for k, p in enumerate(parameters)]


def _signature(
    names: Sequence[str], parameters: Sequence[Parameter], namespace: dict[str, Any]
) -> str:
    parts = []
    for name, parameter in zip(names, parameters, strict=True):
        if parameter.default:
            namespace[f"_default_{name}"] = parameter.default[0]
            parts.append(f"{name}=_default_{name}")
        else:
            parts.append(name)
    return ", ".join(parts)


def _arrangements(
    places: Sequence[str], graph: FunctionGraph, linker: Linker, linked: CompiledGraph
) -> list[str]:
    """For every input, when its value is for `linked.arranged` alone; empty if it never is."""
    if linked.arranged is None:
        return [""] * len(graph.inputs)
    return [linker.arranges(v, place) for v, place in zip(graph.inputs, places, strict=True)]


def _checks(
    places: Sequence[str],
    graph: FunctionGraph,
    linker: Linker,
    others: Sequence[str],
    lossy: Set[str],
    namespace: dict[str, Any],
) -> list[str]:
    """Statements that let exact values pass, filter others, and compare named lengths.

    `_is_other` becomes true if one of `others` is. Values at `lossy` places are narrowed first.
    """
    lines = ["    _is_other = False"] if any(others) else []
    for place, v, other in zip(places, graph.inputs, others, strict=True):
        check = f"_check_{place}"
        guard = linker.guard(v, place, namespace)
        filtered = linker.admit if other else linker.filter
        namespace[check] = _checker(_narrowed(filtered) if place in lossy else filtered, v)
        lines.append(f"    if not ({guard}):")
        quick = "" if place in lossy else v.type.shortcut(place, namespace)
        lines.append(f"        {place} = {quick}{check}({place})")
        if other:
            lines.append(f"        _is_other = _is_other or {other}")
    return lines + agreement(zip(graph.inputs, places, strict=False), namespace)


def _narrowed(filtered: Callable[[Variable, Any], Any]) -> Callable[[Variable, Any], Any]:
    return lambda variable, value: filtered(variable, variable.type.narrowed(value))


def _checker(filtered: Callable[[Variable, Any], Any], variable: Variable) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        try:
            return filtered(variable, value)
        except (TypeError, ValueError) as error:
            origin = f", made at {variable.made_at}" if variable.made_at else ""
            if type(error) not in (TypeError, ValueError):  # it may need other arguments
                error.add_note(f"input {variable!r}{origin}")
                raise
            raise type(error)(f"input {variable!r}{origin}: {error}") from None

    return check


def agreement(arguments: Iterable[tuple[Variable, str]], namespace: dict[str, Any]) -> list[str]:
    """Statements that compare lengths of equal symbols; `2*n` is compared if `n` is known.

    >>> from weft_graph import Type
    >>> agreement([(Type()("x"), "x0")], {})
    []
    """
    symbols: dict[str, list[tuple[str, str, str]]] = {}
    for v, place in arguments:
        for symbol, length in v.type.symbols(place):
            symbols.setdefault(symbol, []).append((v.name or place, place, length))
    if not symbols:
        return []
    namespace["_disagree"] = _disagree
    plain = {s: places[0][2] for s, places in symbols.items() if s.isidentifier()}
    lines = []
    for symbol, places in symbols.items():
        expression = None if symbol in plain else _computed(symbol, plain)
        reference, compared = (expression, places) if expression else (places[0][2], places[1:])
        if compared:
            checks = " and ".join(f"{reference} == {length}" for _, _, length in compared)
            pairs = ", ".join(f"({name!r}, {length})" for name, _, length in places)
            lines.append(f"    if not ({checks}): _disagree({symbol!r}, {reference}, [{pairs}])")
    return lines


def _computed(symbol: str, lengths: Mapping[str, str]) -> str | None:
    """The length that an expression over `lengths` says, as source; None if it is none.

    >>> _computed("2*n + m", {"n": "x.shape[0]", "m": "y.shape[1]"}), _computed("2*n", {})
    ('2 * (x.shape[0]) + (y.shape[1])', None)
    """
    try:
        expression = ast.parse(symbol, mode="eval")
    except SyntaxError:  # a Type may call a length as it likes
        return None
    for node in ast.walk(expression):
        if isinstance(node, ast.Name):
            if node.id not in lengths:
                return None
            node.id = f"({lengths[node.id]})"
    return ast.unparse(expression)


def _disagree(symbol: str, n: int, lengths: Sequence[tuple[str, int]]) -> None:
    places = ", ".join(f"{length} in {name}" for name, length in lengths)
    raise ValueError(
        f"the dimension {symbol!r} must have one length everywhere ({n}), but it is {places}"
    )
