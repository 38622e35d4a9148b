"""What linkers make of a graph: a function as source, and which line of it computes what."""

from __future__ import annotations

import keyword
import linecache
import re
import unicodedata
import weakref
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import count
from types import CodeType, FrameType
from typing import Any, Final, NamedTuple

from weft_graph.core.nodes import Variable

__all__ = ["Names", "Program", "Step", "identifier", "load_common", "load_source"]


class Step(NamedTuple):
    """What one line of a program computes, and how."""

    nodes: tuple[Variable, ...]
    """What it computes; the first stands for all."""
    arguments: tuple[str, ...] = ()
    """The names of what it takes; those of the inputs of a node that is alone."""
    callee: str = ""
    """The name of what it calls, in the program's namespace; empty where it calls nothing."""
    depth: int = 1
    """How far it is indented: more than 1 in branches."""

    @property
    def node(self) -> Variable:
        """The node, or the one that stands for all."""
        return self.nodes[0]


class Program:
    """A function as source: its lines, what their names stand for, and what they compute.

    Linkers add the lines; where in a user's program a step is from, its node knows.

    >>> from weft_graph import Type
    >>> x = Type()("x")
    >>> program = Program("twice", ["x"], {"add": lambda x, y: x + y})
    >>> program.add("t = add(x, x)", Step((x.named("t"),), ("x", "x"), "add"))
    >>> program.add("return t")
    >>> print(program.source)
    def twice(x):
        t = add(x, x)
        return t
    <BLANKLINE>
    >>> program.load()(21), program.steps[2].node
    (42, <t : Type>)
    """

    def __init__(
        self, name: str, parameters: Iterable[str] = (), namespace: dict[str, Any] | None = None
    ) -> None:
        self.name = name
        self.parameters = tuple(parameters)
        self.namespace: dict[str, Any] = {} if namespace is None else namespace
        self.lines: list[tuple[int, str]] = []
        """How far each line is indented, and what it says."""
        self.steps: dict[int, Step] = {}
        """By the number of the line, of which the first is 2: before it are the parameters."""
        self.filename = ""

    @property
    def source(self) -> str:
        """The function's text."""
        head = f"def {self.name}({', '.join(self.parameters)}):"
        return "\n".join([head, *["    " * depth + line for depth, line in self.lines], ""])

    def add(self, line: str, step: Step | None = None, *, depth: int = 1) -> None:
        """Add a line of the function, which does `step`; it is indented `depth` times."""
        self.lines.append((depth, line))
        if step is not None:
            self.note(step)

    def note(self, step: Step) -> None:
        """Say that `step` is done once the line that was added last is."""
        self.steps[1 + len(self.lines)] = step

    def load(self) -> Callable[..., Any]:
        """The function, from the namespace as it is now."""
        function = load_source(self.name, self.source, self.namespace)
        self.filename = function.__code__.co_filename
        return function

    def callee(self, line: int) -> Any:
        """What `line` calls; None where it calls nothing."""
        return self.namespace.get(self.steps[line].callee)

    def at(self, frame: FrameType, line: int) -> tuple[Variable, list[Any]] | None:
        """The node that `line` computes, and the values of its inputs in `frame`.

        The frame is a call of this very program, which its steps' names are from; nothing else
        has the values, as to note them would cost time in every call that does not fail.
        """
        step = self.steps.get(line)
        if step is None:
            return None
        scope = {**self.namespace, **frame.f_locals}
        return step.node, [scope[name] for name in step.arguments]

    def failed_at(self, error: BaseException) -> tuple[Variable, list[Any]] | None:
        """The node that raised `error` while this program ran, and its inputs' values."""
        failure = None
        traceback = error.__traceback__
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == self.filename:
                failure = self.at(traceback.tb_frame, traceback.tb_lineno) or failure
            traceback = traceback.tb_next
        return failure


_serial: Final = count()


def load_source(name: str, source: str, namespace: dict[str, Any]) -> Callable[..., Any]:
    """The function `name` of `source`, whose lines tracebacks and debuggers can show."""
    exec(_code(name, source), namespace)
    function: Callable[..., Any] = namespace.pop(name)  # no cycle: it goes when it is dropped
    return function


def load_common(name: str, source: str, namespace: dict[str, Any]) -> Callable[..., Any]:
    """The same, where many sources are equal: they share their code and the name of its file."""
    exec(_common_code(name, source), namespace)
    function: Callable[..., Any] = namespace.pop(name)
    return function


def _code(name: str, source: str) -> CodeType:
    filename = f"<weft {name} {next(_serial)}>"
    code = compile(source, filename, "exec")
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    for part in code.co_consts:
        if isinstance(part, CodeType) and part.co_name == name:
            weakref.finalize(part, linecache.cache.pop, filename, None).atexit = False
    return code


_common_code: Final = lru_cache(maxsize=256)(_code)


def identifier(text: str, fallback: str) -> str:
    """A valid Python name that resembles `text`.

    >>> identifier("x²", "x0"), identifier("lambda", "x0"), identifier("a b", "x0")
    ('x2', 'x0', 'a_b')
    """
    name = re.sub(r"\W+", "_", unicodedata.normalize("NFKC", text)).strip("_")
    return name if name.isidentifier() and not keyword.iskeyword(name) else fallback


class Names:
    """Hands out names, each once."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._next: dict[str, int] = {}

    def new(self, wish: str) -> str:
        """`wish`, or `wish_2`, `wish_3`, ... if it is taken."""
        name, number = wish, self._next.get(wish, 1)
        while name in self._used:
            number += 1
            name = f"{wish}_{number}"
        self._next[wish] = number
        self._used.add(name)
        return name
