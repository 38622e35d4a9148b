"""Singular values in Numba: LAPACK's gesdd."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba.core import cgutils

from weft_numba.numba_layer.batched_matrix import register_square
from weft_numba.numba_layer.blas import I32, I64, LONGEST
from weft_numba.numba_layer.lapack import at_least_one, informed
from weft_numba.numba_layer.matrices import (
    Matrix,
    Memory,
    contiguous,
    copy,
    joined,
    number,
    parts,
)
from weft_tensor import SVD

__all__ = ["decompose", "fill_nan", "replace", "write_svd"]

_ZERO: Final = I64(0)
_ONE: Final = I64(1)
_FINE: Final = I32(0)


def write_svd(
    builder: Any,
    memory: Memory,
    lengths: dict[str, Any],
    given: list[Matrix],
    left: Any,
    values: Any,
    right: Any,
) -> None:
    """By gesdd; NaN for what is not finite."""
    (x,) = given
    n = x.rows
    failed = decompose(builder, memory, x, left, values, right)
    with builder.if_then(failed, likely=False):
        real = str(np.finfo(x.dtype).dtype)
        for dtype, data, rows in ((x.dtype, left, n), (real, values, _ONE), (x.dtype, right, n)):
            fill_nan(builder, contiguous(builder, dtype, data, rows, n))


def decompose(builder: Any, memory: Memory, x: Matrix, left: Any, values: Any, right: Any) -> Any:
    """Put u, s and v there; gives whether that failed.

    LAPACK sees the transpose, so that what it calls v is u, by columns.
    """
    n = x.rows
    work = memory.matrix(x.dtype, n, n)
    copy(builder, x, work)
    failed = cgutils.alloca_once_value(builder, builder.not_(_is_finite(builder, work)))
    with builder.if_then(builder.not_(builder.load(failed))):
        square, apart = builder.mul(n, n), at_least_one(builder, n)
        is_complex = "complex" in x.dtype
        size = _counted(builder, square, n, 1 if is_complex else 4)
        arguments = ["A", n, n, work.data, apart, values, right, apart, left, apart]
        arguments += [memory.take(size, x.size), size]
        if is_complex:
            arguments.append(memory.take(_counted(builder, square, n, 5), x.size // 2))
        arguments.append(memory.take(_counted(builder, _ZERO, n, 0), 4))
        status = informed(builder, x.dtype, "gesdd", *arguments)
        builder.store(builder.icmp_signed("!=", status, _FINE), failed)
    return builder.load(failed)


def _counted(builder: Any, square: Any, n: Any, times: int) -> Any:
    """So many squares and a few rows more: no less than LAPACK wants."""
    some = builder.add(builder.mul(square, I64(times)), builder.mul(n, I64(8)))
    size = builder.add(some, I64(8))
    return builder.select(builder.icmp_signed("<", size, I64(LONGEST)), size, I64(LONGEST))


def replace(builder: Any, x: Matrix, change: Callable[[Any, Any], Any]) -> None:
    """Each element by what `change` gives for it and its column."""
    with cgutils.for_range(builder, x.rows) as row, cgutils.for_range(builder, x.columns) as column:
        i, j = row.index, column.index
        x.put(builder, i, j, change(x.get(builder, i, j), j))


def fill_nan(builder: Any, x: Matrix) -> None:
    """NaN for each element."""
    kind = number(x.dtype, 0.0).type
    pieces = kind.count if isinstance(kind, ir.ArrayType) else 1
    real = kind.element if pieces > 1 else kind
    nan = joined(builder, kind, [real(float("nan"))] * pieces)
    replace(builder, x, lambda value, j: nan)


def _is_finite(builder: Any, x: Matrix) -> Any:
    """Whether all elements are: then each less itself is 0, and so is the sum."""
    real = parts(builder, number(x.dtype, 0.0))[0].type
    total = cgutils.alloca_once(builder, real)
    builder.store(real(0.0), total)
    with cgutils.for_range(builder, x.rows) as row, cgutils.for_range(builder, x.columns) as column:
        for part in parts(builder, x.get(builder, row.index, column.index)):
            nothing = builder.fsub(part, part)
            builder.store(builder.fadd(builder.load(total), nothing), total)
    return builder.fcmp_ordered("==", builder.load(total), real(0.0))


register_square(SVD, "svd", write_svd, ("nn", "n", "nn"))
