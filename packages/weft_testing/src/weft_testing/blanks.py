"""What the author of an Op has still to write."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from types import FunctionType
from typing import Any

from weft_graph import Mode, Op
from weft_tensor import Elemwise
from weft_tensor.extend import Blank

__all__ = ["blanks_of", "check_blanks"]

_MARK = "Blank:"
"""What a docstring begins with that is still to be written."""


def blanks_of(op: Op | type[Op]) -> list[str]:
    """What is still blank in an Op, its function, and the lowerings in its namesakes' modules.

    >>> blanks_of(Elemwise("sin"))
    []
    """
    if isinstance(op, Elemwise):
        return list(dict.fromkeys(_blanks([*op.scalar.example, *op.scalar])))
    kind = op if isinstance(op, type) else type(op)
    place = kind.__module__.partition(".")[2]
    values: list[Any] = [*vars(kind).values(), kind]
    for name, module in list(sys.modules.items()):
        if place.startswith("ops.") and name.partition(".")[2] == place:
            values += [v for v in vars(module).values() if _is_of(v, name)]
    return list(dict.fromkeys(_blanks(values)))


def check_blanks(op: Op | type[Op], backends: Sequence[str]) -> None:
    """Raise AssertionError for an Op with blanks, which can't be checked yet, and name them."""
    home = op.__module__ if isinstance(op, type) else type(op).__module__
    for backend in backends:
        with suppress(Exception):  # whoever uses the backend is told; there may be no lowering
            package = type(Mode(backend).linker).__module__.partition(".")[0]
            import_module(f"{package}.{home.partition('.')[2]}")
    if blanks := blanks_of(op):
        name = op.__name__ if isinstance(op, type) else str(op)
        short = "; ".join([f"{what.partition(':')[0]} still blank" for what in blanks])
        raise AssertionError("\n    ".join([f"{name}: {short}", *blanks]))


def _is_of(value: object, module: str) -> bool:
    """Whether a value of a module's is a blank, or a function that is defined there."""
    is_function = isinstance(value, FunctionType) and value.__module__ == module
    return is_function or isinstance(value, Blank)


def _blanks(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, Blank):
            yield value.what
        elif isinstance(value, (type, FunctionType)) and (value.__doc__ or "").startswith(_MARK):
            yield f"docstring of {value.__name__}:{(value.__doc__ or '').partition(':')[2]}"
