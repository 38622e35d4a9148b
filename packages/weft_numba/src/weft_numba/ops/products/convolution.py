"""Sums of products of one vector with another that is moved along it, in Numba."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba.core.dispatcher import Dispatcher

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled, nest
from weft_tensor import SlidingDot

__all__ = ["numba_funcify_sliding_dot"]

_BLOCK: Final = 1024
"""How many results are worked at together: they stay in the processor's nearest cache."""
_AT_ONCE: Final = 4
"""How many products are added to a result at once: it is read and written less often."""


@numba_funcify.register(SlidingDot)
def numba_funcify_sliding_dot(op: SlidingDot, *, node: Any, **kwargs: Any) -> Dispatcher:
    """Each element of the shorter by a part of the longer, which machine code does in vectors."""
    ndim = node.inputs[0].type.ndim
    lanes = [f"x.shape[{axis}]" for axis in range(ndim - 1)]
    place = "".join(f"[i{axis}]" for axis in range(ndim - 1))
    lines = [
        "def lowered(x, y, start, count):",
        "    if count < 0:",
        "        raise ValueError('negative dimensions are not allowed')",
        *(
            line
            for axis in range(ndim - 1)
            for line in (
                f"    if x.shape[{axis}] != y.shape[{axis}]:",
                "        raise ValueError('slidingdot takes equal axes before the last')",
            )
        ),
        f"    out = np.zeros(({', '.join([*lanes, 'count'])},), x.dtype)",
        *nest(lanes, [f"slide(x{place}, y{place}, start, out{place})"]),
        "    return out",
    ]
    return compiled("\n".join(lines) + "\n", slide=_slide())


def _slide() -> Dispatcher:
    """What the Op does for two vectors and a result, which is zero before."""
    many = range(_AT_ONCE)
    fit = f"j + {_AT_ONCE} <= m and low + at >= 0 and high + at + {_AT_ONCE - 1} <= n"
    return compiled(
        "\n".join(
            [
                "def lowered(x, y, start, out):",
                "    if x.shape[0] < y.shape[0]:",
                "        x, y = y[::-1].copy(), x[::-1].copy()",
                "    else:",
                "        x, y = np.ascontiguousarray(x), np.ascontiguousarray(y)",
                "    n, m = x.shape[0], y.shape[0]",
                f"    for low in range(0, out.shape[0], {_BLOCK}):",
                f"        high = min(low + {_BLOCK}, out.shape[0])",
                "        j = 0",
                "        while j < m:",
                "            at = start + j - (m - 1)",
                f"            if {fit}:",
                "                sums = out[low:high]",
                *(f"                x{k} = x[low + at + {k} : high + at + {k}]" for k in many),
                *(f"                y{k} = y[j + {k}]" for k in many),
                "                for i in range(high - low):",
                f"                    sums[i] += {' + '.join(f'x{k}[i] * y{k}' for k in many)}",
                f"                j += {_AT_ONCE}",
                "            else:",
                "                first, last = max(low, -at), min(high, n - at)",
                "                if first < last:",
                "                    sums, part = out[first:last], x[first + at : last + at]",
                "                    factor = y[j]",
                "                    for i in range(last - first):",
                "                        sums[i] += part[i] * factor",
                "                j += 1",
            ]
        )
        + "\n",
        np=np,
    )
