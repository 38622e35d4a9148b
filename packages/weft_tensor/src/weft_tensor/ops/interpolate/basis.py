"""B-splines at places: those of a degree that are not zero there."""

from __future__ import annotations

from collections.abc import Sequence

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.creation.creation import ones_like, zeros_like
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.searchsorted import searchsorted
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.numbers.quotient import quotient
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["basis_at"]


def basis_at(
    t: TensorVariable, k: int, at: TensorVariable
) -> tuple[TensorVariable, Sequence[TensorVariable]]:
    """The number of the first B-spline that is not zero at each place, and k + 1 from that.

    By the recurrence of Cox and de Boor (de Boor, A Practical Guide to Splines, chapter X).
    Outside, the polynomials of the outer pieces go on.

    >>> from weft_tensor import as_tensor
    >>> t, at = as_tensor([0.0, 0.0, 1.0, 2.0, 2.0]), as_tensor([0.25, 1.5])
    >>> first, values = basis_at(t, 1, at)
    >>> first.eval(), [v.eval().tolist() for v in values]
    (array([0, 1]), [[0.75, 0.5], [0.25, 0.5]])
    """
    last = lengths_of(t)[0] - k - 2
    piece = clip(searchsorted(t, at, "right") - 1, k, last)
    knots = {j: index(t, piece + j) for j in range(1 - k, k + 1)} if k else {}
    values = [ones_like(at)]
    for degree in range(1, k + 1):
        # Each of the lower degree is shared by its two neighbours.
        higher = [zeros_like(at)]
        for j, value in enumerate(values):
            left, right = knots[1 + j - degree], knots[1 + j]
            share = quotient(value, right - left)
            higher[-1] = higher[-1] + (right - at) * share
            higher.append((at - left) * share)
        values = higher
    return piece - k, values
