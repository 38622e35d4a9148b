"""What is put into zeros up to a place and from there on is joined: slopes of what was rolled."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from weft_graph import Constant, Rule, rule
from weft_rewrites.dsl.conditions import keeps_lengths
from weft_tensor import (
    BroadcastTo,
    Elemwise,
    IndexUpdate,
    TensorVariable,
    broadcast_to,
    concatenate,
    reshape,
)
from weft_tensor.extend import Slice, lengths_of

__all__ = ["rules"]

_ADD: Final = Elemwise("add")
_FULL: Final = Slice(None, None, None)


class _Half(NamedTuple):
    """Zeros with numbers put in up to a place of an axis, or from there on."""

    zeros: TensorVariable
    axis: int
    is_first: bool
    place: object
    """A number, or a variable: `is` and `==` are the same of these."""
    value: TensorVariable


@rule(_ADD, over=IndexUpdate, name="both halves in zeros", may_change="zero sign")
def _halves(node: TensorVariable) -> TensorVariable | None:
    """Also where one of them was already added to something else."""
    for before, last in (node.inputs, node.inputs[::-1]):
        half = _half(last)
        if half is None:
            continue
        total = _joined(before, half)
        for rest, other in (before.inputs, before.inputs[::-1]) if before.op is _ADD else ():
            if total is None and (joined := _joined(other, half)) is not None:
                total = rest + joined
        if total is not None and keeps_lengths(node.type, total.type):
            return total
    return None


def _half(v: TensorVariable) -> _Half | None:
    op = v.op
    if type(op) is not IndexUpdate or op.mode != "inc":
        return None
    cuts = [(a, e) for a, e in enumerate(op.entries) if e != _FULL]
    slices = [(a, e) for a, e in cuts if isinstance(e, Slice)]
    if len(cuts) != 1 or not slices:
        return None
    zeros, value, *places = v.inputs
    filled: Any = zeros.inputs[0] if type(zeros.op) is BroadcastTo else zeros
    if type(filled.op) is not Constant or filled.ndim or filled.op.value != 0:
        return None
    ((axis, (start, stop, step)),) = slices
    if step not in (None, 1) or (start is None) == (stop is None):
        return None
    place = stop if start is None else start
    return _Half(zeros, axis, start is None, places[0] if places else place, value)


def _joined(v: TensorVariable, b: _Half) -> TensorVariable | None:
    """Both halves as one, whatever the place is: what is not before it is behind it."""
    a = _half(v)
    if a is None or a.is_first is b.is_first:
        return None
    if (a.zeros, a.axis, a.place) != (b.zeros, b.axis, b.place):
        return None
    whole = (slice(None),) * a.axis
    parts = [
        broadcast_to(half.value.astype(v.dtype), lengths_of(a.zeros[(*whole, part)]))
        for half, part in zip(
            (a, b) if a.is_first else (b, a),
            (slice(a.place), slice(a.place, None)),
            strict=True,
        )
    ]
    return reshape(concatenate(parts, a.axis), lengths_of(a.zeros))


rules: tuple[Rule, ...] = (_halves,)
"""All of them."""
