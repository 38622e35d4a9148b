"""Text with one line a node, as `to_text` writes it, read back into a graph."""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from weft_graph.core.constant import constant
from weft_graph.core.function_graph import FunctionGraph, Nominal
from weft_graph.core.interned import Interned
from weft_graph.core.nodes import Item, Op, TupleType, Type, Variable, apply
from weft_graph.text.scanner import SPACE, STRING, Scanner
from weft_graph.text.serialise import RESERVED, content_of
from weft_graph.text.vocabulary import Names, Vocabulary, built

__all__ = ["from_text"]


def from_text(
    text: str,
    *,
    inputs: Iterable[Variable] | None = None,
    constants: Mapping[str, Any] | None = None,
    names: Names = (),
) -> FunctionGraph:
    """The graph that `text` describes, in the form that `to_text` writes.

    The text can only name what is imported already. But that may be any function, in an Op that
    calls it: read nothing that is from others, unless you would run their programs. Types written
    after a result are compared with those that its Op gives; they may be left out.

    Parameters
    ----------
    text
        The description.
    inputs
        Variables to take for the inputs, in order; else each is a new one. With the inputs
        of a graph that was written, its very nodes are read.
    constants
        Values of large constants, by the names that the text has for them (as
        `large_constants` gives them).
    names
        A module, a mapping like `globals()` or some classes, in which Ops and Types are looked
        up before all others that are imported.

    Raises
    ------
    GraphTextError
        with line and column of what can't be read.

    Examples
    --------
    >>> from weft_graph import Op, Type
    >>> class Sooner(Op):
    ...     def infer(self, *types):
    ...         return types[0]
    >>> x = Type()("x")
    >>> graph = from_text('''
    ...     x = input : Type
    ...     %0 = Sooner(x) : Type
    ...     return %0
    ... ''', inputs=[x], names=[Sooner])
    >>> graph.outputs[0] is Sooner()(x)
    True
    >>> from_text("x = input : Type \\nreturn y")
    Traceback (most recent call last):
    ...
    weft_graph.GraphTextError: line 2, column 8: no line above gives 'y'
      return y
             ^
    """
    return _Reader(text, inputs, constants or {}, names).graph()


T = TypeVar("T")

_BLANK = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*(?:#[^\n]*)?")
_TARGET = re.compile(r"([%@$]?\w+)[ \t]*=[ \t]*")
_RETURN = re.compile(r"return\b[ \t]*")
_INPUT = re.compile(r"input\b")
_CONSTANT = re.compile(r"constant\b")
_REF = re.compile(r"[%$]?\w+")
_NAME = re.compile(r"@\w+|[^\W\d][\w.]*(?::[^\W\d][\w.<>]*)?")
_NUMBER = re.compile(r"-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?!\w)|-?(?:inf|nan)\b")
_FIELD = re.compile(r"([^\W\d]\w*)[ \t]*=[ \t]*")
_ITEM = re.compile(r"\[(\d+)\]")
_WORDS = {"None": None, "True": True, "False": False}
_WORD = re.compile(r"(?:None|True|False)\b")
_MADE_OF_VALUES = re.compile(r"(frozenset|complex)\(")


class _Reader(Scanner):
    """Reads one text."""

    def __init__(
        self,
        text: str,
        inputs: Iterable[Variable] | None,
        constants: Mapping[str, Any],
        names: Names,
    ) -> None:
        super().__init__(text)
        self._given = None if inputs is None else iter(inputs)
        self._large = constants
        self._vocabulary = Vocabulary(names)
        self._ops: dict[str, Op] = {}
        self._kinds: dict[str, Type] = {}
        self._constants: dict[str, Variable] = {}

    def graph(self) -> FunctionGraph:
        """The graph of the whole text."""
        graph = self._lines(self._given)
        if self.pos < len(self.text):
            self.fail("nothing may follow what the graph returns")
        for v in self._given or ():
            self.fail(f"the text has fewer inputs than were given: {v!r} is left over")
        return graph

    def _lines(self, own_inputs: Iterator[Variable] | None) -> FunctionGraph:
        scope: dict[str, Variable] = {}
        inputs: list[Variable] = []
        while True:
            self.skip(_BLANK)
            start = self.pos
            if self.skip(_RETURN):
                return self._returned(start, inputs, scope)
            target = self.match(_TARGET, "a line `name = ...`, or `return ...`")[1]
            if target in scope or target in self._ops or target in self._constants:
                self.fail(f"{target!r} is given twice", start)
            if target[0] == "@":
                self._ops[target] = self._checked(self._value(Op), Op, self.pos)
            elif target[0] == "$":
                self._constants[target] = self._large_constant(target, start)
            else:
                if target in RESERVED:
                    self.fail(f"{target!r} means something else, so it can't be a name", start)
                if self.skip(_INPUT):
                    scope[target] = self._input(target, own_inputs, start)
                    inputs.append(scope[target])
                else:
                    scope[target] = self._node(target, scope)
            self.end_of_line()

    def _returned(
        self, start: int, inputs: list[Variable], scope: dict[str, Variable]
    ) -> FunctionGraph:
        outputs = [] if self.at_end() else self._sequence(lambda: self._ref(scope))
        self.end_of_line()
        self.skip(_BLANK)
        return self.tried(start, lambda: FunctionGraph(inputs, outputs))

    def _input(self, target: str, inputs: Iterator[Variable] | None, start: int) -> Variable:
        name: Any = target if target[0] != "%" else None
        if self.take("("):
            name = self._value(Type)
            self.expect(")")
        self.expect(":")
        kind = self._kind()
        if isinstance(name, int):
            return apply(Nominal(name, kind), ())
        if inputs is None:
            return kind(name)  # type: ignore[no-any-return]  # a Type makes a variable
        v = next(inputs, None)
        if v is None:
            self.fail("no variable was given for this input", start)
        if v.type is not kind:
            self.fail(f"the variable that was given for this input, {v!r}, is no {kind}", start)
        return v

    def _large_constant(self, target: str, start: int) -> Variable:
        self.match(_CONSTANT, "`constant(digest)`, as a name with $ stands for one")
        content = None
        if self.take("("):
            content = self._value(Type)
            self.expect(")")
        self.expect(":")
        kind = self._kind()
        if target not in self._large:
            self.fail(
                f"this constant is too large for the text: give from_text its value, as in "
                f"constants={{{target!r}: value}} (see large_constants)",
                start,
            )
        v: Variable = self.tried(start, lambda: constant(kind, self._large[target]))
        if content is not None and content != content_of(v.op):
            self.fail("it holds something else than the constant that was written", start)
        return v

    def _node(self, target: str, scope: dict[str, Variable]) -> Variable:
        start = self.pos
        node = self._right(scope)
        if target[0] != "%":
            node = node.named(target)
        if self.take(":"):
            self.skip(SPACE)
            at = self.pos
            declared = self._kind()
            if declared is not node.type:
                self.fail(f"declared as {declared}, but it is {node.type}", at)
        elif not self.at_end():
            self.fail("expected ` : ` and a type, or the end of the line", max(start, self.pos))
        return node

    def _right(self, scope: dict[str, Variable]) -> Variable:
        start = self.pos
        name = _NAME.match(self.text, start)
        end = self.groups(name.end() if name else start)
        if name is None or name[0] in RESERVED or end == name.end() or self.text[end - 1] == "]":
            v = self._ref(scope)
            item = _ITEM.match(self.text, self.pos)
            if item is None:
                return v
            self.pos = item.end()
            index = int(item[1])
            if not isinstance(v.type, TupleType) or index >= len(v.type.items):
                self.fail(f"there is no result {index}: this is {v.type}", start)
            return apply(Item(index), (v,))
        opening = self.last_group
        op = self._op(start, opening)
        self.pos = opening + 1
        if self.take(")"):
            inputs: list[Variable] = []
        else:
            inputs = self._sequence(lambda: self._ref(scope))
            self.expect(")")
        return self.tried(start, lambda: _applied(op, tuple(inputs)))

    def _op(self, start: int, end: int) -> Op:
        text = self.text[start:end]
        op = self._ops.get(text)
        if op is None:
            self.pos = start
            op = self._checked(self._named(end, Op), Op, start)
            self._ops[text] = op
        return op

    def _kind(self) -> Type:
        """The type that follows."""
        self.skip(SPACE)
        start = self.pos
        if self.take("("):
            items: list[Type] = []
            while not self.take(")"):
                items.append(self._kind())
                if not self.take(","):
                    self.expect(")")
                    break
            return TupleType(tuple(items))
        name = self.match(_NAME, "a type")
        end = self.groups(name.end())
        text = self.text[start:end]
        kind = self._kinds.get(text)
        if kind is None:
            self.pos = start
            kind = self._checked(self._named(end, Type), Type, start)
            self._kinds[text] = kind
        self.pos = end
        return kind

    def _ref(self, scope: dict[str, Variable]) -> Variable:
        """A variable by its name, or a constant in place."""
        start = self.pos
        match = _REF.match(self.text, start)
        v = None if match is None else scope.get(match[0], self._constants.get(match[0]))
        if match is not None and v is not None:
            self.pos = match.end()
            return v
        if match is not None and not self._begins_a_value(match[0]):
            self.fail(f"no line above gives {match[0]!r}")
        value = self._value(Type)
        self.expect(":")
        kind = self._kind()
        variable: Variable = self.tried(start, lambda: constant(kind, value))
        return variable

    def _begins_a_value(self, word: str) -> bool:
        return (
            word in RESERVED or word[0].isdigit() or STRING.match(self.text, self.pos) is not None
        )

    def _sequence(self, read: Callable[[], T]) -> list[T]:
        items = [read()]
        while self.take(","):
            self.skip(SPACE)
            items.append(read())
        return items

    def _value(self, home: type) -> Any:
        """A parameter of a `home`, or the value of a constant."""
        self.skip(SPACE)
        text, start = self.text, self.pos
        literal = _NUMBER.match(text, start)
        if literal is not None:
            self.pos = literal.end()
            word = literal[0].lstrip("-")
            return float(literal[0]) if word in ("inf", "nan") else literal_eval(literal[0])
        string = STRING.match(text, start)
        if string is not None:
            self.pos = string.end()
            return self.tried(start, lambda: literal_eval(string[0]))
        if self.take("("):
            items, comma = self._values(home, ")")
            return tuple(items) if comma or len(items) != 1 else items[0]
        if self.take("["):
            return self._values(home, "]")[0]
        if self.take("{"):
            graph = self._lines(None)
            self.expect("}")
            return graph.nominal
        fixed = _WORD.match(text, start)
        if fixed is not None:
            self.pos = fixed.end()
            return _WORDS[fixed[0]]
        make = _MADE_OF_VALUES.match(text, start)
        if make is not None:
            self.pos = make.end()
            items, _ = self._values(home, ")")
            return self.tried(start, lambda: _built_in(make[1], items))
        name = self.match(_NAME, "a value")
        end = self.groups(name.end())
        self.pos = start
        return self._named(end, home)

    def _values(self, home: type, closing: str) -> tuple[list[Any], bool]:
        """Values up to `closing`, and whether a comma stood among them."""
        items: list[Any] = []
        comma = False
        while not self.take(closing):
            items.append(self._value(home))
            if not self.take(","):
                self.expect(closing)
                break
            comma = True
        return items, comma

    def _named(self, end: int, home: type) -> Any:
        """What the text from here to `end`, a name and what is in brackets after it, stands for."""
        start = self.pos
        text = self.text[start:end]
        if text in self._ops:
            self.pos = end
            return self._ops[text]
        name = self.match(_NAME, "a name")[0]
        kind = self.tried(start, lambda: self._vocabulary.named(name, home))
        if kind is None:
            self.pos = end
            return self.tried(start, lambda: self._vocabulary.spelled(text))
        if self.pos == end:
            is_value = ":" not in name and isinstance(kind, type) and issubclass(kind, Interned)
            return self._made(kind, {}, start) if is_value else kind
        if not self.take("("):
            self.fail(f"{name} takes its parameters in parentheses")
        fields: dict[str, Any] = {}
        while not self.take(")"):
            at = self.pos
            field = self.match(_FIELD, "a parameter `name=value`")[1]
            if field in fields:
                self.fail(f"{field!r} is given twice", at)
            fields[field] = self._value(kind)
            if not self.take(","):
                self.expect(")")
                break
            self.skip(SPACE)
        return self._made(kind, fields, start)

    def _made(self, kind: Any, fields: dict[str, Any], start: int) -> Any:
        return self.tried(start, lambda: built(kind, fields))

    def _checked(self, value: Any, kind: type[T], start: int) -> T:
        if isinstance(value, type) and issubclass(value, kind):
            value = self._made(value, {}, start)
        if not isinstance(value, kind):
            self.fail(f"expected {kind.__name__}, but this is {value!r}", start)
        return value


def _built_in(name: str, items: list[Any]) -> Any:
    return frozenset(items) if name == "frozenset" else complex(*items)


def _applied(op: Op, inputs: tuple[Variable, ...]) -> Variable:
    """The node of `op` on inputs that were converted before they were written."""
    if type(op).make_node is Op.make_node:
        return apply(op, inputs)
    return op.make_node(*inputs).node
