"""Linear filters: each result from earlier ones, by a loop."""

from __future__ import annotations

from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.variable import TensorLike
from weft_tensor.ops.control.loops import scan
from weft_tensor.ops.creation.creation import zeros
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.axes import as_axis
from weft_tensor.types.dtypes import promote

__all__ = ["lfilter"]


def lfilter(
    b: TensorLike, a: TensorLike, x: TensorLike, axis: int = -1, zi: TensorLike | None = None
) -> Any:
    """Filter `x` along an axis by the rational transfer function b / a. See `scipy.signal.lfilter`.

    Parameters
    ----------
    b, a
        Vectors of known lengths: the factors of earlier elements of `x`, and of earlier results.
        All are divided by `a[0]`.
    x
        Numbers.
    axis
        Along which axis.
    zi
        The state before the first element, one less than the longer of `a` and `b` has elements
        along the axis; without it, zeros.

    Returns
    -------
    The results, of the shape of `x`; and the last state, if `zi` is there.

    Raises
    ------
    ValueError
        for `b` and `a` that are no vectors of known lengths, and for states of another rank.

    Examples
    --------
    >>> lfilter([1.0], [1.0, -0.5], [1.0, 0.0, 0.0]).eval()
    array([1.  , 0.5 , 0.25])
    """
    given = [as_tensor(v) for v in (b, a, x)] + ([] if zi is None else [as_tensor(zi)])
    dtype = promote([v.dtype for v in given])
    dtype = dtype if dtype[0] in "fc" else "float64"
    forward, back, values, *state = (v.astype(dtype) for v in as_tensors(given))
    for name, v in (("b", forward), ("a", back)):
        if v.ndim != 1 or not isinstance(v.type.shape[0], int) or not v.type.shape[0]:
            raise ValueError(
                f"lfilter takes vectors of known lengths above zero, and {name} is {v!r}: give it "
                f"one with specify_shape{called()}"
            )
    along = as_axis(axis, values.ndim)
    if state and state[0].ndim != values.ndim:
        raise ValueError(f"lfilter: zi has the axes of x, {values!r}, not {state[0]!r}{called()}")
    first: Any = back[0]
    ahead = [forward[k] / first for k in range(_length(forward))]
    behind = [back[k] / first for k in range(_length(back))]
    order = max(len(ahead), len(behind))
    ahead += [as_tensor(0.0).astype(dtype)] * (order - len(ahead))
    behind += [as_tensor(0.0).astype(dtype)] * (order - len(behind))
    rows = moveaxis(values, along, 0)
    if state:
        kept = moveaxis(state[0], along, 0)
        start = [kept[k] for k in range(order - 1)]
    else:
        start = [zeros(lengths_of(rows)[1:], dtype)] * (order - 1)

    def step(carried: Any, now: Any) -> Any:
        made = ahead[0] * now + (carried[0] if carried else 0)
        after = [*carried[1:], 0]
        return tuple(
            ahead[k + 1] * now - behind[k + 1] * made + after[k] for k in range(order - 1)
        ), made

    last, found = scan(step, tuple(start), rows)
    result = moveaxis(found, 0, along)
    if not state:
        return result
    return result, (moveaxis(stack(last), 0, along) if last else state[0])


def _length(v: Any) -> int:
    n: int = v.type.shape[0]
    return n
