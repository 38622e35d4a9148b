"""The slopes of a cubic spline at its knots: a system of equations with three diagonals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange, ones_like, zeros_like
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.interpolate.conditions import demand
from weft_tensor.ops.interpolate.curve import beside
from weft_tensor.ops.interpolate.systems import solved
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.rearrange import roll
from weft_tensor.ops.statistics.differences import diff

__all__ = ["Condition", "Ends", "conditions_of", "spline_slopes"]

Condition = str | tuple[int, TensorLike]
"""What holds at an end: a word, or the order of a derivative and its value."""
Ends = str | Sequence[Condition]

_WORDS: dict[str, Condition] = {
    "natural": (2, 0.0),
    "clamped": (1, 0.0),
    "not-a-knot": "not-a-knot",
    "periodic": "periodic",
}


def conditions_of(bc_type: Any) -> list[Condition]:
    """The conditions at both ends; ValueError for what is none.

    >>> conditions_of(("natural", (1, 3.0)))
    [(2, 0.0), (1, 3.0)]
    """
    both = [bc_type, bc_type] if isinstance(bc_type, str) else list(bc_type)
    if len(both) != 2:
        raise ValueError(f"bc_type must have 2 conditions, one for each end: {bc_type!r}{called()}")
    ends: list[Condition] = []
    for end in both:
        condition = _WORDS.get(end) if isinstance(end, str) else tuple(end)
        if condition is None or (isinstance(condition, tuple) and condition[0] not in (1, 2)):
            allowed = f"{', '.join(map(repr, _WORDS))}, or (1, value) or (2, value)"
            raise ValueError(f"bc_type must be one of {allowed}, not {end!r}{called()}")
        ends.append(condition)
    if "periodic" in ends and ends[0] != ends[1]:
        raise ValueError(f"bc_type 'periodic' is for both ends, or for none{called()}")
    return ends


def spline_slopes(
    x: TensorVariable, y: TensorVariable, ends: Sequence[Condition]
) -> tuple[TensorVariable, TensorVariable]:
    """`y`, checked, and the slopes of the spline through (x, y); points are along the first axis.

    >>> x, y = as_tensor([0.0, 1.0, 3.0]), as_tensor([0.0, 1.0, 9.0])
    >>> spline_slopes(x, y, ["not-a-knot", "not-a-knot"])[1].eval().round(12)
    array([0., 2., 6.])
    """
    widths = diff(x)
    if ends[0] == "periodic":
        y = demand(y, _is_cycle, "the first and last y of a periodic spline must be equal")
        return y, _cyclic(widths, diff(y, axis=0) / beside(widths, y.ndim - 1))
    rise = diff(y, axis=0) / beside(widths, y.ndim - 1)
    count = x.type.shape[0]
    if count == 3 and ends[0] == ends[1] == "not-a-knot":
        ends = ["parabola", "parabola"]
    elif count == 2:
        ends = ["line" if end == "not-a-knot" else end for end in ends]
    backwards = slice(None, None, -1)
    # As seen from the last point, widths are negative, and slopes the same.
    first = _end_row(ends[0], widths, rise)
    last = _end_row(ends[1], -index(widths, backwards), index(rise, backwards))
    h0, m0 = (index(v, slice(None, -1)) for v in (widths, rise))
    h1, m1 = (index(v, slice(1, None)) for v in (widths, rise))
    zero = zeros_like(index(widths, slice(0, 1)))
    bands = [
        concatenate([zero, first[1], h0]),
        concatenate([first[0], 2 * (h0 + h1), last[0]]),
        concatenate([h1, last[1], zero]),
    ]
    h0, h1 = (beside(v, y.ndim - 1) for v in (h0, h1))
    return y, solved(1, stack(bands), concatenate([first[2], 3 * (h1 * m0 + h0 * m1), last[2]]))


def _end_row(
    end: Any, widths: TensorVariable, rise: TensorVariable
) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
    """What the first and the second slope are multiplied by, and the sum that these must have."""
    h0, m0 = index(widths, slice(0, 1)), index(rise, slice(0, 1))
    one = ones_like(h0)
    if end == "line":
        return one, 0 * one, m0
    if end == "parabola":
        return one, one, 2 * m0
    if end == "not-a-knot":
        h1, m1 = index(widths, slice(1, 2)), index(rise, slice(1, 2))
        both = h0 + h1
        shares = [beside(v, rise.ndim - 1) for v in ((h0 + 2 * both) * h1 / both, h0 * h0 / both)]
        return h1, both, shares[0] * m0 + shares[1] * m1
    order, number = end
    value = broadcast_to(as_tensor(number).astype(rise.dtype), lengths_of(m0))
    if order == 1:
        return one, 0 * one, value
    return 2 * one, one, 3 * m0 - value * beside(h0, rise.ndim - 1) / 2


def _is_cycle(y: Any) -> Any:
    first, last = y[0], y[-1]
    return abs(first - last) <= 4 * float(np.finfo(y.dtype).eps) * (abs(first) + 1)


def _cyclic(widths: TensorVariable, rise: TensorVariable) -> TensorVariable:
    """Slopes of a closed curve, whose matrix has two corners besides the three diagonals.

    The corners and a part of the diagonal are a product, `column` times `row`: Sherman and
    Morrison's formula gives the solution by two without it.
    """
    earlier = roll(widths, 1)
    h, h0 = (beside(v, rise.ndim - 1) for v in (widths, earlier))
    right = 3 * (h * roll(rise, 1, 0) + h0 * rise)
    n = lengths_of(widths)[0]
    place = arange(n)
    diagonal = 2 * (widths + earlier)
    scale = -index(diagonal, 0)
    start, end = place.eq(0), place.eq(n - 1)
    column = where(start, scale, 0) + where(end, index(earlier, -1), 0)
    row = where(start, ones_like(scale), 0) + where(end, index(widths, 0) / scale, 0)
    above, below = where(start, 0, roll(earlier, 1)), where(end, 0, roll(widths, -1))
    bands = stack([above, diagonal - column * row, below])
    plain = solved(1, bands, right)
    turn = beside(solved(1, bands, column), rise.ndim - 1)
    weights = beside(row, rise.ndim - 1)
    slopes = plain - turn * (sum(weights * plain, 0) / (1 + sum(weights * turn, 0)))
    return concatenate([slopes, index(slopes, slice(0, 1))])
