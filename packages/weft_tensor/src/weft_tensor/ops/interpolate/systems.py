"""Systems of equations whose right sides have any number of axes."""

from __future__ import annotations

from collections.abc import Callable

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.matrices.banded import solve_banded
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import reshape

__all__ = ["by_columns", "solved"]


def by_columns(
    solve: Callable[[TensorVariable], TensorVariable], right: TensorVariable
) -> TensorVariable:
    """What `solve` makes of the columns of a matrix, for a tensor: along its first axis."""
    n, *others = lengths_of(right)
    count = others[0] if others else 1
    for length in others[1:]:
        count = count * length
    solution = solve(reshape(right, (n, count)))
    return reshape(solution, (lengths_of(solution)[0], *others))


def solved(width: int, bands: TensorVariable, right: TensorVariable) -> TensorVariable:
    """The solution of equations with so many diagonals on either side of the main one."""
    return by_columns(lambda columns: solve_banded((width, width), bands, columns), right)
