"""`switch_case`: one of several functions, chosen by an index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from weft_graph.extend import leaves_like
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike
from weft_tensor.ops.control.ifelse import ifelse
from weft_tensor.ops.control.structures import flat, packed

__all__ = ["switch_case"]


def switch_case(index: TensorLike, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    """`branches[index](*operands)`, of which the others are not computed. See `jax.lax.switch`.

    Parameters
    ----------
    index
        An integer scalar. One below zero chooses the first branch, one that is too large the
        last.
    branches
        Functions that return tensors, or nested structures of them (dict, list, tuple,
        dataclass): all of the same structure, dtypes and ranks.
    operands
        What the functions take.

    Raises
    ------
    TypeError
        if the index is no integer scalar, or the branches differ in what they return.
    ValueError
        if there is no branch.

    Examples
    --------
    >>> from weft_tensor import cos, scalar, sin
    >>> k = scalar("k", "int64")
    >>> y = switch_case(k, [sin, cos, lambda x: x * 2], 0.0)
    >>> [float(y.eval({k: value})) for value in (-5, 1, 2, 9)]
    [0.0, 1.0, 0.0, 0.0]
    """
    which = as_tensor(index)
    if which.ndim or which.dtype[0] not in "iu":
        raise TypeError(f"switch_case: the index must be an integer scalar, not {which.type}")
    if not branches:
        raise ValueError("switch_case needs a branch to choose")
    like = branches[0](*operands)
    results = [like, *[branch(*operands) for branch in branches[1:]]]
    leaves = [
        [as_tensor(v) for v in leaves_like(result, like, f"what branch {k} returns")]
        for k, result in enumerate(results)
    ]
    for k, own in enumerate(leaves):
        for v, first in zip(own, leaves[0], strict=True):
            if (v.dtype, v.ndim) != (first.dtype, first.ndim):
                raise TypeError(
                    f"switch_case: branch {k} gives {v.type} where branch 0 gives {first.type}: "
                    "all must give the same dtypes and ranks"
                )

    def among(begin: int, end: int) -> Sequence[Any]:
        """What is chosen of these."""
        if end - begin == 1:
            return leaves[begin]
        middle = (begin + end) // 2
        value: Sequence[Any] = ifelse(which < middle, among(begin, middle), among(middle, end))
        return value

    return packed(like, among(0, len(branches)) if flat(like, "")[0] else [])
