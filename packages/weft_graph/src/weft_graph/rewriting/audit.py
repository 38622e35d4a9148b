"""The audit of rules: what is wrong with them can be found without running a compilation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from weft_graph.core.function_graph import FunctionGraph
from weft_graph.core.nodes import Type, Variable
from weft_graph.core.toposort import toposort
from weft_graph.rewriting.driver import Found, normalise
from weft_graph.rewriting.patterns import filled, wildcards_of
from weft_graph.rewriting.rule import RewriteError, Rule
from weft_graph.rewriting.rulebook import RuleBook, name_of

__all__ = ["audit"]

Phase = RuleBook | Callable[[FunctionGraph], FunctionGraph]

_LONGEST = 80
"""Of expressions in messages, no more letters than this are shown."""


def audit(
    book: RuleBook,
    *,
    of: Type | None = None,
    examples: Mapping[str, Sequence[Variable]] | None = None,
    earlier: Iterable[Phase] = (),
) -> list[str]:
    """What is wrong with the rules of `book`: one sentence for each finding, none if all is well.

    Found are: a right side of another type, rules that go round or grow without end, rules
    that undo each other, a rule that never comes to apply because another one always does
    before, in this book or in one that is applied earlier, and names that are not unique.

    Parameters
    ----------
    book
        The rules; where they are applied together, one book of all of them.
    of
        The type of what wildcards stand for in examples: where it is given, an example for
        a rule whose left side is a pattern is made of that pattern.
    examples
        By name of the rule, expressions that it applies to. Needed for other rules, and
        for those that ask for more than `of` says. They go before what is made with `of`.
    earlier
        The books and passes that are applied before `book`.

    Examples
    --------
    >>> from weft_graph import Op, wildcard
    >>> class Invert(Op):
    ...     def infer(self, x):
    ...         return x
    >>> class Keep(Invert):
    ...     pass
    >>> x = wildcard("x")
    >>> there = Rule(Invert()(x), Keep()(x), name="there")
    >>> back = Rule(Keep()(x), lambda x: Invert()(x), name="back")
    >>> audit(RuleBook("one way", [there]), of=Type())
    []
    >>> audit(RuleBook("round", [there, back]), of=Type())[0]
    'rules there and back undo each other: from Invert(x), book round comes to no end'
    """
    own_examples = examples or {}
    phases = [*earlier, book]
    findings = _names(book, own_examples)
    for r in book:
        tried = own_examples.get(r.name) or _made(r, of)
        if not tried:
            findings.append(
                f"rule {r.name} has no example: give some as examples={{{r.name!r}: ...}}"
            )
            continue
        wrong = [text for example in tried for text in _alone(r, example)]
        findings += wrong or _together(r, tried, phases)
    return list(dict.fromkeys(findings))


def _names(book: RuleBook, examples: Mapping[str, object]) -> list[str]:
    counts = Counter(r.name for r in book)
    findings = [f"{n} rules are called {name}" for name, n in counts.items() if n > 1]
    return findings + [
        f"there are examples for {name}, but {book.name} has no rule of that name"
        for name in examples
        if name not in counts
    ]


def _made(r: Rule, of: Type | None) -> list[Variable]:
    """The left side over inputs, if it is a pattern that says all."""
    if of is None or not isinstance(r.left, Variable):
        return []
    leaves = wildcards_of(r.left)
    if any(w.constant for w in leaves):
        return []
    try:
        return [filled(r.left, {w.name or "": of(w.name) for w in leaves})]
    except (TypeError, ValueError):  # not for this type, or with classes of Ops
        return []


def _alone(r: Rule, example: Variable) -> list[str]:
    """What is wrong with a rule, whatever the others are."""
    new: Any = r(example)
    if new is None:
        return [f"rule {r.name} does not apply to its example {_text(example)}"]
    if not isinstance(new, Variable) or not example.type.accepts(new.type):
        return [f"rule {r.name} makes {new!r} of {example!r}, which is of another type"]
    history = _History(RuleBook(r.name, [r]))
    history.apply_to([example])
    if history.endless:
        return [f"rule {r.name} comes to no end: of {_text(example)} it makes {_text(new)}"]
    return []


def _together(r: Rule, examples: Sequence[Variable], phases: Sequence[Phase]) -> list[str]:
    """What is wrong with a rule among the others."""
    before = ""
    for example in examples:
        outputs: Sequence[Variable] = [example]
        for phase in phases:
            history = _History(phase)
            outputs = history.apply_to(outputs)
            if history.endless:
                return [
                    f"rules {' and '.join(history.circle())} undo each other: from "
                    f"{_text(example)}, book {name_of(phase)} comes to no end"
                ]
            if any(hit.rule is r for hit in history.hits):
                return []
            before = before or history.first_change(example, outputs[0])
    return [f"rule {r.name} never applies: {before}"]


class _Hit(NamedTuple):
    rule: Rule
    node: Variable
    new: Variable


class _History:
    """What happens when a book or a pass is applied."""

    def __init__(self, phase: Phase) -> None:
        self.phase = phase
        self.hits: list[_Hit] = []
        self.endless = False

    def apply_to(self, outputs: Sequence[Variable]) -> Sequence[Variable]:
        """What becomes of `outputs`; themselves if there is no end to it."""
        phase = self.phase
        if not isinstance(phase, RuleBook):
            return phase(FunctionGraph(outputs=outputs)).outputs
        try:
            return normalise(outputs, self._step, {}, phase.name)
        except RewriteError:
            self.endless = True
            return outputs

    def _step(self, node: Variable) -> Found | None:
        assert isinstance(self.phase, RuleBook)
        for r in self.phase.candidates(node):
            new = r.attempt(node)
            if new is not None and new is not node:
                self.hits.append(_Hit(r, node, new))
                return new, r
        return None

    def circle(self) -> list[str]:
        """The names of the rules that lead from the last result back to it."""
        last = self.hits[-1].new
        start = next((i for i, hit in enumerate(self.hits) if hit.node is last), 0)
        return list(dict.fromkeys(hit.rule.name for hit in self.hits[start:]))

    def first_change(self, example: Variable, result: Variable) -> str:
        """What was made of `example` before another rule could take it up; "" if nothing."""
        name = name_of(self.phase)
        for hit in self.hits:
            if hit.node is example:
                return f"{hit.rule.name} of {name} comes first at {_text(example)}"
        if result is example:
            return ""
        names = ", ".join(dict.fromkeys(hit.rule.name for hit in self.hits))
        by = f" (by {names})" if names else ""
        return f"{name} makes {_text(result)} of {_text(example)} before{by}"


def _text(v: Variable) -> str:
    """`v` as one short line."""
    texts: dict[Variable, str] = {}
    for part in toposort([v]):
        inputs = ", ".join(texts[i] for i in part.inputs)
        text = f"{part}({inputs})" if inputs else str(part)
        texts[part] = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
    return texts[v]
