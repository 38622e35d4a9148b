"""Changes of shape in Numba: views where there can be, copies where not."""

from __future__ import annotations

from typing import Any

from weft_graph import Variable
from weft_numba.dispatch import numba_funcify
from weft_numba.source import compiled, indices, nest
from weft_tensor import BroadcastTo, ExpandDims, Reshape, Squeeze, Transpose

__all__ = [
    "numba_funcify_broadcast_to",
    "numba_funcify_expand_dims",
    "numba_funcify_reshape",
    "numba_funcify_squeeze",
    "numba_funcify_transpose",
]


@numba_funcify.register(Reshape)
def numba_funcify_reshape(op: Reshape, *, node: Variable, **kwargs: Any) -> Any:
    """A view of the contiguous input; its first element for rank 0."""
    x: Any = node.inputs[0].type
    out: Any = node.type
    names = [f"n{a}" for a in range(out.ndim)]
    product = " * ".join(names) or "1"
    lines = [
        f"def lowered({', '.join(['x', *names])}):",
        f"    if {'x.size' if x.ndim else '1'} != {product}:",
        "        raise ValueError('cannot reshape: the number of elements differs')",
    ]
    shape = "".join(n + ", " for n in names)
    if not x.ndim and not out.ndim:
        lines.append("    return x")
    elif not x.ndim:
        lines.append(f"    return np.full(({shape}), x)")
    elif not out.ndim:
        lines.append("    return x.flat[0]" if x.ndim > 1 else "    return x[0]")
    else:
        lines.append(f"    return np.ascontiguousarray(x).reshape(({shape}))")
    return compiled("\n".join(lines) + "\n")


@numba_funcify.register(Transpose)
def numba_funcify_transpose(op: Transpose, *, node: Variable, **kwargs: Any) -> Any:
    """A view."""
    axes = op.axes
    same, swapped = axes == tuple(range(len(axes))), axes == (1, 0)
    result = "x" if same else "x.T" if swapped else f"np.transpose(x, {axes})"
    return compiled(f"def lowered(x):\n    return {result}\n")


@numba_funcify.register(ExpandDims)
def numba_funcify_expand_dims(op: ExpandDims, *, node: Variable, **kwargs: Any) -> Any:
    """A view; an array of one element for rank 0."""
    x: Any = node.inputs[0].type
    ndim = x.ndim + len(op.axis)
    if not x.ndim:
        shape = "1, " * ndim
        return compiled(f"def lowered(x):\n    return np.full(({shape}), x)\n")
    rest = iter(range(x.ndim))
    shape = "".join("1, " if a in op.axis else f"x.shape[{next(rest)}], " for a in range(ndim))
    return compiled(f"def lowered(x):\n    return np.ascontiguousarray(x).reshape(({shape}))\n")


@numba_funcify.register(Squeeze)
def numba_funcify_squeeze(op: Squeeze, *, node: Variable, **kwargs: Any) -> Any:
    """A view; the element itself for rank 0."""
    x: Any = node.inputs[0].type
    lines = ["def lowered(x):"]
    for a in op.axis:
        lines += [
            f"    if x.shape[{a}] != 1:",
            "        raise ValueError('cannot squeeze an axis whose length is not 1')",
        ]
    entries = ", ".join("0" if a in op.axis else ":" for a in range(x.ndim))
    lines.append(f"    return x[{entries}]" if op.axis else "    return x")
    return compiled("\n".join(lines) + "\n")


@numba_funcify.register(BroadcastTo)
def numba_funcify_broadcast_to(op: BroadcastTo, *, node: Variable, **kwargs: Any) -> Any:
    """A new array; each input element is read where it belongs."""
    x: Any = node.inputs[0].type
    out: Any = node.type
    names = [f"n{a}" for a in range(out.ndim)]
    lines = [f"def lowered({', '.join(['x', *names])}):"]
    if not out.ndim:
        return compiled("\n".join([*lines, "    return x"]) + "\n")
    if not x.ndim:
        shape = "".join(n + ", " for n in names)
        return compiled("\n".join([*lines, f"    return np.full(({shape}), x)"]) + "\n")
    extra = out.ndim - x.ndim
    read = []
    for a in range(x.ndim):
        lines += [
            f"    if x.shape[{a}] != 1 and x.shape[{a}] != n{a + extra}:",
            "        raise ValueError('cannot broadcast to that shape')",
            f"    s{a} = x.shape[{a}] != 1",
        ]
        read.append(f"i{a + extra} * s{a}")
    lines.append(f"    out = np.empty(({''.join(n + ', ' for n in names)}), {out.dtype})")
    lines += nest(names, [f"out[{', '.join(indices(out.ndim))}] = x[{', '.join(read)}]"])
    lines.append("    return out")
    return compiled("\n".join(lines) + "\n")
