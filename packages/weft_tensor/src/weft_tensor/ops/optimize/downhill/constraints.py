"""What constraints ask for: numbers that are zero, or not negative."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.creation.creation import full_like
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.optimize.problem import tuple_of
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.reshape import reshape

__all__ = ["Constraints", "constraints_of"]

_FORM = (
    "a constraint is a dict with 'type' ('eq': fun(x) is 0, 'ineq': it is not negative) and 'fun', "
    "or SciPy's LinearConstraint or NonlinearConstraint"
)
_KINDS = {"eq": True, "ineq": False}
_Part = tuple[Callable[[TensorVariable], Any], bool]
"""A function of x, and whether it is zero; else it is not negative."""


class Constraints(NamedTuple):
    """What holds of a vector."""

    parts: tuple[_Part, ...]

    def values(self, x: TensorVariable) -> TensorVariable:
        """What is zero, or not negative: a vector."""
        return concatenate([v for v, _ in self._parts(x)])

    def least_multipliers(self, x: TensorVariable) -> TensorVariable:
        """For each of the values: -inf for what is zero, 0 for what is not negative."""
        return concatenate([full_like(v, -np.inf if zero else 0) for v, zero in self._parts(x)])

    def _parts(self, x: TensorVariable) -> list[tuple[TensorVariable, bool]]:
        return [(reshape(as_tensor(f(x)), (-1,)).astype(x.dtype), zero) for f, zero in self.parts]


def constraints_of(
    given: Any, shaped: Callable[[TensorVariable], TensorVariable]
) -> Constraints | None:
    """Constraints as SciPy takes them, one or several; None if there are none.

    Functions take what `shaped` makes of a vector. Raises ValueError for others, and for bounds of
    which the least is above the largest.
    """
    one = isinstance(given, dict) or hasattr(given, "lb")
    items = [given] if one else list(given or ())
    parts = [part for item in items for part in _parts_of(item, shaped)]
    return Constraints(tuple(parts)) if parts else None


def _parts_of(item: Any, shaped: Callable[[TensorVariable], Any]) -> Iterable[_Part]:
    if hasattr(item, "A"):
        matrix = np.asarray(item.A.toarray() if hasattr(item.A, "toarray") else item.A)
        return _between(lambda v: as_tensor(matrix) @ v, item.lb, item.ub)
    if hasattr(item, "fun"):
        return _between(lambda v: as_tensor(item.fun(shaped(v))), item.lb, item.ub)
    if not isinstance(item, dict) or item.get("type") not in _KINDS or "fun" not in item:
        raise ValueError(f"minimize: {_FORM}, not {item!r}{called()}")
    fun, more = item["fun"], tuple_of(item.get("args", ()))
    return [(lambda v: fun(shaped(v), *more), _KINDS[item["type"]])]


def _between(fun: Callable[[Any], TensorVariable], low: Any, high: Any) -> Iterator[_Part]:
    """The parts of `low <= fun(x) <= high`."""
    low, high = np.broadcast_arrays(np.asarray(low, "float64"), np.asarray(high, "float64"))
    if not (low <= high).all():
        raise ValueError(f"minimize: a constraint's lb {low} is above its ub {high}{called()}")
    equal = low == high
    yield from _apart(fun, low, 1, equal, True)
    yield from _apart(fun, low, 1, ~equal & (low > -np.inf), False)
    yield from _apart(fun, high, -1, ~equal & (high < np.inf), False)


def _apart(
    fun: Callable[[Any], TensorVariable], end: Any, sign: int, chosen: Any, zero: bool
) -> Iterator[_Part]:
    """How far the values that are `chosen` are from an end: above, or with -1 below."""
    if chosen.all():
        yield (lambda v: sign * (fun(v) - end)), zero
    elif chosen.any():
        places = np.flatnonzero(chosen)
        yield (lambda v: sign * (index(fun(v), places) - end[places])), zero
