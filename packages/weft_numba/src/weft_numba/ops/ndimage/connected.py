"""What hangs together in Numba: one walk, in which each element joins the part of one before it."""

from __future__ import annotations

from typing import Any, Final

from numba.core.dispatcher import Dispatcher

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled, indices, nest
from weft_numba.numba_layer.new_array import new_array
from weft_tensor import FirstConnected

__all__ = ["numba_funcify_first_connected"]

# Each element points at one with a lower place; ways to the first are halved when they are gone.
_JOINED: Final = """
    a, b = here, here + {apart}
    while roots[a] != a:
        roots[a] = roots[roots[a]]
        a = roots[a]
    while roots[b] != b:
        roots[b] = roots[roots[b]]
        b = roots[b]
    roots[max(a, b)] = min(a, b)
"""


@numba_funcify.register(FirstConnected)
def numba_funcify_first_connected(op: FirstConnected, *, node: Any, **kwargs: Any) -> Dispatcher:
    """Two walks over the elements: sets that are joined where they meet, then their firsts."""
    ndim = node.type.ndim
    own, lengths = indices(ndim), [f"mask.shape[{axis}]" for axis in range(ndim)]
    body = [f"if mask[{', '.join(own)}]:", "    pass"]
    for step in op.steps:
        rows = list(zip(own, step, lengths, strict=True))
        within = [f"{i} > 0" if s < 0 else f"{i} + 1 < {n}" for i, s, n in rows if s]
        there = ", ".join(f"{i} + {s}" for i, s, _ in rows)
        apart = " + ".join(f"{s} * stride{axis}" for axis, s in enumerate(step) if s)
        joined = _JOINED.format(apart=apart).strip("\n").split("\n")
        body.append(f"    if {' and '.join([*within, f'mask[{there}]'])}:")
        body += ["    " + line for line in joined]
    strides = [f"    stride{k} = stride{k + 1} * mask.shape[{k + 1}]" for k in range(ndim - 1)]
    lines = [
        "def lowered(mask):",
        "    result = new_array(mask.shape, int64)",
        "    roots = result.reshape(-1)",
        "    for k in range(roots.size):",
        "        roots[k] = k",
        f"    stride{ndim - 1} = 1",
        *strides[::-1],
        "    here = 0",
        *nest(lengths, [*body, "here += 1"]),
        "    for k in range(roots.size):",
        "        roots[k] = roots[roots[k]]",
        "    return result",
    ]
    return compiled("\n".join(lines) + "\n", new_array=new_array)
