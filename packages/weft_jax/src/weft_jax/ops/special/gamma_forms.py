"""What Stirling's formula lacks, and logarithms and powers without their first terms, in JAX."""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial
from typing import Final

import jax.numpy as jnp
from jax import Array

__all__ = ["expm1_less", "log1p_less", "polynomial", "stirling_rest"]

_STIRLING: Final = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
_EXPM1: Final = [1 / factorial(k) for k in range(2, 11)]
_ARTANH: Final = [2 / k for k in range(3, 38, 2)]


def polynomial(coefficients: Sequence[float], x: Array) -> Array:
    """By Horner's rule, from the constant on."""
    total = jnp.full_like(x, coefficients[-1])
    for c in coefficients[-2::-1]:
        total = total * x + c
    return total


def stirling_rest(a: Array) -> Array:
    """What Stirling's formula lacks of gammaln, ten steps further up for small a."""
    is_near = a < 10
    z = jnp.where(is_near, a + 10, a)
    far = polynomial(_STIRLING, 1 / z / z) / z
    near = jnp.where(is_near, a, 1)
    product = near
    for k in range(1, 10):
        product = product * (near + k)
    steps = (near + 9.5) * jnp.log(near + 10) - (near - 0.5) * jnp.log(near)
    return far + jnp.where(is_near, steps - 10 - jnp.log(product), 0)


def log1p_less(x: Array) -> Array:
    """log(1 + x) - x, near 0 by powers of x / (2 + x)."""
    is_near = jnp.abs(x) < 0.5
    near = jnp.where(is_near, x, 0)
    ratio = near / (2 + near)
    square = ratio * ratio
    by_powers = ratio * (square * polynomial(_ARTANH, square) - near)
    return jnp.where(is_near, by_powers, jnp.log1p(x) - x)


def expm1_less(x: Array) -> Array:
    """exp(x) - 1 - x."""
    near = jnp.where(jnp.abs(x) < 0.05, x, 0)
    by_powers = near * near * polynomial(_EXPM1, near)
    return jnp.where(jnp.abs(x) < 0.05, by_powers, jnp.expm1(x) - x)
