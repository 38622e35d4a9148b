"""The derivative of least squares in Numba, by BLAS."""

from __future__ import annotations

from typing import Any

from llvmlite.ir import IRBuilder, Value

from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.numba_layer.linalg.batched_matrix import MatrixOperation, Part, callable_operation
from weft_numba.numba_layer.linalg.matrices import Matrix, Memory, by_rows, contiguous, copy
from weft_numba.numba_layer.linalg.row_blas import multiply
from weft_tensor import LstsqSlope, TensorVariable

__all__ = ["numba_funcify_lstsq_slope"]


def write_slope(
    builder: IRBuilder,
    memory: Memory,
    lengths: dict[str, Value],
    inputs: list[Matrix],
    result: Value,
) -> None:
    """As `LstsqSlope.expansion`."""
    m, n, k = (lengths[letter] for letter in "mnk")
    a, b, x, p, g = (by_rows(builder, memory, v) for v in inputs)
    rest, by_b, back = (memory.matrix(a.dtype, m, k) for _ in range(3))
    left, forth = (memory.matrix(a.dtype, n, k) for _ in range(2))
    target = contiguous(builder, a.dtype, result, m, n)
    copy(builder, b, rest)
    copy(builder, g, left)
    multiply(builder, "NN", -1.0, a, x, 1.0, rest)
    multiply(builder, "CN", 1.0, p, g, 0.0, by_b)
    multiply(builder, "CN", -1.0, a, by_b, 1.0, left)
    multiply(builder, "NN", 1.0, p, by_b, 0.0, forth)
    multiply(builder, "CN", 1.0, p, x, 0.0, back)
    multiply(builder, "NC", -1.0, by_b, x, 0.0, target)
    multiply(builder, "NC", 1.0, rest, forth, 1.0, target)
    multiply(builder, "NC", 1.0, back, left, 1.0, target)


@numba_funcify.register(LstsqSlope)
def numba_funcify_lstsq_slope(
    op: LstsqSlope, *, node: TensorVariable, parallel: bool = False, **kwargs: object
) -> Any:
    """BLAS's products."""
    parts = tuple([Part(letters, node.type.dtype) for letters in ("mn", "mk", "nk", "nm", "nk")])
    name = "lstsq_slope"
    return callable_operation(
        MatrixOperation(name, parts, parts[:1], write_slope, work="mnk", parallel=parallel)
    )
