"""Joining in Numba: each input is copied to its place."""

from __future__ import annotations

from typing import Any

from weft_graph import Variable
from weft_numba.dispatch import numba_funcify
from weft_numba.source import compiled, indices, nest
from weft_tensor import Concatenate, Stack

__all__ = ["numba_funcify_concatenate", "numba_funcify_stack"]


@numba_funcify.register(Concatenate)
def numba_funcify_concatenate(op: Concatenate, *, node: Variable, **kwargs: Any) -> Any:
    """One loop nest per input."""
    out: Any = node.type
    names = [f"x{k}" for k in range(len(node.inputs))]
    lines = [f"def lowered({', '.join(names)}):"]
    lines += _same_lengths(names, [a for a in range(out.ndim) if a != op.axis])
    total = " + ".join(f"{name}.shape[{op.axis}]" for name in names)
    lengths = [total if a == op.axis else f"x0.shape[{a}]" for a in range(out.ndim)]
    lines.append(f"    out = np.empty(({''.join(n + ', ' for n in lengths)}), {out.dtype})")
    lines.append("    start = 0")
    read = indices(out.ndim)
    write = [f"start + {i}" if a == op.axis else i for a, i in enumerate(read)]
    for name in names:
        own = [f"{name}.shape[{a}]" for a in range(out.ndim)]
        lines += nest(own, [f"out[{', '.join(write)}] = {name}[{', '.join(read)}]"])
        lines.append(f"    start += {name}.shape[{op.axis}]")
    lines.append("    return out")
    return compiled("\n".join(lines) + "\n")


@numba_funcify.register(Stack)
def numba_funcify_stack(op: Stack, *, node: Variable, **kwargs: Any) -> Any:
    """One loop nest per input."""
    out: Any = node.type
    names = [f"x{k}" for k in range(len(node.inputs))]
    ndim = out.ndim - 1
    lines = [f"def lowered({', '.join(names)}):", *_same_lengths(names, range(ndim))]
    lengths = [str(len(names)), *(f"x0.shape[{a}]" for a in range(ndim))]
    lines.append(f"    out = np.empty(({''.join(n + ', ' for n in lengths)}), {out.dtype})")
    for k, name in enumerate(names):
        place = ", ".join([str(k), *indices(ndim)])
        value = f"{name}[{', '.join(indices(ndim))}]" if ndim else name
        lines += nest([f"{name}.shape[{a}]" for a in range(ndim)], [f"out[{place}] = {value}"])
    lines.append("    return out")
    return compiled("\n".join(lines) + "\n")


def _same_lengths(names: list[str], axes: Any) -> list[str]:
    """Statements that refuse inputs whose lengths differ."""
    return [
        line
        for name in names[1:]
        for a in axes
        for line in (
            f"    if {name}.shape[{a}] != x0.shape[{a}]:",
            "        raise ValueError('tensors to be joined differ in a length')",
        )
    ]
