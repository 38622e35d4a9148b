"""What Ops say of their results in words: `TensorOp.facts`, and in rows of functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final

from weft_graph import Fact
from weft_graph.extend import Ask
from weft_tensor.build.op import TensorOp
from weft_tensor.facts.definitions import ELEMENTWISE

__all__ = ["FactRule", "Needs", "when"]

FactRule = Callable[[Any, Ask], bool | None]
Needs = tuple[Fact, ...]

_FACTS: Final = {fact.name: fact for fact in ELEMENTWISE}
_KINDS: Final = {"signed": "if", "real": "iuf", "any": "biufc"}
"""The dtypes of results that a clause is about, by its first word; else floating ones."""


def when(*cases: tuple[Needs, ...], kinds: str = "f") -> FactRule:
    """True for results of these kinds if, in one of the cases, the inputs have what it needs."""
    questions = [[(i, fact) for i, needs in enumerate(case) for fact in needs] for case in cases]

    def rule(x: Any, ask: Ask) -> bool | None:
        if x.type.dtype[0] not in kinds:
            return None
        inputs = x.inputs
        for case in questions:
            for i, fact in case:
                if ask(inputs[i], fact) is not True:
                    break
            else:
                return True
        return None

    return rule


def _kept(fact: Fact, kinds: str) -> FactRule:
    """True for results of these kinds if all inputs have the fact."""

    def rule(x: Any, ask: Ask) -> bool | None:
        if x.type.dtype[0] not in kinds:
            return None
        return all(ask(v, fact) is True for v in x.inputs) or None

    return rule


@cache
def _rules(text: str) -> dict[Fact, FactRule]:
    """What a statement says, by the facts that it is about."""
    return {fact: rule for clause in text.split("; ") for fact, rule in _said(clause, text)}


def _said(clause: str, text: str) -> Iterator[tuple[Fact, FactRule]]:
    names, _, condition = clause.partition(" if ")
    words = names.split()
    kinds = _KINDS.get(words[0], "f")
    words = words[words[0] in _KINDS :]
    if words[0] == "keeps":
        yield from ((fact, _kept(fact, kinds)) for fact in _named(words[1:], text))
        return
    cases = [
        tuple([_named([] if n == "_" else n.split(), text) for n in case.split(", ")])
        for case in condition.split(" or ")
    ]
    yield from ((fact, when(*cases, kinds=kinds)) for fact in _named(words, text))


def _named(names: list[str], text: str) -> Needs:
    for name in names:
        if name not in _FACTS:
            raise ValueError(f"no fact {name!r}, as in {text!r}; there are {', '.join(_FACTS)}")
    return tuple([_FACTS[name] for name in names])


def _by_statement(fact: Fact) -> FactRule:
    rules: dict[str, FactRule | None] = {"": None}

    def rule(x: Any, ask: Ask) -> bool | None:
        text = x.op.facts
        if text not in rules:
            rules[text] = _rules(text).get(fact)
        statement = rules[text]
        return statement and statement(x, ask)

    return rule


for _fact in ELEMENTWISE:
    _fact.register(TensorOp)(_by_statement(_fact))
