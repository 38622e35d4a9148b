"""Methods of tensors that are functions of the same name, as arrays of NumPy have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from weft_tensor.front.no_value_yet import Symbolic
from weft_tensor.ops.indexing import choices, partition, searchsorted, take
from weft_tensor.ops.reduction import standard
from weft_tensor.ops.reduction.base import Axes
from weft_tensor.ops.shape import dimshuffle
from weft_tensor.ops.statistics import moments

if TYPE_CHECKING:
    from weft_tensor.front.variable import TensorVariable

__all__ = ["ArrayMethods"]


class ArrayMethods(Symbolic):
    """What tensors have besides operators, and besides what they are asked for most."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def dtype(self) -> str:
            """As tensors have it."""

    @property
    def itemsize(self) -> int:
        """How many bytes an element takes."""
        return np.dtype(self.dtype).itemsize

    @property
    def nbytes(self) -> TensorVariable:
        """How many bytes all elements take, an int64 scalar."""
        return standard.size(self) * self.itemsize

    def copy(self) -> TensorVariable:
        """The variable itself, which nothing changes."""
        return self  # type: ignore[return-value]  # the class that has this one for a base

    def var(
        self, axis: Axes = None, dtype: Any = None, ddof: Any = 0, keepdims: bool = False
    ) -> TensorVariable:
        """The mean of the squared distances from the mean over `axis`."""
        return moments.var(self, axis, dtype, ddof, keepdims)

    def std(
        self, axis: Axes = None, dtype: Any = None, ddof: Any = 0, keepdims: bool = False
    ) -> TensorVariable:
        """The square root of the variance over `axis`."""
        return moments.std(self, axis, dtype, ddof, keepdims)

    def searchsorted(self, v: Any, side: str = "left", sorter: Any = None) -> TensorVariable:
        """Where elements belong in this vector, which is sorted."""
        return searchsorted.searchsorted(self, v, side, sorter)

    def take(self, indices: Any, axis: int | None = None, mode: str = "raise") -> TensorVariable:
        """The elements at `indices` along `axis`."""
        return take.take(self, indices, axis, mode)

    def compress(self, condition: Any, axis: int | None = None) -> TensorVariable:
        """The slices along `axis` for which `condition` is true."""
        return take.compress(condition, self, axis)

    def choose(self, choices_: Any, mode: str = "raise") -> TensorVariable:
        """For each number here the element of that one of several tensors."""
        return choices.choose(self, choices_, mode)

    def argpartition(self, kth: Any, axis: int | None = -1) -> TensorVariable:
        """Positions by which the elements `kth` are where sorting puts them."""
        return partition.argpartition(self, kth, axis)

    def dimshuffle(self, *pattern: Any) -> TensorVariable:
        """The axes in the order of `pattern`, where "x" makes one of length 1."""
        return dimshuffle.dimshuffle(self, *pattern)
