"""What functions of tensors take: tensors, what becomes one, and lengths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from weft_graph import Variable

__all__ = ["SizeLike", "SizesLike", "TensorLike"]


class HasArray(Protocol):
    """What NumPy makes an array of."""

    def __array__(self) -> np.ndarray:
        """Its elements."""


TensorLike = Variable | complex | HasArray | Sequence["TensorLike"]
"""What `as_tensor` takes: a tensor variable, a number, an array, or nested sequences."""

SizeLike = int | np.integer | Variable
"""The length of an axis: an int, or an integer scalar variable."""

SizesLike = SizeLike | Sequence[SizeLike] | np.ndarray
"""The lengths of all axes, or that of the only one."""
