"""One of several by their probabilities."""

from __future__ import annotations

from typing import Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import minimum
from weft_tensor.ops.elementwise.cast import Cast
from weft_tensor.ops.indexing.searchsorted import searchsorted
from weft_tensor.ops.random.uses import in_steps
from weft_tensor.ops.reduction.cumulative import cumsum

__all__ = ["SHARES", "chosen", "sums_to_one"]

SHARES: Final = "probabilities that sum to one"
_NEAR: Final = {"float32": 1e-5}
"""How far sums may be from one, where it is not 1e-8."""


def sums_to_one(p: TensorVariable) -> TensorVariable:
    """Whether p are probabilities along the last axis, to the digits that they were given with."""
    given = p.inputs[0].dtype if isinstance(p.op, Cast) else p.dtype
    off = abs(p.sum(axis=-1) - 1)
    return (p >= 0).all(axis=-1) & (off < _NEAR.get(given, 1e-8))


def chosen(u: TensorVariable, p: TensorVariable) -> TensorVariable:
    """For each u from 0 to 1 the class in which it falls: by the inverse distribution function."""
    edges = cumsum(p, -1)
    if p.ndim == 1:
        place = searchsorted(edges, u * edges[-1], side="right")
    else:
        place = (u[..., None] * edges[..., -1:] >= edges).sum(axis=-1)
    classes: TensorVariable = in_steps(minimum(place, p.shape[-1] - 1))
    return classes
