"""How much each element counts where distances are made of differences."""

from __future__ import annotations

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.of_numbers import check_known
from weft_tensor.build.variable import TensorLike, TensorVariable

__all__ = ["not_negative"]


def not_negative(w: TensorLike) -> TensorVariable:
    """Weights; ValueError for known ones of which one is below 0.

    >>> not_negative([0.0, 2.0]).eval()
    array([0., 2.])
    """
    check_known(w, lambda v: v >= 0, "weights of a distance must not be negative")
    return as_tensor(w)
