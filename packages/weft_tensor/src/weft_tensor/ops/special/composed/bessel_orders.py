"""Bessel functions under SciPy's other names, Hankel's, and derivatives of every order in x."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from math import comb, inf
from typing import Any

import numpy as np

from weft_graph import stop_gradient
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import floor, rint
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.elementwise.op import Binary
from weft_tensor.ops.special.bessel import iv, jv, kv
from weft_tensor.ops.special.bessel_modified import cosine_of_pi, sine_of_pi
from weft_tensor.ops.special.composed.formula import documented, ordered
from weft_tensor.ops.special.confluent.limit import hyp0f1
from weft_tensor.ops.special.cylinder.second_kind import yv
from weft_tensor.ops.special.of_complex import (
    complex_hankel1,
    complex_hankel1e,
    complex_hankel2,
    complex_hankel2e,
    complex_jve,
    complex_yve,
    is_fixed,
)

__all__ = [
    "h1vp",
    "h2vp",
    "hankel1",
    "hankel1e",
    "hankel2",
    "hankel2e",
    "ivp",
    "jn",
    "jve",
    "jvp",
    "kn",
    "kvp",
    "lmbda",
    "yn",
    "yve",
    "yvp",
]

jn = jv
"""SciPy's other name of `jv`."""
kn = kv
"""SciPy's name of `kv` for orders that are integers."""
yn = yv
"""SciPy's name of `yv` for orders that are integers."""


def _derivative(
    function: Callable[..., Any], v: TensorLike, z: TensorLike, n: int, signs: tuple[int, int]
) -> TensorVariable:
    """The n-th derivative, a sum of functions of other orders, with the signs of its steps.

    NIST Digital Library of Mathematical Functions, 10.6.7 and 10.29.5.
    """
    if not isinstance(n, int):  # as type checkers say
        raise TypeError(f"how many derivatives is a Python int, not {n!r}")
    if n < 0:
        raise ValueError(f"how many derivatives must not be negative, got {n}")
    order, x = ordered((v, z))
    stays = x.is_complex and is_fixed(order)
    down, up = signs
    total: Any = 0.0
    for k in range(n + 1):
        weight = comb(n, k) * down ** (n - k) * up**k / 2**n
        other = order + (2 * k - n)
        total = total + weight * function(stop_gradient(other) if stays else other, x)
    result: TensorVariable = total
    return result


def _derivatives(
    name: str, example: tuple[Any, ...], function: Callable[..., Any], signs: tuple[int, int]
) -> Callable[..., TensorVariable]:
    def call(v: TensorLike, z: TensorLike, n: int = 1) -> TensorVariable:
        return _derivative(function, v, z, n, signs)

    summary = (
        f"The n-th derivative of `{function.__name__}` of order v at z; n = 0 is that itself. "
        "TypeError if n is no Python int, ValueError if it is negative."
    )
    return documented(call, name, summary, example, signature(call))


def _unscaled(name: str, summary: str, result: float, real: Any, of_complex: Any) -> Any:
    """What of real numbers is `real`, for no exponential scales them."""

    def call(v: TensorLike, z: TensorLike) -> TensorVariable:
        order, x = ordered((v, z))
        scaled: TensorVariable = (of_complex if x.is_complex else real)(order, x)
        return scaled

    return documented(call, name, summary, (0.0, 1.0, result), signature(call))


def _of_whole_order(v: TensorVariable, x: TensorVariable) -> TensorVariable:
    """`jv`, of which SciPy's is NaN for negative numbers and orders that are huge."""
    below = (x < 0) & eq(v, rint(v))
    odd = eq(v - 2 * floor(0.5 * v), 1)
    value = jv(v, where(below, -x, x))
    return where(below & odd, -value, value)


def _turned(v: TensorVariable, j: TensorVariable, y: TensorVariable, side: int) -> TensorVariable:
    """J + iY or J - iY half a turn on (NIST Digital Library, 10.11.1 and 10.11.2)."""
    c, s = cosine_of_pi(v), sine_of_pi(v)
    if side > 0:
        return (1j * s - c) * (j - 1j * y)
    return (3 * c + 1j * s) * j - (s + 1j * c) * y


def _hankel(
    name: str, example: tuple[Any, ...], side: int, of_complex: Binary, scaled: bool = False
) -> Any:
    """J + iY or J - iY, without its turn by exp(iz) or exp(-iz) if it is scaled."""

    def call(v: TensorLike, z: TensorLike) -> TensorVariable:
        order, x = ordered((v, z))
        if x.is_complex:
            return of_complex(order, x)
        below = x < 0
        size = where(below, -x, x)
        j, y = jv(order, size), yv(order, size)
        value = where(below, _turned(order, j, y, side), j + side * 1j * y)
        return value * exp(-side * 1j * x) if scaled else value

    turn = f", times exp({-side}j * z)" if scaled else ""
    kind = "first" if side > 0 else "second"
    summary = f"Hankel's function of the {kind} kind{turn}: complex."
    return documented(call, name, summary, example, signature(call))


# fmt: off
jvp = _derivatives("jvp", (0.0, 1.0, -0.440051), jv, (1, -1))
yvp = _derivatives("yvp", (0.0, 1.0, 0.781213), yv, (1, -1))
ivp = _derivatives("ivp", (0.0, 1.0, 0.565159), iv, (1, 1))
kvp = _derivatives("kvp", (0.0, 1.0, -0.601907), kv, (-1, -1))
jve = _unscaled("jve", "`jv`, times exp(-abs(imag(z))).", 0.765198, _of_whole_order, complex_jve)
yve = _unscaled("yve", "`yv`, times exp(-abs(imag(z))).", 0.088257, yv, complex_yve)
hankel1 = _hankel("hankel1", (0.5, 1.0, 0.671397 - 0.431099j), 1, complex_hankel1)
hankel2 = _hankel("hankel2", (0.5, 1.0, 0.671397 + 0.431099j), -1, complex_hankel2)
hankel1e = _hankel("hankel1e", (0.0, 1.0, 0.487704 - 0.596206j), 1, complex_hankel1e, True)
hankel2e = _hankel("hankel2e", (0.0, 1.0, 0.487704 + 0.596206j), -1, complex_hankel2e, True)
h1vp = _derivatives("h1vp", (0.5, 1.0, 0.095401 + 0.886946j), hankel1, (1, -1))
h2vp = _derivatives("h2vp", (0.5, 1.0, 0.095401 - 0.886946j), hankel2, (1, -1))
# fmt: on


def lmbda(v: float, x: TensorLike) -> tuple[TensorVariable, TensorVariable]:
    """Jahnke's and Emden's functions Γ(u + 1) J_u(x) / (x / 2)^u, and their slopes in x.

    Of the orders u = v, v - 1, ... down to less than 1, the lowest first, on the leading axis; v is
    a Python number, at least 0, else ValueError. That of order 1 is twice the jinc function. See
    `scipy.special.lmbda`, which takes one number x.

    >>> values, slopes = lmbda(1, 2.0)
    >>> values.eval().round(6)
    array([0.223891, 0.576725])
    """
    if not 0 <= v < inf:
        raise ValueError(f"lmbda: the order must be a Python number, at least 0, not {v!r}")
    place = as_floating(as_tensor(x))
    count = int(v) + 1
    orders = (v - int(v) + np.arange(count + 1.0)).reshape(-1, *[1] * place.ndim)
    values = hyp0f1(orders + 1.0, -0.25 * place * place).astype(place.dtype)
    slopes = -0.5 / (orders[:-1] + 1) * place * values[1:]
    return values[:-1], slopes.astype(place.dtype)
