"""Systems of linear equations: signs move outwards, as in products; one matrix is factored once.

So systems that differ in nothing else are solved once. In the gradient of a normal density, the
residuals and their cotangents are such.
"""

from __future__ import annotations

from math import prod

import weft_tensor as wt
from weft_graph import Each, Form, Op, Rule
from weft_rewrites.dsl.equation import equation, letter
from weft_tensor import Elemwise, ExpandDims, Solve, SolveTriangular, TensorVariable, Transpose
from weft_tensor.extend import lengths_of

__all__ = ["rules"]

_NEGATE = Elemwise("neg")
_MOVES = (ExpandDims, Transpose)
a, b = letter("a"), letter("b")


def _positive(v: TensorVariable) -> tuple[TensorVariable] | None:
    """b, where `v` is -b, perhaps with other axes."""
    moves = []
    while isinstance(v.op, _MOVES):
        moves.append(v.op)
        (v,) = v.inputs
    if v.op != _NEGATE:
        return None
    (v,) = v.inputs
    for move in reversed(moves):
        v = move(v)
    return (v,)


NEGATIVE = Form("-b", _positive)


def _is_one_matrix(a: TensorVariable, b: TensorVariable) -> bool:
    """Whether a stack of right sides has one matrix."""
    return 2 < b.ndim >= a.ndim and all(n == 1 for n in a.type.shape[:-2])


def _side_by_side(a: TensorVariable, b: TensorVariable, f: Op) -> TensorVariable:
    """What is solved for all columns of a stack at once."""
    matrix, columns = wt.squeeze(a, tuple(range(a.ndim - 2))), wt.moveaxis(b, -2, 0)
    length, *others = lengths_of(columns)
    solution = f(matrix, columns.reshape((length, prod(others))))
    return wt.moveaxis(solution.reshape((length, *others)), 0, -2)


rules: tuple[Rule, ...] = tuple(
    rule
    for kind, name in ((Solve, "solve"), (SolveTriangular, "solve_triangular"))
    for rule in (
        equation(
            Each(kind, "f")(a, NEGATIVE(b)),
            -Each(kind, "f")(a, b),
            of=None,
            over=(_NEGATE, *_MOVES),
            name=f"{name}(a, -b) = -{name}(a, b)",
            may_change="zero sign",
        ),
        equation(
            Each(kind, "f")(a, b),
            _side_by_side,
            of=None,
            when=_is_one_matrix,
            name=f"{name}(a, b) of a stack b = {name}(a, its columns side by side)",
            may_change="rounding, error",
        ),
    )
)
"""Both, for all matrices and for triangular ones."""
