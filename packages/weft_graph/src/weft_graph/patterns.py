"""Patterns: ordinary expressions over wildcards, compiled to straight-line Python.

A pattern is built with the same functions as any expression. Its leaves are wildcards,
which stand for any variable (the same name twice: the same variable), and literals, which
stand for that value in any type. `Each(SomeOp)` stands for any Op of a class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, ClassVar

from weft_graph.nodes import Constant, Input, Op, Type, Variable, apply
from weft_graph.order import toposort

__all__ = ["AnyType", "Each", "Matcher", "any_constant", "matcher", "wildcard"]


class AnyType(Type):
    """The type of a wildcard, and of every expression over wildcards."""

    variable_class: type[Variable]  # type: ignore[misc]  # here it is a parameter
    absorbs: ClassVar[bool] = True

    def __str__(self) -> str:
        return "any"


class Wildcard(Input):
    """The Op of a wildcard; with `constant`, it stands for constants only."""

    def __init__(self, type: Type, name: str, *, constant: bool) -> None:
        super().__init__(type, name)
        self.constant = constant


def wildcard(name: str, kind: type[Variable] = Variable) -> Any:
    """A leaf of patterns that stands for any variable; `kind` gives it its operators.

    >>> wildcard("x")
    <x : any>
    """
    return apply(Wildcard(AnyType(kind), name, constant=False), ())


def any_constant(name: str, kind: type[Variable] = Variable) -> Any:
    """A leaf of patterns that stands for any constant."""
    return apply(Wildcard(AnyType(kind), name, constant=True), ())


class Each(Op):
    """In patterns, any Op of class `op_class`; bound to `name`, if one is given.

    >>> from weft_graph.nodes import Named
    >>> str(Each(Named)(wildcard("x")))
    'Each(Named)'
    """

    op_class: type[Op]
    name: str | None = None

    def __str__(self) -> str:
        return f"Each({self.op_class.__name__})"


Matcher = Callable[[Variable], dict[str, Any] | None]


def matcher(pattern: Variable) -> Matcher:
    """A function from a variable to the pattern's bindings by name, or None.

    Patterns with commutative Ops of two different inputs are tried in every order.
    """
    bodies = list(_alternatives(pattern))
    lines = [f"def match_{index}(node):\n" + body for index, (body, _) in enumerate(bodies)]
    namespace: dict[str, Any] = {"Constant": Constant}
    for _, names in bodies:
        namespace.update(names)
    exec("\n".join(lines), namespace)
    functions: list[Matcher] = [namespace[f"match_{index}"] for index in range(len(bodies))]
    if len(functions) == 1:
        return functions[0]

    def match(node: Variable) -> dict[str, Any] | None:
        for function in functions:
            found = function(node)
            if found is not None:
                return found
        return None

    return match


def _alternatives(pattern: Variable) -> Iterator[tuple[str, dict[str, Any]]]:
    swappable = [
        v
        for v in toposort([pattern])
        if v.op.commutative and len(v.inputs) == 2 and v.inputs[0] is not v.inputs[1]
    ]
    for choice in product((False, True), repeat=len(swappable)):
        yield _body(pattern, {v for v, swap in zip(swappable, choice, strict=True) if swap})


def _body(pattern: Variable, swapped: set[Variable]) -> tuple[str, dict[str, Any]]:
    """The statements that match `pattern`, and the objects that they mention."""
    lines: list[str] = []
    names: dict[str, Any] = {}
    bindings: dict[str, str] = {}
    seen: dict[Variable, str] = {}

    def refer(value: Any) -> str:
        for name, known in names.items():
            if known is value:
                return name
        name = f"k{id(value)}"
        names[name] = value
        return name

    def require(condition: str) -> None:
        lines.append(f"    if not ({condition}): return None")

    def bind(name: str, place: str) -> None:
        if name in bindings:
            require(f"{place} is {bindings[name]}")
        bindings[name] = place

    stack = [(pattern, "node")]
    while stack:
        part, place = stack.pop()
        op = part.op
        if isinstance(op, Constant) and op.literal is not None:
            literal = refer(op.literal)
            require(f"type({place}.op) is Constant and {place}.op.literal == {literal}")
            continue
        if part in seen:
            require(f"{place} is {seen[part]}")
            continue
        seen[part] = place
        if isinstance(op, Wildcard):
            if op.constant:
                require(f"type({place}.op) is Constant")
            bind(op.name or "", place)
        elif isinstance(op, Constant):
            require(f"{place} is {refer(part)}")
        elif isinstance(op, Input):
            raise TypeError(f"{part!r} is an input: the leaves of patterns are wildcards")
        else:
            if isinstance(op, Each):
                require(f"isinstance({place}.op, {refer(op.op_class)})")
                if op.name:
                    bind(op.name, f"{place}.op")
            else:
                require(f"{place}.op is {refer(op)}")
            require(f"len({place}.inputs) == {len(part.inputs)}")
            inputs = part.inputs[::-1] if part in swapped else part.inputs
            for position, source in enumerate(inputs):
                name = f"v{len(seen)}_{position}"
                lines.append(f"    {name} = {place}.inputs[{position}]")
                stack.append((source, name))
    result = ", ".join(f"{name!r}: {place}" for name, place in bindings.items())
    lines.append(f"    return {{{result}}}")
    return "\n".join(lines), names
