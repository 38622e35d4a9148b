"""Order in Numba: each vector along the axis by itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_graph import Variable
from weft_numba.dispatch import numba_funcify
from weft_numba.source import compiled, nest, njit
from weft_tensor import ArgMax, ArgMin, ArgSort, Sort

__all__ = ["numba_funcify_arg_extremum", "numba_funcify_ordering"]


@njit
def sorted_vector(x: Any) -> Any:
    """The elements of one vector in ascending order, NaN last."""
    return np.sort(x)


@njit
def sorting_places(x: Any) -> Any:
    """The positions that sort one vector, stably, NaN last."""
    return np.argsort(x, kind="mergesort")


def _rows(x: Any, axis: int) -> tuple[list[str], str]:
    """The lengths of the other axes of `x`, and the key of one vector along `axis`."""
    others = [a for a in range(x.ndim) if a != axis]
    key = [":" if a == axis else f"i{others.index(a)}" for a in range(x.ndim)]
    return [f"x.shape[{a}]" for a in others], ", ".join(key)


@numba_funcify.register(Sort)
@numba_funcify.register(ArgSort)
def numba_funcify_ordering(op: Any, *, node: Variable, **kwargs: Any) -> Any:
    """Numba's own sorting functions."""
    out: Any = node.type
    one = sorted_vector if isinstance(op, Sort) else sorting_places
    lengths, key = _rows(out, op.axis)
    given: Any = node.inputs[0].type
    row = f"x[{key}].astype(uint8)" if given.dtype == "bool" else f"x[{key}]"
    lines = ["def lowered(x):", f"    out = np.empty(x.shape, {out.dtype})"]
    lines += nest(lengths, [f"out[{key}] = one({row})"])
    lines.append("    return out")
    return compiled("\n".join(lines) + "\n", one=one)


@numba_funcify.register(ArgMax)
@numba_funcify.register(ArgMin)
def numba_funcify_arg_extremum(op: Any, *, node: Variable, **kwargs: Any) -> Any:
    """The first that is larger (smaller) than all before it; NaN stops the search."""
    x: Any = node.inputs[0].type
    lengths, key = _rows(x, op.axis)
    sign = ">" if isinstance(op, ArgMax) else "<"
    place = ", ".join(f"i{k}" for k in range(len(lengths)))
    lines = [
        "def lowered(x):",
        f"    if x.shape[{op.axis}] == 0:",
        "        raise ValueError('the position of the largest or smallest of no elements')",
    ]
    body = [
        f"row = x[{key}]",
        "best = 0",
        "for k in range(1, row.shape[0]):",
        "    if row[best] != row[best]:",
        "        break",
        f"    if row[k] {sign} row[best] or row[k] != row[k]:",
        "        best = k",
    ]
    if lengths:
        lines.append(f"    out = np.empty(({''.join(n + ', ' for n in lengths)}), int64)")
        lines += nest(lengths, [*body, f"out[{place}] = best"])
        lines.append("    return out")
    else:
        lines += ["    " + line for line in body]
        lines.append("    return int64(best)")
    return compiled("\n".join(lines) + "\n")
