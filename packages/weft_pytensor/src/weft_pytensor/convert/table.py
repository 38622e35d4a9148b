"""The table of converters: for each class of PyTensor's Ops, what makes its node in Weft."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from pytensor.compile.builders import OpFromGraph
from pytensor.graph.op import Op

__all__ = ["Converter", "converter_of", "converters", "register", "register_names"]

Converter = Callable[..., Any]
"""Called with PyTensor's Op and what was made of its inputs; gives one result, or a sequence."""
C = TypeVar("C", bound=Converter)

_by_class: dict[type[Op], Converter] = {}
_by_name: dict[str, Converter] = {}


def register(*classes: type[Op]) -> Callable[[C], C]:
    """Let a function convert the nodes of Ops of these classes, and of classes derived from them.

    Errors: TypeError for what is no class of PyTensor's Ops.
    """
    for cls in classes:
        if not issubclass(cls, Op):
            raise TypeError(f"register: {cls!r} is no class of PyTensor's Ops")

    def add(converter: C) -> C:
        _by_class.update(dict.fromkeys(classes, converter))
        _of_class.cache_clear()
        return converter

    return add


def register_names(*names: str) -> Callable[[C], C]:
    """As `register`, for classes of PyTensor's and PyMC's in any module.

    Those on sparse matrices, which have names of others, are named with `sparse.` before.
    """

    def add(converter: C) -> C:
        _by_name.update(dict.fromkeys(names, converter))
        _of_class.cache_clear()
        return converter

    return add


def converter_of(op: Any) -> Converter | None:
    """The converter of an Op: that of the nearest class which it is derived from."""
    return _of_class(op.__class__)


@cache
def _of_class(of: type) -> Converter | None:
    for cls in of.__mro__:
        if cls in _by_class:
            return _by_class[cls]
        name = "sparse." * cls.__module__.startswith("pytensor.sparse") + cls.__name__
        if name in _by_name and _is_theirs(cls):
            return _by_name[name]
    return None


def _is_theirs(cls: type) -> bool:
    """Whether the name of a class is enough; PyMC's graphs of random variables have such names."""
    package = cls.__module__.partition(".")[0]
    return package == "pytensor" or (package == "pymc" and not issubclass(cls, OpFromGraph))


def converters() -> dict[str, Converter]:
    """The table: names of classes, sorted, and their converters."""
    return dict(sorted((_by_name | {cls.__name__: c for cls, c in _by_class.items()}).items()))
