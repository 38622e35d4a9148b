"""Diagonals: of products without the products, and matrices that have nothing beside them."""

from __future__ import annotations

from typing import Final

import weft_tensor as wt
from weft_graph import Constant, Rule, rule
from weft_rewrites.dsl.result import Result
from weft_rewrites.ops.linalg.identity import are_equal, on_diagonal
from weft_tensor import (
    Arange,
    BroadcastTo,
    Det,
    Elemwise,
    Eye,
    Index,
    IndexUpdate,
    Inverse,
    Matmul,
    Reshape,
    Solve,
    TensorVariable,
    Transpose,
)
from weft_tensor.extend import ARRAY, lengths_of, same_size

__all__ = ["as_long_as", "is_zero", "rules", "vector_of", "wholes"]

_PAIR: Final = (ARRAY, ARRAY)


def is_zero(v: TensorVariable) -> bool:
    """Whether all elements are the constant 0.

    >>> is_zero(wt.zeros((2, 2))), is_zero(wt.vector("x"))
    (True, False)
    """
    while type(v.op) is BroadcastTo:
        v = v.inputs[0]
    return isinstance(v.op, Constant) and not v.op.value.any()


def vector_of(x: TensorVariable) -> TensorVariable | None:
    """b, where `x` is `diag(b)`."""
    op = x.op
    if op != IndexUpdate(_PAIR, "set") or x.ndim != 2:
        return None
    zeros, b, i, j = x.inputs
    if i is not j or type(i.op) is not Arange or not is_zero(zeros) or b.ndim != 1:
        return None
    n, m = zeros.inputs[1:] if type(zeros.op) is BroadcastTo else lengths_of(zeros)
    is_all = same_size(n, m) and len(i.inputs) == 1 and same_size(i.inputs[0], n)
    return b if is_all and b.dtype == x.dtype and x.type.numpy_dtype.kind == "f" else None


def as_long_as(b: TensorVariable, other: TensorVariable, axis: int) -> TensorVariable:
    """`b`, whose last axis a call checks to be as long as this axis of `other`.

    >>> from weft_tensor import matrix, vector
    >>> b, x = vector("b", shape=(3,)), matrix("x", shape=(3, 2))
    >>> as_long_as(b, x, 0).type.shape
    (3,)
    """
    return Reshape()(b, *lengths_of(b)[:-1], lengths_of(other)[axis])


@rule(
    Matmul,
    over=IndexUpdate,
    name="product with diag(b)",
    may_change=("domain", "zero sign", "inf", "nan"),
)
def _product(node: TensorVariable) -> TensorVariable | None:
    """Rows, or columns, times numbers."""
    left, right = node.inputs
    b = vector_of(left)
    if b is not None and right.ndim in (1, 2) and right.dtype == node.dtype:
        b = as_long_as(b, right, 0)
        return right * (b if right.ndim == 1 else b.expand_dims(1))
    b = vector_of(right)
    if b is not None and left.ndim in (1, 2) and left.dtype == node.dtype:
        return left * as_long_as(b, left, left.ndim - 1)
    return None


@rule(
    Det,
    over=IndexUpdate,
    name="det(diag(b)) = prod(b)",
    may_change=("rounding", "zero sign", "inf", "nan"),
)
def _determinant(node: TensorVariable) -> TensorVariable | None:
    b = vector_of(node.inputs[0])
    return None if b is None else wt.prod(b)


@rule(
    Inverse,
    over=IndexUpdate,
    name="inv(diag(b)) = diag(1 / b)",
    may_change=("domain", "zero sign", "nan"),
)
def _inverse(node: TensorVariable) -> TensorVariable | None:
    (x,) = node.inputs
    b = vector_of(x)
    return None if b is None else x.op(x.inputs[0], 1 / b, *x.inputs[2:])


@rule(
    Solve,
    over=IndexUpdate,
    name="solve(diag(b), c) = c / b",
    may_change=("domain", "zero sign", "inf", "nan"),
)
def _system(node: TensorVariable) -> TensorVariable | None:
    matrix, right = node.inputs
    b = vector_of(matrix)
    if b is None or right.ndim != 2 or right.dtype != node.dtype:
        return None
    return right / as_long_as(b, right, 0).expand_dims(1)


def _reads_diagonal(node: Result[Index]) -> TensorVariable | None:
    """The length of the diagonal, if `node` reads a diagonal from its begin."""
    if node.op.entries != _PAIR or node.op.lifted:
        return None
    x, i, j = node.inputs
    is_range = i is j and type(i.op) is Arange and len(i.inputs) == 1 and x.ndim == 2
    return i.inputs[0] if is_range else None


@rule(Index, over=Matmul, name="diagonal of a product", may_change="rounding")
def _of_product(node: Result[Index]) -> TensorVariable | None:
    """The sum of rows times columns: the product is not computed."""
    n = _reads_diagonal(node)
    if n is None or node.type.numpy_dtype.kind != "f":
        return None
    left, right = node.inputs[0].inputs
    if left.ndim != 2 or right.ndim != 2 or not left.dtype == right.dtype == node.dtype:
        return None
    rows, columns = left[:n], wt.matrix_transpose(right)[:n]
    return wt.sum(rows * Reshape()(columns, n, lengths_of(left)[1]), 1)


def _first(v: TensorVariable, n: TensorVariable) -> TensorVariable:
    return v if same_size(lengths_of(v)[0], n) else v[:n]


@rule(Index, over=Elemwise, name="diagonal of an elementwise function")
def _of_elementwise(node: Result[Index]) -> TensorVariable | None:
    n = _reads_diagonal(node)
    if n is None:
        return None
    (whole, i, _), parts = node.inputs, []
    for v in whole.inputs:
        if v.ndim == 2 and v.type.shape[1] == 1:
            parts.append(_first(v[:, 0], n))
        elif v.ndim == 2 and v.type.shape[0] == 1:
            parts.append(_first(v[0], n))
        elif v.ndim == 2 and all(map(are_equal, lengths_of(v), lengths_of(whole))):
            parts.append(v[i, i])
        elif v.ndim == 0:
            parts.append(v)
        elif (
            v.ndim == 1
            and v.type.shape[0] != 1
            and are_equal(lengths_of(v)[0], lengths_of(whole)[1])
        ):
            parts.append(_first(v, n))
        else:
            return None
    new = whole.op(*parts)
    return new if new.type == node.type else None


@rule(Index, over=Transpose, name="diagonal of a transpose")
def _of_transpose(node: Result[Index]) -> TensorVariable | None:
    if _reads_diagonal(node) is None:
        return None
    x, i, _ = node.inputs
    return x.inputs[0][i, i] if x.op == Transpose((1, 0)) else None


@rule(Index, over=Eye, name="diagonal of an identity matrix")
def _of_identity(node: Result[Index]) -> TensorVariable | None:
    n, x = _reads_diagonal(node), node.inputs[0]
    if n is None or type(x.op) is not Eye or on_diagonal(x) is None:
        return None
    length = lengths_of(x)[0]
    if not are_equal(n, length) and not same_size(n, wt.maximum(x.inputs[0], 0)):
        return None
    new = wt.full((n,), 1, node.dtype)
    return new if node.type.accepts(new.type) else None


rules: tuple[Rule, ...] = (
    _product,
    _inverse,
    _system,
    _of_product,
    _of_elementwise,
    _of_transpose,
    _of_identity,
)
"""All but that of determinants."""
wholes: tuple[Rule, ...] = (_determinant,)
"""That, for what no logarithm takes."""
