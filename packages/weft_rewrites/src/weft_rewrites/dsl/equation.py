"""Equations between elementwise expressions: the plainest kind of rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from weft_graph import Rule, Variable, any_constant, toposort, wildcard
from weft_rewrites.dsl.notation import written
from weft_tensor import TensorVariable

__all__ = ["COMPLEX", "INTEGERS", "REAL", "equation", "letter", "literal"]

_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
INTEGERS: Final = frozenset(_INTEGERS)
"""The integer dtypes."""
FLOATS: Final = frozenset({"float32", "float64"})
"""The real floating dtypes."""
REAL: Final = INTEGERS | FLOATS
"""The dtypes of real numbers."""
COMPLEX: Final = frozenset({"complex64", "complex128"})
"""The complex dtypes."""


def letter(name: str) -> Any:
    """A wildcard for any tensor."""
    return wildcard(name, kind=TensorVariable)


def literal(name: str) -> Any:
    """A wildcard for any constant."""
    return any_constant(name, kind=TensorVariable)


def equation(
    left: Any,
    right: Any,
    *,
    of: frozenset[str] = FLOATS,
    when: Callable[..., bool] | None = None,
    name: str = "",
    may_change: str = "",
) -> Rule:
    """A rule between tensors of one dtype, which must be among `of`.

    It applies where all that the letters stand for have the dtype of the result, so that
    no conversion is hidden in it. `when`, a function of the letters in alphabetical order,
    asks for more. Every letter of `left` must stand in `right`: else the result could lose
    an axis along which it was broadcast. Unless it has a `name`, it is called as it is written.
    What it `may_change` is parted by ", ".

    >>> from weft_tensor import exp, log, vector
    >>> x = letter("x")
    >>> log_exp = equation(log(exp(x)), x, may_change="rounding, overflow")
    >>> v = vector("v")
    >>> log_exp(log(exp(v))) is v, log_exp.name
    (True, 'log(exp(x)) = x')
    """
    name = name or f"{written(left)} = {written(right)}"
    letters = _letters(left)
    if _letters(right) != letters:
        raise ValueError(f"{name}: both sides must have the same letters")
    condition = _condition(len(letters), of, when)
    changes = may_change.split(", ") if may_change else ()
    return Rule(left, right, when=condition, name=name, may_change=changes)


def _letters(side: Variable) -> list[str]:
    names = {v.name for v in toposort([side]) if v.name is not None and not v.inputs}
    return sorted(names)


def _condition(
    number: int, of: frozenset[str], when: Callable[..., bool] | None
) -> Callable[..., bool]:
    def one(node: Any, x: Any) -> bool:
        dtype = node.type.dtype
        return x.type.dtype == dtype and dtype in of and (when is None or when(x))

    def two(node: Any, x: Any, y: Any) -> bool:
        dtype = node.type.dtype
        return (
            x.type.dtype == dtype
            and y.type.dtype == dtype
            and dtype in of
            and (when is None or when(x, y))
        )

    return one if number == 1 else two
