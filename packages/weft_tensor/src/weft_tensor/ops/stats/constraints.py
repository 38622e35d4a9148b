"""What parameters of distributions must be: checked as soon as they are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from weft_graph import Constant
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.effects import CheckValues, telling
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
    "SUCCESS",
    "Constraint",
    "Relation",
    "checked",
]


class Constraint(NamedTuple):
    """A condition on one parameter."""

    says: str
    """What the parameter must be, in words."""
    holds: Callable[[TensorVariable], TensorVariable]
    """Whether it is, elementwise."""


class Relation(NamedTuple):
    """A condition on several parameters."""

    names: tuple[str, ...]
    says: str
    holds: Callable[..., TensorVariable]


def _is_whole(v: TensorVariable) -> TensorVariable:
    return eq(floor(v), v)


REAL: Final = Constraint("a number", lambda v: ~isnan(v))
POSITIVE: Final = Constraint("positive", lambda v: v > 0)
NONNEGATIVE: Final = Constraint("0 or positive", lambda v: v >= 0)
NONZERO: Final = Constraint("a number other than 0", lambda v: neq(v, 0) & ~isnan(v))
PROBABILITY: Final = Constraint("from 0 to 1", lambda v: (v >= 0) & (v <= 1))
SUCCESS: Final = Constraint("above 0 and at most 1", lambda v: (v > 0) & (v <= 1))
COUNT: Final = Constraint("an integer, 0 or positive", lambda v: (v >= 0) & _is_whole(v))
INTEGER: Final = Constraint("an integer", _is_whole)
POSITIVE_COUNT: Final = Constraint("a positive integer", lambda v: (v > 0) & _is_whole(v))


def checked(
    values: Sequence[TensorVariable], holds: TensorVariable, owner: str, name: str, says: str
) -> TensorVariable:
    """The last of `values`, where the condition on them holds; else ValueError.

    At once if all are known by now, else when the function runs.
    """
    text, v = f"{owner}: {name} must be {says}", values[-1]
    if not all(isinstance(u.op, Constant) for u in values):
        result: TensorVariable = CheckValues(exc_type=ValueError, msg=text)(v, holds)
        return result
    here = holds.eval()
    if not here.all():
        raise ValueError(f"{text}, {telling(v.eval(), here)}")
    return v
