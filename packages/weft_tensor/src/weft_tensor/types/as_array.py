"""Values from outside as arrays."""

from __future__ import annotations

import sys

import numpy as np

__all__ = ["as_array"]

_DEEPEST = 64
"""NumPy nests no deeper."""


def as_array(value: object, dtype: str | None = None) -> np.ndarray:
    """`value` as NumPy's plain array; TypeError for masked arrays, alone or in sequences.

    >>> as_array([np.ma.array([1.0, 2.0], mask=[False, True])])
    Traceback (most recent call last):
    ...
    TypeError: tensors have no mask, and that of numpy.ma's masked array would be lost: ...
    """
    masked = sys.modules.get("numpy.ma")  # before it is imported, nobody has such an array
    if masked is not None and _holds(value, masked.MaskedArray, _DEEPEST):
        raise TypeError(
            "tensors have no mask, and that of numpy.ma's masked array would be lost: give "
            "`m.filled(value)`, or `m.data` and `m.mask` as two tensors, for `where`"
        )
    return np.asarray(value, dtype)


def _holds(value: object, kind: type, depth: int) -> bool:
    """Whether `value` is of `kind`, or a nested list or tuple in which something is."""
    if not isinstance(value, (list, tuple)) or not depth:
        return isinstance(value, kind)
    kinds = set(map(type, value))  # far quicker than looking at each number
    return any(issubclass(k, (list, tuple, kind)) for k in kinds) and any(
        _holds(v, kind, depth - 1) for v in value
    )
