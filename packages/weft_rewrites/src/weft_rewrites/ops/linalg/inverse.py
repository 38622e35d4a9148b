"""Inverses that need not be computed, and determinants that need not overflow."""

from __future__ import annotations

from typing import Final

import numpy as np

import weft_tensor as wt
from weft_graph import Rule
from weft_rewrites.dsl.equation import COMPLEX, FLOATS, equation, letter
from weft_tensor import Det, Inverse, Matmul, TensorVariable, Transpose

__all__ = ["like", "logarithms", "rules"]

x, A, B = letter("x"), letter("A"), letter("B")
_SWAPPED: Final = Transpose((1, 0))
_KINDS: Final = FLOATS | COMPLEX


def like(node: TensorVariable, new: TensorVariable) -> TensorVariable | None:
    """What may stand for `node`; None if its type does not fit.

    >>> from weft_tensor import exp, matrix, vector
    >>> x = vector("x", shape=(3,))
    >>> like(x, exp(x)) is exp(x), like(x, matrix("y"))
    (True, None)
    """
    return new if node.type.accepts(new.type) else None


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
