"""Tensors made longer at both ends of their axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from weft_graph import Constant, Variable
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.op import Tensors
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange, full
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import ge, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import as_size, lengths_of

__all__ = ["pad"]


def pad(
    x: TensorLike, pad_width: Any, mode: str = "constant", *, constant_values: Any = 0
) -> TensorVariable:
    """`x` with `pad_width` elements added before and after, along each axis.

    Parameters
    ----------
    x
        A tensor.
    pad_width
        One number, a pair (before, after) for all axes, or one pair for each. Numbers may
        be variables.
    mode
        Where the new elements come from: "constant" (they are `constant_values`), "edge"
        (the last ones), "wrap" (the other end), "reflect" and "symmetric" (mirrored, without
        and with the last one).
    constant_values
        One number, a pair or one pair for each axis, as `pad_width`.

    Raises
    ------
    ValueError
        for a negative width, also at a call, and for another mode.

    Examples
    --------
    >>> pad([1, 2, 3], (1, 2)).eval()
    array([0, 1, 2, 3, 0, 0])
    >>> pad([1, 2, 3], 2, mode="reflect").eval()
    array([3, 2, 1, 2, 3, 2, 1])
    """
    result: TensorVariable = as_tensor(x)
    if mode != "constant" and mode not in _PLACES:
        known = ", ".join(map(repr, ["constant", *_PLACES]))
        raise ValueError(f"pad knows the modes {known}, not {mode!r}")
    values = _pairs(constant_values, result.ndim, "constant_values")
    for axis, widths in enumerate(_pairs(pad_width, result.ndim, "pad_width")):
        before, after = (_width(w) for w in widths)
        if all(isinstance(w.op, Constant) and not w.op.value for w in (before, after)):
            continue
        if mode == "constant":
            result = _with_constants(result, axis, (before, after), values[axis])
        else:
            n = lengths_of(result)[axis]
            places = _PLACES[mode](arange(before + n + after) - before, n)
            result = index(result, (slice(None),) * axis + (places,))
    return result


def _with_constants(
    x: TensorVariable, axis: int, widths: Tensors, values: Sequence[TensorLike]
) -> TensorVariable:
    blocks = []
    for width, value in zip(widths, values, strict=True):
        shape = list(lengths_of(x))
        shape[axis] = width
        blocks.append(full(shape, value, x.dtype))
    return concatenate([blocks[0], x, blocks[1]], axis)


def _width(value: SizeLike) -> TensorVariable:
    width = as_size(value)
    message = f"pad_width can't be negative, as {width!r}"
    if isinstance(width.op, Constant):
        if width.op.value < 0:
            raise ValueError(message)
        return width
    return check_and_raise(width, ge(width, 0), ValueError, message)


def _pairs(given: Any, ndim: int, what: str) -> list[tuple[Any, Any]]:
    """`given` as one pair for each axis."""
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if isinstance(given, Variable) or not isinstance(given, (list, tuple)):
        return [(given, given)] * ndim
    if not any(isinstance(pair, (list, tuple)) for pair in given):
        return [_pair(given, what)] * ndim
    pairs = [_pair(pair, what) for pair in given]
    if len(pairs) == 1:
        return pairs * ndim
    if len(pairs) != ndim:
        raise ValueError(f"{what} has {len(pairs)} pairs for a tensor of rank {ndim}")
    return pairs


def _pair(given: Any, what: str) -> tuple[Any, Any]:
    if not isinstance(given, (list, tuple)) or len(given) not in (1, 2):
        raise ValueError(f"{what} is a number, a pair or one pair for each axis, not {given!r}")
    return given[0], given[-1]


def _reflected(k: TensorVariable, n: TensorVariable) -> TensorVariable:
    place = k % maximum(2 * (n - 1), 1)
    return minimum(place, 2 * (n - 1) - place)


def _mirrored(k: TensorVariable, n: TensorVariable) -> TensorVariable:
    place = k % (2 * n)
    return where(ge(place, n), 2 * n - 1 - place, place)


_PLACES: Final[dict[str, Callable[[TensorVariable, TensorVariable], TensorVariable]]] = {
    "edge": lambda k, n: maximum(minimum(k, n - 1), 0),
    "reflect": _reflected,
    "symmetric": _mirrored,
    "wrap": lambda k, n: k % n,
}
"""Per mode, which element of an axis of length n stands at k, counted from its first one."""
