"""Places that the author of an Op has still to fill: `tools.new_op` writes them."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["Blank", "blank"]


class Blank:
    """What is still to be written in its place; who calls it is told so, by NotImplementedError."""

    def __init__(self, what: str) -> None:
        self.what = what

    def __call__(self, *values: object, **options: object) -> NoReturn:
        """It can't be called yet."""
        raise NotImplementedError(f"still blank: {self.what}")

    def __repr__(self) -> str:
        return f"blank({self.what!r})"


def blank(what: str) -> Any:
    """Mark a place where a value or a function has still to be written: "name: what it is to be".

    `weft_testing.check_op` names all that an Op has. Calling one raises NotImplementedError.

    >>> blank("impl: the result, by NumPy")(1.0)
    Traceback (most recent call last):
        ...
    NotImplementedError: still blank: impl: the result, by NumPy
    """
    return Blank(what)
