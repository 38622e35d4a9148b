"""The driver that brings graphs to the normal form of a book."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from operator import attrgetter, is_
from time import perf_counter
from typing import Any, TypeVar, overload

from weft_graph.core.function_graph import FunctionGraph
from weft_graph.core.nodes import Op, Variable
from weft_graph.core.source_location import standing
from weft_graph.core.toposort import toposort
from weft_graph.core.traversal import remade, renewed
from weft_graph.rewriting.rule import Kind, RewriteError, Rule, name_attempt
from weft_graph.rewriting.rulebook import RuleBook, name_of
from weft_graph.rewriting.watchers import Watcher, watched, watchers

__all__ = ["Pass", "Step", "applied", "normalise", "rewrite"]

_HITS_PER_NODE = 50
V = TypeVar("V", bound=Variable)

Pass = Callable[[FunctionGraph], FunctionGraph]
"""What a rule can't do: a change of a graph as a whole."""

Found = tuple[Variable, Rule]
Step = Callable[[Variable], Found | None]
"""What a node whose inputs are in normal form becomes, and by which rule."""


@overload
def rewrite(outputs: V, book: RuleBook, memo: dict[Variable, Variable] | None = None) -> V: ...
@overload
def rewrite(
    outputs: Sequence[V], book: RuleBook, memo: dict[Variable, Variable] | None = None
) -> list[V]: ...
def rewrite(outputs: Any, book: RuleBook, memo: dict[Variable, Variable] | None = None) -> Any:
    """`outputs`, one or several, in the normal form of `book`, bottom up.

    Each distinct node is looked at once.
    `memo` is filled with the normal form of every variable met; given again (with the same
    book), it saves the work done before. Without one, what rules and passes ask for is kept while
    books and passes are applied: they ask again and again for what lengths come from. Raises
    RewriteError, with the rule's name, if a rule changes a type or rules go round without end.
    """
    if isinstance(outputs, Variable):
        return rewrite([outputs], book, memo)[0]
    memory, choice = _asked.of(book) if memo is None else (memo, _Choice(book, memo.values()))

    def brought(outputs: Sequence[Variable], listening: Sequence[Watcher]) -> list[Variable]:
        order = toposort(outputs, memory)
        choice.see(map(_OP, order))
        return normalise(outputs, _step(choice, listening), memory, book.name, order)

    def change(graph: FunctionGraph, listening: Sequence[Watcher]) -> FunctionGraph:
        return graph.with_outputs(brought(graph.outputs, listening))

    if watchers():
        return list(watched(FunctionGraph(outputs=outputs), book.name, change).outputs)
    if all(map(memory.__contains__, outputs)):
        return list(map(memory.__getitem__, outputs))
    return brought(outputs, ())


Settled = dict[RuleBook, frozenset[Variable]]
"""For books that were applied, variables that are in their normal form."""


class _Choice:
    """The rules of `book` to try: none that needs an Op which was not met.

    Met are those of `variables`, and those of nodes that there was a step for. Where it stands in
    `settled` that a book within `book` can change nothing, that one's rules are not tried.
    """

    __slots__ = ("_book", "_has", "_rest", "all", "beyond", "met", "parts")

    def __init__(
        self, book: RuleBook, variables: Iterable[Variable], settled: Settled | None = None
    ) -> None:
        self._book = self._rest = book
        self.parts: frozenset[Variable] = frozenset()
        part = next(filter(settled.__contains__, book.parts), None) if settled else None
        if settled and isinstance(part, RuleBook):
            self.parts, self._rest = settled[part], book.beyond(part)
        self.met: set[Op] = set()
        self._has: frozenset[Kind] | None = None
        self.see(map(_OP, variables))

    def see(self, ops: Iterable[Op]) -> None:
        """Rules that need these Ops are tried from now on."""
        new = set(ops)
        self.met |= new
        known = self._book.needed.intersection(chain(new, *map(_BASES, set(map(type, new)))))
        if self._has is None or not known <= self._has:
            self._has = known | (self._has or frozenset())
            self.all = self._book.among(self._has)
            self.beyond = self._rest.among(self._has) if self.parts else self.all


_OP, _BASES = attrgetter("op"), attrgetter("__mro__")


class _Asked(threading.local):
    """The normal forms that were asked for while books and passes are applied, by book."""

    by_book: dict[RuleBook, tuple[dict[Variable, Variable], _Choice]] | None = None

    def of(self, book: RuleBook) -> tuple[dict[Variable, Variable], _Choice]:
        known = None if self.by_book is None else self.by_book.get(book)
        if known is None:
            known = {}, _Choice(book, ())
            if self.by_book is not None:
                self.by_book[book] = known
        return known


_asked = _Asked()


def applied(graph: FunctionGraph, books: Iterable[RuleBook | Pass]) -> FunctionGraph:
    """`graph`, of which no input is a result, after books and passes, of which watchers are told.

    What errors of a pass are about is noted on them.
    """
    settled: Settled = {}
    outer, _asked.by_book = _asked.by_book, {}
    try:
        for book in books:
            if isinstance(book, RuleBook):
                graph = watched(graph, book.name, partial(_rewritten, book, settled))
            else:
                name: str = book.__name__
                graph = watched(graph, name, partial(_passed, book))
    finally:
        _asked.by_book = outer
    return graph


def _passed(apply_pass: Pass, graph: FunctionGraph, listening: Sequence[Watcher]) -> FunctionGraph:
    """`graph` after a pass, which errors name; it makes no attempts to listen to."""
    try:
        result: object = apply_pass(graph)
        if not isinstance(result, FunctionGraph):
            name = name_of(apply_pass)
            raise TypeError(f"the pass {name} must return a FunctionGraph, not {result!r}")
    except Exception as error:
        error.add_note(f"while the pass {name_of(apply_pass)} changed the graph")
        raise
    return result


def _rewritten(
    book: RuleBook, settled: Settled, graph: FunctionGraph, listening: Sequence[Watcher]
) -> FunctionGraph:
    """`graph` in the normal form of `book`.

    Where it stands in `settled` that a book within `book` can change nothing, that is not
    tried, unless somebody listens. What is in normal form now is added.
    """
    step = _step(_Choice(book, graph.order, settled), listening)
    result = graph.with_outputs(normalise(graph.outputs, step, {}, book.name, graph.order))
    settled[book] = frozenset(result.order)
    return result


def _step(choice: _Choice, listening: Sequence[Watcher]) -> Step:
    if listening:
        return _watched_step(choice, listening)
    met, parts = choice.met, choice.parts

    def step(node: Variable) -> Found | None:
        if node.op not in met:
            choice.see((node.op,))
        rules = choice.beyond(node) if node in parts else choice.all(node)
        if not rules:
            return None
        standing.place = node.place  # errors point where it was made
        try:
            for r in rules:
                new = r.attempt(node)
                if new is not None and new is not node:
                    _check(r, node, new)
                    return new, r
        except Exception as error:
            name_attempt(error, r, node)
            raise
        return None

    return step


def _watched_step(choice: _Choice, watching: Sequence[Watcher]) -> Step:
    def step(node: Variable) -> Found | None:
        if node.op not in choice.met:
            choice.see((node.op,))
        standing.place = node.place
        try:
            for r in choice.all(node):
                attempt = r.attempt
                start = perf_counter()
                new = attempt(node)
                seconds = perf_counter() - start
                if new is not None and new is not node:
                    _check(r, node, new)
                    for w in watching:
                        w.tried(r, node, new, seconds)
                    return new, r
                for w in watching:
                    w.tried(r, node, None, seconds)
        except Exception as error:
            name_attempt(error, r, node)
            raise
        return None

    return step


def _check(r: Rule, old: Variable, new: object) -> None:
    if not isinstance(new, Variable) or not old.type.accepts(new.type):
        raise RewriteError(f"rule {r.name} made {new!r} of {old!r}, which is of another type")


def normalise(
    outputs: Iterable[Variable],
    step: Step,
    normal: dict[Variable, Variable],
    name: str,
    order: Sequence[Variable] = (),
) -> list[Variable]:
    """`outputs` after `step` has been taken wherever it can be, inputs first.

    `normal`, which maps what is done already to its normal form, is filled. The order of
    all that `outputs` depend on is found, if it is not given.
    """
    outputs = list(outputs)
    order = order or toposort(outputs, normal)
    outer = standing.place
    try:
        _settle(order, step, normal, name)
    finally:
        standing.place = outer
    return list(map(normal.__getitem__, outputs))


def _settle(
    order: Sequence[Variable], step: Step, normal: dict[Variable, Variable], name: str
) -> None:
    slow: _Slow | None = None
    for v in order:
        if v in normal:
            continue
        node = v
        for i in v.inputs:
            if normal[i] is not i:
                inputs = tuple([normal[i] for i in v.inputs])
                node = remade(v, inputs)
                break
        if node in normal:
            normal[v] = normal[node]
            continue
        steps = [] if node is v else [(v, (node, _REMADE))]
        if node is v or node.inputs == inputs:  # else the Op made something else of these inputs
            new = step(node)
            if new is None:
                normal[v] = normal[node] = node
                continue
            if new[0] in normal:
                normal[v] = normal[node] = normal[new[0]]
                continue
            steps.append((node, new))
        found, _ = steps[-1][1]
        if all(map(is_, map(normal.get, found.inputs), found.inputs)):
            further = step(found)
            if further is None:  # so it is for most
                normal[v] = normal[node] = normal[found] = found
                continue
            steps.append((found, further))
        slow = slow or _Slow(step, normal, name, len(order))
        slow.settle(steps)


class _Slow:
    """What follows from a step: new nodes, whose inputs may need steps of their own."""

    def __init__(self, step: Step, normal: dict[Variable, Variable], name: str, nodes: int) -> None:
        self.step = step
        self.normal = normal
        self.name = name
        self.fuel = _HITS_PER_NODE * (nodes + 20)

    def settle(self, steps: list[tuple[Variable, Found]]) -> None:
        """Bring the last `steps`, each from what the one before it became, to normal form."""
        normal, is_done = self.normal, self.normal.__contains__
        becomes: dict[Variable, Found] = {}
        stack = []
        for v, step in steps:
            becomes[v] = step
            stack.append(v)
        stack.append(steps[-1][1][0])
        self._burn(steps[-1][1][1])
        while stack:
            v = stack[-1]
            if v in normal:
                stack.pop()
                continue
            if v in becomes:
                target, by = becomes[v]
                if target not in normal:
                    raise RewriteError(
                        f"rules of {self.name} go round: {by.name} leads back to {v!r}"
                    )
                normal[v] = normal[target]
                stack.pop()
                continue
            if not all(map(is_done, v.inputs)):
                stack += [i for i in v.inputs[::-1] if i not in normal]
                continue
            next_step = self._next(v)
            if next_step is None:
                normal[v] = v
                stack.pop()
                continue
            becomes[v] = next_step
            stack.append(next_step[0])

    def _next(self, v: Variable) -> Found | None:
        node = renewed(v, self.normal)
        if node is not v:
            return node, _REMADE
        new = self.step(v)
        if new is not None:
            self._burn(new[1])
        return new

    def _burn(self, by: Rule) -> None:
        self.fuel -= 1
        if self.fuel < 0:
            raise RewriteError(
                f"rules of {self.name} do not come to an end; the last was {by.name}"
            )


_REMADE = Rule(Op, lambda node: None, name="inputs rewritten")
