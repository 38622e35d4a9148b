"""Functions that are imported when they are first called."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

__all__ = ["LateMethod", "in_double", "lazy_import"]


@cache
def lazy_import(path: str) -> Callable[..., Any]:
    """The function with the dotted name `path`. SciPy's modules take long to import.

    >>> lazy_import("numpy.linalg.norm")([3.0, 4.0]).item()
    5.0
    """
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)  # type: ignore[no-any-return]  # found by name


def in_double(path: str, *values: Any) -> Any:
    """The result of such a function in 64 bits, in the dtype of `values`.

    Some of SciPy's are right to four digits only in 32 bits.

    >>> in_double("scipy.special.kv", np.float32(0.5), np.float32(1.0)).dtype
    dtype('float32')
    """
    result = lazy_import(path)(*[np.asarray(v, "float64") for v in values])
    return result.astype(np.result_type(*values))


class LateMethod:
    """A method, or a property, that is imported when it is first asked for.

    It stands in a class until then, when what it is of takes its place.

    >>> class Numbers(list):
    ...     mean = LateMethod("statistics.fmean")
    >>> Numbers([1, 2]).mean()
    1.5
    """

    name: str

    def __init__(self, path: str, wrapper: Callable[[Any], Any] | None = None) -> None:
        self.path = path
        self.wrapper = wrapper
        """What makes a method of the function, where that is none."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type) -> Any:
        """The method, bound to the instance if there is one."""
        function: Any = lazy_import(self.path)
        method: Any = self.wrapper(function) if self.wrapper else function
        for holder in owner.__mro__:
            if vars(holder).get(self.name) is self:
                setattr(holder, self.name, method)
        return method.__get__(instance, owner)
