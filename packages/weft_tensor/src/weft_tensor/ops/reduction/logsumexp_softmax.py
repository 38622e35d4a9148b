"""Sums of exponentials that do not overflow: log-sum-exp, and shares of such a sum."""

from __future__ import annotations

from math import inf
from typing import Final, Literal, overload

from weft_graph import stop_gradient
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import abs, sign
from weft_tensor.ops.elementwise.comparison import eq, isfinite
from weft_tensor.ops.elementwise.comparison import where as choice
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.numbers.quotient import quotient
from weft_tensor.ops.reduction.masked import masked
from weft_tensor.ops.reduction.standard import Max, sum
from weft_tensor.ops.shape.reshape import expand_dims, squeeze
from weft_tensor.types.axes import Axes, as_axes

__all__ = ["log_softmax", "logsumexp", "softmax"]

_FAR: Final = 80.0
"""The exponential of so much is a number in 32 bits, too."""


@overload
def logsumexp(
    x: TensorLike,
    axis: Axes = None,
    b: TensorLike | None = None,
    keepdims: bool = False,
    return_sign: Literal[False] = False,
    *,
    where: TensorLike | None = None,
) -> TensorVariable: ...
@overload
def logsumexp(
    x: TensorLike,
    axis: Axes = None,
    b: TensorLike | None = None,
    keepdims: bool = False,
    *,
    return_sign: Literal[True],
    where: TensorLike | None = None,
) -> tuple[TensorVariable, TensorVariable]: ...
def logsumexp(
    x: TensorLike,
    axis: Axes = None,
    b: TensorLike | None = None,
    keepdims: bool = False,
    return_sign: bool = False,
    *,
    where: TensorLike | None = None,
) -> TensorVariable | tuple[TensorVariable, TensorVariable]:
    """log(sum(b exp(x))) over `axis`, for exponents of any size. See `scipy.special.logsumexp`.

    Of those where `where` is true. `return_sign`: gives the logarithm of the sum's absolute value,
    and its sign, too. Raises ValueError for an axis that x does not have, and TypeError for a mask
    that is not of bools.

    >>> logsumexp([1000.0, 1000.0]).eval().round(4)
    np.float64(1000.6931)
    """
    x = as_floating(x)
    if where is not None:
        x = masked(x, where, -inf, "logsumexp")
    if b is not None:
        x, b = x + as_tensor(b) * 0, as_tensor(b)
    axes = as_axes(axis, x.ndim)
    if b is None:
        shift = _largest(x, axes)
        terms = exp(x - shift)
    else:  # without those that do not count, which might be larger by any amount
        shift = _largest(choice(eq(b, 0), -inf, _real(x)), axes)
        apart = x - shift
        terms = b * exp(choice(eq(b, 0) & (_real(apart) > _FAR), _FAR, apart))
    total = sum(terms, axes, keepdims=True)
    size = abs(total) if return_sign else total
    result = log(size) + shift
    if not keepdims:
        result, total = squeeze(result, axes), squeeze(total, axes)
    return (result, sign(total)) if return_sign else result


def softmax(x: TensorLike, axis: Axes = None, *, where: TensorLike | None = None) -> TensorVariable:
    """exp(x) / sum(exp(x)) over `axis`, for exponents of any size. See `scipy.special.softmax`.

    Where `where` is not true, an element does not count, and its share is 0, as in
    `jax.nn.softmax`. Raises ValueError for an axis that x does not have, and TypeError for a mask
    that is not of bools.

    >>> softmax([0.0, 1000.0]).eval()
    array([0., 1.])
    >>> softmax([0.0, 0.0, 5.0], where=[True, True, False]).eval()
    array([0.5, 0.5, 0. ])
    """
    x = as_floating(x)
    axes = as_axes(axis, x.ndim)
    if where is not None:
        x = masked(x, where, -inf, "softmax")
        powers = exp(x - _largest(x, axes))
        return quotient(powers, sum(powers, axes, keepdims=True))
    powers = exp(x - expand_dims(_top(x, axes), axes))
    return powers / sum(powers, axes, keepdims=True)


def log_softmax(
    x: TensorLike, axis: Axes = None, *, where: TensorLike | None = None
) -> TensorVariable:
    """The logarithm of `softmax`, also where that is 0. See `scipy.special.log_softmax`.

    It is -inf where `where` is not true, as in `jax.nn.log_softmax`. Of complex numbers it may
    differ from SciPy's by whole turns, which are 0 in its exponential. Raises ValueError for an
    axis that x does not have.

    >>> log_softmax([0.0, 1000.0]).eval()
    array([-1000.,     0.])
    """
    x = as_floating(x)
    axes = as_axes(axis, x.ndim)
    if where is not None:
        shares = log_softmax(masked(x, where, -inf, "log_softmax"), axis)
        return masked(shares, where, -inf, "log_softmax")
    apart = x - _largest(x, axes)
    return apart - log(sum(exp(apart), axes, keepdims=True))


def _largest(x: TensorVariable, axes: tuple[int, ...]) -> TensorVariable:
    """The largest real part over `axes`, which stay; 0 where it is not finite, or of nothing.

    It cancels out of what it is subtracted for: no derivative goes through it.
    """
    top = _top(x, axes)
    return expand_dims(choice(isfinite(top), top, 0), axes)


def _top(x: TensorVariable, axes: tuple[int, ...]) -> TensorVariable:
    return Max(axes, True)(stop_gradient(_real(x)))


def _real(x: TensorVariable) -> TensorVariable:
    return x.real if x.is_complex else x
