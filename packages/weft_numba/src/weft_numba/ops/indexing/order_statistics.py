"""Elements at places in sorted order in Numba: each step leaves the part with the place."""

from __future__ import annotations

from typing import Any, Final

from numba.core.dispatcher import Dispatcher

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled, nest
from weft_numba.ops.indexing.sort import ordered
from weft_tensor import OrderStatistics

__all__ = ["numba_funcify_order_statistics"]

_FEW: Final = 16
"""With more places than this, all is sorted."""

_SELECT: Final = """
def lowered(a, low, high, k):
    # What is before a pivot goes to the front, then what equals it, without a branch that is hard
    # to foresee; what takes longer than sorting, by bad luck with pivots, is sorted.
    left = 16 * (high - low)
    while high - low > 32:
        left -= high - low
        if left < 0:
            a[low:high] = sort(a[low:high])
            return a[k]
        step = (high - low) // 8
        x, y, z = a[low + step], a[(low + high) // 2], a[high - 1 - step]
        pivot = max(min(x, y), min(max(x, y), z))
        place = low
        for i in range(low, high):
            y = a[i]
            a[i] = a[place]
            a[place] = y
            place += y < pivot
        if k < place:
            high = place
            continue
        low = place
        for i in range(low, high):
            y = a[i]
            a[i] = a[place]
            a[place] = y
            place += y == pivot
        if k < place:
            return pivot
        low = place
    for i in range(low + 1, high):
        y = a[i]
        j = i
        while j > low and y < a[j - 1]:
            a[j] = a[j - 1]
            j -= 1
        a[j] = y
    return a[k]
"""

_LANE: Final = """
def lowered(x, places, order, out):
    # NaN goes to the end, and places from the first to the last, each right of the one before.
    a = np.empty(x.shape[0], x.dtype)
    n = 0
    for i in range(x.shape[0]):
        a[n] = x[i]
        n += x[i] == x[i]
    for i in range(n, x.shape[0]):
        a[i] = np.nan
    if places.shape[0] > FEW:
        a[:n] = sort(a[:n])
        for i in range(places.shape[0]):
            out[i] = a[places[i]]
        return
    low = 0
    for i in order:
        k = places[i]
        if k >= low and k < n:
            if k + 1 == n:
                best = k
                for j in range(low, n):
                    best = j if a[j] > a[best] else best
                a[best], a[k] = a[k], a[best]
            else:
                select(a, low, n, k)
            low = k + 1
        out[i] = a[k]
"""


@numba_funcify.register(OrderStatistics)
def numba_funcify_order_statistics(op: OrderStatistics, *, node: Any, **kwargs: Any) -> Dispatcher:
    """One lane after another."""
    ndim = node.inputs[0].type.ndim - 1
    lanes = [f"x.shape[{axis}]" for axis in range(ndim)]
    place = "".join(f"[i{axis}]" for axis in range(ndim))
    lines = [
        "def lowered(x, places):",
        f"    n = x.shape[{ndim}]",
        "    for k in places:",
        "        if k < 0 or k >= n:",
        "            raise IndexError('places in sorted order are out of bounds')",
        "    order = argsort(places)",
        f"    out = np.empty(({', '.join([*lanes, 'places.shape[0]'])},), x.dtype)",
        *nest(lanes, [f"lane(x{place}, places, order, out{place})"]),
        "    return out",
    ]
    sort = ordered("sort", 0)
    select = compiled(_SELECT, sort=sort)
    lane = compiled(_LANE, sort=sort, select=select, FEW=_FEW)
    return compiled("\n".join(lines) + "\n", lane=lane, argsort=ordered("stable_argsort", 0))
