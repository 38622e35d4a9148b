"""Functions that are imported when they are first called."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["LateMethod", "lazy_import"]


@cache
def lazy_import(path: str) -> Callable[..., Any]:
    """The function with the dotted name `path`. SciPy's modules take long to import.

    >>> lazy_import("numpy.linalg.norm")([3.0, 4.0]).item()
    5.0
    """
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)  # type: ignore[no-any-return]  # found by name


class LateMethod:
    """A method, or a property, that is imported when it is first asked for.

    It stands in a class until then, when what it is of takes its place.

    >>> class Numbers(list):
    ...     sum = LateMethod("numpy.sum")
    >>> int(Numbers([1, 2]).sum())
    3
    """

    name: str

    def __init__(self, path: str, made: Callable[[Any], Any] | None = None) -> None:
        self.path = path
        self.made = made
        """What makes a method of the function, where that is none."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type) -> Any:
        """The method, bound to the instance if there is one."""
        holder = next(c for c in owner.__mro__ if vars(c).get(self.name) is self)
        function = lazy_import(self.path)
        setattr(holder, self.name, self.made(function) if self.made else function)
        return getattr(owner if instance is None else instance, self.name)
