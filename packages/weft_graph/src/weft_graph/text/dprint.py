"""Graphs as trees."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Literal, TextIO, overload

from weft_graph.core.constant import Constant
from weft_graph.core.function_graph import FunctionGraph, Graph, as_graph
from weft_graph.core.nodes import Item, Named, Op, Variable

__all__ = ["dprint", "graphs_in"]

_DEEPEST = 40


@overload
def dprint(
    graph: Graph,
    file: TextIO | None = None,
    *,
    depth: int | None = None,
    print_type: bool = False,
    print_id: bool = True,
    stop_on_name: bool = False,
) -> None: ...


@overload
def dprint(
    graph: Graph,
    file: Literal["str"],
    *,
    depth: int | None = None,
    print_type: bool = False,
    print_id: bool = True,
    stop_on_name: bool = False,
) -> str: ...


def dprint(
    graph: Graph,
    file: TextIO | Literal["str"] | None = None,
    *,
    depth: int | None = None,
    print_type: bool = False,
    print_id: bool = True,
    stop_on_name: bool = False,
) -> str | None:
    """Print a graph as a tree, each variable under the one that uses it.

    A variable met again is shown by its letter only. Beyond a depth of 40 the indentation
    starts anew, with the depth written out. Graphs inside Ops follow.

    Parameters
    ----------
    graph
        A variable, several, a function graph, or a compiled function: what that computes.
    file
        Where to print to, by default the standard output; "str" returns the text instead.
    depth
        How many levels to show; `...` stands for what is below them.
    print_type
        Whether to show types.
    print_id
        Whether to show the letters.
    stop_on_name
        Whether to leave out what results with a name are computed from.

    Examples
    --------
    >>> from weft_graph import Type
    >>> class Join(Op):
    ...     def infer(self, *types):
    ...         return types[0]
    >>> x = Type()("x")
    >>> y = Join()(Join()(x).named("inner"), x)
    >>> dprint(y)
    Join [a]
     ├─ inner = Join [b]
     │   └─ x [c]
     └─ x [c]
    >>> dprint(y, depth=1, print_id=False, print_type=True)
    Join : Type
     ├─ inner = Join : Type
     │   └─ ...
     └─ x : Type
    """
    tree = _Tree(depth, print_type, print_id, stop_on_name)
    text = tree.of(as_graph(graph))
    if file == "str":
        return text
    print(text, file=file or sys.stdout)
    return None


def text_of(graph: Graph, *, print_type: bool = False) -> str:
    """What `dprint` prints."""
    return dprint(graph, "str", print_type=print_type)


def graphs_in(op: Op) -> Iterator[FunctionGraph]:
    """The graphs among the parameters of `op`, and of Ops among these, as the body of a loop.

    >>> from weft_graph import OpFromGraph, Type
    >>> x = Type()("x")
    >>> list(graphs_in(OpFromGraph([x], [x])))
    [FunctionGraph([i0] -> [i0], 0 nodes)]
    """
    for field in op.__props__:
        value = getattr(op, field)
        if isinstance(value, FunctionGraph):
            yield value
        elif isinstance(value, Op):
            yield from graphs_in(value)


class _Tree:
    """Trees of one print, which share their letters."""

    def __init__(
        self, depth: int | None, print_type: bool, print_id: bool, stop_on_name: bool
    ) -> None:
        self.depth = depth
        self.print_type = print_type
        self.print_id = print_id
        self.stop_on_name = stop_on_name
        self._letters: dict[Variable, str] = {}
        self._expanded: set[Variable] = set()
        self._inner: list[tuple[str, FunctionGraph]] = []
        self._listed: set[FunctionGraph] = set()

    def of(self, graph: FunctionGraph) -> str:
        """The tree of `graph`, and of the graphs inside its Ops."""
        lines = list(self._lines(graph))
        for title, inner in self._inner:  # it grows meanwhile
            lines += ["", f"inside {title}:", *self._lines(inner)]
        return "\n".join(lines)

    def _lines(self, graph: FunctionGraph) -> Iterator[str]:
        inputs = set(graph.inputs)
        for output in graph.outputs:
            stack: list[tuple[Variable | None, str, str, int]] = [(output, "", "", 0)]
            while stack:
                node, first, rest, level = stack.pop()
                if node is None:
                    yield f"{first}..."
                    continue
                v, names = _seen_through(node, inputs)
                children = [] if v in inputs or isinstance(v.op, Constant) else list(v.inputs)
                if names and self.stop_on_name:
                    children = []
                note = " (shown above)" if children and v in self._expanded else ""
                yield first + self._label(v, names) + note
                if note or not children:
                    continue
                self._list(v.op)
                below: list[Variable | None] = [*children]
                if level == self.depth:
                    below = [None]
                else:
                    self._expanded.add(v)
                if level and level % _DEEPEST == 0:
                    rest = f"({level}) "
                for position, child in enumerate(reversed(below)):
                    branch, trunk = ("└─ ", "   ") if position == 0 else ("├─ ", "│  ")
                    stack.append((child, f"{rest} {branch}", f"{rest} {trunk}", level + 1))

    def _list(self, op: Op) -> None:
        for inner in graphs_in(op):
            if inner not in self._listed:
                self._listed.add(inner)
                self._inner.append((str(op), inner))

    def _label(self, v: Variable, names: list[str]) -> str:
        text = f"result {v.op.index} of" if type(v.op) is Item else str(v)
        letter = self._letters.setdefault(v, _letters(len(self._letters)))
        parts = [" = ".join([*names, text])]
        parts += [f"[{letter}]"] if self.print_id else []
        parts += [f": {v.type}"] if self.print_type else []
        return " ".join(parts)


def _seen_through(v: Variable, inputs: set[Variable]) -> tuple[Variable, list[str]]:
    names = []
    while type(v.op) is Named and v not in inputs:
        names.append(v.op.name)
        v = v.inputs[0]
    return v, names


def _letters(number: int) -> str:
    """a, b, ..., z, aa, ab, ...

    >>> [_letters(n) for n in (0, 25, 26, 701)]
    ['a', 'z', 'aa', 'zz']
    """
    text = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        text = chr(97 + digit) + text
    return text
