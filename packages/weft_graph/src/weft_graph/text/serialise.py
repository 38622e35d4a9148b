"""Graphs as text with one line a node, which `from_text` reads back."""

from __future__ import annotations

import enum
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from struct import pack
from types import BuiltinFunctionType, FunctionType
from typing import Any

from weft_graph.core.constant import Constant
from weft_graph.core.encoding import path_of
from weft_graph.core.function_graph import FunctionGraph, Graph, Nominal, as_graph
from weft_graph.core.interned import Interned
from weft_graph.core.nodes import Item, Named, Op, TupleType, Type, Variable
from weft_graph.core.pytree import field_names

__all__ = ["large_constants", "to_text"]

RESERVED = frozenset({"complex", "constant", "frozenset", "inf", "input", "nan", "return"}) | {
    "None",
    "True",
    "False",
}
"""What stands for itself in the text, so that no variable is written like it."""

_WORD = re.compile(r"[^\W\d]\w*")
_LONGEST = 120
"""Constants whose text is longer are left out, and written by a digest of their content."""


def to_text(graph: Graph) -> str:
    """A graph as text with one line a node; `from_text` makes the same graph of it.

    Inputs come first, with their types; then constants too large to be written in place, then
    Ops that hold graphs, then the nodes, inputs of an Op before its results. A name that begins
    with `%` is only a number; any other is the name that an input or a result has. The same
    graph gives the same text in every process, so that tests may compare it.

    Raises TypeError for a parameter of an Op or Type that no text stands for, like a lambda.

    >>> from weft_graph import Op, Type
    >>> class Join(Op):
    ...     separator: str
    ...     def infer(self, *types):
    ...         return types[0]
    >>> x, y = Type()("x"), Type()("y")
    >>> both = Join(", ")(x, y)
    >>> print(to_text(Join(" ")(both, both, Join("")(x).named("alone"))))
    x = input : Type
    y = input : Type
    %0 = Join(separator=', ')(x, y) : Type
    alone = Join(separator='')(x) : Type
    %1 = Join(separator=' ')(%0, %0, alone) : Type
    return %1
    """
    return "\n".join(_written(as_graph(graph)).lines)


def large_constants(graph: Graph) -> dict[str, Any]:
    """The values that `to_text` leaves out, by the names that stand for them in the text.

    >>> from weft_graph import Type, constant
    >>> large_constants(constant(Type(), "much " * 100)).keys()
    dict_keys(['$0'])
    """
    return _written(as_graph(graph)).constants


def content_of(op: Op) -> str:
    """A short digest of what is in a constant."""
    assert isinstance(op, Constant)
    return blake2b(op.type.digest_of(op.value), digest_size=8).hexdigest()


def _written(graph: FunctionGraph) -> _Writer:
    """`graph` in writing, with the module of classes that share their name with others."""
    ambiguous: set[str] = set()
    while True:
        writer = _Writer(ambiguous)
        writer.write(graph)
        if writer.ambiguous == ambiguous:
            return writer
        ambiguous = writer.ambiguous


class _Writer:
    """Writes one text; what several graphs in it share is written once."""

    def __init__(self, ambiguous: Iterable[str]) -> None:
        self.ambiguous = set(ambiguous)
        self.lines: list[str] = []
        self.constants: dict[str, Any] = {}
        self._head: list[str] = []
        self._classes: dict[str, type] = {}
        self._ops: dict[Op, str] = {}
        self._kinds: dict[Type, str] = {}
        self._roots: dict[Variable, str] = {}
        self._defined: set[str] = set()
        self._holds_graph = False

    def write(self, graph: FunctionGraph) -> None:
        inputs, nodes = self._graph(graph)
        self.lines = [*inputs, *self._head, *nodes]

    def _graph(self, graph: FunctionGraph) -> tuple[list[str], list[str]]:
        """The lines of its inputs, and those of its nodes."""
        names = _names(graph)
        lines: list[str] = []
        refs: dict[Variable, str] = {}
        count = 0
        for v in graph.inputs:
            refs[v] = names.get(v) or f"%{count}"
            count += v not in names
            lines.append(f"{refs[v]} = {self._input(v, v in names)} : {self._kind(v.type)}")
        start = len(lines)
        within = _named_in_place(graph, names)
        for v in graph.nodes:
            if v in within:
                continue
            source = v.inputs[0] if v in names else v
            if source is v or source in within:
                right = self._application(source, refs)
            else:
                right = self._ref(source, refs)
            refs[v] = names.get(v) or f"%{count}"
            count += v not in names
            lines.append(f"{refs[v]} = {right} : {self._kind(v.type)}")
        results = ", ".join([self._ref(v, refs) for v in graph.outputs])
        lines.append(f"return {results}" if results else "return")
        return lines[:start], lines[start:]

    def _input(self, v: Variable, with_name: bool) -> str:
        if type(v.op) is Nominal:
            return f"input({v.op.index})"
        return "input" if with_name or v.name is None else f"input({v.name!r})"

    def _application(self, v: Variable, refs: dict[Variable, str]) -> str:
        if type(v.op) is Item:
            return f"{self._ref(v.inputs[0], refs)}[{v.op.index}]"
        return f"{self._op(v.op)}({', '.join([self._ref(i, refs) for i in v.inputs])})"

    def _ref(self, v: Variable, refs: dict[Variable, str]) -> str:
        return refs.get(v) or self._constant(v)

    def _constant(self, v: Variable) -> str:
        root = self._roots.get(v)
        if root is not None:
            return root
        op = v.op
        if not isinstance(op, Constant):
            raise TypeError(f"{v!r} is neither computed, an input nor a constant: no text for it")
        kind = self._kind(op.type)
        text = self._plain(op)
        if text is not None:
            self._roots[v] = f"{text}:{kind}"
        else:
            self._roots[v] = name = f"${len(self.constants)}"
            self.constants[name] = op.value
            try:
                content = content_of(op)
            except TypeError as error:
                raise TypeError(f"no text stands for the constant {v!r}: {error}") from error
            self._head.append(f"{name} = constant({content!r}) : {kind}")
        return self._roots[v]

    def _plain(self, op: Constant) -> str | None:
        """The value as a literal, if one is short enough and gives the same constant again."""
        plain = op.type.plain(op.value)
        if plain is None:
            return None
        try:
            text = self._value(plain, Type)
            again = op.type.freeze(op.type.filter(plain))
            same = op.type.constant_key(again) == op.type.constant_key(op.value)
        except Exception:  # a user's `filter` may raise anything
            return None
        if not same or len(text) > _LONGEST:
            return None
        return f"({text})" if _begins_with_a_name(text) else text

    def _kind(self, kind: Type) -> str:
        text = self._kinds.get(kind)
        if text is None:
            if isinstance(kind, TupleType):
                items = [self._kind(item) for item in kind.items]
                text = f"({', '.join(items)}{',' * (len(items) == 1)})"
            else:
                text = self._interned(kind, Type)
            self._kinds[kind] = text
        return text

    def _op(self, op: Op) -> str:
        text = self._ops.get(op)
        if text is None:
            outer, self._holds_graph = self._holds_graph, False
            text = self._interned(op, Op)
            if self._holds_graph:
                name = self._definition_name(op)
                self._head.append(f"{name} = {text}")
                text = name
            self._ops[op] = text
            self._holds_graph = outer
        return text

    def _definition_name(self, op: Op) -> str:
        text = str(op)
        base = text if _WORD.fullmatch(text) else type(op).__name__
        name, count = f"@{base}", 1
        while name in self._defined:
            count += 1
            name = f"@{base}_{count}"
        self._defined.add(name)
        return name

    def _interned(self, value: Interned, home: type) -> str:
        kind = type(value)
        # A class that inherits its spelling would be read as the class that it inherits it from.
        spelling = value.spelling() if "spelling" in vars(kind) else None
        if spelling is not None:
            return spelling
        if value._identity() is None:
            raise TypeError(
                f"{value!r} equals only itself, so it has no text: list the parameters of "
                f"{kind.__name__} in `__props__`"
            )
        fields = [(field, getattr(value, field)) for field in kind.__props__]
        text = self._call(kind, fields, home)
        return text if fields or kind.__name__ in self.ambiguous else text[:-2]

    def _call(self, kind: type, fields: Iterable[tuple[str, Any]], home: type) -> str:
        parts = []
        for field, value in fields:
            try:
                parts.append(f"{field}={self._value(value, kind)}")
            except TypeError as error:
                raise TypeError(f"{kind.__name__}: parameter {field!r}: {error}") from error
        return f"{self._class(kind, home)}({', '.join(parts)})"

    def _class(self, kind: type, home: type) -> str:
        """How to call `kind`: by its name, if that leads to it from where `home` is defined."""
        name = kind.__name__
        if issubclass(kind, Interned):
            if self._classes.setdefault(name, kind) is not kind:
                self.ambiguous.add(name)
            if name not in self.ambiguous:
                return name
            return f"{kind.__module__}:{kind.__qualname__}"
        if getattr(sys.modules.get(home.__module__), name, None) is kind:
            return name
        return _path(kind)

    def _value(self, value: Any, home: type) -> str:
        """A parameter of a `home`."""
        write = _PLAIN.get(type(value))
        if write is not None:
            return write(value)
        if type(value) is tuple:
            parts = [self._value(v, home) for v in value]
            return f"({', '.join(parts)}{',' * (len(parts) == 1)})"
        if type(value) is list:
            return f"[{', '.join([self._value(v, home) for v in value])}]"
        if type(value) is frozenset:
            return f"frozenset({', '.join(sorted([self._value(v, home) for v in value]))})"
        if isinstance(value, FunctionGraph):
            self._holds_graph = True
            return "\n".join(["{", *self._block(value), "}"])
        if isinstance(value, Op):
            return self._op(value)
        if isinstance(value, Interned):
            return self._interned(value, home)
        if isinstance(value, enum.Enum):
            return f"{self._class(type(value), home)}.{value.name}"
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return self._call(type(value), zip(value._fields, value, strict=True), home)
        fields = field_names(value)
        if fields is not None:
            return self._call(type(value), [(f, getattr(value, f)) for f in fields], home)
        if isinstance(value, type | FunctionType | BuiltinFunctionType):
            return _path(value)
        raise TypeError(f"no text stands for {value!r}, a {type(value).__name__}")

    def _block(self, graph: FunctionGraph) -> Iterator[str]:
        inputs, nodes = self._graph(graph)
        return (f"    {line}" for line in (*inputs, *nodes))


def _begins_with_a_name(text: str) -> bool:
    """Whether `text` begins like the name of a variable or an Op, unlike literals."""
    word = _WORD.match(text)
    if word is None or word[0] in RESERVED:
        return False
    return text[word.end() : word.end() + 1] not in ("'", '"')  # b'...' is a literal


def _float(value: float) -> str:
    if value == value:
        return repr(value)
    for text in ("nan", "-nan"):
        if pack("d", value) == pack("d", float(text)):
            return text
    raise TypeError("no text stands for NaN with a payload")


_PLAIN: dict[type, Callable[[Any], str]] = {
    type(None): repr,
    bool: repr,
    int: repr,
    float: _float,
    str: repr,
    bytes: repr,
    complex: lambda value: f"complex({_float(value.real)}, {_float(value.imag)})",
}


def _path(value: Any) -> str:
    path_of(value)  # which raises where no other process could find it
    return f"{value.__module__}:{value.__qualname__}"


def _names(graph: FunctionGraph) -> dict[Variable, str]:
    """The inputs and results that are written by their name: the first to have it."""
    inputs = set(graph.inputs)
    names_in_use: set[str] = set()
    names: dict[Variable, str] = {}
    for v in (*graph.inputs, *graph.nodes):
        name = v.name if v in inputs or type(v.op) is Named else None
        if name is not None and name not in names_in_use and _is_plain(name):
            names_in_use.add(name)
            names[v] = name
    return names


def _is_plain(name: str) -> bool:
    return _WORD.fullmatch(name) is not None and name not in RESERVED


def _named_in_place(graph: FunctionGraph, names: dict[Variable, str]) -> set[Variable]:
    """The results of which nothing but their name is used: it stands before them."""
    inputs, outputs, nodes = set(graph.inputs), set(graph.outputs), set(graph.nodes)
    within = set()
    for v in graph.nodes:
        if v in names and v not in inputs:
            (source,) = v.inputs
            alone = len(graph.users[source]) == 1 and source not in outputs
            if alone and source in nodes and source not in names:
                within.add(source)
    return within
