"""Bounds within which elements of a vector stay."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.of_numbers import known_value
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import reshape

__all__ = ["Bounds", "Ends", "bounds_of", "bounds_of_pairs"]


class Bounds(NamedTuple):
    """The least and the largest value of each element of a vector."""

    low: TensorVariable
    high: TensorVariable

    def inside(self, x: TensorVariable) -> TensorVariable:
        """The nearest vector within."""
        return clip(x, self.low, self.high)

    def held(self, x: TensorVariable, slope: TensorVariable) -> TensorVariable:
        """-1 where `x` would go below its lower bound, 1 where above its upper one, else 0."""
        return where((x <= self.low) & (slope > 0), -1, where((x >= self.high) & (slope < 0), 1, 0))

    def balance(self, x: TensorVariable, slope: TensorVariable) -> TensorVariable:
        """What is zero at a minimum: the slopes, or the distance to the bound that holds."""
        held = self.held(x, slope)
        return where(held.eq(0), slope, x - where(held < 0, self.low, self.high))

    def along(self, x: TensorVariable, direction: TensorVariable) -> TensorVariable:
        """A direction without what leads out of the bounds at once."""
        leaves = ((x <= self.low) & (direction < 0)) | ((x >= self.high) & (direction > 0))
        return where(leaves, 0, direction)


class Ends(NamedTuple):
    """As `scipy.optimize.Bounds` names them."""

    lb: TensorVariable
    ub: TensorVariable


def bounds_of(bounds: Any, like: TensorVariable, name: str) -> Bounds:
    """The bounds of the elements of `like`: a pair, or an object that has `lb` and `ub`.

    Raises ValueError for others, and where a lower one is known to be above the upper one.
    """
    try:
        low, high = (bounds.lb, bounds.ub) if hasattr(bounds, "lb") else bounds
    except (TypeError, ValueError):
        raise ValueError(f"{name}: bounds is a pair, not {bounds!r}{called()}") from None
    return _ordered(as_tensor(low), as_tensor(high), like, name)


def _ordered(low: TensorVariable, high: TensorVariable, like: TensorVariable, name: str) -> Bounds:
    least, greatest = known_value(low), known_value(high)
    if least is not None and greatest is not None and np.any(least > greatest):
        text = f"{name}: a lower bound is above the upper one: {least} and {greatest}{called()}"
        raise ValueError(text)
    shape: Any = lengths_of(like)
    ends = (reshape(broadcast_to(b, shape), (-1,)) for b in (low, high))
    return Bounds(*(end.astype(like.dtype) for end in ends))


def bounds_of_pairs(bounds: Any, like: TensorVariable, name: str) -> Bounds:
    """The same from a pair for each element, in which None is no bound.

    Raises ValueError for others.
    """
    if hasattr(bounds, "lb"):
        return bounds_of(bounds, like, name)
    try:
        pairs = [(low, high) for low, high in bounds]
    except (TypeError, ValueError):
        text = f"{name}: bounds has a pair for each element of x0, not {bounds!r}{called()}"
        raise ValueError(text) from None
    sides = ((-np.inf, [p[0] for p in pairs]), (np.inf, [p[1] for p in pairs]))
    low, high = (as_tensor([far if v is None else v for v in side]) for far, side in sides)
    shape = lengths_of(like)
    return _ordered(specify_shape(low, shape), specify_shape(high, shape), like, name)
