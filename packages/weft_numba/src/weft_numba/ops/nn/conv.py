"""Convolution of many channels in Numba: parts as columns of a matrix, and a product by BLAS."""

from __future__ import annotations

from typing import Any

from numba.core.dispatcher import Dispatcher

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled
from weft_numba.numba_layer.linalg.batched_matrix import MatrixOperation, Part, callable_operation
from weft_numba.ops.linalg.matmul import write_product
from weft_tensor import Conv

__all__ = ["numba_funcify_conv"]


@numba_funcify.register(Conv)
def numba_funcify_conv(op: Conv, *, node: Any, **kwargs: object) -> Dispatcher:
    """For each example and group: a column for each part, a row for each element of a kernel."""
    dtype = node.type.dtype
    parts = (Part("mk", dtype), Part("kn", dtype)), (Part("mn", dtype),)
    operation = MatrixOperation("matmul", *parts, write_product, work="mkn", pace=12)
    return compiled(_source(op, dtype), product=callable_operation(operation))


def _source(op: Conv, dtype: str) -> str:
    rank = len(op.strides)
    axes = range(rank)
    names = [f"{name}{a}" for name in ("start", "count") for a in axes]
    space, lengths = (", ".join(f"{name}{a}" for a in axes) for name in ("count", "k"))
    lines = [
        f"def lowered(x, w, {', '.join(names)}):",
        *(f"    n{a}, k{a} = x.shape[{2 + a}], w.shape[{2 + a}]" for a in axes),
        "    examples, results, own = x.shape[0], w.shape[0], w.shape[1]",
        f"    if x.shape[1] != own * {op.groups} or results % {op.groups}:",
        f"        raise ValueError('conv in {op.groups} groups: kernels of another number of "
        "channels than the values')",
        f"    if min({space}, 0) < 0:",
        "        raise ValueError('negative dimensions are not allowed')",
        f"    size, depth = {space.replace(', ', ' * ')}, own * {lengths.replace(', ', ' * ')}",
        f"    each = results // {op.groups}",
        f"    out = np.empty((examples, results, size), {dtype})",
        f"    kernels = w.copy().reshape(({op.groups}, each, depth))",
        f"    columns = np.empty((depth, size), {dtype})",
        f"    for e in range(examples * {op.groups}):",
        f"        example, group = e // {op.groups}, e % {op.groups}",
        "        for c in range(own):",
        "            part = x[example, group * own + c]",
        *_columns(op, 3),
        "        out[example, group * each:(group + 1) * each] = product(kernels[group], columns)",
        f"    return out.reshape((examples, results, {space}))",
    ]
    return "\n".join(lines) + "\n"


def _columns(op: Conv, depth: int) -> list[str]:
    """Loops over the elements of a kernel, and for each over all parts along its row."""
    rank, pad = len(op.strides), "    " * depth
    lines, row = [], "c"
    for a in range(rank):
        lines.append(f"{pad}for j{a} in range(k{a}):")
        pad += "    "
        row = f"({row}) * k{a} + j{a}"
    lines += [f"{pad}row, place = columns[{row}], 0"]
    here, valid = [], "True"
    for a in range(rank):
        lines.append(f"{pad}for i{a} in range(count{a}):")
        pad += "    "
        step, apart, spread = op.strides[a], op.dilation[a], op.spread[a]
        lines.append(f"{pad}at = start{a} + i{a} * {step} + j{a} * {apart}")
        divides = f" and at % {spread} == 0" if spread > 1 else ""
        lines.append(f"{pad}in{a} = {valid} and 0 <= at < n{a} * {spread}{divides}")
        lines.append(f"{pad}p{a} = at // {spread}" if spread > 1 else f"{pad}p{a} = at")
        here.append(f"p{a}")
        valid = f"in{a}"
    lines += [
        f"{pad}row[place] = part[{', '.join(here)}] if {valid} else 0",
        f"{pad}place += 1",
    ]
    return lines
