"""Systems, inverses and determinants of matrices of which something is known.

A positive definite matrix has one Cholesky factor, which all that is asked of it shares.
"""

from __future__ import annotations

from typing import Final

import weft_tensor as wt
from weft_graph import Item, Rule, rule
from weft_rewrites.dsl.conditions import has
from weft_rewrites.dsl.result import Result
from weft_rewrites.ops.linalg.diagonal import as_long_as
from weft_rewrites.ops.linalg.inverse import like
from weft_rewrites.ops.linalg.structure import is_square
from weft_tensor import (
    Det,
    ExpandDims,
    Inverse,
    Matmul,
    SlogDet,
    Solve,
    SolveTriangular,
    Squeeze,
    TensorVariable,
    Transpose,
    facts,
)
from weft_tensor.extend import lengths_of

__all__ = ["rules", "wholes"]

_SWAPPED: Final = Transpose((1, 0))
_LOWER, _UPPER = SolveTriangular(True), SolveTriangular(False)
_TRIANGULAR: Final = ((facts.lower_triangular, True), (facts.upper_triangular, False))


def _diagonal(x: TensorVariable) -> TensorVariable:
    return wt.linalg.diagonal(x)


def _is_square_diagonal(x: TensorVariable) -> bool:
    """Whether nothing stands beside the diagonal, and it goes from corner to corner."""
    return has(x, facts.diagonal) and (is_square(x) or has(x, facts.symmetric))


def _is_definite(x: TensorVariable) -> bool:
    return not x.is_complex and has(x, facts.positive_definite)


def _is_orthogonal(x: TensorVariable) -> bool:
    return not x.is_complex and has(x, facts.orthogonal)


@rule(
    Solve,
    name="solve(D, b) = b / diagonal(D) for diagonal D",
    may_change="nan",
)
def _divided(node: TensorVariable) -> TensorVariable | None:
    matrix, right = node.inputs
    if not has(matrix, facts.diagonal):
        return None
    return like(node, right / as_long_as(_diagonal(matrix), right, -2).expand_dims(-1))


@rule(
    Solve,
    name="solve(R, b) = solve_triangular(R, b) for triangular R",
    may_change=("rounding", "nan"),
)
def _by_substitution(node: TensorVariable) -> TensorVariable | None:
    matrix, right = node.inputs
    for fact, lower in _TRIANGULAR:
        if has(matrix, fact):
            return like(node, wt.solve_triangular(matrix, right, lower=lower, b_ndim=2))
    return None


@rule(Solve, name="solve(Q, b) = Q.T @ b for orthogonal Q", may_change="rounding")
def _turned_back(node: TensorVariable) -> TensorVariable | None:
    matrix, right = node.inputs
    return like(node, matrix.mT @ right) if _is_orthogonal(matrix) else None


@rule(
    Solve,
    name="solve(A, b) = cho_solve(cholesky(A), b) for positive definite A",
    may_change=("rounding", "error"),
)
def _by_factor(node: TensorVariable) -> TensorVariable | None:
    matrix, right = node.inputs
    if not _is_definite(matrix):
        return None
    return like(node, wt.linalg.cho_solve((wt.cholesky(matrix), True), right, 2))


@rule(Matmul, over=Transpose, name="Q.T @ Q = 1 for orthogonal Q", may_change="rounding")
def _identity(node: TensorVariable) -> TensorVariable | None:
    left, right = node.inputs
    for v, w in ((left, right), (right, left)):
        if v.op == _SWAPPED and v.inputs[0] is w and _is_orthogonal(w):
            return like(node, wt.eye(lengths_of(w)[0], dtype=w.dtype))
    return None


@rule(
    Matmul,
    name="D @ B = diagonal(D) * B for diagonal D",
    may_change=("zero sign", "nan"),
)
def _scaled(node: TensorVariable) -> TensorVariable | None:
    left, right = node.inputs
    if node.type.numpy_dtype.kind != "f" or left.dtype != right.dtype:
        return None
    if left.ndim == 2 and right.ndim in (1, 2) and _is_square_diagonal(left):
        numbers = as_long_as(_diagonal(left), right, 0)
        return like(node, right * (numbers if right.ndim == 1 else numbers.expand_dims(1)))
    if right.ndim == 2 and left.ndim in (1, 2) and _is_square_diagonal(right):
        return like(node, left * as_long_as(_diagonal(right), left, -1))
    return None


def _parts_of_determinant(x: TensorVariable) -> tuple[TensorVariable, TensorVariable] | None:
    """The sign and the logarithm of its size."""
    if _is_definite(x):
        numbers = _diagonal(wt.cholesky(x))
        return wt.ones_like(numbers[..., 0]), 2 * wt.sum(wt.log(numbers), -1)
    if not x.is_complex and any(has(x, fact) for fact, _ in _TRIANGULAR):
        numbers = _diagonal(x)
        return wt.prod(wt.sign(numbers), -1), wt.sum(wt.log(wt.abs(numbers)), -1)
    return None


@rule(
    Item,
    over=SlogDet,
    name="slogdet(A) by the diagonal of a triangular A, or of cholesky(A)",
    may_change=("rounding", "error"),
)
def _logarithm(node: Result[Item]) -> TensorVariable | None:
    found = _parts_of_determinant(node.inputs[0].inputs[0])
    return None if found is None else like(node, found[node.op.index])


@rule(
    Matmul,
    over=(Squeeze, SolveTriangular),
    name="b @ inv(L L.T) @ b = sum(solve_triangular(L, b) ** 2)",
    may_change="rounding",
)
def _form(node: TensorVariable) -> TensorVariable | None:
    """For a matrix b, z.T @ z."""
    left, right = node.inputs
    if left.ndim == right.ndim == 1:
        for v, w in ((left, right), (right, left)):
            half = _half(w.inputs[0]) if w.op == Squeeze((1,)) else None
            if half is not None and half.inputs[1].op == ExpandDims((1,)):
                return wt.sum(wt.square(half)) if half.inputs[1].inputs[0] is v else None
    half = _half(right)
    if half is None or left.ndim != 2:
        return None
    b = half.inputs[1]
    pairs = ((left, b), (b, left))
    is_same = any(v.op == _SWAPPED and v.inputs[0] is w for v, w in pairs)
    return like(node, half.mT @ half) if is_same else None


def _half(x: TensorVariable) -> TensorVariable | None:
    """z with L z = b, where x is inv(L L.T) @ b."""
    if x.op != _UPPER or x.inputs[1].op != _LOWER or x.ndim != 2:
        return None
    upper, half = x.inputs
    return half if upper.op == _SWAPPED and upper.inputs[0] is half.inputs[0] else None


@rule(
    Inverse,
    name="inv(A) = cholesky_inverse(cholesky(A)) for positive definite A",
    may_change=("rounding", "error"),
)
def _inverse(node: TensorVariable) -> TensorVariable | None:
    (matrix,) = node.inputs
    return wt.cholesky_inverse(wt.cholesky(matrix)) if _is_definite(matrix) else None


@rule(Inverse, name="inverse of what is triangular", may_change="rounding")
def _inverse_of_triangular(node: TensorVariable) -> TensorVariable | None:
    (matrix,) = node.inputs
    for fact, lower in _TRIANGULAR:
        if has(matrix, fact):
            ones = wt.eye(lengths_of(matrix)[-1], dtype=matrix.dtype)
            return wt.solve_triangular(matrix, ones, lower=lower)
    return None


@rule(
    Det,
    name="det(A) = prod(diagonal(cholesky(A))) ** 2 for positive definite A",
    may_change=("rounding", "error"),
)
def _determinant(node: TensorVariable) -> TensorVariable | None:
    (matrix,) = node.inputs
    if not _is_definite(matrix):
        return None
    return wt.square(wt.prod(_diagonal(wt.cholesky(matrix)), -1))


@rule(Det, name="determinant of what is triangular", may_change="rounding")
def _product_of_diagonal(node: TensorVariable) -> TensorVariable | None:
    (matrix,) = node.inputs
    is_triangular = any(has(matrix, fact) for fact, _ in _TRIANGULAR)
    return wt.prod(_diagonal(matrix), -1) if is_triangular else None


rules: tuple[Rule, ...] = (
    _divided,
    _by_substitution,
    _turned_back,
    _by_factor,
    _identity,
    _scaled,
    _logarithm,
    _form,
)
"""All but those of inverses and determinants."""
wholes: tuple[Rule, ...] = (_inverse, _inverse_of_triangular, _determinant, _product_of_diagonal)
"""Those, for what neither a product nor a logarithm takes."""
