"""Systems of linear equations: signs move outwards, as in products.

So systems that differ in nothing else are solved once. In the gradient of a normal density, the
residuals and their cotangents are such.
"""

from __future__ import annotations

from weft_graph import Op, Rule, rule
from weft_tensor import Elemwise, ExpandDims, Solve, SolveTriangular, TensorVariable, Transpose

__all__ = ["rules"]

_NEGATE = Elemwise("neg")
_MOVES = (ExpandDims, Transpose)


def _sign_outside(node: TensorVariable) -> TensorVariable | None:
    matrix, right = node.inputs
    moves = []
    while isinstance(right.op, _MOVES):
        moves.append(right.op)
        (right,) = right.inputs
    if right.op != _NEGATE:
        return None
    (right,) = right.inputs
    for move in reversed(moves):
        right = move(right)
    return -node.op(matrix, right)


def _rule(op: type[Op], name: str) -> Rule:
    made = rule(op, over=(_NEGATE, *_MOVES), name=name, may_change="zero sign")
    return made(_sign_outside)


rules: tuple[Rule, ...] = (
    _rule(Solve, "solve(a, -b) = -solve(a, b)"),
    _rule(SolveTriangular, "solve_triangular(a, -b) = -solve_triangular(a, b)"),
)
"""Both."""
