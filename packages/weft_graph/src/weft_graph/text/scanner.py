"""Going through a text from its beginning to its end, with errors that point at the place."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NoReturn, TypeVar

__all__ = ["STRING", "GraphTextError", "Scanner"]

T = TypeVar("T")

SPACE = re.compile(r"[ \t]*")
END = re.compile(r"[ \t]*(?:#[^\n]*)?(?=\n|\Z)")
STRING = re.compile(r"b?(?:'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\")")
_FLAT = re.compile(r"\([^()\[\]{}'\"\n]*\)")
_BRACKET = re.compile(rf"[()\[\]{{}}]|{STRING.pattern}|#[^\n]*")


class GraphTextError(ValueError):
    """A text is not that of a graph; the message shows the line and points at the place."""

    __module__ = "weft_graph"


class Scanner:
    """A text, and how far it is read.

    >>> scanner = Scanner("f(x)[0] rest")
    >>> scanner.take("f"), scanner.groups(scanner.pos), scanner.last_group
    (True, 7, 4)
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.pos = 0
        self.last_group = 0

    def groups(self, pos: int) -> int:
        """Where the brackets that follow at `pos`, one pair after another, end."""
        while True:
            opening = self.text[pos : pos + 1]
            if opening not in ("(", "["):
                return pos
            self.last_group = pos
            flat = _FLAT.match(self.text, pos)
            pos = flat.end() if flat else self.closed(pos)

    def closed(self, start: int) -> int:
        """Where the bracket that opens at `start` is closed."""
        depth = 0
        for bracket in _BRACKET.finditer(self.text, start):
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(bracket[0], 0)
            if depth == 0:
                return bracket.end()
        self.fail("this bracket is never closed", start)

    def skip(self, pattern: re.Pattern[str]) -> bool:
        """Go on behind `pattern`, if it follows."""
        match = pattern.match(self.text, self.pos)
        if match is not None:
            self.pos = match.end()
        return match is not None

    def match(self, pattern: re.Pattern[str], what: str) -> re.Match[str]:
        """Go on behind `pattern`; GraphTextError, naming `what`, if it does not follow."""
        hit = pattern.match(self.text, self.pos)
        if hit is None:
            self.fail(f"expected {what}")
        self.pos = hit.end()
        return hit

    def take(self, mark: str) -> bool:
        """Go on behind `mark`, if it follows."""
        self.skip(SPACE)
        if not self.text.startswith(mark, self.pos):
            return False
        self.pos += len(mark)
        return True

    def expect(self, mark: str) -> None:
        """Go on behind `mark`; GraphTextError if it does not follow."""
        if not self.take(mark):
            self.fail(f"expected {mark!r}")

    def at_end(self) -> bool:
        """Whether nothing but a comment follows on this line."""
        return END.match(self.text, self.pos) is not None

    def end_of_line(self) -> None:
        """Go on to the end of the line; GraphTextError if there is more on it."""
        if not self.at_end():
            self.fail("expected the end of the line")
        self.skip(END)

    def tried(self, start: int, make: Callable[[], T]) -> T:
        """What `make` makes; its error as one of the text at `start`."""
        try:
            return make()
        except GraphTextError:
            raise
        except Exception as error:
            self.fail(str(error), start, error)

    def fail(self, message: str, at: int | None = None, cause: Exception | None = None) -> NoReturn:
        """Raise GraphTextError for the text at `at`, which is where the scanner stands if None."""
        pos = self.pos if at is None else at
        line = self.text.count("\n", 0, pos) + 1
        begin = self.text.rfind("\n", 0, pos) + 1
        excerpt = self.text[begin:].partition("\n")[0]
        column = pos - begin
        error = GraphTextError(
            f"line {line}, column {column + 1}: {message}\n  {excerpt}\n  {' ' * column}^"
        )
        for note in getattr(cause, "__notes__", ()):
            error.add_note(note)
        raise error from cause
