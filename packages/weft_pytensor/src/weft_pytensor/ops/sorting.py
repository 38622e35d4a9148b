"""Order: sorts, searches and sets."""

from __future__ import annotations

from typing import Any

import weft_tensor as wt
from weft_pytensor.convert.table import register_names


def _axis(v: Any) -> int | None:
    return None if v is None else int(v.op.value)


@register_names("SortOp")
def sort(op: Any, x: Any, axis: Any) -> Any:
    """In order."""
    return wt.sort(x, _axis(axis))


@register_names("ArgSortOp")
def argsort(op: Any, x: Any, axis: Any) -> Any:
    """The indices that sort."""
    return wt.argsort(x, _axis(axis), stable=op.kind in ("stable", "mergesort") or None)


@register_names("SearchsortedOp")
def searchsorted(op: Any, a: Any, v: Any, sorter: Any = None) -> Any:
    """Where elements would be put in."""
    return wt.searchsorted(a, v, op.side, sorter)


@register_names("Unique")
def unique(op: Any, x: Any) -> Any:
    """Each value once."""
    return wt.unique(x, op.return_index, op.return_inverse, op.return_counts, op.axis)
