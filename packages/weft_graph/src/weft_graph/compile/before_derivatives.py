"""What is differentiated in place of a graph: the same, as its rules for it say.

Where `log(cosh(x))` is a number, its derivative as it is written is infinity over infinity. No rule
on what comes out of differentiating would hold for all such formulas; rules on what goes in do.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache

from weft_graph.compile.mode import installed_books
from weft_graph.core.nodes import Named, Variable
from weft_graph.core.toposort import toposort
from weft_graph.core.traversal import replace
from weft_graph.rewriting.driver import rewrite
from weft_graph.rewriting.rulebook import RuleBook
from weft_graph.rewriting.watchers import unwatched

__all__ = ["stabilised"]


def stabilised(outputs: Sequence[Variable], kept: Collection[Variable]) -> Sequence[Variable]:
    """`outputs` after the installed rules that come before derivatives; `kept` stay as they are.

    >>> from weft_graph import Type
    >>> x = Type()("x")
    >>> stabilised([x], [x])[0] is x
    True
    """
    book = _book()
    ops = {v.op for v in toposort(outputs, kept)}
    kinds = set(map(type, ops))
    if not any(book.is_about(kind) for kind in kinds):
        return outputs
    hidden = {v: v.type() for v in kept if v.inputs}  # else rules look through what is kept
    plain = replace(outputs, hidden) if hidden else outputs
    if Named in kinds:
        plain = replace(plain, _unnamed, kept)
    with unwatched():
        results = rewrite(plain, book, {v: v for v in kept})
    if results == list(plain):
        return outputs
    return replace(results, {new: old for old, new in hidden.items()}) if hidden else results


def _unnamed(v: Variable) -> Variable | None:
    return v.inputs[0] if type(v.op) is Named else None


@cache
def _book() -> RuleBook:
    phases = [part for part in installed_books() if isinstance(part, RuleBook)]
    return RuleBook("before derivatives", [r for p in phases for r in p.before_derivatives])
