"""Many draws of one distribution of integers: places in a table of its distribution function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Final

import numpy as np

from weft_graph import Constant
from weft_tensor.build.convert import as_tensor, constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.ifelse import ifelse
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.arithmetic import floor, maximum, minimum
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.indexing.searchsorted import searchsorted
from weft_tensor.ops.shape.length import static_length

__all__ = ["by_table", "is_worth_a_table"]

_ENTRIES: Final = 1024
_FEW: Final = 64
"""Draws: so many are made in less time than a table."""


def is_worth_a_table(sizes: Sequence[TensorVariable], parameters: Sequence[TensorVariable]) -> bool:
    """Whether all draws are of one distribution, and, as far as that is known, many."""
    lengths = [length for n in sizes if isinstance(length := static_length(n), int)]
    are_few = len(lengths) == len(sizes) and prod(lengths) < _FEW
    return not are_few and not any(v.ndim for v in parameters)


def by_table(
    share: TensorVariable,
    cdf: Callable[..., TensorLike],
    mean: TensorLike,
    ends: tuple[TensorLike, TensorLike],
    parameters: Sequence[TensorVariable],
    otherwise: Callable[[], TensorVariable],
) -> TensorVariable:
    """The least k whose `cdf` is at least `share`: in a table of those around the mean.

    `otherwise` gives the same where the table does not reach as far as random numbers do.
    """
    kind = share.dtype
    low, high = (as_tensor(end).astype(kind) for end in ends)
    first = maximum(low, floor(as_tensor(mean).astype(kind)) - _ENTRIES // 2)
    places = first + arange(_ENTRIES).astype(kind)
    table = where(places >= high, 1.0, cdf(minimum(places, high), *parameters)).astype(kind)
    least = constant(0.5 * float(np.finfo(kind).eps), kind)
    reaches: Any = ((first <= low) | (table[0] < least)) & (table[-1] >= 1 - least)
    entry = first + minimum(searchsorted(table, share), _ENTRIES - 1).astype(kind)
    if not all(isinstance(v.op, Constant) for v in parameters):
        either: TensorVariable = ifelse(reaches, entry, otherwise())
        return either
    return entry if reaches.eval() else otherwise()
