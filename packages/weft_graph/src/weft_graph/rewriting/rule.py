"""Rewrite rules as data, each compiled to straight-line Python when it is first tried."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

from weft_graph.core.argument_checks import as_name
from weft_graph.core.constant import Constant, constant
from weft_graph.core.nodes import Op, Variable
from weft_graph.core.source_location import standing
from weft_graph.core.toposort import toposort
from weft_graph.rewriting.fp_contract import as_fp_changes
from weft_graph.rewriting.patterns import (
    Each,
    Form,
    Namespace,
    Places,
    Wildcard,
    compiled,
    fixed,
    is_swappable,
    literal_for,
)

__all__ = ["Kind", "RewriteError", "Rule", "name_attempt", "rule"]

Left = Variable | Op | type[Op]
Kind = Op | type[Op]
"""What is known of a variable's Op: the Op itself, or its class."""


class RewriteError(RuntimeError):
    """A rule changed a type or a value, or rules did not come to an end."""

    __module__ = "weft_graph"


class Rule:
    """Where `left` matches, `right` may stand instead.

    Parameters
    ----------
    left
        A pattern: an expression over wildcards (see `weft_graph.rewriting.patterns`). Or an Op or a
        class of Ops, which matches every node of it.
    right
        An expression over the same wildcards, or a function that returns the new variable,
        or None for "not here". A function names what it wants as its parameters: the
        wildcards of `left`, and `node` for the matched variable.
    when
        A further condition: a function like `right` that returns a bool.
    over
        An Op, a class of Ops or several: the rule is tried only where one of the inputs is
        the result of such an Op. It saves calling a function in vain.
    needs
        An Op, a class of Ops or several: a function looks further down for one of these, and the
        rule is tried only in graphs that contain one. Of a pattern this is found.
    name
        For messages, statistics and choosing rules; a function's own name by default.
    may_change
        In what the sides may differ as floating-point numbers: names of `FP_CHANGES`. Without
        any, both sides are equal to the last bit. `weft_testing.check_rule` finds out.

    Raises
    ------
    TypeError
        if a side is neither an expression nor what may stand for one.
    ValueError
        if `right` or `when` wants what `left` does not bind.

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
        over: Kind | Iterable[Kind] = (),
        needs: Kind | Iterable[Kind] = (),
        name: str | None = None,
        may_change: str | Iterable[str] = (),
    ) -> None:
        self.left = left
        self.right = right
        self.when = when
        self.over = _listed(over)
        own_name = "" if name is None else as_name(name, "a rule")
        self.name = own_name or getattr(right, "__name__", "").strip("<>") or str(left)
        self.may_change = as_fp_changes(may_change)
        self._check_sides()
        self.root: Kind
        """The Op, or the class of Ops, of the nodes that the rule is for."""
        bound = {"node"}
        if isinstance(left, Variable):
            self.root, self._swaps = _kind(left), is_swappable(left)
            self._below: tuple[Kind, ...] | None = tuple(map(_kind, left.inputs[: fixed(left)]))
            self.is_open = fixed(left) < len(left.inputs)
            """Whether it is for nodes with however many inputs."""
            bound.update(filter(None, _names_of(left)))
        else:
            self.root, self._swaps, self._below = left, False, None
            self.is_open = True
        self.needs = tuple(self._needs(_listed(needs)))
        """Of each of these, one must be in a graph where the rule can apply, beside its root.

        Where inputs tell, `may_match` does; here is what they don't tell.
        """
        unbound = [f"{p!r} of {what}" for what, p in self._wanted() if p not in bound]
        if unbound:
            raise ValueError(
                f"rule {self.name}: {', '.join(unbound)} is not bound by its left side"
            )

    def _check_sides(self) -> None:
        if not isinstance(self.right, Variable) and not hasattr(self.right, "__code__"):
            raise TypeError(
                f"rule {self.name}: the right side must be an expression (of a value, `constant`) "
                f"or a function, not {self.right!r}"
            )
        if self.when is not None and not hasattr(self.when, "__code__"):
            raise TypeError(f"rule {self.name}: `when` must be a function, not {self.when!r}")
        if not isinstance(self.left, Variable | Op) and not _is_op_class(self.left):
            raise TypeError(
                f"rule {self.name}: the left side must be an expression, an Op or a class of Ops, "
                f"not {self.left!r}"
            )

    def _wanted(self) -> Iterator[tuple[str, str]]:
        for what, side in (("the right side", self.right), ("the condition", self.when)):
            if isinstance(side, Variable):
                yield from ((what, name) for name in _names_of(side))
            elif side is not None:
                yield from ((what, p) for p in _parameters(side))

    def _needs(self, declared: tuple[Kind, ...]) -> Iterator[frozenset[Kind]]:
        if declared:
            yield frozenset(declared)
        if self.is_open and self.over:
            yield frozenset(self.over)
        if isinstance(self.left, Variable) and not isinstance(self.left.op, Form):
            near = () if self.is_open else self.left.inputs
            yield from map(frozenset, zip(dict.fromkeys(_kinds_below(self.left, near))))

    @property
    def asked(self) -> tuple[Kind, ...]:
        """What the rule asks for among the inputs; without any, they can't rule it out."""
        return (*self.over, *(self._below or ()))

    def may_match(self, inputs: Sequence[Kind]) -> bool:
        """Whether the rule can apply to a node of its root, of whose inputs this is known."""
        if self.over and not any(
            _fits(kind, kind_over) for kind in inputs for kind_over in self.over
        ):
            return False
        below = self._below
        if below is None:
            return True
        if len(inputs) < len(below) or (len(inputs) > len(below) and not self.is_open):
            return False
        if all(map(_fits, inputs, below)):
            return True
        return self._swaps and all(map(_fits, inputs[::-1], below))

    def may_meet(self, other: Rule) -> bool:
        """Whether what both ask of a node beside their patterns may hold, as far as one can see."""
        asked, also = (self.when, self.over), (other.when, other.over)
        return asked == also or (None, ()) in (asked, also)

    @cached_property
    def attempt(self) -> Callable[[Variable], Variable | None]:
        """What `node`, which `may_match`, becomes; None (or `node`) if it stays as it is."""
        if isinstance(self.left, Variable):
            return compiled(self.left, self._finish)
        if self.when is None and callable(self.right) and _parameters(self.right) == ("node",):
            return self.right
        names = Namespace()
        lines = self._finish({"node": "node"}, names, "None")
        source = "\n    ".join(["def attempt(node):", *lines])
        exec(compile(source, "<weft rule>", "exec"), names)
        attempt: Callable[[Variable], Variable | None] = names["attempt"]
        return attempt

    def _finish(self, places: Places, names: Namespace, otherwise: str) -> list[str]:
        """The statements after the match: the condition and the right side."""
        lines = []
        if self.when is not None:
            lines.append(f"if not {_call(self.when, places, names)}: return {otherwise}")
        if isinstance(self.right, Variable):
            return [*lines, *_building(self.right, places, names)]
        call = _call(self.right, places, names)
        if otherwise == "None":
            return [*lines, f"return {call}"]
        return [*lines, f"new = {call}", f"return {otherwise} if new is None else new"]

    def __call__(self, node: Variable) -> Variable | None:
        """What `node` becomes by this rule; None if the rule does not apply to it."""
        if not _fits(node.op, self.root) or not self.may_match([v.op for v in node.inputs]):
            return None
        outer, standing.place = standing.place, node.place
        try:
            new = self.attempt(node)
        except Exception as error:
            name_attempt(error, self, node)
            raise
        finally:
            standing.place = outer
        return None if new is node else new

    def __repr__(self) -> str:
        return f"Rule({self.name})"


def name_attempt(error: Exception, r: Rule, node: Variable) -> None:
    """Add to an error which rule was tried on which node."""
    origin = f", made at {node.made_at}" if node.made_at else ""
    error.add_note(f"while rule {r.name} was tried on {node!r}{origin}")


def rule(
    left: Left,
    *,
    when: Callable[..., bool] | None = None,
    over: Kind | Iterable[Kind] = (),
    needs: Kind | Iterable[Kind] = (),
    name: str | None = None,
    may_change: str | Iterable[str] = (),
) -> Callable[[Callable[..., Variable | None]], Rule]:
    """Make a rule of the function below: `rule(left)` is short for `Rule(left, function)`."""
    return lambda right: Rule(
        left, right, when=when, over=over, needs=needs, name=name, may_change=may_change
    )


def _names_of(pattern: Variable) -> list[str]:
    """What `pattern` calls its parts; "" for those without a name."""
    return [v.op.name or "" for v in toposort([pattern]) if isinstance(v.op, (Wildcard, Each))]


def _kind(part: Variable) -> Kind:
    """What the Op of a variable must be for this part of a pattern to match it."""
    op = part.op
    if isinstance(op, Wildcard):
        return Constant if op.constant else Op
    if isinstance(op, Each):
        return op.op_class
    if isinstance(op, Form):
        return Op
    return Constant if isinstance(op, Constant) else op


def _kinds_below(pattern: Variable, near: Sequence[Variable]) -> list[Kind]:
    """What must be below a node that `pattern` matches, but for what is `near`.

    What a form is made of need not be in the graph.
    """
    kinds = []
    todo = list(pattern.inputs)
    for part in todo:
        if isinstance(part.op, Form):
            continue
        todo += part.inputs
        if part.inputs and part not in near:
            kinds.append(_kind(part))
    return kinds


def _listed(kinds: Kind | Iterable[Kind]) -> tuple[Kind, ...]:
    return tuple(kinds) if isinstance(kinds, Iterable) else (kinds,)


def _fits(kind: Kind, pattern: Kind) -> bool:
    if isinstance(pattern, Op):
        return kind is pattern
    return issubclass(kind if isinstance(kind, type) else type(kind), pattern)


def _is_op_class(left: object) -> bool:
    return isinstance(left, type) and issubclass(left, Op)


def _parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    code = function.__code__
    return code.co_varnames[: code.co_argcount]


def _call(function: Callable[..., Any], places: Places, names: Namespace) -> str:
    arguments = ", ".join(places[name] for name in _parameters(function))
    return f"{names.refer(function)}({arguments})"


def _building(pattern: Variable, places: Places, names: Namespace) -> list[str]:
    """Statements that return `pattern` with what was matched put in.

    Ops that convert what they are given get literals as plain values, to choose the type;
    a literal alone has the type of the node that it replaces.
    """
    if isinstance(pattern.op, Constant):
        value = names.refer(pattern.op.value)
        return [f"return {names.refer(constant)}(node.type, {value})"]
    lines: list[str] = []
    names_of: dict[Variable, str] = {}
    for v in toposort([pattern]):
        op = v.op
        if isinstance(op, Wildcard):
            names_of[v] = f"{'*' * op.is_rest}{places[op.name or '']}"
        elif isinstance(op, Constant):
            names_of[v] = names.refer(v)
        else:
            place = places[op.name or ""] if isinstance(op, Each) else names.refer(op)
            literals = [literal_for(op, i) for i in v.inputs]
            arguments = [
                names_of[i] if literal is None else names.refer(literal)
                for i, literal in zip(v.inputs, literals, strict=True)
            ]
            names_of[v] = f"new{len(lines)}"
            lines.append(f"{names_of[v]} = {place}({', '.join(arguments)})")
    return [*lines, f"return {names_of[pattern]}"]
