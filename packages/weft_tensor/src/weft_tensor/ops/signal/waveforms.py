"""Waves with SciPy's names: of times, which are tensors of any shape."""

from __future__ import annotations

from math import inf, log, pi
from operator import index as whole
from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import mod
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.elementwise.exponential import log as log_of
from weft_tensor.ops.elementwise.power import pow
from weft_tensor.ops.elementwise.trigonometric import cos

__all__ = ["chirp", "gausspulse", "sawtooth", "square"]


def _floats(*xs: TensorLike) -> list[TensorVariable]:
    return [x if x.dtype in ("float32", "float64") else x.astype("float64") for x in as_tensors(xs)]


def _angle(t: TensorVariable) -> TensorVariable:
    return mod(t, 2 * pi)


def sawtooth(t: TensorLike, width: TensorLike = 1) -> TensorVariable:
    """A wave of period 2 pi that rises from -1 to 1 on a share `width` of it, and then falls.

    Of the shape of t and width, broadcast; NaN for a width that is not from 0 to 1. See
    `scipy.signal.sawtooth`, which makes float64 of float32.

    >>> sawtooth([0.0, 1.5707963267948966]).eval().round(12)
    array([-1. , -0.5])
    """
    x, w = _floats(t, width)
    angle = _angle(x)
    rises = angle < 2 * pi * w
    up = angle / (pi * where(rises, w, 1)) - 1
    down = (pi * (w + 1) - angle) / (pi * where(rises, 1, 1 - w))
    return where((w >= 0) & (w <= 1), where(rises, up, down), float("nan"))


def square(t: TensorLike, duty: TensorLike = 0.5) -> TensorVariable:
    """A wave of period 2 pi that is 1 on a share `duty` of it, and then -1.

    Of the shape of t and duty, broadcast; NaN for a duty that is not from 0 to 1. See
    `scipy.signal.square`, which makes float64 of float32.

    >>> square([0.0, 4.0]).eval()
    array([ 1., -1.])
    """
    x, w = _floats(t, duty)
    high = where(_angle(x) < 2 * pi * w, 1.0, -1.0)
    return where((w >= 0) & (w <= 1), high, float("nan")) + 0 * (x + w)
