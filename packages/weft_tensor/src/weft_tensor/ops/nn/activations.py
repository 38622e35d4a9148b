"""Activations of networks."""

from __future__ import annotations

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange, ones_like
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import hypot, maximum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import expm1, log, sigmoid, softplus
from weft_tensor.ops.elementwise.exponential import log1mexp as log1mexp_below
from weft_tensor.ops.elementwise.trigonometric import tanh
from weft_tensor.ops.reduction.logsumexp_softmax import log_softmax as log_softmax_over
from weft_tensor.ops.reduction.logsumexp_softmax import logsumexp
from weft_tensor.ops.reduction.logsumexp_softmax import softmax as softmax_over
from weft_tensor.ops.reduction.standard import mean as mean_over
from weft_tensor.ops.reduction.standard import sum as sum_over
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.shape.splitting import split
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.ops.special.normal import ndtr
from weft_tensor.types.axes import Axes
from weft_tensor.types.dtypes import DTypeLike

__all__ = [
    "celu",
    "elu",
    "gelu",
    "glu",
    "hard_sigmoid",
    "hard_silu",
    "hard_swish",
    "hard_tanh",
    "identity",
    "leaky_relu",
    "log1mexp",
    "log_sigmoid",
    "log_softmax",
    "logmeanexp",
    "mish",
    "one_hot",
    "relu",
    "relu6",
    "selu",
    "silu",
    "soft_sign",
    "softmax",
    "sparse_plus",
    "sparse_sigmoid",
    "squareplus",
    "standardize",
    "swish",
]


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


swish = silu


def gelu(x: TensorLike, approximate: bool = False) -> TensorVariable:
    """x times the normal distribution function of it, or its approximation by tanh.

    >>> gelu([-1.0, 2.0]).eval().round(6)
    array([-0.158655,  1.9545  ])
    """
    x = as_tensor(x)
    if approximate:
        return 0.5 * x * (1 + tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3)))
    return x * ndtr(x)


def celu(x: TensorLike, alpha: TensorLike = 1.0) -> TensorVariable:
    """x where it is positive, else alpha (exp(x / alpha) - 1), whose derivative at 0 is 1.

    See Barron, Continuously differentiable exponential linear units (2017).

    >>> celu([-1.0, 2.0], 2.0).eval().round(6)
    array([-0.786939,  2.      ])
    """
    x = as_tensor(x)
    above = x > 0
    return where(above, x, alpha * expm1(where(above, 0, x) / alpha))


def selu(x: TensorLike) -> TensorVariable:
    """`elu`, scaled so that layers keep mean 0 and variance 1.

    See Klambauer and others, Self-normalizing neural networks (2017).

    >>> selu([-1.0, 2.0]).eval().round(6)
    array([-1.111331,  2.101402])
    """
    return 1.0507009873554805 * elu(x, 1.6732632423543772)


def relu6(x: TensorLike) -> TensorVariable:
    """x between 0 and 6, else the nearer of the two; its derivative there is 0.

    >>> relu6([-1.0, 2.0, 7.0]).eval()
    array([0., 2., 6.])
    """
    x = as_tensor(x)
    return where(x < 6, relu(x), 6)


def hard_tanh(x: TensorLike) -> TensorVariable:
    """x between -1 and 1, else the nearer of the two.

    >>> hard_tanh([-3.0, 0.5, 2.0]).eval()
    array([-1. ,  0.5,  1. ])
    """
    x = as_tensor(x)
    return where(x > 1, 1, where(x < -1, -1, x))


def hard_sigmoid(x: TensorLike) -> TensorVariable:
    """A line of slope 1/6 from 0 at -3 to 1 at 3.

    >>> hard_sigmoid([-4.0, 0.0, 1.5]).eval()
    array([0.  , 0.5 , 0.75])
    """
    return relu6(as_tensor(x) + 3) / 6


def hard_silu(x: TensorLike) -> TensorVariable:
    """x hard_sigmoid(x).

    See Howard and others, Searching for MobileNetV3 (2019), where it is h-swish.

    >>> hard_silu([-4.0, 1.5]).eval()
    array([-0.   ,  1.125])
    """
    x = as_tensor(x)
    return x * hard_sigmoid(x)


hard_swish = hard_silu


def identity(x: TensorLike) -> TensorVariable:
    """x itself.

    >>> identity([-1.0, 2.0]).eval()
    array([-1.,  2.])
    """
    return as_tensor(x)


def log1mexp(x: TensorLike) -> TensorVariable:
    """log(1 - exp(-x)) for positive x, accurate everywhere: `weft.tensor.log1mexp` of -x.

    >>> log1mexp([1e-10, 50.0]).eval().round(6)
    array([-23.025851,  -0.      ])
    """
    return log1mexp_below(-as_tensor(x))


def logmeanexp(
    x: TensorLike,
    axis: Axes = None,
    where: TensorLike | None = None,
    keepdims: bool = False,
) -> TensorVariable:
    """The logarithm of the mean of exp(x) over `axis`, of the elements where `where` is true.

    Raises ValueError for an axis that x does not have.

    >>> logmeanexp([1000.0, 1000.0, 0.0], where=[True, True, False]).eval()
    array(1000.)
    """
    x = as_tensor(x)
    weights = ones_like(x) if where is None else as_tensor(where).astype(x.dtype)
    total = logsumexp(x, axis, b=weights, keepdims=keepdims)
    return total - log(sum_over(weights, axis, keepdims=keepdims))


def sparse_plus(x: TensorLike) -> TensorVariable:
    """0 below -1, x above 1, and (x + 1)**2 / 4 between: a softplus that ends.

    See Blondel, Martins and Niculae, Learning with Fenchel-Young losses (2020).

    >>> sparse_plus([-2.0, 0.0, 3.0]).eval()
    array([0.  , 0.25, 3.  ])
    """
    x = as_tensor(x)
    return where(x >= 1, x, where(x <= -1, 0, (x + 1) ** 2 / 4))


def sparse_sigmoid(x: TensorLike) -> TensorVariable:
    """A line from 0 at -1 to 1 at 1: the derivative of `sparse_plus`.

    >>> sparse_sigmoid([-2.0, 0.0, 3.0]).eval()
    array([0. , 0.5, 1. ])
    """
    x = as_tensor(x)
    return where(x >= 1, 1, where(x <= -1, 0, (x + 1) / 2))


def log_sigmoid(x: TensorLike) -> TensorVariable:
    """The logarithm of sigmoid(x), which is -softplus(-x).

    >>> log_sigmoid([-800.0, 0.0]).eval().round(6)
    array([-8.00000e+02, -6.93147e-01])
    """
    return -softplus(-as_tensor(x))


def mish(x: TensorLike) -> TensorVariable:
    """x tanh(softplus(x)). See Misra, Mish (2019).

    >>> mish([-1.0, 2.0]).eval().round(6)
    array([-0.303401,  1.943959])
    """
    x = as_tensor(x)
    return x * tanh(softplus(x))


def soft_sign(x: TensorLike) -> TensorVariable:
    """x / (1 + abs(x)).

    >>> soft_sign([-1.0, 3.0]).eval()
    array([-0.5 ,  0.75])
    """
    x = as_tensor(x)
    return x / (1 + absolute(x))


def squareplus(x: TensorLike, b: float | TensorVariable = 4.0) -> TensorVariable:
    """(x + sqrt(x**2 + b)) / 2, a softplus of roots.

    For negative x it is b / 2 over the other root's sum, which does not cancel. See Barron,
    Squareplus (2021).

    >>> squareplus([-1e9, 0.0, 1.5]).eval()
    array([1.e-09, 1.e+00, 2.e+00])
    """
    x = as_tensor(x)
    size = absolute(x)
    larger = (size + hypot(size, b**0.5)) / 2
    return where(x < 0, b / (4 * larger), larger)


def glu(x: TensorLike, axis: int = -1) -> TensorVariable:
    """The first half of x along `axis`, times the sigmoid of the second half.

    See Dauphin and others, Language modeling with gated convolutional networks (2017). Raises
    ValueError if the length is odd.

    >>> glu([1.0, 2.0, 0.0, 0.0]).eval()
    array([0.5, 1. ])
    """
    values, gates = split(as_tensor(x), 2, axis=axis)
    return values * sigmoid(gates)


def softmax(x: TensorLike, axis: Axes = -1) -> TensorVariable:
    """exp(x) / sum(exp(x)) over `axis`, the last by default, as `jax.nn.softmax` has it.

    Raises ValueError for an axis that x does not have.

    >>> softmax([[0.0, 1000.0], [0.0, 0.0]]).eval()
    array([[0. , 1. ],
           [0.5, 0.5]])
    """
    return softmax_over(x, axis)


def log_softmax(x: TensorLike, axis: Axes = -1) -> TensorVariable:
    """The logarithm of `softmax`, also where that is 0; as `jax.nn.log_softmax` has it.

    Raises ValueError for an axis that x does not have.

    >>> log_softmax([[0.0, 1000.0], [0.0, -1000.0]]).eval()
    array([[-1000.,     0.],
           [    0., -1000.]])
    """
    return log_softmax_over(x, axis)


def standardize(
    x: TensorLike,
    axis: Axes = -1,
    mean: TensorLike | None = None,
    variance: TensorLike | None = None,
    epsilon: TensorLike = 1e-5,
    where: TensorLike | None = None,
    *,
    algorithm: str = "fast",
) -> TensorVariable:
    """x with mean 0 and variance 1 over `axis`; `epsilon` is added to variances.

    `mean` and `variance` are those that are known, `where` says which elements count for those that
    are not. If the mean alone is known, the variance is the mean of squares less its square, or,
    with algorithm="stable", the mean square of what is left. See `jax.nn.standardize`. Raises
    ValueError for an axis that x does not have, and for another algorithm.

    >>> standardize([1.0, 3.0], epsilon=0.0).eval()
    array([-1.,  1.])
    >>> standardize([1.0, 3.0, 9.0], epsilon=0.0, where=[True, True, False]).eval()
    array([-1.,  1.,  7.])
    """
    if algorithm not in ("fast", "stable"):
        raise ValueError(f"standardize: algorithm is 'fast' or 'stable', not {algorithm!r}")
    v = as_tensor(x)
    about = mean_over(v, axis, keepdims=True, where=where) if mean is None else as_tensor(mean)
    rest = v - about
    if variance is not None:
        spread = as_tensor(variance)
    elif mean is None or algorithm == "stable":
        spread = mean_over(rest**2, axis, keepdims=True, where=where)
    else:
        spread = maximum(mean_over(v**2, axis, keepdims=True, where=where) - about**2, 0)
    return rest / sqrt(spread + epsilon)


def one_hot(
    x: TensorLike, num_classes: TensorLike, dtype: DTypeLike = "float64", axis: int = -1
) -> TensorVariable:
    """For each index a row along `axis` that is 1 there and 0 elsewhere; all 0 for others.

    `num_classes` may be a variable. Raises ValueError for a number that is negative, and for an
    axis that the result does not have.

    >>> one_hot([0, 2], 3).eval()
    array([[1., 0., 0.],
           [0., 0., 1.]])
    """
    if isinstance(num_classes, int) and num_classes < 0:
        raise ValueError(f"one_hot: num_classes must not be negative, got {num_classes}")
    rows = eq(expand_dims(as_tensor(x), -1), arange(num_classes))
    return moveaxis(rows, -1, axis).astype(dtype)
