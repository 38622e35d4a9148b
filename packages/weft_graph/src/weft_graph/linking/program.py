"""Straight-line programs: their source, what its names stand for, which line computes what."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Iterator, Mapping
from types import FrameType, MappingProxyType
from typing import Any

from weft_graph.core.nodes import Variable

__all__ = ["Program", "load_source"]


class Program:
    """Straight-line source, what its names stand for, and which line computes what."""

    def __init__(
        self,
        name: str,
        source: str,
        namespace: dict[str, Any],
        lines: dict[int, Variable],
        groups: Mapping[int, tuple[Variable, ...]] = MappingProxyType({}),
    ) -> None:
        self.name = name
        self.source = source
        self.namespace = namespace
        self.lines = lines
        self.groups = groups
        """For lines that compute several nodes at once: all of them."""
        self.filename = ""

    def load(self) -> Callable[..., Any]:
        """The function, from the namespace as it is now."""
        function = load_source(self.name, self.source, self.namespace)
        self.filename = function.__code__.co_filename
        return function

    def callee(self, line: int) -> Any:
        """What `line` calls; None where it calls nothing."""
        call = re.search(r" = (\w+)\(", self.source.splitlines()[line - 1])
        return self.namespace[call[1]] if call else None

    def at(self, frame: FrameType, line: int) -> tuple[Variable, list[Any]] | None:
        """The node that `line` computes, and the values of its inputs in `frame`."""
        node = self.lines.get(line)
        if node is None:
            return None
        call = re.search(r"\((.*)\)$", self.source.splitlines()[line - 1])
        names = call[1].split(", ") if call and node.inputs else []
        scope = {**frame.f_globals, **frame.f_locals}
        return node, [scope[name] for name in names]

    def failed_at(self, error: BaseException) -> tuple[Variable, list[Any]] | None:
        """The node that raised `error` while this program ran, and its inputs' values."""
        found = None
        traceback = error.__traceback__
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == self.filename:
                found = self.at(traceback.tb_frame, traceback.tb_lineno) or found
            traceback = traceback.tb_next
        return found


def load_source(name: str, source: str, namespace: dict[str, Any]) -> Callable[..., Any]:
    """The function `name` of `source`, whose lines tracebacks and debuggers can show."""
    import linecache  # slow to import, and needed for compiling only

    filename = f"<weft {name} {next(_serial)}>"
    exec(compile(source, filename, "exec"), namespace)
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    function: Callable[..., Any] = namespace.pop(name)  # no cycle: it goes when it is dropped
    weakref.finalize(function.__code__, linecache.cache.pop, filename, None).atexit = False
    return function


def _count() -> Iterator[int]:
    number = 0
    while True:
        yield number
        number += 1


_serial = _count()
