"""Systems, inverses and determinants of matrices of which something is known.

A positive definite matrix has one Cholesky factor, which all that is asked of it shares.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import weft_tensor as wt
from weft_graph import Each, Item, Rule
from weft_rewrites.dsl.conditions import has
from weft_rewrites.dsl.equation import COMPLEX, FLOATS, REAL, equation, letter
from weft_rewrites.ops.linalg.diagonal import as_long_as, per_row
from weft_rewrites.ops.linalg.structure import is_square
from weft_rewrites.ops.shape.known_places import diagonal_of
from weft_tensor import (
    Cholesky,
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

__all__ = ["factors", "rules", "wholes"]

a, b, x, A, B = (letter(name) for name in "abxAB")
_SWAPPED: Final = Transpose((1, 0))
_LOWER, _UPPER = SolveTriangular(True), SolveTriangular(False)
_ANY: Final = FLOATS | COMPLEX


def _diagonal(x: TensorVariable) -> TensorVariable:
    return wt.linalg.diagonal(x)


def _is_square_diagonal(A: TensorVariable) -> bool:  # a matrix
    """Whether nothing stands beside the diagonal, and it goes from corner to corner."""
    return has(A, facts.diagonal) and (is_square(A) or has(A, facts.symmetric))


def _is_definite(a: TensorVariable) -> bool:
    return has(a, facts.positive_definite)


def _is_orthogonal(a: TensorVariable) -> bool:
    return has(a, facts.orthogonal)


def _is_lower(a: TensorVariable) -> bool:
    return has(a, facts.lower_triangular)


def _is_upper(a: TensorVariable) -> bool:
    return has(a, facts.upper_triangular)


# LU factors of an upper triangular matrix are 1 and itself.
_TRIANGULAR: Final = ((_is_lower, True, "lower"), (_is_upper, False, "upper"))


def _substituted(lower: bool) -> Any:
    return lambda a, b: wt.solve_triangular(a, b, lower=lower, b_ndim=2)


def _inverse_of_triangular(lower: bool) -> Any:
    return lambda a: wt.solve_triangular(a, wt.eye(lengths_of(a)[-1], dtype=a.dtype), lower=lower)


def _factor(A: TensorVariable) -> TensorVariable:
    """`A` with the signs of columns that make its diagonal positive; NaN for a zero on that."""
    numbers, i = diagonal_of(A), wt.arange(lengths_of(A)[0])
    whole = A if has(numbers, facts.nonnegative) else A * wt.sign(numbers)
    is_singular = (i.expand_dims(1) >= i) & wt.any(wt.equal(numbers, 0))
    return wt.where(is_singular, np.nan, whole).astype(A.dtype)


_SIGN, _SIZE = Item(0)(SlogDet()(a)), Item(1)(SlogDet()(a))
_FORM: Final = _UPPER(_SWAPPED(A), _LOWER(A, B))
"""inv(L L.T) @ B, for L = A."""
_COLUMN: Final = ExpandDims((1,))(b)

systems = (
    equation(
        Solve()(a, b),
        lambda a, b: b / as_long_as(_diagonal(a), b, -2).expand_dims(-1),
        of=None,
        when=lambda a: has(a, facts.diagonal),
        name="solve(D, b) = b / diagonal(D) for diagonal D",
        may_change="nan",
    ),
    *(
        equation(
            Solve()(a, b),
            _substituted(lower),
            of=None,
            when=when,
            name=f"solve(R, b) = solve_triangular(R, b) for {text} triangular R",
            may_change="rounding, nan" if lower else "nan",
        )
        for when, lower, text in _TRIANGULAR
    ),
    equation(
        Solve()(a, b),
        lambda a, b: a.mT @ b,
        of=REAL,
        when=_is_orthogonal,
        name="solve(Q, b) = Q.T @ b for orthogonal Q",
        may_change="rounding",
    ),
    equation(
        Solve()(a, b),
        lambda a, b: wt.linalg.cho_solve((wt.cholesky(a), True), b, 2),
        of=REAL,
        when=_is_definite,
        name="solve(A, b) = cho_solve(cholesky(A), b) for positive definite A",
        may_change="rounding, error",
    ),
)
products = (
    *(
        equation(
            Matmul()(*pair),
            lambda a: wt.eye(lengths_of(a)[0], dtype=a.dtype),
            of=REAL,
            when=_is_orthogonal,
            name=f"{text} = 1 for orthogonal Q",
            may_change="rounding",
        )
        for pair, text in (((_SWAPPED(a), a), "Q.T @ Q"), ((a, _SWAPPED(a)), "Q @ Q.T"))
    ),
    equation(
        Matmul()(A, x),
        lambda A, x: x * per_row(_diagonal(A), x),
        when=lambda A, x: x.ndim in (1, 2) and _is_square_diagonal(A),
        name="D @ B = diagonal(D) * B for diagonal D",
        may_change="zero sign, nan",
    ),
    equation(
        Matmul()(x, A),
        lambda A, x: x * as_long_as(_diagonal(A), x, -1),
        when=lambda A, x: x.ndim in (1, 2) and _is_square_diagonal(A),
        name="B @ D = B * diagonal(D) for diagonal D",
        may_change="zero sign, nan",
    ),
    *(
        equation(
            Matmul()(*pair),
            lambda A, b: wt.sum(wt.square(_LOWER(A, b.expand_dims(1)))),
            when=lambda b: b.ndim == 1,
            name=f"{text} = sum(solve_triangular(L, b) ** 2)",
            may_change="rounding",
        )
        for solved in [Squeeze((1,))(_UPPER(_SWAPPED(A), _LOWER(A, _COLUMN)))]
        for pair, text in (
            ((b, solved), "b @ (inv(L L.T) @ b)"),
            ((solved, b), "(inv(L L.T) @ b) @ b"),
        )
    ),
    equation(
        Matmul()(_SWAPPED(B), _FORM),
        lambda A, B: _LOWER(A, B).mT @ _LOWER(A, B),
        name="B.T @ inv(L L.T) @ B = Z.T @ Z for Z = solve_triangular(L, B)",
        may_change="rounding",
    ),
    equation(
        Matmul()(B, _UPPER(_SWAPPED(A), _LOWER(A, _SWAPPED(B)))),
        lambda A, B: _LOWER(A, B.mT).mT @ _LOWER(A, B.mT),
        name="B @ inv(L L.T) @ B.T = Z.T @ Z for Z = solve_triangular(L, B.T)",
        may_change="rounding",
    ),
)
determinants = (
    equation(
        _SIGN,
        lambda a: wt.ones_like(_diagonal(a)[..., 0]),
        of=REAL,
        when=_is_definite,
        name="slogdet(A)[0] = 1 for positive definite A",
    ),
    equation(
        _SIZE,
        lambda a: 2 * wt.sum(wt.log(_diagonal(wt.cholesky(a))), -1),
        of=REAL,
        when=_is_definite,
        name="slogdet(A)[1] = 2 * sum(log(diagonal(cholesky(A)))) for positive definite A",
        may_change="rounding, error",
    ),
    equation(
        _SIGN,
        lambda a: wt.prod(wt.sign(_diagonal(a)), -1),
        of=REAL,
        when=lambda a: _is_lower(a) or _is_upper(a),
        name="slogdet(R)[0] = prod(sign(diagonal(R))) for triangular R",
    ),
    equation(
        _SIZE,
        lambda a: wt.sum(wt.log(abs(_diagonal(a))), -1),
        of=REAL,
        when=lambda a: _is_lower(a) or _is_upper(a),
        name="slogdet(R)[1] = sum(log(abs(diagonal(R)))) for triangular R",
        may_change="rounding",
    ),
    equation(
        _SIZE,
        lambda a: wt.zeros_like(_diagonal(a)[..., 0]),
        of=REAL,
        when=_is_orthogonal,
        name="slogdet(Q)[1] = 0 for orthogonal Q",
        may_change="rounding",
    ),
)
factors: tuple[Rule, ...] = (
    equation(
        Cholesky(or_nan=True)(Matmul()(A, _SWAPPED(A))),
        _factor,
        when=lambda A: _is_lower(A) and is_square(A),
        name="cholesky(L Lᵀ) = L * sign(diagonal(L)) for triangular L",
        may_change="rounding, domain",
    ),
    equation(
        Each(Cholesky, "f")(Each(ExpandDims, "g")(x)),
        Each(ExpandDims, "g")(Each(Cholesky, "f")(x)),
        of=_ANY,
        when=lambda g, x: x.ndim >= 2 and g.axis == tuple(range(len(g.axis))),
        name="cholesky of new axes in front",
    ),
)
"""Before derivatives, too: those of L have no product to go through."""
rules: tuple[Rule, ...] = (*systems, *products, *determinants, *factors)
"""All but those of inverses and determinants."""
wholes: tuple[Rule, ...] = (
    equation(
        Inverse()(a),
        lambda a: wt.cholesky_inverse(wt.cholesky(a)),
        of=REAL,
        when=_is_definite,
        name="inv(A) = cholesky_inverse(cholesky(A)) for positive definite A",
        may_change="rounding, error",
    ),
    *(
        equation(
            Inverse()(a),
            _inverse_of_triangular(lower),
            of=_ANY,
            when=when,
            name=f"inv(R) = solve_triangular(R, 1) for {text} triangular R",
            may_change="rounding" if lower else "",
        )
        for when, lower, text in _TRIANGULAR
    ),
    equation(
        Det()(a),
        lambda a: wt.square(wt.prod(_diagonal(wt.cholesky(a)), -1)),
        of=REAL,
        when=_is_definite,
        name="det(A) = prod(diagonal(cholesky(A))) ** 2 for positive definite A",
        may_change="rounding, error",
    ),
    equation(
        Det()(a),
        lambda a: wt.prod(_diagonal(a), -1),
        of=_ANY,
        when=lambda a: _is_lower(a) or _is_upper(a),
        name="det(R) = prod(diagonal(R)) for triangular R",
        may_change="rounding",
    ),
)
"""Those, for what neither a product nor a logarithm takes."""
