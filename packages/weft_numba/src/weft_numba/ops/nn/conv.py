"""Convolution of many channels in Numba: parts as columns of a matrix, and a product by BLAS."""

from __future__ import annotations

from typing import Any

from numba.core.dispatcher import Dispatcher

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled, indices, nest
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
    """No views, slices or reshapes: Numba takes seconds to compile these."""
    rank, groups = len(op.strides), op.groups
    axes = range(rank)
    names = [f"{name}{a}" for name in ("start", "count") for a in axes]
    counts, lengths = ([f"{name}{a}" for a in axes] for name in ("count", "k"))
    elements, parts, row = indices(rank, "j"), indices(rank), "c"
    for a in axes:
        row = f"({row}) * k{a} + j{a}"
    lines = [
        f"def lowered(x, w, {', '.join(names)}):",
        *(f"    n{a}, k{a} = x.shape[{2 + a}], w.shape[{2 + a}]" for a in axes),
        "    examples, results, own = x.shape[0], w.shape[0], w.shape[1]",
        f"    if x.shape[1] != own * {groups} or results % {groups}:",
        f"        raise ValueError('conv in {groups} groups: kernels of another number of channels "
        "than the values')",
        f"    if {' or '.join(f'{count} < 0' for count in counts)}:",
        "        raise ValueError('negative dimensions are not allowed')",
        f"    size, depth = {' * '.join(counts)}, own * {' * '.join(lengths)}",
        f"    each = results // {groups}",
        f"    out = np.empty((examples, results, {', '.join(counts)}), {dtype})",
        f"    kernels = np.empty((each, depth), {dtype})",
        f"    columns = np.empty((depth, size), {dtype})",
        f"    for group in range({groups}):",
        "        for r in range(each):",
        "            for c in range(own):",
        *nest(
            lengths,
            [f"kernels[r, {row}] = w[group * each + r, c, {', '.join(elements)}]"],
            "j",
            4,
        ),
        "        for example in range(examples):",
        "            for c in range(own):",
        *nest(lengths, [f"row, place = {row}, 0", *_columns(op, dtype)], "j", 4),
        "            made = product(kernels, columns)",
        "            for r in range(each):",
        "                place = 0",
        *nest(
            counts,
            [
                f"out[example, group * each + r, {', '.join(parts)}] = made[r, place]",
                "place += 1",
            ],
            depth=4,
        ),
        "    return out",
    ]
    return "\n".join(lines) + "\n"


def _columns(op: Conv, dtype: str) -> list[str]:
    """Loops over all parts, which put one element of each into a row."""
    lines, here, pad, inside = [], [], "", "True"
    for a, (step, apart, spread) in enumerate(zip(op.strides, op.dilation, op.spread, strict=True)):
        lines.append(f"{pad}for i{a} in range(count{a}):")
        pad += "    "
        lines.append(f"{pad}at{a} = start{a} + i{a} * {step} + j{a} * {apart}")
        divides = f" and at{a} % {spread} == 0" if spread > 1 else ""
        lines.append(f"{pad}in{a} = {inside} and 0 <= at{a} < n{a} * {spread}{divides}")
        here.append(f"at{a} // {spread}" if spread > 1 else f"at{a}")
        inside = f"in{a}"
    return [
        *lines,
        f"{pad}columns[row, place] = {dtype}(0)",
        f"{pad}if {inside}:",
        f"{pad}    columns[row, place] = x[example, group * own + c, {', '.join(here)}]",
        f"{pad}place += 1",
    ]
