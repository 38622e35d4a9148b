"""Slopes of what a choice leaves out: zero, and not zero times infinity.

PyTensor's own rewriting does the same, and densities of PyMC rely on it: the branch of a normal
distribution function that is not chosen has an infinite slope far out.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import weft_tensor as wt
from weft_graph import Constant, Rule, RuleBook
from weft_graph.extend import apply
from weft_tensor import TensorVariable

__all__ = ["choices"]

_x: Final = wt.scalar("x", "float64")
_WHERE: Final = wt.where(_x > 0, _x, 0.0).op
_LINEAR: Final = (wt.multiply(_x, _x).op, wt.true_divide(_x, _x).op, wt.negative(_x).op)


def _chosen_last(node: TensorVariable) -> TensorVariable | None:
    """`where(c, x, 0) * y` as `where(c, x * y, 0)`."""
    count = 2 if node.op is _LINEAR[0] else 1  # a divisor is no factor
    for k, v in enumerate(node.inputs[:count]):
        if v.op is not _WHERE:
            continue
        condition, *branches = v.inputs
        for place, zero in enumerate(branches):
            if not _is_zero(zero):
                continue
            inputs: list[Any] = [*node.inputs]
            inputs[k] = branches[1 - place]
            value: Any = apply(node.op, tuple(inputs))
            branches[1 - place] = value
            x, y = branches
            chosen = wt.where(condition, x, y)
            return chosen if chosen.type == node.type else None
    return None


def _is_zero(v: TensorVariable) -> bool:
    return isinstance(v.op, Constant) and not np.any(v.op.value)


choices: Final = RuleBook(
    "choices",
    [Rule(op, _chosen_last, over=_WHERE, name=f"choice after {op}") for op in _LINEAR],
)
"""Brings choices of zero behind products, quotients and changes of sign."""
