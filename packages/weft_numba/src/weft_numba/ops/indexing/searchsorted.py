"""Places in sorted vectors in Numba: binary search, NaN behind all numbers as NumPy has it.

Many elements are looked for at once: each step is the same for all, so that vectors do it.
"""

from __future__ import annotations

from typing import Any, Final

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled
from weft_numba.numba_layer.new_array import new_array
from weft_tensor import SearchSorted

__all__ = ["numba_funcify_searchsorted"]

_BEFORE: Final = {
    "left": "~((x <= y) | (y != y))",
    "right": "(y <= x) | (x != x)",
}
"""Per side, whether the place for x is behind y."""

_BLOCK: Final = 64
"""How many elements are looked for at once."""


@numba_funcify.register(SearchSorted)
def numba_funcify_searchsorted(op: SearchSorted, **kwargs: Any) -> Any:
    """Block after block: halves of what is left, then the last element of that.

    What to add is looked up: a product with a truth value would become a jump, which takes eight
    times as long for integers, since nothing tells which way it goes.
    """
    return compiled(
        "def lowered(a, v):\n"
        "    n, start = v.shape[0], 0\n"
        "    found, steps = new_array((n,), np.int64), new_array((2,), np.int64)\n"
        "    steps[0] = 0\n"
        "    while start < n:\n"
        f"        stop, left = min(start + {_BLOCK}, n), a.shape[0]\n"
        "        for k in range(start, stop):\n"
        "            found[k] = 0\n"
        "        while left > 0:\n"
        "            half = (left + 1) >> 1\n"
        "            steps[1] = half\n"
        "            for k in range(start, stop):\n"
        "                i = uint64(k)\n"
        "                x, y = v[i], a[uint64(found[i] + half - 1)]\n"
        f"                found[i] += steps[uint64({_BEFORE[op.side]})]\n"
        "            left -= half\n"
        "        start = stop\n"
        "    return found\n",
        new_array=new_array,
    )
