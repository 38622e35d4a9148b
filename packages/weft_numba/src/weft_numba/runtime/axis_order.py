"""In which order the axes of an array lie in memory."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["Order", "order_of"]

Order = tuple[int, ...] | None
"""The axes of an array as they lie in memory, the widest steps first; None if that is C's order."""

_SMALL: Final = 2**18
"""Arrays of fewer bytes than this are copied: that takes less than 50 µs."""


def order_of(value: Any) -> Order:
    """The order of an array's axes, if it is large, and contiguous in another order than C's.

    >>> import numpy as np
    >>> order_of(np.ones((1000, 1000)).T), order_of(np.ones((1000, 1000))), order_of(np.ones(3))
    ((1, 0), None, None)
    """
    if value.nbytes < _SMALL or value.flags.c_contiguous or not value.flags.aligned:
        return None
    order = tuple(sorted(range(value.ndim), key=lambda a: -value.strides[a]))
    return order if value.transpose(order).flags.c_contiguous else None
