"""Graphs as text."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TextIO

from weft_graph.graph import FunctionGraph
from weft_graph.nodes import Constant, Item, Named, Variable

__all__ = ["dprint"]

_DEEPEST = 40


def dprint(
    graph: Variable | Iterable[Variable] | FunctionGraph,
    file: TextIO | None = None,
    *,
    print_type: bool = False,
) -> None:
    """Print a graph as a tree, each variable under the one that uses it.

    A variable met again is shown by its letter only. Beyond a depth of 40 the indentation
    starts anew, with the depth written out.

    >>> from weft_graph import Op, Type
    >>> class Join(Op):
    ...     def infer(self, *types):
    ...         return types[0]
    >>> x = Type()("x")
    >>> dprint(Join()(Join()(x).named("inner"), x))
    Join [a]
     ├─ inner = Join [b]
     │   └─ x [c]
     └─ x [c]
    """
    print(text_of(graph, print_type=print_type), file=file or sys.stdout)


def text_of(
    graph: Variable | Iterable[Variable] | FunctionGraph, *, print_type: bool = False
) -> str:
    """What `dprint` prints."""
    if isinstance(graph, FunctionGraph):
        graph = graph.outputs
    outputs = [graph] if isinstance(graph, Variable) else list(graph)
    letters: dict[Variable, str] = {}
    lines: list[str] = []
    for output in outputs:
        stack: list[tuple[Variable, str, str, int]] = [(output, "", "", 0)]
        while stack:
            shown, first, rest, depth = stack.pop()
            v, label = _seen_through(shown)
            known = v in letters
            letter = letters.setdefault(v, _letters(len(letters)))
            kind = f" : {v.type}" if print_type else ""
            lines.append(f"{first}{label} [{letter}]{kind}")
            children = [] if isinstance(v.op, Constant) else list(v.inputs)
            if known and children:
                lines[-1] += " (shown above)"
                continue
            if depth and depth % _DEEPEST == 0:
                rest = f"({depth}) "
            for position, child in enumerate(reversed(children)):
                branch, trunk = ("└─ ", "   ") if position == 0 else ("├─ ", "│  ")
                stack.append((child, f"{rest} {branch}", f"{rest} {trunk}", depth + 1))
    return "\n".join(lines)


def _seen_through(v: Variable) -> tuple[Variable, str]:
    names = []
    while type(v.op) is Named:
        names.append(v.op.name)
        v = v.inputs[0]
    label = f"result {v.op.index} of" if type(v.op) is Item else str(v)
    return v, " = ".join([*names, label])


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
