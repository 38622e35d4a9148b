"""Steps that wait less for what the step before gives."""

from __future__ import annotations

from functools import reduce
from typing import Any

from weft_rewrites.ops.control.recurrence_parts import Taken
from weft_tensor import Elemwise, TensorType, add

__all__ = ["shorten_steps"]


def shorten_steps(taken: Taken) -> None:
    """In sums of numbers, what the step before gives comes last: the rest is ready by then.

    So `a * x + b * y + z` of a state x waits for one addition in place of two. Sums may differ by
    rounding.
    """
    inner = {s.inner for s in taken.states}
    waits: dict[Any, int] = {s.inner: 1 for s in taken.states if s.after not in inner}
    """How many functions one after another take it from the last step's end to there."""

    def sooner(v: Any) -> Any:
        if v not in waits:
            waits[v] = _after_inputs(v, waits)
        if not _is_sum(v):
            return None
        terms = [t for i in v.inputs for t in _terms(i)]
        ordered = sorted(terms, key=lambda t: waits.get(t, 0))
        if ordered == terms or waits[ordered[-1]] == waits.get(ordered[-2], 0):
            return None
        total = reduce(add, ordered)
        for x in _partial_sums(total):
            waits.setdefault(x, _after_inputs(x, waits))
        return total

    taken.change(sooner)


def _after_inputs(v: Any, waits: dict[Any, int]) -> int:
    longest = max([waits.get(i, 0) for i in v.inputs], default=0)
    return longest and longest + 1


def _is_sum(v: Any) -> bool:
    if not (isinstance(v.op, Elemwise) and v.op.name == "add" and isinstance(v.type, TensorType)):
        return False
    return not v.type.ndim and v.type.dtype.startswith("float")


def _terms(v: Any) -> list[Any]:
    """The terms of a sum, in order."""
    terms: list[Any] = []
    left = [v]
    while left:
        v = left.pop()
        if _is_sum(v):
            left += reversed(v.inputs)
        else:
            terms.append(v)
    return terms


def _partial_sums(v: Any) -> list[Any]:
    """Those of a sum that was added up from the left, the shortest first."""
    sums = []
    while _is_sum(v):
        sums.append(v)
        v = v.inputs[0]
    return sums[::-1]
