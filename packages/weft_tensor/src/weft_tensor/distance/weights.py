"""How much each element counts where distances are made of differences."""

from __future__ import annotations

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.of_numbers import known_value
from weft_tensor.build.variable import TensorLike, TensorVariable

__all__ = ["not_negative"]


def not_negative(w: TensorLike) -> TensorVariable:
    """Weights; ValueError for known ones of which one is below 0.

    >>> not_negative([0.0, 2.0]).eval()
    array([0., 2.])
    """
    weights = as_tensor(w)
    known = known_value(weights)
    if known is not None and np.any(known < 0):
        raise ValueError(f"weights of a distance must not be negative, not {w!r}{called()}")
    return weights
