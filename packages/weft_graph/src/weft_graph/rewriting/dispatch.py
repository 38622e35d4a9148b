"""Which rules are worth trying on a node: those that its Op and its inputs don't rule out."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from weft_graph.core.nodes import Op, Variable
from weft_graph.rewriting.rule import Kind, Rule

__all__ = ["Dispatch", "Shelf"]

_MANY = 4
"""Of nodes with more inputs than this, the inputs are not looked at to choose rules."""


class Shelf:
    """The rules for one Op or class of Ops, and which of them are worth trying by inputs."""

    __slots__ = ("_absent", "_found", "_whole", "is_picky", "mentioned", "of_many", "rules")

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self.of_many = tuple([r for r in self.rules if r.is_open or len(r.asked) > _MANY])
        kinds = {kind for r in self.rules for kind in r.asked}
        self.is_picky = bool(kinds)
        self.mentioned = frozenset(kind for kind in kinds if isinstance(kind, Op))
        self._whole: Shelf | None = None
        self._absent: frozenset[Rule] = frozenset()
        self._found: dict[tuple[Kind, ...], tuple[Rule, ...]] = {}

    def without(self, absent: frozenset[Rule]) -> Shelf:
        """The same shelf without some rules: itself, if it has none of them."""
        if absent.isdisjoint(self.rules):
            return self
        rest = Shelf([r for r in self.rules if r not in absent])
        rest._whole, rest._absent, rest.mentioned = self, absent, self.mentioned
        return rest

    def matching(self, inputs: tuple[Kind, ...]) -> tuple[Rule, ...]:
        """The rules for a node of whose inputs this is known: Ops that are `mentioned`, classes."""
        matches = self._found.get(inputs)
        if matches is None:
            if self._whole is None:
                matches = tuple([r for r in self.rules if r.may_match(inputs)])
            else:
                possible = self._whole.matching(inputs)
                matches = tuple([r for r in possible if r not in self._absent])
            self._found[inputs] = matches
        return matches


class Dispatch:
    """Finds the rules for a node at once.

    `shelf_of` makes the shelf of an Op that is among `roots`, or of a class of Ops.
    """

    __slots__ = ("_shelf_of", "_shelves")

    def __init__(self, roots: Iterable[Op], shelf_of: Callable[[Kind], Shelf]) -> None:
        self._shelves: dict[Kind, Shelf | None] = dict.fromkeys(roots)
        self._shelf_of = shelf_of

    def candidates(self, node: Variable) -> tuple[Rule, ...]:
        """The rules to try on `node`, in order: those that its Op and inputs don't rule out."""
        op = node.op
        shelves = self._shelves
        kind: Kind = op if op in shelves else type(op)
        shelf = shelves.get(kind) or self._shelf(kind)
        if not shelf.is_picky:
            return shelf.rules
        inputs = node.inputs
        if len(inputs) > _MANY:
            return shelf.of_many
        kinds = shelf.mentioned
        key: tuple[Kind, ...]
        if len(inputs) == 2:  # most nodes have two or one: a quarter less time
            a, b = inputs[0].op, inputs[1].op
            key = a if a in kinds else type(a), b if b in kinds else type(b)
        elif len(inputs) == 1:
            a = inputs[0].op
            key = (a if a in kinds else type(a),)
        else:
            key = tuple([v.op if v.op in kinds else type(v.op) for v in inputs])
        matches = shelf._found.get(key)
        return shelf.matching(key) if matches is None else matches

    def without(self, absent: frozenset[Rule]) -> Dispatch:
        """The same without some rules."""
        roots = [kind for kind in self._shelves if isinstance(kind, Op)]
        return Dispatch(roots, lambda kind: self._shelf(kind).without(absent))

    def _shelf(self, kind: Kind) -> Shelf:
        shelf = self._shelves.get(kind)
        if shelf is None:
            shelf = self._shelves[kind] = self._shelf_of(kind)
        return shelf
