"""Names of dtypes that answer as NumPy's dtypes do: what `x.dtype` gives."""

from __future__ import annotations

from typing import Final

import numpy as np

from weft_tensor.types.dtypes import DTYPES

__all__ = ["DTYPE_NAMES", "DTypeName"]


class DTypeName(str):
    """The name of a dtype, equal to NumPy's type and dtype of that name too.

    >>> name = DTypeName("float32")
    >>> name, name == np.float32, np.dtype("float32") == name, name == float
    ('float32', True, True, False)
    >>> name.kind, name.itemsize, name.name
    ('f', 4, 'float32')
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return str.__eq__(self, other)
        if isinstance(other, type | np.dtype):
            return bool(np.dtype(self) == other)
        return NotImplemented

    def __ne__(self, other: object) -> bool:
        if isinstance(other, str):
            return str.__ne__(self, other)
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    __hash__ = str.__hash__

    @property
    def char(self) -> str:
        """NumPy's letter for it."""
        return np.dtype(self).char

    @property
    def itemsize(self) -> int:
        """The bytes of an element."""
        return np.dtype(self).itemsize

    @property
    def kind(self) -> str:
        """NumPy's letter for bools, integers, real or complex numbers: b, i, u, f or c."""
        return np.dtype(self).kind

    @property
    def name(self) -> str:
        """The name as a plain string."""
        return str.__str__(self)

    @property
    def type(self) -> type[np.generic]:
        """NumPy's type of such numbers."""
        return np.dtype(self).type


DTYPE_NAMES: Final = {name: DTypeName(name) for name in DTYPES}
"""The dtypes that a tensor may have, by plain strings."""
