"""Sums of products of one vector with another that is moved along it, in Numba."""

from __future__ import annotations

from typing import Any, Final

from numba.core.dispatcher import Dispatcher

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled, nest
from weft_tensor import SlidingDot

__all__ = ["numba_funcify_sliding_dot"]

_BLOCK: Final = 1024
"""How many results are worked at together: they stay in the processor's nearest cache."""
_AT_ONCE: Final = range(4)
"""Products that are added to a result at once: it is read and written less often."""

_SLIDE: Final = [
    "n, m, low = x.shape[0], y.shape[0], 0",
    "while low < count:",
    f"    high, j = min(low + {_BLOCK}, count), 0",
    "    for i in range(low, high):",
    "        out[i] = 0",
    "    while j < m:",
    "        at = start + j - (m - 1)",
    f"        if j + {len(_AT_ONCE)} <= m and low + at >= 0 and high + at + {_AT_ONCE[-1]} <= n:",
    *(f"            y{k} = y[j + {k}]" for k in _AT_ONCE),
    "            for i in range(low, high):",
    "                out[uint64(i)] += "
    + " + ".join(f"x[uint64(i + at + {k})] * y{k}" for k in _AT_ONCE),
    f"            j += {len(_AT_ONCE)}",
    "        else:",
    "            y0 = y[j]",
    "            for i in range(max(low, -at), min(high, n - at)):",
    "                out[uint64(i)] += x[uint64(i + at)] * y0",
    "            j += 1",
    "    low = high",
]
"""What is done for two vectors and a result."""


@numba_funcify.register(SlidingDot)
def numba_funcify_sliding_dot(op: SlidingDot, *, node: Any, **kwargs: Any) -> Dispatcher:
    """Each element of the shorter by a part of the longer, which machine code does in vectors."""
    ndim = node.type.ndim - 1
    lanes = [f"xs.shape[{axis}]" for axis in range(ndim)]
    place = f"[{', '.join(f'i{axis}' for axis in range(ndim))}]" if ndim else ""
    lines = [
        "def lowered(xs, ys, start, count):",
        "    if count < 0:",
        "        raise ValueError('negative dimensions are not allowed')",
        *(
            line
            for axis in range(ndim)
            for line in (
                f"    if xs.shape[{axis}] != ys.shape[{axis}]:",
                "        raise ValueError('slidingdot takes equal axes before the last')",
            )
        ),
        f"    outs = np.empty(({', '.join([*lanes, 'count'])},), {node.type.dtype})",
        *nest(
            lanes,
            [
                f"x, y, out = xs{place}, ys{place}, outs{place}",
                "if x.shape[0] < y.shape[0]:",
                "    x, y = y[::-1].copy(), x[::-1].copy()",
                "else:",
                "    x, y = x.copy(), y.copy()",
                *_SLIDE,
            ],
        ),
        "    return outs",
    ]
    return compiled("\n".join(lines) + "\n")
