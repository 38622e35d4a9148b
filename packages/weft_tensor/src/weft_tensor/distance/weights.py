"""How much each element counts where distances are made of differences."""

from __future__ import annotations

import numpy as np

from weft_graph import Constant
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable

__all__ = ["not_negative"]


def not_negative(w: TensorLike) -> TensorVariable:
    """Weights; ValueError for known ones of which one is below 0.

    >>> not_negative([0.0, 2.0]).eval()
    array([0., 2.])
    """
    weights = as_tensor(w)
    if isinstance(weights.op, Constant) and np.any(weights.op.value < 0):
        raise ValueError(f"weights of a distance must not be negative, not {w!r}{called()}")
    return weights
