"""Slopes of what a choice leaves out, or no slope leads to: zero, not zero times infinity.

PyTensor's own rewriting does the same, and densities of PyMC rely on it: the branch of a normal
distribution function that is not chosen has an infinite slope far out.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any, Final, TypeAlias

import numpy as np

import weft_tensor as wt
from weft_graph import Constant, Rule, RuleBook
from weft_graph.extend import apply
from weft_tensor import TensorVariable

__all__ = ["choices"]

_x: Final = wt.scalar("x", "float64")
_WHERE: Final = wt.where(_x > 0, _x, 0.0).op
_LINEAR: Final = (wt.multiply(_x, _x).op, wt.true_divide(_x, _x).op, wt.negative(_x).op)
_SUMS: Final = (wt.add(_x, _x).op, wt.subtract(_x, _x).op)
_Mask: TypeAlias = tuple[TensorVariable, int]
"""A condition, and which of its branches is zero."""


def _chosen_last(node: TensorVariable) -> TensorVariable | None:
    """`where(c, x, 0) * y` as `where(c, x * y, 0)`."""
    count = 2 if node.op is _LINEAR[0] else 1  # a divisor is no factor
    for k, v in enumerate(node.inputs[:count]):
        if v.op is not _WHERE:
            continue
        mask = _mask(v)
        if mask is None:
            continue
        inputs: list[Any] = [*node.inputs]
        inputs[k] = v.inputs[2 - mask[1]]
        chosen = _masked(v, apply(node.op, tuple(inputs)))
        return chosen if chosen.type == node.type else None
    return None


def _product_with_zero(node: TensorVariable) -> TensorVariable | None:
    """0 is a product with 0, and a quotient of it, also where the rest is infinite."""
    count = 2 if node.op is _LINEAR[0] else 1
    if not any(_is_zero(v) for v in node.inputs[:count]):
        return None
    zero = wt.constant(np.zeros((), node.dtype))
    if node.ndim == 0:
        return zero
    like = next((v for v in node.inputs if v.type.shape == node.type.shape), None)
    return None if like is None else wt.broadcast_to(zero, like.shape)


def _sum_chosen_last(node: TensorVariable) -> TensorVariable | None:
    """`where(c, x, 0) + where(c, y, 0)` as `where(c, x + y, 0)`, with choices between them, too."""
    x, y = node.inputs
    if _is_zero(y) or (_is_zero(x) and node.op is _SUMS[0]):
        term = x if _is_zero(y) else y
        return term if term.type == node.type else None
    of_y = {_mask(v) for v in _choices_of(y)}
    common = [v for v in _choices_of(x) if _mask(v) in of_y]
    if not common:
        return None
    masks = {_mask(v) for v in common}
    chosen: Any = apply(node.op, (_without(masks, x), _without(masks, y)))
    for v in reversed(common):
        chosen = _masked(v, chosen)
    return chosen if chosen.type == node.type else None


def _choices_of(v: TensorVariable) -> Iterator[TensorVariable]:
    """The choice between 0 and another, that between 0 and another which this is, and so on."""
    while (mask := _mask(v)) is not None:
        yield v
        v = v.inputs[2 - mask[1]]


def _mask(v: TensorVariable) -> _Mask | None:
    if v.op is not _WHERE:
        return None
    condition, *branches = v.inputs
    return next(((condition, k) for k, zero in enumerate(branches) if _is_zero(zero)), None)


def _masked(choice: TensorVariable, value: Any) -> TensorVariable:
    """`value` where `choice` is not 0."""
    condition, *branches = choice.inputs
    if _is_zero(branches[0]):
        return wt.where(condition, branches[0], value)
    return wt.where(condition, value, branches[1])


def _without(masks: Container[_Mask | None], v: TensorVariable) -> TensorVariable:
    """What `v` is where none of the masks makes it 0."""
    choices = list(_choices_of(v))
    for choice in choices:
        mask = _mask(choice)
        assert mask is not None
        v = choice.inputs[2 - mask[1]]
    for choice in reversed(choices):
        if _mask(choice) not in masks:
            v = _masked(choice, v)
    return v


def _is_zero(v: TensorVariable) -> bool:
    if type(v.op) is wt.BroadcastTo:
        v = v.inputs[0]
    return isinstance(v.op, Constant) and not np.any(v.op.value)


choices: Final = RuleBook(
    "choices",
    [
        *(
            Rule(op, _product_with_zero, over=(Constant, wt.BroadcastTo), name=f"{op} of zero")
            for op in _LINEAR
        ),
        *(
            Rule(op, rule, over=_WHERE, name=f"choice after {op}")
            for rule, ops in ((_chosen_last, _LINEAR), (_sum_chosen_last, _SUMS))
            for op in ops
        ),
    ],
)
"""Brings choices of zero behind products, quotients, changes of sign, and sums that share them.

Products with 0 are 0.
"""
