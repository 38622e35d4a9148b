"""LU factors in Numba: LAPACK's getrf, one matrix of a stack after another."""

from __future__ import annotations

from typing import Any

from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils
from numba.core.dispatcher import Dispatcher

from weft_graph import Variable
from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled, indices, nest
from weft_numba.numba_layer.linalg.batched_matrix import MatrixOperation, Part, callable_operation
from weft_numba.numba_layer.linalg.blas import I32, I64
from weft_numba.numba_layer.linalg.lapack import at_least_one, informed
from weft_numba.numba_layer.linalg.matrices import Matrix, Memory, contiguous, copy, shorter
from weft_tensor import LUFactor, PivotToPermutations

__all__ = ["numba_funcify_lu_factor", "numba_funcify_pivot_to_permutations"]


def write_lu(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    packed: Value,
    pivots: Value,
    order: Value,
) -> None:
    """The factors of a copy by columns, as LAPACK wants it; of the pivots, room for all rows."""
    (x,) = inputs
    m, n = lengths["m"], lengths["n"]
    work = memory.matrix(x.dtype, n, m)
    copy(builder, x.transposed(), work)
    ipiv = memory.take(m, 4)
    informed(builder, x.dtype, "getrf", m, n, work.data, at_least_one(builder, m), ipiv)
    copy(builder, work.transposed(), contiguous(builder, x.dtype, packed, m, n))
    source, target, rows = (
        builder.bitcast(place, I32.as_pointer()) for place in (ipiv, pivots, order)
    )
    with cgutils.for_range(builder, m) as row:
        i = row.index
        builder.store(builder.trunc(i, I32), builder.gep(rows, [i]))
        builder.store(I32(0), builder.gep(target, [i]))
    with cgutils.for_range(builder, shorter(builder, m, n)) as row:
        i = row.index
        other = builder.sub(builder.load(builder.gep(source, [i])), I32(1))
        builder.store(other, builder.gep(target, [i]))
        _exchange(builder, *(builder.gep(rows, [k]) for k in (i, builder.sext(other, I64))))


def _exchange(builder: IRBuilder, one: Value, other: Value) -> None:
    first, second = builder.load(one), builder.load(other)
    builder.store(second, one)
    builder.store(first, other)


@numba_funcify.register(LUFactor)
def numba_funcify_lu_factor(op: LUFactor, *, node: Variable, **kwargs: object) -> Dispatcher:
    """LAPACK's getrf; of the pivots, those that there are."""
    x: Any = node.inputs[0].type
    of_rows = Part("m", "int32")
    factored = callable_operation(
        MatrixOperation(
            "lu_factor", (Part("mn", x.dtype),), (Part("mn", x.dtype), of_rows, of_rows), write_lu
        )
    )
    return compiled(
        "def lowered(x):\n"
        "    packed, pivots, order = factored(x)\n"
        "    if x.shape[-1] < x.shape[-2]:\n"
        "        pivots = pivots[..., :x.shape[-1]].copy()\n"
        "    return packed, pivots, order\n",
        factored=factored,
    )


@numba_funcify.register(PivotToPermutations)
def numba_funcify_pivot_to_permutations(
    op: PivotToPermutations, *, node: Variable, **kwargs: object
) -> Dispatcher:
    """One exchange after another."""
    pivots: Any = node.inputs[0].type
    names = indices(pivots.ndim)
    *outer, i = names
    place = "".join(f"{name}, " for name in outer)
    body = [
        f"j = pivots[{place}{i}]",
        "if j < 0 or j >= n:",
        "    raise IndexError('a pivot is out of bounds')",
        f"order[{place}{i}], order[{place}j] = order[{place}j], order[{place}{i}]",
    ]
    lengths = [f"pivots.shape[{axis}]" for axis in range(pivots.ndim)]
    lines = [
        "def lowered(pivots):",
        f"    n = pivots.shape[{pivots.ndim - 1}]",
        "    order = np.empty(pivots.shape, np.int32)",
        *nest(lengths, [f"order[{place}{i}] = {i}"]),  # to assign arrays is long to compile
        *nest(lengths, body),
        "    return order",
    ]
    return compiled("\n".join(lines) + "\n")
