"""What reductions leave out, and what they begin with: `where=` and `initial=`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.comparison import where as choice
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.ops.shape.transpose import transpose

__all__ = ["beginning", "extended", "mask_of", "masked"]


def mask_of(mask: TensorLike, x: Any, name: str) -> TensorVariable:
    """The bools `mask` in the shape of `x`; TypeError for others than bools."""
    mask_tensor = as_tensor(mask)
    if mask_tensor.dtype != "bool":
        raise TypeError(f"where= of {name} takes bools, not {mask_tensor!r}")
    if mask_tensor.ndim > x.ndim:
        raise ValueError(f"where= of {name} has more axes than {x!r}: {mask_tensor!r}")
    return mask_tensor.broadcast_to(x.shape)


def masked(x: Any, mask: TensorLike, value: TensorLike, name: str) -> TensorVariable:
    """`x` with `value` where `mask` is false.

    >>> masked(as_tensor([1, 2]), [True, False], 7, "sum").eval()
    array([1, 7])
    """
    return choice(mask_of(mask, x, name), x, as_tensor(value).astype(x.dtype))


def beginning(value: TensorLike, dtype: str, name: str) -> TensorVariable:
    """`initial=` as a scalar of that dtype."""
    start = as_tensor(value)
    if start.ndim:
        raise ValueError(f"initial= of {name} is a scalar, not {start!r}")
    return start.astype(dtype)


def extended(
    x: Any, axes: Sequence[int], start: Any, reduce: Callable[[Any, int], Any]
) -> TensorVariable:
    """What `reduce` makes of all elements over `axes` and of `start`, as one element more."""
    rest = [a for a in range(x.ndim) if a not in axes]
    lengths = lengths_of(x)
    count: Any = as_tensor(1)
    for a in axes:
        count = count * lengths[a]
    others = [lengths[a] for a in rest]
    rows = reshape(transpose(x, [*rest, *axes]), [*others, count])
    return reduce(concatenate([rows, start.broadcast_to([*others, 1])], -1), len(rest))
