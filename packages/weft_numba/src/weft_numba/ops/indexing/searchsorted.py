"""Places in sorted vectors in Numba: binary search, NaN behind all numbers as NumPy has it."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled
from weft_tensor import SearchSorted

__all__ = ["numba_funcify_searchsorted"]

_BEFORE = {
    "left": "y < x or (x != x and y == y)",
    "right": "not (x < y or (y != y and x == x))",
}
"""Per side, whether the place for x is behind y."""


@numba_funcify.register(SearchSorted)
def numba_funcify_searchsorted(op: SearchSorted, **kwargs: Any) -> Any:
    """One element after another."""
    return compiled(
        "def lowered(a, v):\n"
        "    found = np.empty(v.shape[0], np.int64)\n"
        "    for i in range(v.shape[0]):\n"
        "        x = v[i]\n"
        "        low, high = 0, a.shape[0]\n"
        "        while low < high:\n"
        "            middle = (low + high) // 2\n"
        "            y = a[middle]\n"
        f"            if {_BEFORE[op.side]}:\n"
        "                low = middle + 1\n"
        "            else:\n"
        "                high = middle\n"
        "        found[i] = low\n"
        "    return found\n",
        np=np,
    )
