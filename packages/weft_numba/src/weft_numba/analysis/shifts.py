"""Delay lines, as an Op of this package's own graphs: all rows move on by one, where they lie."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from weft_graph import FunctionGraph, Variable, replace
from weft_tensor import Concatenate, ExpandDims, Index, Reshape, TensorOp
from weft_tensor.extend import Slice, Stack

__all__ = ["Shifted", "with_shifts"]

_FULL: Final = Slice(None, None, None)
_AFTER: Final = Slice(1, None, None)
_BEFORE: Final = Slice(None, -1, None)


class Shifted(TensorOp):
    """All rows of `x` but the first, and `row` behind them; or but the last, and `row` before.

    A loop does it in the memory of its state, which no `Concatenate` can say that it is for.

    >>> import weft_tensor as wt
    >>> Shifted(back=True)(wt.arange(4), wt.constant(7)).eval()
    array([1, 2, 3, 7])
    """

    back: bool
    primitive = True

    def infer(self, *types: Any) -> Any:
        """That of `x`."""
        return types[0]

    def impl(self, *values: Any) -> Any:
        """Both parts, joined."""
        x, row = values
        return np.concatenate([x[1:], row[None]] if self.back else [row[None], x[:-1]])

    def __str__(self) -> str:
        return f"shifted[{'back' if self.back else 'front'}]"


def with_shifts(graph: FunctionGraph, states: Mapping[int, Variable]) -> FunctionGraph:
    """A body of a loop whose next `states`, by the numbers of outputs, are said to be shifted.

    >>> import weft_tensor as wt
    >>> x, row = wt.vector("x", shape=(3,)), wt.scalar("row")
    >>> graph = FunctionGraph([x, row], [wt.concatenate([x[1:], row[None]])])
    >>> str(with_shifts(graph, {0: x}).outputs[0].op)
    'shifted[back]'
    """
    found = {graph.outputs[k]: _shifted(graph.outputs[k], x) for k, x in states.items()}
    apart = {v: new for v, new in found.items() if new is not None}
    return FunctionGraph(graph.inputs, replace(list(graph.outputs), apart)) if apart else graph


def _shifted(v: Any, x: Any) -> Variable | None:
    """`v` as `Shifted` of `x`; None if it is something else."""
    if type(v.op) is not Concatenate or v.op.axis or len(v.inputs) != 2 or v.type != x.type:
        return None
    for back, (kept, row) in ((True, v.inputs), (False, v.inputs[::-1])):
        is_one = row.type.shape[0] == 1 and row.dtype == x.dtype
        if is_one and _is_part(kept, x, _AFTER if back else _BEFORE):
            new: Variable = Shifted(back)(x, _without_axis(row))
            return new
    return None


def _is_part(v: Any, x: Any, part: Slice) -> bool:
    if type(v.op) is not Index or v.inputs != (x,) or v.op.lifted:
        return False
    first, *others = v.op.entries
    return first == part and all(e == _FULL for e in others)


def _without_axis(row: Any) -> Variable:
    """The only row of an array."""
    inside: Any = row.inputs[0] if row.inputs else row
    is_number = type(row.op) in (Index, ExpandDims, Reshape, Stack) and not inside.ndim
    is_new = type(row.op) is ExpandDims and row.op.axis == (0,)
    only: Variable = inside if is_number or is_new else row[0]
    return only
