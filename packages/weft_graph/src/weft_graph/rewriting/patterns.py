"""Patterns: ordinary expressions over wildcards, compiled to straight-line Python.

A pattern is built with the same functions as any expression. Its leaves are wildcards,
which stand for any variable (the same name twice: the same variable), and literals, which
stand for that value in any type. `Each(SomeOp)` stands for any Op of a class, `Form` for what
several expressions may be, and a leaf by `rest` for all inputs that are left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any, ClassVar

from weft_graph.core.constant import Constant
from weft_graph.core.nodes import Input, Op, Type, Variable, apply
from weft_graph.core.toposort import toposort

__all__ = [
    "AnyType",
    "Each",
    "Form",
    "Matcher",
    "any_constant",
    "filled",
    "matcher",
    "rest",
    "wildcard",
    "wildcards_of",
]


class AnyType(Type):
    """The type of a wildcard, and of every expression over wildcards."""

    variable_class: type[Variable]  # type: ignore[misc]  # here it is a parameter
    absorbs: ClassVar[bool] = True

    def __str__(self) -> str:
        return "any"


class Wildcard(Input):
    """The Op of a wildcard; with `constant`, it stands for constants only."""

    is_rest = False

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


class _Rest(Wildcard):
    """The Op of a leaf that stands for several inputs."""

    is_rest = True


def rest(name: str, kind: type[Variable] = Variable) -> Any:
    """The last leaf of a part of a pattern, for all its further inputs, be they any or none.

    >>> class Join(Op):
    ...     def infer(self, *types):
    ...         return types[0]
    >>> a, b, c = (Type()(name) for name in "abc")
    >>> matcher(Join()(wildcard("x"), rest("others")))(Join()(a, b, c))["others"] == (b, c)
    True
    """
    return apply(_Rest(AnyType(kind), name, constant=False), ())


class Each(Op):
    """In patterns, any Op of class `op_class`; bound to `name`, if one is given.

    >>> from weft_graph.core.nodes import Named
    >>> str(Each(Named)(wildcard("x")))
    'Each(Named)'
    """

    op_class: type[Op]
    name: str | None = None

    def __str__(self) -> str:
        return f"Each({self.op_class.__name__})"


class Form(Op):
    """In patterns, what may be written in several ways, as products are.

    `parts` returns what a variable is made of, one for each argument, or None if it is no such.

    >>> from weft_graph.core.nodes import Named
    >>> called = Form("called", lambda v: v.inputs if isinstance(v.op, Named) else None)
    >>> a = Type()("a")
    >>> matcher(called(wildcard("x")))(Named("mu")(a)) == {"x": a}
    True
    """

    name: str
    parts: Callable[[Any], Any]

    def __str__(self) -> str:
        return self.name


def wildcards_of(pattern: Variable) -> list[Wildcard]:
    """The wildcards of `pattern`, in order of appearance.

    >>> [op.name for op in wildcards_of(wildcard("x"))]
    ['x']
    """
    return [v.op for v in toposort([pattern]) if isinstance(v.op, Wildcard)]


def filled(pattern: Variable, values: Mapping[str, Variable]) -> Any:
    """`pattern` with `values` in place of the wildcards, which are given by name.

    Raises ValueError for a pattern with `Each`, `Form` or `rest`, which stand for nothing in
    particular.

    >>> from weft_graph.core.nodes import Named
    >>> filled(Named("mu")(wildcard("x")), {"x": Type()("a")})
    <mu : Type>
    """
    copies: dict[Variable, Any] = {}
    for v in toposort([pattern]):
        op = v.op
        if isinstance(op, (Each, Form, _Rest)):
            raise ValueError(f"{op} stands for nothing in particular")
        if isinstance(op, Wildcard):
            copies[v] = values[op.name or ""]
        elif isinstance(op, Constant):
            copies[v] = v
        else:
            literals = [literal_for(op, i) for i in v.inputs]
            pairs = zip(v.inputs, literals, strict=True)
            copies[v] = op(*[copies[i] if literal is None else literal for i, literal in pairs])
    return copies[pattern]


def literal_for(op: Op, part: Variable) -> Any:
    """The plain value of `part`, if that is what `op` is to be given; else None.

    Ops that convert what they are given choose the type of a literal by the other inputs.
    """
    kind = op.op_class if isinstance(op, Each) else type(op)
    converts = kind.convert is not Op.convert or kind.make_node is not Op.make_node
    return part.op.literal if converts and isinstance(part.op, Constant) else None


Matcher = Callable[[Variable], dict[str, Any] | None]
Places = Mapping[str, str]
"""Where generated code finds what a name is bound to."""
Tail = Callable[[Places, "Namespace", str], list[str]]
"""What to do after a match, as statements; the text is what to return to go on searching."""


class Namespace(dict[str, Any]):
    """The objects that generated code mentions, by the names that it has for them."""

    def __init__(self) -> None:
        super().__init__(Constant=Constant, __name__=__name__)  # whose code it is, for `here`
        self._names: dict[int, str] = {}

    def refer(self, value: object) -> str:
        """The name of `value`, the same every time."""
        name = self._names.setdefault(id(value), f"k{len(self._names)}")
        self[name] = value
        return name


def matcher(pattern: Variable) -> Matcher:
    """A function from a variable to the pattern's bindings by name, or None.

    Patterns with commutative Ops of two different inputs are tried in every order.
    """

    def tail(places: Places, names: Namespace, otherwise: str) -> list[str]:
        bound = ", ".join(f"{name!r}: {p}" for name, p in places.items() if name != "node")
        return [f"return {{{bound}}}"]

    return compiled(pattern, tail)


def compiled(pattern: Variable, tail: Tail) -> Callable[[Variable], Any]:
    """A function of a variable that goes on with `tail` where the pattern matches, else None."""
    names = Namespace()
    swaps = list(_swaps(pattern))
    lines: list[str] = []
    for index, swapped in enumerate(swaps):
        otherwise = f"match_{index + 1}(node)" if index + 1 < len(swaps) else "None"
        tests, places = _tests(pattern, swapped, names, otherwise)
        lines.append(f"def match_{index}(node):")
        lines += [f"    {line}" for line in [*tests, *tail(places, names, otherwise)]]
    exec(compile("\n".join(lines), "<weft rule>", "exec"), names)
    match: Callable[[Variable], Any] = names["match_0"]
    return match


def _swaps(pattern: Variable) -> Iterator[set[Variable]]:
    """For every order of the inputs of commutative Ops: where they are swapped."""
    swappable = [v for v in toposort([pattern]) if is_swappable(v)]
    for choice in product((False, True), repeat=len(swappable)):
        yield {v for v, swap in zip(swappable, choice, strict=True) if swap}


def is_swappable(part: Variable) -> bool:
    """Whether this part of a pattern matches in another order as well."""
    inputs = part.inputs
    return part.op.commutative and len(inputs) == 2 and inputs[0] is not inputs[1]


def fixed(part: Variable) -> int:
    """How many inputs this part of a pattern has before those that `rest` stands for."""
    last = part.inputs[-1].op if part.inputs else None
    return len(part.inputs) - (isinstance(last, Wildcard) and last.is_rest)


def _tests(
    pattern: Variable, swapped: set[Variable], names: Namespace, otherwise: str
) -> tuple[list[str], Places]:
    """The statements that match `pattern`, and where they leave what they bind."""
    lines: list[str] = []
    bindings: dict[str, str] = {"node": "node"}
    place_of: dict[Variable, str] = {}

    def require(condition: str) -> None:
        lines.append(f"if not ({condition}): return {otherwise}")

    def bind(name: str, place: str) -> None:
        if name in bindings:
            require(f"{place} is {bindings[name]}")
        bindings[name] = place

    stack = [(pattern, "node")]
    while stack:
        part, place = stack.pop()
        op = part.op
        if isinstance(op, Constant) and op.literal is not None:
            literal = names.refer(op.literal)
            require(f"type({place}.op) is Constant and {place}.op.literal == {literal}")
            continue
        if part in place_of:
            same = "==" if isinstance(op, _Rest) else "is"
            require(f"{place} {same} {place_of[part]}")
            continue
        place_of[part] = place
        if isinstance(op, Wildcard):
            if op.constant:
                require(f"type({place}.op) is Constant")
            bind(op.name or "", place)
        elif isinstance(op, Constant):
            require(f"{place} is {names.refer(part)}")
        elif isinstance(op, Input):
            raise TypeError(f"{part!r} is an input: the leaves of patterns are wildcards")
        elif isinstance(op, Form):
            parts = f"v{len(place_of)}"
            lines.append(f"{parts} = {names.refer(op.parts)}({place})")
            require(f"{parts} is not None")
            for position, source in enumerate(part.inputs):
                lines.append(f"{parts}_{position} = {parts}[{position}]")
                stack.append((source, f"{parts}_{position}"))
        else:
            if isinstance(op, Each):
                require(f"isinstance({place}.op, {names.refer(op.op_class)})")
                if op.name:
                    bind(op.name, f"{place}.op")
            else:
                require(f"{place}.op is {names.refer(op)}")
            least = fixed(part)
            require(f"len({place}.inputs) {'>=' if least < len(part.inputs) else '=='} {least}")
            inputs = part.inputs[::-1] if part in swapped else part.inputs
            for position, source in enumerate(inputs):
                name = f"v{len(place_of)}_{position}"
                taken = position if position < least else f"{position}:"
                lines.append(f"{name} = {place}.inputs[{taken}]")
                stack.append((source, name))
    return lines, bindings
