"""Inverses that need not be computed, and determinants that need not overflow."""

from __future__ import annotations

from typing import Final

import numpy as np

import weft_tensor as wt
from weft_graph import Each, Rule
from weft_rewrites.dsl.equation import COMPLEX, FLOATS, equation, letter
from weft_rewrites.ops.linalg.structure import is_square
from weft_tensor import Det, Index, Inverse, Matmul, Solve, TensorVariable, Transpose
from weft_tensor.extend import Slice, lengths_of

__all__ = ["like", "logarithms", "rules"]

x, A, B = letter("x"), letter("A"), letter("B")
_SWAPPED: Final = Transpose((1, 0))
_SMALL: Final = 16
"""The inverse of a matrix of so few rows is soon computed whole."""
_FULL: Final = Slice(None, None, None)
_KINDS: Final = FLOATS | COMPLEX


def like(node: TensorVariable, new: TensorVariable) -> TensorVariable | None:
    """What may stand for `node`; None if its type does not fit.

    >>> from weft_tensor import exp, matrix, vector
    >>> x = vector("x", shape=(3,))
    >>> like(x, exp(x)) is exp(x), like(x, matrix("y"))
    (True, None)
    """
    return new if node.type.accepts(new.type) else None


def _are_few(f: Index, A: TensorVariable) -> bool:
    """Whether one row, one column or one element is read of what is not known to be small."""
    are_small = any(isinstance(n, int) and n <= _SMALL for n in A.type.shape)
    return not f.lifted and all(type(e) is int or e == _FULL for e in f.entries) and not are_small


def _part(f: Index, A: TensorVariable) -> TensorVariable:
    """The part of the inverse that is read, by a system with a column of the identity."""
    row, column = f.entries
    by_rows = column == _FULL
    unit = wt.zeros(lengths_of(A)[0], A.dtype)[row if by_rows else column].set(1)
    solution = wt.solve(A.T if by_rows else A, unit, b_ndim=1)
    return solution if _FULL in f.entries else solution[row]


def _are_square(A: TensorVariable, B: TensorVariable) -> bool:
    return is_square(A) and is_square(B)


logarithms: tuple[Rule, ...] = (
    equation(
        wt.log(Det()(x)),
        lambda x: wt.where(wt.slogdet(x)[0] < 0, wt.constant(np.nan, x.dtype), wt.slogdet(x)[1]),
        name="log(det(A)) = slogdet(A)[1], NaN where det(A) is negative",
    ),
    equation(
        wt.log(abs(Det()(x))), lambda x: wt.slogdet(x)[1], name="log(abs(det(A))) = slogdet(A)[1]"
    ),
)
"""Those of determinants: their derivatives are inverses."""
rules: tuple[Rule, ...] = (
    equation(
        Matmul()(Inverse()(A), x),
        lambda A, x: wt.solve(A, x, b_ndim=x.ndim),
        of=None,
        when=lambda x: x.ndim in (1, 2),
        name="inv(A) @ x = solve(A, x)",
        may_change="rounding",
    ),
    equation(
        Matmul()(x, Inverse()(A)),
        lambda A, x: wt.solve(A.T, x, b_ndim=1),
        of=None,
        when=lambda x: x.ndim == 1,
        name="x @ inv(A) = solve(A.T, x) for vectors x",
        may_change="rounding",
    ),
    equation(
        Matmul()(B, Inverse()(A)),
        lambda A, B: wt.solve(A.T, B.T, b_ndim=2).T,
        of=None,
        name="B @ inv(A) = solve(A.T, B.T).T",
        may_change="rounding",
    ),
    equation(Inverse()(Inverse()(x)), x, of=_KINDS, name="inv(inv(A)) = A", may_change="rounding"),
    equation(
        Each(Index, "f")(Inverse()(A)),
        _part,
        of=_KINDS,
        when=_are_few,
        name="inv(A)[:, k] = solve(A, e), inv(A)[k] = solve(A.T, e), e of 0 but at k",
        may_change="rounding",
    ),
    equation(
        Solve()(Matmul()(A, B), x),
        lambda A, B, x: wt.solve(B, wt.solve(A, x, b_ndim=2), b_ndim=2),
        of=_KINDS,
        when=_are_square,
        name="solve(A @ B, x) = solve(B, solve(A, x)) for square A and B",
        may_change="rounding, domain",
    ),
    equation(
        Det()(Inverse()(x)),
        1 / Det()(x),
        of=_KINDS,
        name="det(inv(A)) = 1 / det(A)",
        may_change="rounding",
    ),
    equation(Det()(_SWAPPED(x)), Det()(x), of=_KINDS, name="det(A.T) = det(A)"),
    *logarithms,
)
"""All of them."""
