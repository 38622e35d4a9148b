"""Order: sorts, searches and sets."""

from __future__ import annotations

from collections.abc import Sequence

from pytensor.graph.op import Op

import weft_tensor as wt
from weft_pytensor.convert.table import register_names
from weft_pytensor.ops.shape import axis_of
from weft_tensor import TensorVariable


def _axis(op: Op, given: Sequence[TensorVariable | None]) -> int | None:
    """The Op's in new versions of PyTensor, in old ones an input."""
    if not given:
        return int(op.axis)
    (v,) = given
    return None if v is None else axis_of(v)


@register_names("SortOp")
def sort(op: Op, x: TensorVariable, *axis: TensorVariable | None) -> TensorVariable:
    """In order."""
    return wt.sort(x, _axis(op, axis))


@register_names("ArgSortOp")
def argsort(op: Op, x: TensorVariable, *axis: TensorVariable | None) -> TensorVariable:
    """The indices that sort."""
    return wt.argsort(x, _axis(op, axis), stable=op.kind in ("stable", "mergesort") or None)


@register_names("SearchsortedOp")
def searchsorted(
    op: Op, a: TensorVariable, v: TensorVariable, sorter: TensorVariable | None = None
) -> TensorVariable:
    """Where elements would be put in."""
    return wt.searchsorted(a, v, op.side, sorter)


@register_names("Unique")
def unique(op: Op, x: TensorVariable) -> TensorVariable:
    """Each value once; where the size of what is compared is not known, PyTensor's code runs."""
    others = [n for k, n in enumerate(x.type.shape) if op.axis not in (None, k)]
    if None in others:
        return NotImplemented
    return wt.unique(x, op.return_index, op.return_inverse, op.return_counts, op.axis)
