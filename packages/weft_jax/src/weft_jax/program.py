"""What JAX traces: calls of lowerings in order, with numbers in between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from weft_graph import Print, Program, Variable, py_funcify, transpile
from weft_jax.naming import NO_NAMES, Names, scope_of
from weft_jax.static import Plan
from weft_tensor import Length

__all__ = ["StaticArray", "plain", "program_of"]


_TOO_MANY = 2**59
"""From this many elements on, 16 bytes each are more than what 64 bits can count."""


def program_of(plan: Plan, funcify: Callable[[Variable], Any], names: Names = NO_NAMES) -> Program:
    """What JAX traces: the graph of `plan`, with its numbers computed by Python meanwhile."""

    def lowering(v: Variable) -> Any:
        if v in plan.numbers and not isinstance(v.op, (Length, Print)):
            return _by_python(v)
        function = funcify(v)
        return _scoped(scope_of(v, names), function) if callable(function) else function

    return transpile(plan.graph, lowering, reuse=False)


def _scoped(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, by this name in JAX's texts and profiles."""

    def scoped(*values: Any) -> Any:
        with jax.named_scope(name):
            return _of_real_size(function(*values))

    return scoped


def _of_real_size(result: Any) -> Any:
    """`result`, unless it is an array of which XLA can't even count the bytes, and aborts."""
    for array in result if isinstance(result, tuple) else (result,):
        count = getattr(array, "size", 0)
        if isinstance(count, int) and count >= _TOO_MANY:
            raise ValueError(f"there is no memory for an array of {count} elements")
    return result


def _by_python(v: Variable) -> Callable[..., Any]:
    """The Python implementation of a node whose inputs are numbers, giving a number."""
    compute = py_funcify(v.op, node=v)

    def number(*values: Any) -> Any:
        return plain(compute(*map(np.asarray, values)))

    return number


def plain(value: Any) -> Any:
    """A Python number for a scalar; a hashable stand-in for an array."""
    array = np.asarray(value)
    return array.item() if not array.ndim else StaticArray(array)


class StaticArray:
    """An array as a static argument: equal for equal content."""

    __slots__ = ("array", "key")

    def __init__(self, array: Any) -> None:
        self.array = array
        self.key = (array.dtype.str, array.shape, array.tobytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StaticArray) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.array, dtype=dtype)
