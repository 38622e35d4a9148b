"""Books: ordered collections of rules that find those for a node at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TypeVar

from weft_graph.core.argument_checks import as_name
from weft_graph.core.nodes import Op, Variable
from weft_graph.rewriting.dispatch import Dispatch, Shelf
from weft_graph.rewriting.opposites import opposites
from weft_graph.rewriting.rule import Kind, Rule

__all__ = ["RuleBook", "without"]

_MOST = 64
"""Of so many kinds of graphs it is kept which rules they have use for."""

T = TypeVar("T")


class RuleBook:
    """An ordered collection of rules, and of other books: earlier ones are tried first.

    `before_derivatives`: the rules that are applied to what is differentiated, before it is.

    Raises ValueError for two rules between patterns that undo each other, unless their conditions
    differ.

    >>> from weft_graph import Named
    >>> names = RuleBook("names", [Rule(Named, lambda node: node.inputs[0], name="unname")])
    >>> book = RuleBook("all", [names])
    >>> [rule.name for rule in book]
    ['unname']
    >>> len(book.excluding("names"))
    0
    """

    def __init__(
        self,
        name: str,
        parts: Iterable[Rule | RuleBook],
        *,
        before_derivatives: Iterable[Rule | RuleBook] = (),
    ) -> None:
        self.name = as_name(name, "a book")
        self.before_derivatives = tuple(before_derivatives)
        self.parts = tuple(parts)
        groups = [part.rules if isinstance(part, RuleBook) else (part,) for part in self.parts]
        self.rules: tuple[Rule, ...] = tuple(r for rules in groups for r in rules)
        if pair := opposites(*groups):
            names = " and ".join(r.name for r in pair)
            raise ValueError(
                f"rules {names} of {name} undo each other: leave one out, or give them conditions "
                "(`when=`) of which one holds at most"
            )
        self._beyond: dict[RuleBook, RuleBook] = {}
        self._positions: dict[Kind, list[int]] = {}
        for k, r in enumerate(self.rules):
            self._positions.setdefault(r.root, []).append(k)
        roots = [root for root in self._positions if isinstance(root, Op)]
        self._dispatch = Dispatch(roots, lambda kind: Shelf(self._rooted(kind)))
        self._needy = [r for r in self.rules if r.needs]
        self.needed: frozenset[Kind] = frozenset().union(*[n for r in self._needy for n in r.needs])
        """What rules need somewhere below a node, and inputs alone don't tell."""
        self._among: dict[frozenset[Kind], Callable[[Variable], tuple[Rule, ...]]] = {}

    def candidates(self, node: Variable) -> tuple[Rule, ...]:
        """The rules to try on `node`, in order: those that its Op and inputs don't rule out."""
        return self._dispatch.candidates(node)

    def among(self, kinds: frozenset[Kind]) -> Callable[[Variable], tuple[Rule, ...]]:
        """`candidates` in a graph that has `kinds` alone of what rules need: no rule in vain."""
        found = self._among.get(kinds)
        if found is None:
            absent = [r for r in self._needy if any(map(kinds.isdisjoint, r.needs))]
            if len(self._among) >= _MOST:
                self._among.clear()
            found = self._among[kinds] = self._dispatch.without(frozenset(absent)).candidates
        return found

    def beyond(self, part: RuleBook) -> RuleBook:
        """What is in this book beside `part`: all there is to try where that can do no more."""
        rest = self._beyond.get(part)
        if rest is None:
            others = [p for p in self.parts if p is not part]
            rest = self._beyond[part] = RuleBook(self.name, others)
        return rest

    def is_about(self, kind: type[Op]) -> bool:
        """Whether a rule is for some Op of this class; those that are for any Op don't count."""
        return not self._classes.isdisjoint(kind.__mro__)

    @cached_property
    def _classes(self) -> frozenset[type[Op]]:
        roots = self._positions
        classes = frozenset(root if isinstance(root, type) else type(root) for root in roots)
        return classes - frozenset(Op.__mro__)

    def rules_for(self, op: Op) -> tuple[Rule, ...]:
        """The rules whose left side may match a node of `op`, in order."""
        return self._rooted(op)

    def _rooted(self, kind: Kind) -> tuple[Rule, ...]:
        """The rules for an Op, if any has it as root, or for a class of Ops and its bases."""
        owner = kind if isinstance(kind, type) else type(kind)
        roots: tuple[Kind, ...] = (kind, *(c for c in owner.__mro__ if c is not kind))
        places = sorted([k for root in roots for k in self._positions.get(root, [])])
        return tuple([self.rules[k] for k in places])

    @property
    def names(self) -> frozenset[str]:
        """The names of this book, of the books in it, and of all rules."""
        all_names = {self.name}
        for part in self.parts:
            all_names |= part.names if isinstance(part, RuleBook) else {part.name}
        return frozenset(all_names)

    def including(self, *rules: Rule | RuleBook) -> RuleBook:
        """The same book with more rules, which are tried before its own."""
        return self._of([*rules, *self.parts])

    def excluding(self, *names: str) -> RuleBook:
        """The same book without the rules and books of these names."""
        return self._of(without(self.parts, names))

    def _of(self, parts: Iterable[Rule | RuleBook]) -> RuleBook:
        return RuleBook(self.name, parts, before_derivatives=self.before_derivatives)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __len__(self) -> int:
        return len(self.rules)

    def __repr__(self) -> str:
        return f"RuleBook({self.name}, {len(self)} rules)"


def without(parts: Iterable[T], names: tuple[str, ...]) -> list[T]:
    """`parts` without those of these names, nor what has such a name in the books among them."""
    rest: list[T] = []
    for part in parts:
        if name_of(part) not in names:
            changed = isinstance(part, RuleBook) and not part.names.isdisjoint(names)
            rest.append(part.excluding(*names) if changed else part)  # type: ignore[attr-defined]  # a book, if changed
    return rest


def name_of(part: object) -> str:
    """The name of a rule, a book or a pass."""
    name: str = part.name if isinstance(part, (Rule, RuleBook)) else part.__name__  # type: ignore[attr-defined]  # a pass is a function
    return name
