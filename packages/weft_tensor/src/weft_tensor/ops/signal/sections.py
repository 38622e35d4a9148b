"""Filters as cascades of sections of second order."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_graph import Constant
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.ops.signal.filters import extended, lfilter, lfilter_zi
from weft_tensor.types.axes import as_axis
from weft_tensor.types.dtypes import promote

__all__ = ["sosfilt", "sosfilt_zi", "sosfiltfilt"]


def _sections(sos: TensorLike) -> tuple[TensorVariable, int]:
    """The coefficients, and of how many sections."""
    rows = as_tensor(sos)
    shape: tuple[Any, ...] = rows.type.shape
    if rows.ndim != 2 or shape[1] not in (6, None) or not isinstance(shape[0], int) or not shape[0]:
        raise ValueError(
            f"sos array must be shape (n_sections, 6), of a known number of sections, not {rows!r}"
            f"{called()}"
        )
    return rows, shape[0]


def sosfilt(sos: TensorLike, x: TensorLike, axis: int = -1, zi: TensorLike | None = None) -> Any:
    """Filter `x` by one section of second order after another. See `scipy.signal.sosfilt`.

    Parameters
    ----------
    sos
        A matrix with a row for each section, of a known number: three factors of values and
        three of earlier results.
    x
        Numbers.
    axis
        Along which axis.
    zi
        The state before the first element, of shape (sections, ..., 2, ...): of `x`, with 2
        instead of its length along the axis. Without it, zeros.

    Returns
    -------
    The results, of the shape of `x`; and the last state, if `zi` is there.

    Raises
    ------
    ValueError
        for coefficients of another shape, and for a state of another rank.

    Examples
    --------
    >>> sosfilt([[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]], [1.0, 0.0, 0.0]).eval()
    array([1.  , 0.5 , 0.25])
    """
    rows, count = _sections(sos)
    tensors = as_tensors((rows, x, *([] if zi is None else [zi])))
    dtype = promote([v.dtype for v in tensors])
    dtype = dtype if dtype[0] in "fc" else "float64"
    rows, values, *state = (v.astype(dtype) for v in tensors)
    along = as_axis(axis, values.ndim)
    if state and state[0].ndim != values.ndim + 1:
        raise ValueError(
            f"Invalid zi shape: sosfilt takes (sections, ..., 2, ...) for {values!r}, not "
            f"{state[0]!r}{called()}"
        )
    result, states = values, list[Any]()
    for k in range(count):
        own = [state[0][k]] if state else []
        filtered = lfilter(rows[k, :3], rows[k, 3:], result, along, *own)
        result, *left = filtered if state else (filtered,)
        states += left
    return (result, stack(states)) if state else result


def sosfilt_zi(sos: TensorLike) -> TensorVariable:
    """The state of all sections after ones for ever. See `scipy.signal.sosfilt_zi`.

    Raises ValueError as `sosfilt` does.

    >>> sosfilt_zi([[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]]).eval()
    array([[1., 0.]])
    """
    rows, count = _sections(sos)
    rows = rows if rows.dtype[0] in "fc" else rows.astype("float64")
    states, level = [], as_tensor(1.0).astype(rows.dtype)
    for k in range(count):
        b, a = (rows[k, first : first + 3] for first in (0, 3))
        states.append(lfilter_zi(b, a) * level)
        level = level * (b.sum() / a.sum())
    return stack(states)


def sosfiltfilt(
    sos: TensorLike,
    x: TensorLike,
    axis: int = -1,
    padtype: str | None = "odd",
    padlen: int | None = None,
) -> TensorVariable:
    """Filter by sections forward and then backward. See `scipy.signal.sosfiltfilt`.

    As `filtfilt`; ValueError as for `sosfilt` and `filtfilt`. By default, `padlen` is three times
    the length of the filter, of which zeros at its end count if `sos` is no constant.

    >>> sosfiltfilt([[0.5, 0.5, 0.0, 1.0, 0.0, 0.0]], [1.0, 1.0, 1.0, 1.0], padlen=2).eval()
    array([1., 1., 1., 1.])
    """
    rows, count = _sections(sos)
    taps = 2 * count + 1
    if isinstance(rows.op, Constant):
        sections = np.asarray(rows.op.value)
        taps -= min(int((sections[:, column] == 0).sum()) for column in (2, 5))
    values, edge = extended(x, axis, padtype, padlen, 3 * taps)
    state = sosfilt_zi(rows)
    state = state[(slice(None), *[None] * (values.ndim - 1), slice(None))]
    for _ in range(2):
        first = index(values, (..., slice(None, 1)))
        values, _ = sosfilt(rows, values, -1, state * first)
        values = index(values, (..., slice(None, None, -1)))
    n = lengths_of(values)[-1]
    return moveaxis(index(values, (..., slice(edge, n - edge))), -1, axis)
