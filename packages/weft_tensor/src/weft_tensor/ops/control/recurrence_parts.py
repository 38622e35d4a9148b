"""What loops are made of and are given, and what is worth its memory for their derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import Item
from weft_graph.extend import toposort
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorVariable
from weft_tensor.ops.control.element_shapes import of_one_shape
from weft_tensor.ops.shape.length import as_size, static_length
from weft_tensor.types.symbolic_dims import provably_differ
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    "ENDLESS",
    "Parts",
    "as_steps",
    "boolean",
    "check_state",
    "most_of",
    "worth_keeping",
]

ENDLESS: Final[int] = np.iinfo(np.int64).max
"""The limit of steps where there is none."""


class Parts(NamedTuple):
    """The inputs of a loop, or of its body, by what they are for."""

    sequences: Sequence[Any]
    states: Sequence[Any]
    others: Sequence[Any]
    """The same for all steps."""


def as_steps(value: SizeLike, what: str) -> TensorVariable:
    """`value` as a number of steps, which messages call `what`.

    Raises TypeError for what is no integer scalar, ValueError for one known to be negative.
    """
    steps = as_size(value, what)
    number = static_length(steps)
    if isinstance(number, int) and number < 0:
        raise ValueError(f"{what} is {number}: it can't be negative")
    return steps


def boolean(value: Any, what: str) -> TensorVariable:
    """`value`, a condition; TypeError, which begins with `what`, if it is no boolean scalar."""
    condition = value if value is None else as_tensor(value)
    if condition is None or condition.ndim or condition.dtype != "bool":
        kind = None if condition is None else condition.type
        raise TypeError(
            f"{what} a boolean scalar, not {kind}: compare, as in `abs(x) > 1e-8`, and take .any() "
            "or .all() of several"
        )
    return condition


def most_of(steps: TensorVariable) -> int | None:
    """`steps`, if it is a known number and a limit."""
    number = static_length(steps)
    return number if isinstance(number, int) and number < ENDLESS else None


def check_state(name: str, old: TensorType, new: TensorType) -> None:
    """Raise TypeError or ValueError if a step changes the type of a state."""
    if old.dtype != new.dtype:
        raise TypeError(
            f"loop: {name} is {old} at first and {new} after a step: a state keeps its dtype. "
            f"Begin with .astype({new.dtype!r}), or let the step give .astype({old.dtype!r})"
        )
    if old.ndim != new.ndim:
        raise TypeError(
            f"loop: {name} is {old} at first and {new} after a step: a state keeps its rank. "
            "Begin with an array of the shape that the step gives"
        )
    if any(map(provably_differ, old.shape, new.shape)):
        raise ValueError(
            f"loop: {name} is {old} at first and {new} after a step: a state keeps its shape. "
            "Begin with an array of the last shape, and let steps fill it by `.set`"
        )


def worth_keeping(
    slopes: Sequence[Any], inputs: Sequence[Any], seeds: Sequence[Any], others: int
) -> list[Any]:
    """What `slopes` need of a step beside its inputs, as far as it is worth its memory.

    Not integers, views, what has more axes than the inputs that change, what may have another
    shape in each step, and what is the same for all steps: this is computed again.
    """
    first = len(inputs) - others
    moving = set(inputs[:first])
    arguments = set(inputs)
    rank = max([v.type.ndim for v in moving], default=0)
    order = toposort(slopes)
    linear = set(seeds)
    for v in order:
        if not linear.isdisjoint(v.inputs):
            linear.add(v)
        elif not moving.isdisjoint(v.inputs):
            moving.add(v)
    used = {v for v in slopes if v not in linear}
    used.update(i for v in order if v in linear for i in v.inputs if i not in linear)
    may_be_kept = of_one_shape(
        [v for v in order if v in moving - linear - arguments and _is_worth_it(v, rank)],
        inputs[:first],
        inputs[first:],
    )
    kept: list[Any] = []
    for v in reversed(order):
        if v not in used or v not in moving or v in arguments:
            continue
        if v in may_be_kept:
            kept.append(v)
        else:
            used.update(v.inputs)
    return kept[::-1]


def _is_worth_it(v: Any, rank: int) -> bool:
    kind = v.type
    is_number = isinstance(kind, TensorType) and kind.dtype[0] not in "iu"
    is_made = type(v.op) is Item or not v.op.view_of
    return is_number and is_made and kind.ndim <= rank
