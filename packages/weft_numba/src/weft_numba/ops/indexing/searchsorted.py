"""Places in sorted vectors in Numba: binary search, NaN behind all numbers as NumPy has it.

Many elements are looked for at once: each step is the same for all, so that vectors do it.
"""

from __future__ import annotations

from typing import Any, Final

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled
from weft_tensor import SearchSorted

__all__ = ["numba_funcify_searchsorted"]

_BEFORE: Final = {
    "left": "(y < x) | ((x != x) & (y == y))",
    "right": "~((x < y) | ((y != y) & (x == x)))",
}
"""Per side, whether the place for x is behind y."""

_BLOCK: Final = 64
"""How many elements are looked for at once."""


@numba_funcify.register(SearchSorted)
def numba_funcify_searchsorted(op: SearchSorted, **kwargs: Any) -> Any:
    """Block after block: halves of what is left, then the last element of that."""
    return compiled(
        "def lowered(a, v):\n"
        "    found = np.zeros(v.shape[0], np.int64)\n"
        f"    for start in range(0, v.shape[0], {_BLOCK}):\n"
        f"        place, wanted = found[start : start + {_BLOCK}], v[start : start + {_BLOCK}]\n"
        "        left = a.shape[0]\n"
        "        while left > 0:\n"
        "            half = (left + 1) // 2\n"
        "            for i in range(place.shape[0]):\n"
        "                x, y = wanted[i], a[uint64(place[i] + half - 1)]\n"
        f"                place[i] += half if {_BEFORE[op.side]} else 0\n"
        "            left -= half\n"
        "    return found\n"
    )
