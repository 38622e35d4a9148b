"""Diagonals: of products without the products, and matrices that have nothing beside them."""

from __future__ import annotations

from typing import Any, Final

import weft_tensor as wt
from weft_graph import Each, Form, Rule, rule
from weft_rewrites.dsl.conditions import has, is_zero
from weft_rewrites.dsl.equation import equation, letter, others
from weft_rewrites.dsl.result import Result
from weft_rewrites.ops.linalg.identity import are_equal, on_diagonal
from weft_tensor import (
    Arange,
    BroadcastTo,
    Cholesky,
    Det,
    Eigvalsh,
    Elemwise,
    Expm,
    Eye,
    Index,
    IndexUpdate,
    Inverse,
    Matmul,
    Reshape,
    Solve,
    Sum,
    TensorVariable,
    Transpose,
    facts,
)
from weft_tensor.extend import ARRAY, Slice, lengths_of, same_size

__all__ = ["as_long_as", "per_row", "reads_diagonal", "rules", "vector_of", "wholes"]

_PAIR: Final = (ARRAY, ARRAY)
_FULL: Final = Slice(None, None, None)


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


def _in_form(x: TensorVariable) -> tuple[TensorVariable] | None:
    b = vector_of(x)
    return None if b is None else (b,)


DIAG: Final = Form("diag", _in_form)


def per_row(numbers: TensorVariable, x: TensorVariable) -> TensorVariable:
    """`numbers`, one for each row of `x`, which is a matrix or, as a column, a vector.

    >>> from weft_tensor import matrix, vector
    >>> per_row(vector("b", shape=(3,)), matrix("x", shape=(3, 2))).type.shape
    (3, 1)
    """
    numbers = as_long_as(numbers, x, 0)
    return numbers if x.ndim == 1 else numbers.expand_dims(1)


def _is_small(x: TensorVariable) -> bool:
    return x.ndim in (1, 2)


def reads_diagonal(diagonal: Index, i: tuple[Any, ...]) -> bool:
    """Whether a diagonal is read from its begin."""
    if diagonal.entries != _PAIR or diagonal.lifted or i[0] is not i[1]:
        return False
    return _counts_from_zero(i[0])


def _counts_from_zero(i: TensorVariable) -> bool:
    return type(i.op) is Arange and len(i.inputs) == 1


def _reads_diagonals(
    diagonal: Index, x: TensorVariable, y: TensorVariable, i: tuple[Any, ...]
) -> bool:
    """Whether the diagonal of a product, or of each of a stack of them, is read from its begin."""
    rank = max(x.ndim, y.ndim)
    if min(x.ndim, y.ndim) < 2 or diagonal.entries != ((_FULL,) * (rank - 2) + _PAIR):
        return False
    return not diagonal.lifted and i[0] is i[1] and _counts_from_zero(i[0])


def _of_product(x: TensorVariable, y: TensorVariable, i: tuple[Any, ...]) -> TensorVariable:
    """The sum of rows times columns: the product is not computed."""
    (n,) = i[0].inputs
    rows, columns = x[..., :n, :], y.mT[..., :n, :]
    shape = *lengths_of(columns)[:-2], n, lengths_of(x)[-1]
    return wt.sum(rows * Reshape()(columns, *shape), -1)


def _first(v: TensorVariable, n: TensorVariable) -> TensorVariable:
    return v if same_size(lengths_of(v)[0], n) else v[:n]


@rule(Index, over=Elemwise, name="diagonal of an elementwise function")
def _of_elementwise(node: Result[Index]) -> TensorVariable | None:
    if not reads_diagonal(node.op, node.inputs[1:]):
        return None
    (whole, i, _), parts = node.inputs, []
    (n,) = i.inputs
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


def _reads_ones(node: TensorVariable, diagonal: Index, i: tuple[Any, ...]) -> bool:
    eye = node.inputs[0]
    if on_diagonal(eye) is None or not reads_diagonal(diagonal, i):
        return False
    (n,), length = i[0].inputs, lengths_of(eye)[0]
    return are_equal(n, length) or same_size(n, wt.maximum(eye.inputs[0], 0))


b, x, y, A, i = letter("b"), letter("x"), letter("y"), letter("A"), others("i")
lengths = others("lengths")
rules: tuple[Rule, ...] = (
    equation(
        Matmul()(DIAG(b), x),
        lambda b, x: x * per_row(b, x),
        when=_is_small,
        over=IndexUpdate,
        name="diag(b) @ x = b * x, row by row",
        may_change="domain, zero sign, inf",
    ),
    equation(
        Matmul()(x, DIAG(b)),
        lambda b, x: x * as_long_as(b, x, -1),
        when=_is_small,
        over=IndexUpdate,
        name="x @ diag(b) = x * b",
        may_change="domain, zero sign, inf, nan",
    ),
    equation(
        Inverse()(DIAG(b)),
        lambda b: wt.diag(1 / b),
        over=IndexUpdate,
        name="inv(diag(b)) = diag(1 / b)",
        may_change="domain, zero sign, nan",
    ),
    equation(
        Solve()(DIAG(b), x),
        lambda b, x: x / per_row(b, x),
        when=lambda x: x.ndim == 2,
        over=IndexUpdate,
        name="solve(diag(b), c) = c / b",
        may_change="domain, zero sign, inf, nan",
    ),
    equation(
        Cholesky()(DIAG(b)),
        lambda b: wt.diag(wt.sqrt(b)),
        when=lambda b: has(b, facts.positive),
        over=IndexUpdate,
        name="cholesky(diag(b)) = diag(sqrt(b)) for positive b",
        may_change="nan",
    ),
    equation(
        Each(Eigvalsh, "f")(DIAG(b)),
        lambda b: wt.sort(b),
        over=IndexUpdate,
        name="eigvalsh(diag(b)) = sort(b)",
    ),
    equation(
        Expm()(DIAG(b)),
        lambda b: wt.diag(wt.exp(b)),
        over=IndexUpdate,
        name="expm(diag(b)) = diag(exp(b))",
        may_change="inf, nan, domain",
    ),
    equation(
        Each(Sum, "f")(DIAG(b)),
        lambda b: wt.sum(b),
        of=None,
        when=lambda f: f.axis == (0, 1),
        over=IndexUpdate,
        name="sum(diag(b)) = sum(b)",
        may_change="rounding",
    ),
    equation(
        Each(Index, "diagonal")(Matmul()(x, y), i),
        _of_product,
        when=_reads_diagonals,
        name="diagonal(x @ y) = sum(x * y.mT, -1)",
        may_change="rounding",
    ),
    _of_elementwise,
    equation(
        Each(Index, "diagonal")(Transpose((1, 0))(A), i),
        Each(Index, "diagonal")(A, i),
        of=None,
        when=reads_diagonal,
        name="diagonal(A.T) = diagonal(A)",
    ),
    equation(
        Each(Index, "diagonal")(Each(Eye)(lengths), i),
        lambda node, i: wt.full(i[0].inputs, 1, node.dtype),
        of=None,
        when=_reads_ones,
        name="diagonal(eye(n)) = 1",
    ),
)
"""All but that of determinants."""
wholes: tuple[Rule, ...] = (
    equation(
        Det()(DIAG(b)),
        lambda b: wt.prod(b),
        over=IndexUpdate,
        name="det(diag(b)) = prod(b)",
        may_change="rounding, zero sign, inf, nan",
    ),
)
"""That, for what no logarithm takes."""
