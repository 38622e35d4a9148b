"""Systems of linear equations: signs move outwards, as in products.

So systems that differ in nothing else are solved once. In the gradient of a normal density, the
residuals and their cotangents are such.
"""

from __future__ import annotations

from weft_graph import Each, Form, Rule
from weft_rewrites.dsl.equation import equation, letter
from weft_tensor import Elemwise, ExpandDims, Solve, SolveTriangular, TensorVariable, Transpose

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
rules: tuple[Rule, ...] = tuple(
    equation(
        Each(kind, "f")(a, NEGATIVE(b)),
        -Each(kind, "f")(a, b),
        of=None,
        over=(_NEGATE, *_MOVES),
        name=f"{name}(a, -b) = -{name}(a, b)",
        may_change="zero sign",
    )
    for kind, name in ((Solve, "solve"), (SolveTriangular, "solve_triangular"))
)
"""Both."""
