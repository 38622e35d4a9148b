"""Rules that undo each other, found by unification of their patterns when a book is made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from weft_graph.core.constant import Constant
from weft_graph.core.nodes import Variable
from weft_graph.core.toposort import toposort
from weft_graph.rewriting.patterns import Wildcard, is_swappable
from weft_graph.rewriting.rule import Rule

__all__ = ["opposites"]

Term = tuple[int, Variable]
"""A part of a pattern, and which of two rules it is of: both may use the same wildcards."""
Name = tuple[int, str]
Bound = dict[Name, Term]
Pairs = Sequence[tuple[Term, Term]]


def opposites(*groups: Sequence[Rule]) -> tuple[Rule, Rule] | None:
    """Two rules of which one makes `b` of some `a`, and the other `a` of that `b`; None without.

    Both sides of such rules are patterns, and they are of two `groups`. Conditions that differ are
    taken to exclude each other.

    >>> from weft_graph import Op, Type, wildcard
    >>> class Invert(Op):
    ...     def infer(self, x):
    ...         return x
    >>> class Keep(Invert):
    ...     pass
    >>> x, y = wildcard("x"), wildcard("y")
    >>> there = Rule(Invert()(x), Keep()(x), name="there")
    >>> back = Rule(Keep()(Keep()(y)), Invert()(Keep()(y)), name="back")
    >>> opposites([there], [back])
    (Rule(there), Rule(back))
    """
    return next((pair for pair in _near(groups) if _are_opposite(*pair)), None)


def _near(groups: Sequence[Sequence[Rule]]) -> Iterator[tuple[Rule, Rule]]:
    """Pairs of which a look at the Ops of their patterns does not say that they can't be such."""
    by_result: dict[Any, list[tuple[int, Rule, Variable, Variable]]] = {}
    for k, rules in enumerate(groups):
        for r in rules:
            left, right = r.left, r.right
            if isinstance(left, Variable) and isinstance(right, Variable):
                by_result.setdefault(right.op, []).append((k, r, left, right))
    for results in by_result.values():
        for k, one, left, right in results:
            for m, other, back, start in by_result.get(left.op, ()):
                is_first = k < m or (k > m and not right.inputs)  # else it is found from `other`
                if is_first and _may_equal(right, back) and _may_equal(left, start):
                    yield one, other


def _may_equal(one: Variable, other: Variable) -> bool:
    """Whether two patterns may be equal, as their Ops and those of their inputs say."""
    if not one.inputs or not other.inputs:
        return True
    if one.op is not other.op or len(one.inputs) != len(other.inputs):
        return False
    below = other.inputs
    return any(
        all(v.op is w.op or not (v.inputs and w.inputs) for v, w in zip(one.inputs, o, strict=True))
        for o in (below, below[::-1])[: 1 + is_swappable(other)]
    )


def _are_opposite(one: Rule, other: Rule) -> bool:
    if not one.may_meet(other):
        return False
    a: Any = one
    b: Any = other
    lefts = (0, a.left), (1, b.left)
    return any(
        _filled(lefts[0], bound) != _filled(lefts[1], bound)
        and not any(_is_folded((side, part), bound) for side, v in lefts for part in toposort([v]))
        for bound in _unified([((0, a.right), lefts[1]), (lefts[0], (1, b.right))], {})
    )


def _unified(pairs: Pairs, bound: Bound) -> Iterator[Bound]:
    """What wildcards must stand for, so that both of each pair are equal: every way there is."""
    if not pairs:
        yield bound
        return
    a, b = (_what(term, bound) for term in pairs[0])
    rest = pairs[1:]
    if isinstance(b[1].op, Wildcard) and not (_name(a) and b[1].op.constant):
        a, b = b, a
    if isinstance(a[1].op, Wildcard):
        name = a[0], a[1].op.name or ""
        if name == _name(b):
            yield from _unified(rest, bound)
        elif _may_be(a[1].op, b[1]) and name not in map(_name, _leaves(b, bound)):
            yield from _unified(rest, {**bound, name: b})
    elif isinstance(a[1].op, Constant):
        if isinstance(b[1].op, Constant) and _value(a[1]) == _value(b[1]):
            yield from _unified(rest, bound)
    elif a[1].op is b[1].op and len(a[1].inputs) == len(b[1].inputs):
        for inputs in (b[1].inputs, b[1].inputs[::-1])[: 1 + is_swappable(b[1])]:
            parts = [((a[0], v), (b[0], w)) for v, w in zip(a[1].inputs, inputs, strict=True)]
            yield from _unified([*parts, *rest], bound)


def _what(term: Term, bound: Bound) -> Term:
    """What a wildcard stands for, as far as that is bound."""
    while (name := _name(term)) and name in bound:
        term = bound[name]
    return term


def _name(term: Term) -> Name | None:
    """That of a wildcard: of one name, there is one for each rule."""
    op = term[1].op
    return (term[0], op.name or "") if isinstance(op, Wildcard) else None


def _leaves(term: Term, bound: Bound) -> Iterator[Term]:
    """The wildcards and constants in what `term` stands for."""
    side, v = term = _what(term, bound)
    if not v.inputs:
        yield term
    for part in v.inputs:
        yield from _leaves((side, part), bound)


def _is_folded(term: Term, bound: Bound) -> bool:
    """Whether it is an Op on constants alone: of that, a constant is made before."""
    kinds = [v.op for _, v in _leaves(term, bound)] if term[1].inputs else [None]
    return all(isinstance(op, Constant) or getattr(op, "constant", False) for op in kinds)


def _may_be(wild: Wildcard, v: Variable) -> bool:
    if isinstance(v.op, Wildcard):
        return wild.constant <= v.op.constant and wild.is_rest == v.op.is_rest
    return not wild.is_rest and wild.constant <= isinstance(v.op, Constant)


def _value(v: Variable) -> Any:
    assert isinstance(v.op, Constant)
    return v if v.op.literal is None else v.op.literal


def _filled(term: Term, bound: Bound) -> Any:
    """The expression that `term` stands for, as nested tuples."""
    side, v = term = _what(term, bound)
    if not v.inputs:
        return _value(v) if isinstance(v.op, Constant) else _name(term)
    return (v.op, *(_filled((side, part), bound) for part in v.inputs))
