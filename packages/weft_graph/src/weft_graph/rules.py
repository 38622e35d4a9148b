"""Rewrite rules as data, books of them, and the driver that brings a graph to normal form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from weft_graph.nodes import Constant, Op, Variable, constant, remake
from weft_graph.order import toposort
from weft_graph.origin import standing
from weft_graph.patterns import Each, Matcher, Wildcard, matcher

__all__ = ["RewriteError", "Rule", "RuleBook", "rewrite", "rule"]

_HITS_PER_NODE = 50

Left = Variable | Op | type[Op]


class RewriteError(RuntimeError):
    """A rule changed a type, or rules did not come to an end."""


class Rule:
    """Where `left` matches, `right` may stand instead.

    Parameters
    ----------
    left
        A pattern: an expression over wildcards (see `weft_graph.patterns`). Or an Op or a
        class of Ops, which matches every node of it.
    right
        An expression over the same wildcards, or a function that returns the new variable,
        or None for "not here". A function names what it wants as its parameters: the
        wildcards of `left`, and `node` for the matched variable.
    when
        A further condition: a function like `right` that returns a bool.
    name
        For messages, statistics and choosing rules; a function's own name by default.

    Examples
    --------
    >>> from weft_graph import Type, Op, wildcard
    >>> class Invert(Op):
    ...     def infer(self, x):
    ...         return x
    >>> x = wildcard("x")
    >>> twice = Rule(Invert()(Invert()(x)), x, name="double inversion")
    >>> a = Type()("a")
    >>> twice(Invert()(Invert()(a))) is a, twice(Invert()(a)) is None
    (True, True)
    """

    def __init__(
        self,
        left: Left,
        right: Variable | Callable[..., Variable | None],
        *,
        when: Callable[..., bool] | None = None,
        name: str | None = None,
    ) -> None:
        self.left = left
        self.right = right
        self.when = when
        self.name = name or getattr(right, "__name__", "").strip("<>") or str(left)
        unbound = [f"{p!r} of {what}" for what, p in self._wanted() if p not in self.bound]
        if unbound:
            raise ValueError(
                f"rule {self.name}: {', '.join(unbound)} is not bound by its left side"
            )

    @cached_property
    def bound(self) -> frozenset[str]:
        """The names that the left side binds."""
        names = {"node"}
        for v in toposort([self.left]) if isinstance(self.left, Variable) else ():
            if isinstance(v.op, (Wildcard, Each)) and v.op.name:
                names.add(v.op.name)
        return frozenset(names)

    def _wanted(self) -> Iterator[tuple[str, str]]:
        for what, side in (("the right side", self.right), ("the condition", self.when)):
            if isinstance(side, Variable):
                for v in toposort([side]):
                    if isinstance(v.op, (Wildcard, Each)):
                        yield what, v.op.name or ""
            elif side is not None:
                yield from ((what, p) for p in _parameters(side))

    @cached_property
    def _match(self) -> Matcher:
        if isinstance(self.left, Variable):
            return matcher(self.left)
        return lambda node: {}

    @cached_property
    def _build(self) -> Callable[[dict[str, Any]], Variable | None]:
        if isinstance(self.right, Variable):
            return _builder(self.right)
        return _by_name(self.right)

    @cached_property
    def _holds(self) -> Callable[[dict[str, Any]], bool]:
        return _by_name(self.when) if self.when is not None else lambda bindings: True

    def __call__(self, node: Variable) -> Variable | None:
        """What `node` becomes by this rule; None if the rule does not apply to it."""
        bindings = self._match(node)
        if bindings is None:
            return None
        bindings["node"] = node
        if not self._holds(bindings):
            return None
        new = self._build(bindings)
        return None if new is node else new

    def __repr__(self) -> str:
        return f"Rule({self.name})"


def rule(
    left: Left, *, when: Callable[..., bool] | None = None, name: str | None = None
) -> Callable[[Callable[..., Variable | None]], Rule]:
    """Make a rule of the function below: `rule(left)` is short for `Rule(left, function)`."""
    return lambda right: Rule(left, right, when=when, name=name)


def _parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    code = function.__code__
    return code.co_varnames[: code.co_argcount]


def _by_name(function: Callable[..., Any]) -> Callable[[dict[str, Any]], Any]:
    names = _parameters(function)
    return lambda bindings: function(*[bindings[name] for name in names])


def _builder(pattern: Variable) -> Callable[[dict[str, Any]], Variable]:
    """A function from bindings to `pattern` with them put in.

    Ops that convert what they are given get literals as plain values, to choose the type;
    a literal alone has the type of the node that it replaces.
    """
    if isinstance(pattern.op, Constant):
        value = pattern.op.value
        return lambda bindings: constant(bindings["node"].type, value)
    made_before: list[Any] = []
    place: dict[tuple[Variable, bool], int] = {}  # where a variable is; where to convert it from
    steps: list[tuple[int, Op, list[int]]] = []
    for v in toposort([pattern]):
        index = place[v, False] = place[v, True] = len(made_before)
        made_before.append(v)
        if not isinstance(v.op, Constant):
            steps.append((index, v.op, [place[i, _converts(v.op)] for i in v.inputs]))
        elif v.op.literal is not None:
            place[v, True] = len(made_before)
            made_before.append(v.op.literal)

    def build(bindings: dict[str, Any]) -> Variable:
        made = made_before.copy()
        for index, op, inputs in steps:
            if isinstance(op, Wildcard):
                made[index] = bindings[op.name or ""]
            else:
                known = bindings[op.name or ""] if isinstance(op, Each) else op
                made[index] = known(*[made[i] for i in inputs])
        result: Variable = made[-1]
        return result

    return build


def _converts(op: Op) -> bool:
    kind = op.op_class if isinstance(op, Each) else type(op)
    return kind.convert is not Op.convert or kind.make_node is not Op.make_node


class RuleBook:
    """An ordered collection of rules: earlier ones are tried first.

    >>> from weft_graph import Named
    >>> book = RuleBook("names", [Rule(Named, lambda node: node.inputs[0], name="unname")])
    >>> [rule.name for rule in book]
    ['unname']
    """

    def __init__(self, name: str, rules: Iterable[Rule]) -> None:
        self.name = name
        self.rules = tuple(rules)
        self._by_class: dict[type[Op], tuple[Rule, ...]] = {}

    @cached_property
    def _by_op(self) -> Mapping[Op, tuple[Rule, ...]]:
        exact = {op for r in self.rules if isinstance(op := _root(r), Op)}
        return {
            op: tuple(
                r
                for r in self.rules
                if (root := _root(r)) is op or (isinstance(root, type) and isinstance(op, root))
            )
            for op in exact
        }

    def rules_for(self, op: Op) -> tuple[Rule, ...]:
        """The rules whose left side may match a node of `op`, in order."""
        found = self._by_op.get(op)
        if found is not None:
            return found
        kind = type(op)
        known = self._by_class.get(kind)
        if known is None:
            roots = [(r, _root(r)) for r in self.rules]
            known = self._by_class[kind] = tuple(
                r for r, root in roots if isinstance(root, type) and issubclass(kind, root)
            )
        return known

    def excluding(self, *names: str) -> RuleBook:
        """The same book without the rules of these names."""
        return RuleBook(self.name, [r for r in self.rules if r.name not in names])

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __len__(self) -> int:
        return len(self.rules)

    def __repr__(self) -> str:
        return f"RuleBook({self.name}, {len(self)} rules)"


def _root(r: Rule) -> Op | type[Op]:
    if not isinstance(r.left, Variable):
        return r.left
    op = r.left.op
    return op.op_class if isinstance(op, Each) else op


def rewrite(
    outputs: Sequence[Variable], book: RuleBook, memo: dict[Variable, Variable] | None = None
) -> list[Variable]:
    """`outputs` in the normal form of `book`, bottom up: each distinct node is looked at once.

    `memo` is filled with the normal form of every variable met; given again (with the same
    book), it saves the work done before. Raises RewriteError, with the rule's name, if a
    rule changes a type or rules go round without end.
    """
    normal: dict[Variable, Variable] = {} if memo is None else memo
    becomes: dict[Variable, tuple[Variable, Rule]] = {}
    fuel = _HITS_PER_NODE * (len(toposort(outputs)) + 20)
    stack = list(outputs)[::-1]
    while stack:
        v = stack[-1]
        if v in normal:
            stack.pop()
            continue
        if v in becomes:
            target, by = becomes[v]
            if target not in normal:
                raise RewriteError(f"rules of {book.name} go round: {by.name} leads back to {v!r}")
            normal[v] = normal[target]
            continue
        pending = [i for i in v.inputs if i not in normal]
        if pending:
            stack.extend(pending[::-1])
            continue
        inputs = tuple([normal[i] for i in v.inputs])
        if inputs != v.inputs:
            made = remake(v, inputs)
            if made is not v:
                becomes[v] = (made, _REMADE)
                stack.append(made)
                continue
        step = _step(book, v)
        if step is None:
            normal[v] = v
            continue
        becomes[v] = step
        stack.append(step[0])
        fuel -= 1
        if fuel < 0:
            raise RewriteError(
                f"rules of {book.name} do not come to an end; the last was {step[1].name}"
            )
    return [normal[v] for v in outputs]


def _step(book: RuleBook, v: Variable) -> tuple[Variable, Rule] | None:
    """What the first rule that applies makes of `v`; errors in it point where `v` was made."""
    outer, standing.place = standing.place, v.place
    try:
        for r in book.rules_for(v.op):
            new = r(v)
            if new is not None and new is not v:
                _check(r, v, new)
                return new, r
        return None
    finally:
        standing.place = outer


_REMADE = Rule(Op, lambda node: None, name="inputs rewritten")


def _check(r: Rule, old: Variable, new: object) -> None:
    if not isinstance(new, Variable) or not old.type.accepts(new.type):
        raise RewriteError(f"rule {r.name} made {new!r} of {old!r}, which is of another type")
