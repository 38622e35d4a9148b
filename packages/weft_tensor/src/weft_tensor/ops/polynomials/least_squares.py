"""Sums of terms that are nearest to values, by least squares."""

from __future__ import annotations

from collections.abc import Callable
from operator import index as whole
from typing import NamedTuple

import numpy as np

from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.matrices.least_squares import lstsq
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims

__all__ = ["Fit", "nearest"]


class Fit(NamedTuple):
    """Coefficients by least squares."""

    coefficients: TensorVariable
    rest: tuple[TensorVariable, ...]
    """Residuals, the rank, singular values, and which of these are small."""
    left: TensorVariable
    """The values of each term, a column each, divided by `scale`."""
    scale: TensorVariable


def nearest(
    design: Callable[[TensorVariable], TensorVariable],
    x: TensorLike,
    y: TensorLike,
    deg: int,
    rcond: TensorLike | None,
    w: TensorLike | None,
    name: str,
) -> Fit:
    """The sum of the terms of `design(x)` that is nearest to values y.

    Raises ValueError for a negative degree, TypeError for what are no vectors.
    """
    at, values = (as_floating(v) for v in (x, y))
    if whole(deg) < 0:
        raise ValueError(f"{name} takes a degree of 0 or more, not {deg}")
    if at.ndim != 1 or values.ndim not in (1, 2):
        raise TypeError(
            f"{name} takes places in a vector, and values in columns: {at!r}, {values!r}"
        )
    (n,) = lengths_of(at)
    values = specify_shape(values, (n, *[None] * (values.ndim - 1)))
    if rcond is None:
        rcond = n.astype(at.real.dtype) * float(np.finfo(at.dtype).eps)
    left, right = design(at), values
    if w is not None:
        weights = as_floating(w)
        if weights.ndim != 1:
            raise TypeError(f"{name} takes weights in a vector, not {weights!r}")
        weights = specify_shape(weights, (n,))
        left = left * expand_dims(weights, 1)
        right = right * (expand_dims(weights, 1) if right.ndim == 2 else weights)
    scale = sqrt(sum(abs(left) ** 2, 0))
    scale = where(eq(scale, 0), 1.0, scale)
    left = left / scale
    solution, *rest = lstsq(left, right, rcond)
    coefficients = solution / (expand_dims(scale, 1) if solution.ndim == 2 else scale)
    return Fit(coefficients, (*rest, as_tensor(rcond)), left, scale)
