"""Trigonometric functions of degrees, exact at multiples of 90."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, pi
from typing import Any

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import fmod, rint
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.trigonometric import cos, sin, tan
from weft_tensor.ops.special.composed.formula import formula

__all__ = ["cosdg", "cotdg", "sindg", "tandg"]


def _parts(x: TensorVariable) -> tuple[Any, Any]:
    """The angle to the nearest multiple of 90 degrees, in radians, and that multiple."""
    turn = fmod(x, 360.0)
    quarters = rint(turn / 90)
    return (turn - 90 * quarters) * (pi / 180), fmod(quarters + 8, 4.0)


def _wave(shift: int) -> Callable[[TensorVariable], Any]:
    """The sine after so many quarters of a turn."""

    def values(x: TensorVariable) -> Any:
        angle, quarters = _parts(x)
        place = fmod(quarters + shift, 4.0)
        crossed = eq(place, 1) | eq(place, 3)
        return where(place >= 2, -1, 1) * where(crossed, cos(angle), sin(angle))

    return values


def _slope(is_inverse: bool) -> Callable[[TensorVariable], Any]:
    """The tangent, or its inverse; infinite at poles."""

    def values(x: TensorVariable) -> Any:
        angle, quarters = _parts(x)
        upright = eq(quarters, 1) | eq(quarters, 3)
        steep = ~upright if is_inverse else upright
        tangent = tan(angle)
        pole = steep & eq(tangent, 0)
        quotient = 1 / where(steep & ~pole, tangent, 1)
        return where(pole, inf, where(upright, -1, 1) * where(steep, quotient, tangent))

    return values


sindg = formula("sindg", "The sine of x degrees.", (30.0, 0.5), _wave(0))
cosdg = formula("cosdg", "The cosine of x degrees.", (60.0, 0.5), _wave(1))
tandg = formula("tandg", "The tangent of x degrees.", (45.0, 1.0), _slope(False))
cotdg = formula("cotdg", "The cotangent of x degrees.", (45.0, 1.0), _slope(True))
