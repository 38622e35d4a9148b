"""What rewriting does to an expression, in words; and why a rule leaves it alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import TextIO

from weft_graph.compile.function import Function
from weft_graph.compile.mode import Mode, as_mode, rewrite_graph
from weft_graph.core.constant import Constant
from weft_graph.core.function_graph import FunctionGraph, Graph, as_graph
from weft_graph.core.nodes import Input, Op, Variable
from weft_graph.linking.linker import Linker
from weft_graph.observe.savings import Savings
from weft_graph.observe.trace import Change, Trace, TracedPhase
from weft_graph.rewriting.mismatch import kind_text, mismatch
from weft_graph.rewriting.rule import Rule
from weft_graph.rewriting.rulebook import RuleBook
from weft_graph.text.dprint import text_of
from weft_graph.text.one_line import phrase

__all__ = ["explain"]

_SHOWN = 3
_NAMED = 5
"""Of those that saved, at most so many are named."""


def explain(
    expression: Graph,
    mode: Mode | Linker | str | None = None,
    *,
    rule: str | None = None,
    file: TextIO | None = None,
) -> None:
    """Print what the rules of `mode` make of `expression`, what they save, and what is left of it.

    What is saved is estimated: one is a sum of two numbers, and lengths that nobody knows are 100.

    Parameters
    ----------
    expression
        A variable, several, a graph, or a compiled function: what it was made from.
    mode
        As for `function`; by default that of a compiled function.
    rule
        The name of a rule: print where it applies or, if nowhere, why not.
    file
        Where to print to, instead of the standard output.

    Raises
    ------
    ValueError
        if `mode` has no rule of that name.

    Examples
    --------
    >>> from weft_graph import Op, Rule, RuleBook, Type, wildcard
    >>> class Invert(Op):
    ...     def infer(self, x):
    ...         return x
    >>> a, x = wildcard("a"), Type()("x")
    >>> book = RuleBook("logic", [Rule(Invert()(Invert()(a)), a, name="double inversion")])
    >>> explain(Invert()(Invert()(Invert()(x))), Mode("py", books=[book]))
    Invert(Invert(Invert(x))): 3 nodes
    logic: double inversion makes x of Invert(Invert(x))
    Of a cost of 3, 1 is left: double inversion saves 2.
    In the end, 1 node:
    Invert [a]
     └─ x [b]
    >>> explain(Invert()(x), Mode("py", books=[book]), rule="double inversion")
    double inversion does not apply in logic.
      Invert(x): argument 1 of Invert should be made by Invert, and is x
    """
    if isinstance(expression, Function):
        graph, compiled = expression.written, as_mode(mode or expression.mode)
    else:
        graph, compiled = as_graph(expression), as_mode(mode)
    books = [*compiled.books, *compiled.linker.books]
    of_rule = None if rule is None else _rules(books, rule)
    trace = Trace()
    result = rewrite_graph(graph, books, trace=trace)
    lines = _story(graph, trace, result) if of_rule is None else _reasons(trace, of_rule, books)
    print("\n".join(lines), file=file or sys.stdout)


def _story(graph: FunctionGraph, trace: Trace, result: FunctionGraph) -> Iterator[str]:
    yield f"{', '.join(map(phrase, graph.outputs))}: {_nodes(graph)}"
    for phase in trace.traced:
        for change in phase.changes:
            yield f"{phase.name}: {_deed(change)}"
        if not phase.changes and not phase.is_idle:
            yield f"{phase.name}: {_nodes(phase.before)} become {_nodes(phase.after)}"
    idle = dict.fromkeys(phase.name for phase in trace.traced if phase.is_idle)
    if idle:
        yield f"Nothing to do for {', '.join(idle)}."
    savings = trace.savings
    if savings.before != savings.after:
        yield f"Of a cost of {savings.before:.4g}, {savings.after:.4g} is left: {_parts(savings)}."
    yield f"In the end, {_nodes(result)}:"
    yield text_of(result)


def _nodes(graph: FunctionGraph) -> str:
    return f"{len(graph)} node{'s' * (len(graph) != 1)}"


def _deed(change: Change) -> str:
    return f"{change.rule.name} makes {phrase(change.after)} of {phrase(change.before)}"


def _parts(savings: Savings) -> str:
    """Who saved most, and who spent."""
    savers = [s for s in savings if s.cost]
    parts = [
        f"{s.name} {'saves' if s.cost > 0 else 'adds'} {abs(s.cost):.4g}" for s in savers[:_NAMED]
    ]
    return ", ".join([*parts, "..."] if len(savers) > _NAMED else parts)


def _rules(books: Sequence[object], name: str) -> list[Rule]:
    names = {r.name: None for book in books if isinstance(book, RuleBook) for r in book}
    matches = [r for book in books if isinstance(book, RuleBook) for r in book if r.name == name]
    if not matches:
        near = get_close_matches(name, names, 3)
        hint = f"; is it {' or '.join(map(repr, near))}?" if near else ""
        raise ValueError(f"no rule of this mode is called {name!r}{hint}")
    return list(dict.fromkeys(matches))


def _reasons(trace: Trace, rules: Sequence[Rule], books: Sequence[object]) -> Iterator[str]:
    """Where rules apply, in every phase that has them; why they do not, in the others."""
    name = rules[0].name
    holding = {b.name: set(b) for b in books if isinstance(b, RuleBook) and set(rules) & set(b)}
    for position, phase in enumerate(trace.traced):
        if phase.name not in holding:
            continue
        changes = [change for change in phase.changes if change.rule in rules]
        if changes:
            yield f"{name} applies in {phase.name}."
            yield from (f"  It makes {phrase(c.after)} of {phrase(c.before)}" for c in changes)
            continue
        yield f"{name} does not apply in {phase.name}."
        for rule in rules:
            if rule in holding[phase.name]:
                yield from _obstacles(rule, trace.traced[: position + 1])


def _obstacles(rule: Rule, phases: Sequence[TracedPhase]) -> Iterator[str]:
    """What keeps `rule` from applying in the last of these phases."""
    phase = phases[-1]
    places = [v for change in phase.changes for v in (change.before, change.after)]
    nodes = dict.fromkeys([*places, *phase.after.order, *phase.before.order])
    fitting = [v for v in nodes if _is_of(v, rule)]
    steps = {change.before: change for change in phase.changes}
    obstacles = []
    for v in fitting:
        why = mismatch(rule, v)
        if why is not None:
            obstacles.append((why.fitting, f"  {phrase(v)}: {why.text}"))
        elif v in steps:
            obstacles.append(
                (1000, f"  {phrase(v)}: it fits, but is tried later: {_deed(steps[v])}")
            )
        elif any(i in steps for i in v.inputs):
            obstacles.append(
                (999, f"  {phrase(v)}: it fits, but its arguments are rewritten first")
            )
    obstacles.sort(key=lambda scored: -scored[0])
    yield from dict.fromkeys(text for _, text in obstacles[:_SHOWN])
    if len(obstacles) > _SHOWN:
        yield f"  ... and {len(obstacles) - _SHOWN} more that fit less"
    if not fitting:
        yield f"  There is no {kind_text(rule.root)}."
        yield from _lost(rule, phases)


def _lost(rule: Rule, phases: Sequence[TracedPhase]) -> Iterator[str]:
    """Which rules made something else of what this one is for, in earlier phases."""
    lost = [
        f"  There was one: in {phase.name}, {_deed(change)}"
        for phase in phases
        for change in phase.changes
        if _is_of(change.before, rule)
    ]
    yield from lost[:_SHOWN]


def _is_of(v: Variable, rule: Rule) -> bool:
    root = rule.root
    if isinstance(v.op, (Input, Constant)):
        return False
    return v.op is root if isinstance(root, Op) else isinstance(v.op, root)
