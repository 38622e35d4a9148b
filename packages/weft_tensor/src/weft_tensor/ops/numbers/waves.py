"""Functions of angles and signals that are composed of others."""

from __future__ import annotations

import numpy as np

from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import abs, floor_div, mod
from weft_tensor.ops.elementwise.comparison import eq, gt, lt, where
from weft_tensor.ops.elementwise.trigonometric import sin
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.known_shape import with_named_length
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.statistics.differences import diff
from weft_tensor.types.axes import as_axis
from weft_tensor.types.dtypes import promote

__all__ = ["sinc", "unwrap"]


def sinc(x: TensorLike) -> TensorVariable:
    """sin(pi x) / (pi x), and 1 at 0. See `numpy.sinc`.

    >>> sinc([0.0, 0.5, 1.0]).eval().round(3)
    array([1.   , 0.637, 0.   ])
    """
    x = as_floating(x)
    angle = np.pi * where(eq(x, 0), 1.0e-20, x).astype(x.dtype)
    return sin(angle) / angle


def unwrap(
    p: TensorLike, discont: float | None = None, axis: int = -1, *, period: float = 2 * np.pi
) -> TensorVariable:
    """Angles without jumps of more than half a `period` along `axis`. See `numpy.unwrap`.

    >>> unwrap([0.0, 3.0, -3.0]).eval().round(3)
    array([0.   , 3.   , 3.283])
    """
    p = as_tensor(p)
    along = as_axis(axis, p.ndim)
    steps = diff(p, axis=along)
    whole = steps.dtype[0] in "iu" and isinstance(period, int)
    dtype = steps.dtype if whole else promote((steps.dtype, "float64"))
    if p.dtype == "float32":
        dtype = "float32"
    steps = steps.astype(dtype)
    low = -(period // 2) if whole else -period / 2
    high = floor_div(as_tensor(period), 2) if whole else period / 2
    folded = mod(steps - low, period) + low
    if not whole or period % 2 == 0:
        folded = where(eq(folded, low) & gt(steps, 0), high, folded)
    limit = period / 2 if discont is None else discont
    correction = where(lt(abs(steps), limit), 0, folded - steps).astype(dtype)
    first, rest = (index(p, (slice(None),) * along + (s,)) for s in (slice(0, 1), slice(1, None)))
    result = concatenate([first.astype(dtype), rest + cumsum(correction, along)], along)
    return with_named_length(result, along, lengths_of(p)[along])
