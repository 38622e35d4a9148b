"""Activations of networks."""

from __future__ import annotations

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import expm1, sigmoid
from weft_tensor.ops.elementwise.trigonometric import tanh
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.special.normal import ndtr
from weft_tensor.types.dtypes import DTypeLike

__all__ = ["elu", "gelu", "leaky_relu", "one_hot", "relu", "silu"]


def relu(x: TensorLike) -> TensorVariable:
    """x where it is positive, else 0, which is also its derivative at 0.

    >>> relu([-1.0, 2.0]).eval()
    array([0., 2.])
    """
    x = as_tensor(x)
    return where(x > 0, x, 0)


def leaky_relu(x: TensorLike, negative_slope: TensorLike = 0.01) -> TensorVariable:
    """x where it is positive, else a small share of it.

    >>> leaky_relu([-1.0, 2.0]).eval()
    array([-0.01,  2.  ])
    """
    x = as_tensor(x)
    return where(x > 0, x, negative_slope * x)


def elu(x: TensorLike, alpha: TensorLike = 1.0) -> TensorVariable:
    """x where it is positive, else alpha (exp(x) - 1).

    >>> elu([-1.0, 2.0]).eval().round(6)
    array([-0.632121,  2.      ])
    """
    x = as_tensor(x)
    above = x > 0
    return where(above, x, alpha * expm1(where(above, 0, x)))


def silu(x: TensorLike) -> TensorVariable:
    """x sigmoid(x).

    >>> silu([-1.0, 2.0]).eval().round(6)
    array([-0.268941,  1.761594])
    """
    x = as_tensor(x)
    return x * sigmoid(x)


def gelu(x: TensorLike, approximate: bool = False) -> TensorVariable:
    """x times the normal distribution function of it, or its approximation by tanh.

    >>> gelu([-1.0, 2.0]).eval().round(6)
    array([-0.158655,  1.9545  ])
    """
    x = as_tensor(x)
    if approximate:
        return 0.5 * x * (1 + tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3)))
    return x * ndtr(x)


def one_hot(x: TensorLike, num_classes: int, dtype: DTypeLike = "float64") -> TensorVariable:
    """For each index a row that is 1 there and 0 elsewhere; all 0 for indices outside.

    Raises ValueError if the number of classes is negative.

    >>> one_hot([0, 2], 3).eval()
    array([[1., 0., 0.],
           [0., 0., 1.]])
    """
    if num_classes < 0:
        raise ValueError(f"one_hot: num_classes must not be negative, got {num_classes}")
    return eq(expand_dims(as_tensor(x), -1), np.arange(num_classes)).astype(dtype)
