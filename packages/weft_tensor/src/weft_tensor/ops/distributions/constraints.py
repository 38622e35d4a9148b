"""What parameters of distributions must be: checked as soon as they are known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from weft_graph import CheckAndRaise, Constant
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import floor
from weft_tensor.ops.elementwise.comparison import eq, isnan, neq

__all__ = [
    "COUNT",
    "INTEGER",
    "NONNEGATIVE",
    "NONZERO",
    "POSITIVE",
    "POSITIVE_COUNT",
    "PROBABILITY",
    "REAL",
    "SCALE",
    "SUCCESS",
    "Constraint",
    "Relation",
    "by_names",
    "checked",
]


T = TypeVar("T")


class Constraint(NamedTuple):
    """A condition on one parameter."""

    says: str
    """What the parameter must be, in words."""
    holds: Callable[[TensorVariable], TensorVariable]
    """Whether it is, elementwise."""
    entirely: Callable[[TensorVariable], TensorVariable] | None = None
    """The whole of the condition, if `holds` leaves to others what costs more."""
    instance: Callable[[TensorVariable], TensorVariable] | None = None
    """What is valid, of the shape of what is not: where that raises errors."""


class Relation(NamedTuple):
    """A condition on several parameters."""

    names: tuple[str, ...]
    says: str
    holds: Callable[..., TensorVariable]


def _is_whole(v: TensorVariable) -> TensorVariable:
    return eq(floor(v), v)


REAL: Final = Constraint("a number", lambda v: ~isnan(v))
POSITIVE: Final = Constraint("positive", lambda v: v > 0)
SCALE: Final = Constraint(
    "positive and not subnormal", lambda v: v >= float(np.finfo(v.dtype).tiny)
)
NONNEGATIVE: Final = Constraint("0 or positive", lambda v: v >= 0)
NONZERO: Final = Constraint("a number other than 0", lambda v: neq(v, 0) & ~isnan(v))
PROBABILITY: Final = Constraint("from 0 to 1", lambda v: (v >= 0) & (v <= 1))
SUCCESS: Final = Constraint("above 0 and at most 1", lambda v: (v > 0) & (v <= 1))
COUNT: Final = Constraint("an integer, 0 or positive", lambda v: (v >= 0) & _is_whole(v))
INTEGER: Final = Constraint("an integer", _is_whole)
POSITIVE_COUNT: Final = Constraint("a positive integer", lambda v: (v > 0) & _is_whole(v))


class CheckValues(CheckAndRaise):
    """A check whose error says, too, the first element of which the condition does not hold."""

    def error_at(self, value: Any, condition: Any) -> Exception:
        """With that element, and where it is."""
        return self.exc_type(f"{self.msg}, {telling(value, condition)}")


def telling(value: Any, condition: Any) -> str:
    """The first part of `value` for which `condition`, of its leading axes or broadcast, is false.

    >>> telling(np.array([1.0, -2.0]), np.array([True, False]))
    'got -2.0 at index 1'
    >>> telling(-2.0, False)
    'got -2.0'
    """
    array, holds = np.asarray(value), np.asarray(condition)
    if holds.shape != array.shape[: holds.ndim]:
        array, holds = np.broadcast_arrays(array, holds)
    index = tuple(map(int, np.unravel_index(np.argmin(holds), holds.shape)))
    part = array[index]
    text = " ".join(np.array2string(part, threshold=6).split()) if part.ndim else str(part)
    return f"got {text}" + (f" at index {', '.join(map(str, index))}" if index else "")


def checked(
    values: Sequence[TensorVariable], holds: TensorVariable, owner: str, name: str, says: str
) -> TensorVariable:
    """The last of `values`, where the condition on them holds; else ValueError.

    At once if all are known by now, else when the function runs.
    """
    text, v = f"{owner}: {name} must be {says}", values[-1]
    if isinstance(holds.op, Constant) and not holds.ndim and not holds.op.value:
        raise ValueError(f"{text}, not {v!r}")
    if not all(isinstance(u.op, Constant) for u in values):
        result: TensorVariable = CheckValues(exc_type=ValueError, msg=text)(v, holds)
        return result
    here = holds.eval()
    if not here.all():
        raise ValueError(f"{text}, {telling(v.eval(), here)}")
    return v


def by_names(
    owner: str,
    names: Sequence[str],
    needed: Iterable[str],
    args: Sequence[T],
    kwargs: Mapping[str, T],
) -> dict[str, T]:
    """What the parameters of `owner` are, by their names.

    Raises TypeError for more than there are, for others, twice the same, and what is missing.

    >>> by_names("gamma", ["a", "loc"], ["a"], [1.0], {"loc": 2.0})
    {'a': 1.0, 'loc': 2.0}
    """
    takes = ", ".join(names) or "no parameters"
    if len(args) > len(names):
        raise TypeError(f"{owner} takes {takes}, not {len(args)} parameters")
    arguments = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names or name in arguments:
            fault = "is given twice" if name in arguments else "is no parameter"
            told = lazy_import("weft_tensor.front.absences.pymc_names.as_in_pymc")
            raise TypeError(f"{owner}: {name} {fault}; it takes {takes}{told(owner)}")
        arguments[name] = value
    missing = [name for name in needed if name not in arguments]
    if missing:
        raise TypeError(f"{owner} needs {', '.join(missing)}")
    return arguments
