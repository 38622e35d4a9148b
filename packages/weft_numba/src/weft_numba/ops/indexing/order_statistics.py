"""Elements at places in sorted order in Numba: by sorting, or by steps that each leave a part."""

from __future__ import annotations

from typing import Any, Final

from numba.core.dispatcher import Dispatcher

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled, indices, nest
from weft_numba.numba_layer.new_array import new_array
from weft_numba.ops.indexing.sort import ordered
from weft_tensor import OrderStatistics

__all__ = ["numba_funcify_order_statistics"]

_SHORT: Final = 4096
"""Up to this length NumPy sorts, by vectors, in less time: rows of 30 in a third."""

# NaN goes to the end. What is before a pivot goes to the front, in turn with what equals it,
# without a branch that is hard to foresee. If all passes take longer than sorting, by bad luck
# with pivots or for many places, the rest is sorted.
_LANE: Final = """
def lowered(x, places, order, a, out):
    n, size, end = 0, x.shape[0], a.shape[0]
    for i in range(size):
        a[uint64(n)] = x[i]
        n += x[i] == x[i]
    for i in range(n, end):
        a[uint64(i)] = np.nan
    start, left = 0, 16 * n
    for t in range(order.shape[0]):
        k = places[order[t]]
        low, high, equals, pivot = start, n, False, a[k]
        if k >= n or k < start:
            low = high
        start = k + 1 if k >= start else start
        while high - low > 1 and left >= 0:
            left -= high - low
            if not equals:
                step = (high - low) >> 3
                p, q, r = a[low + step], a[(low + high) >> 1], a[high - 1 - step]
                p, q = (q, p) if q < p else (p, q)
                pivot = p if r < p else q if q < r else r
            place = low
            for i in range(low, high):
                y = a[uint64(i)]
                a[uint64(i)] = a[uint64(place)]
                a[uint64(place)] = y
                place += (y < pivot) | (equals & (y == pivot))
            if k < place:
                high = low if equals else place
            else:
                low = place
            equals = not equals and k >= place
        if high - low > 1:
            ordered = sort(a[low:n])
            for i in range(low, n):
                a[i] = ordered[i - low]
            start = n
        out[order[t]] = a[k]
"""


@numba_funcify.register(OrderStatistics)
def numba_funcify_order_statistics(op: OrderStatistics, *, node: Any, **kwargs: Any) -> Dispatcher:
    """Short lanes are sorted; of long ones, one after another, each place leaves a part."""
    ndim = node.type.ndim - 1
    lanes = [f"xs.shape[{axis}]" for axis in range(ndim)]
    *places, last = indices(ndim + 1)
    place = f"[{', '.join(places)}]" if ndim else ""
    dtype = "bool_" if node.type.dtype == "bool" else node.type.dtype
    counts_as_one = dtype.startswith("float")
    found = f"sorted[{', '.join([*places, f'places[{last}]'])}]"
    lines = [
        "def lowered(xs, places):",
        f"    size, count = xs.shape[{ndim}], places.shape[0]",
        f"    end = max(size, {int(counts_as_one)})",
        "    for t in range(count):",
        "        if places[t] < 0 or places[t] >= end:",
        "            raise IndexError('places in sorted order are out of bounds')",
        f"    outs = new_array(({', '.join([*lanes, 'count'])},), {dtype})",
        f"    if 0 < size <= {_SHORT}:",
        "        sorted = sort_lanes(xs)",
        *nest([*lanes, "count"], [f"outs[{', '.join([*places, last])}] = {found}"], depth=2),
        "        return outs",
        "    order = argsort(places)",
        f"    a = new_array((end,), {dtype})",
        *nest(lanes, [f"select(xs{place}, places, order, a, outs{place})"]),
        "    return outs",
    ]
    functions = {
        "sort_lanes": ordered("sort", ndim),
        "argsort": ordered("stable_argsort", 0),
        "select": compiled(_LANE, sort=ordered("sort", 0)),
    }
    return compiled("\n".join(lines) + "\n", new_array=new_array, **functions)
