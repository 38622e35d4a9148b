"""Losses that outliers pull less than their squares do, by name, as in `scipy.optimize`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import log1p
from weft_tensor.ops.elementwise.trigonometric import arctan

__all__ = ["LOSSES", "Loss"]

Loss = Callable[[TensorVariable], tuple[TensorVariable, TensorVariable]]


def _linear(z: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    return z, 0 * z + 1


def _soft_l1(z: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    root = sqrt(1 + z)
    return 2 * z / (root + 1), 1 / root


def _huber(z: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    near = z <= 1
    root = sqrt(where(near, 1, z))
    return where(near, z, 2 * root - 1), 1 / root


def _cauchy(z: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    return log1p(z), 1 / (1 + z)


def _arctan(z: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    return arctan(z), 1 / (1 + z**2)


LOSSES: Final[dict[str, Loss]] = {
    "linear": _linear,
    "soft_l1": _soft_l1,
    "huber": _huber,
    "cauchy": _cauchy,
    "arctan": _arctan,
}
"""The loss of a squared residual, and its derivative, which weighs that residual in a step."""
