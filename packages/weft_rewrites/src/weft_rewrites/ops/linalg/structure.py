"""What a matrix is made of: diagonals, low-rank products, Kronecker products, blocks."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from weft_rewrites.dsl.conditions import is_zero
from weft_rewrites.ops.linalg.diagonal import vector_of
from weft_rewrites.ops.linalg.identity import are_equal, on_diagonal
from weft_tensor import (
    Concatenate,
    Elemwise,
    ExpandDims,
    Matmul,
    Reshape,
    TensorVariable,
    Transpose,
)
from weft_tensor.extend import lengths_of

__all__ = ["LowRank", "blocks_of", "is_square", "kronecker_of", "low_rank_of", "numbers_of"]

_ADD, _SUB, _NEG = Elemwise("add"), Elemwise("sub"), Elemwise("neg")
_MUL, _DIV = Elemwise("mul"), Elemwise("true_div")
_SWAPPED = Transpose((1, 0))
_MOST: Final = 64
"""The most columns of a low-rank product, where the number of rows is not known."""


class LowRank(NamedTuple):
    """d and u and v, where a matrix is diag(d) + u @ v."""

    d: TensorVariable
    u: TensorVariable
    v: TensorVariable


def is_square(x: TensorVariable) -> bool:
    """Whether both lengths of a matrix are known to be equal.

    >>> from weft_tensor import matrix
    >>> is_square(matrix("x", shape=("n", "n"))), is_square(matrix("x"))
    (True, False)
    """
    m, n = x.type.shape
    return (m is not None and m == n) or are_equal(*lengths_of(x))


def numbers_of(x: TensorVariable) -> TensorVariable | None:
    """The vector, or the number, on the diagonal of a matrix that has nothing beside it."""
    numbers = vector_of(x)
    return on_diagonal(x) if numbers is None else numbers


def low_rank_of(x: TensorVariable) -> LowRank | None:
    """What a sum of a diagonal matrix and a product of few columns is made of."""
    if x.op == _SWAPPED:
        parts = low_rank_of(x.inputs[0])
        return parts and LowRank(parts.d, parts.v.mT, parts.u.mT)
    if x.op not in (_ADD, _SUB) or x.ndim != 2 or x.type.numpy_dtype.kind != "f":
        return None
    first, second = x.inputs
    if not first.dtype == second.dtype == x.dtype:
        return None
    if x.op is _SUB:
        second = -second
    for one, other in ((first, second), (second, first)):
        numbers = numbers_of(one) if one.ndim == 2 else None
        product = _product_of(other) if numbers is not None else None
        if numbers is None or product is None:
            continue
        u, v = product
        if not numbers.dtype == u.dtype == v.dtype == x.dtype or not _is_thin(u, v):
            continue
        n = lengths_of(u)[0]
        if numbers.ndim:
            return LowRank(Reshape()(numbers, n), u, v)  # which a call checks to be as long
        if are_equal(lengths_of(one)[0], n):
            return LowRank(numbers.broadcast_to(n), u, v)
    return None


def _product_of(x: TensorVariable) -> tuple[TensorVariable, TensorVariable] | None:
    """u and v, where a matrix is u @ v; or is that, by a number, or a column times a row."""
    if type(x.op) is Matmul and all(v.ndim == 2 for v in x.inputs):
        u, v = x.inputs
        return u, v
    if x.op is _NEG and (factors := _product_of(x.inputs[0])):
        return -factors[0], factors[1]
    if x.op is _DIV and not x.inputs[1].ndim and (factors := _product_of(x.inputs[0])):
        return factors[0] / x.inputs[1], factors[1]
    if x.op is not _MUL:
        return None
    for one, other in (x.inputs, x.inputs[::-1]):
        if one.op == ExpandDims((1,)) and other.ndim == 1:
            return one, other.expand_dims(0)
        if not one.ndim and (factors := _product_of(other)):
            return factors[0] * one, factors[1]
    return None


def _is_thin(u: TensorVariable, v: TensorVariable) -> bool:
    """Whether u has few columns beside its rows."""
    rows, columns = u.type.shape[0], v.type.shape[0]
    if not isinstance(columns, int):
        columns = u.type.shape[1]
    if not isinstance(columns, int):
        return False
    return max(2 * columns, 1) <= rows if isinstance(rows, int) else columns <= _MOST


def kronecker_of(x: TensorVariable) -> tuple[TensorVariable, TensorVariable] | None:
    """a and b, where a matrix is their Kronecker product."""
    if x.op == _SWAPPED:
        factors = kronecker_of(x.inputs[0])
        return factors and (factors[0].mT, factors[1].mT)
    if type(x.op) is not Reshape or x.ndim != 2 or x.inputs[0].op is not _MUL:
        return None
    for one, other in (x.inputs[0].inputs, x.inputs[0].inputs[::-1]):
        if one.op != ExpandDims((1, 3)) or other.op not in (ExpandDims((1,)), ExpandDims((0, 2))):
            continue
        a, b = one.inputs[0], other.inputs[0]
        if a.dtype == b.dtype == x.dtype and x.type.numpy_dtype.kind == "f":
            return (a, b) if _are_products(x, a, b) else None
    return None


def _are_products(x: TensorVariable, a: TensorVariable, b: TensorVariable) -> bool:
    """Whether the lengths of `x` are those of a times those of b."""
    return all(
        _is_multiple(n, m, k)
        for n, m, k in zip(x.inputs[1:], lengths_of(a), lengths_of(b), strict=True)
    )


def _is_multiple(n: Any, m: Any, k: Any) -> bool:
    return are_equal(n, m * k) or are_equal(n, k * m)


def blocks_of(x: TensorVariable) -> list[TensorVariable] | None:
    """The matrices along the diagonal of a matrix that is zero elsewhere."""
    if x.op == _SWAPPED:
        return [v.mT for v in blocks_of(x.inputs[0]) or ()] or None
    if x.op != Concatenate(0) or x.ndim != 2 or x.type.numpy_dtype.kind != "f":
        return None
    blocks = []
    for k, row in enumerate(x.inputs):
        if row.op != Concatenate(1) or len(row.inputs) != len(x.inputs):
            return None
        if not all(is_zero(v) for j, v in enumerate(row.inputs) if j != k):
            return None
        blocks.append(row.inputs[k])
    return blocks if all(v.dtype == x.dtype for v in blocks) else None
