"""Bessel functions under SciPy's other names, and their derivatives of every order in x."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any

from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.special.bessel import iv, jv, kv
from weft_tensor.ops.special.composed.formula import floats

__all__ = ["ivp", "jn", "jvp", "kn", "kvp"]

jn = jv
"""SciPy's other name of `jv`."""
kn = kv
"""SciPy's name of `kv` for orders that are integers."""


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
    order, x = floats((v, z))
    down, up = signs
    total: Any = 0.0
    for k in range(n + 1):
        weight = comb(n, k) * down ** (n - k) * up**k / 2**n
        total = total + weight * function(order + (2 * k - n), x)
    result: TensorVariable = total
    return result


def jvp(v: TensorLike, z: TensorLike, n: int = 1) -> TensorVariable:
    """The n-th derivative of `jv` of order v at z. See `scipy.special.jvp`.

    Elementwise, with broadcasting. Raises TypeError if n is no Python int, ValueError if it is
    negative; n = 0 is the function itself.

    >>> print(jvp(0.0, 1.0).eval().round(6))
    -0.440051
    """
    return _derivative(jv, v, z, n, (1, -1))


def ivp(v: TensorLike, z: TensorLike, n: int = 1) -> TensorVariable:
    """The n-th derivative of `iv` of order v at z. See `scipy.special.ivp`.

    Elementwise, with broadcasting; TypeError and ValueError as of `jvp`.

    >>> print(ivp(0.0, 1.0).eval().round(6))
    0.565159
    """
    return _derivative(iv, v, z, n, (1, 1))


def kvp(v: TensorLike, z: TensorLike, n: int = 1) -> TensorVariable:
    """The n-th derivative of `kv` of order v at z. See `scipy.special.kvp`.

    Elementwise, with broadcasting; TypeError and ValueError as of `jvp`.

    >>> print(kvp(0.0, 1.0).eval().round(6))
    -0.601907
    """
    return _derivative(kv, v, z, n, (-1, -1))
