"""Shared variables that have their value in PyTensor's cells: a change is seen by both."""

from __future__ import annotations

from functools import lru_cache
from threading import get_ident
from typing import Any

import numpy as np
from pytensor.compile.sharedvalue import SharedVariable

from weft_graph.extend import Cell, Shared, apply
from weft_pytensor.convert.types import type_of
from weft_tensor import TensorType, TensorVariable

__all__ = ["generator_of", "key_of", "shared_of"]


class _TheirCell(Cell):
    """A cell whose value is PyTensor's, as Weft's type has it."""

    __slots__ = ("storage", "type")

    def __init__(self, type: TensorType, storage: list[Any]) -> None:
        self.type, self.storage = type, storage
        super().__init__(storage[0])

    @property
    def value(self) -> Any:
        value = self.storage[0]
        if isinstance(value, np.random.Generator):
            return key_of(value)
        return self.type.filter(value) if isinstance(value, np.ndarray | np.generic) else value

    @value.setter
    def value(self, value: Any) -> None:
        self.storage[0] = value

    def __reduce__(self) -> tuple[object, ...]:
        return _TheirCell, (self.type, self.storage)


class _TheirShared(Shared):
    """The Op of an input whose value is kept by PyTensor."""

    def __init__(self, type: TensorType, storage: list[Any], name: str | None) -> None:
        super().__init__(type, None, name)
        self.cell = _TheirCell(type, storage)


def shared_of(variable: SharedVariable) -> TensorVariable:
    """A shared variable of Weft's for one of PyTensor's."""
    op = _TheirShared(type_of(variable), variable.container.storage, variable.name)
    new: TensorVariable = apply(op, ())  # type: ignore[assignment]  # what the type makes
    return new


def key_of(generator: np.random.Generator) -> np.uint64:
    """A key for what this generator would draw next; the generator stays as it is."""
    copy = _spare(type(generator.bit_generator), get_ident())
    copy.bit_generator.state = generator.bit_generator.state
    return copy.integers(2**64, dtype=np.uint64)


@lru_cache(maxsize=64)
def _spare(kind: type[np.random.BitGenerator], thread: int) -> np.random.Generator:
    """A generator for this thread alone, as to make one takes longer than to draw from it."""
    return np.random.Generator(kind())


def generator_of(key: Any) -> np.random.Generator:
    """A generator that begins with a key."""
    return np.random.Generator(np.random.PCG64(int(key)))
