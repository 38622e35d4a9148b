"""Scaled and logarithmic error functions, which JAX does not have to the last digits."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from weft_tensor import ERFCX

__all__ = ["erfcx", "fraction", "log_ndtr", "logerfc"]


def erfcx(x: Any) -> Any:
    """By `weft_tensor.ops.elementwise.erfcx`."""
    above = _erfcx_above(jnp.abs(x))
    return jnp.where(x < 0, 2 * jnp.exp(x * x) - above, above)


def _erfcx_above(x: Any) -> Any:
    """The same of what is not negative."""
    s = 1 / (1 + 0.5 * x)
    return s * fraction(ERFCX, s)


def logerfc(x: Any) -> Any:
    """log1p(-erf(x)) up to 1, log(erfcx(x)) - x² beyond."""
    far = jnp.log(_erfcx_above(jnp.abs(x))) - x * x
    return jnp.where(x > 1, far, jnp.log1p(-lax.erf(x)))


def log_ndtr(x: Any) -> Any:
    """With y = x / sqrt(2), log1p(-erfc(y) / 2) above 0, log(erfcx(-y) / 2) - y² below."""
    y = x * 0.5**0.5
    far = jnp.log(0.5 * _erfcx_above(jnp.abs(y))) - 0.5 * (x * x)
    return jnp.where(x > 0, jnp.log1p(-0.5 * lax.erfc(y)), far)


def fraction(terms: tuple[tuple[float, ...], tuple[float, ...]], t: Any) -> Any:
    """One polynomial of `t` over another, by their coefficients."""
    top, bottom = (_polynomial(coefficients, t) for coefficients in terms)
    return top / bottom


def _polynomial(coefficients: tuple[float, ...], t: Any) -> Any:
    """By Horner's scheme."""
    total = jnp.full_like(t, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        total = total * t + coefficient
    return total
