"""Error functions that JAX does not have, or not to the last digits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import jax.numpy as jnp
from jax import lax

from weft_tensor.extend import ERFCX, ERFINV_CENTRE, ERFINV_TAIL

__all__ = ["ERROR_ROWS"]


def _erfcx(x: Any) -> Any:
    """By `weft_tensor.ops.elementwise.erfcx`."""
    above = _erfcx_above(jnp.abs(x))
    return jnp.where(x < 0, 2 * jnp.exp(x * x) - above, above)


def _erfcx_above(x: Any) -> Any:
    """The same of what is not negative."""
    s = 1 / (1 + 0.5 * x)
    return s * _fraction(ERFCX, s)


def _logerfc(x: Any) -> Any:
    """log1p(-erf(x)) up to 1, log(erfcx(x)) - x² beyond."""
    far = jnp.log(_erfcx_above(jnp.abs(x))) - x * x
    return jnp.where(x > 1, far, jnp.log1p(-lax.erf(x)))


def _log_ndtr(x: Any) -> Any:
    """With y = x / sqrt(2), log1p(-erfc(y) / 2) above 0, log(erfcx(-y) / 2) - y² below."""
    y = x * 0.5**0.5
    far = jnp.log(0.5 * _erfcx_above(jnp.abs(y))) - 0.5 * (x * x)
    return jnp.where(x > 0, jnp.log1p(-0.5 * lax.erfc(y)), far)


def _erfinv(x: Any) -> Any:
    """By `weft_tensor.ops.elementwise.erfinv`; JAX's own is off by many units near -1 and 1.

    >>> float(_erfinv(jnp.float32(1.0)))
    inf
    """
    size = jnp.abs(x)
    inner = x * (0.875 + _fraction(ERFINV_CENTRE, 0.5625 - x * x))
    s = jnp.sqrt(-jnp.log(1 - size))
    outer = jnp.where(size == 1, s, s - _fraction(ERFINV_TAIL, s - 1))
    return jnp.where(size <= 0.75, inner, jnp.copysign(outer, x))


def _fraction(terms: tuple[tuple[float, ...], tuple[float, ...]], t: Any) -> Any:
    top, bottom = (_polynomial(coefficients, t) for coefficients in terms)
    return top / bottom


def _polynomial(coefficients: tuple[float, ...], t: Any) -> Any:
    """By Horner's scheme."""
    total = jnp.full_like(t, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        total = total * t + coefficient
    return total


ERROR_ROWS: Final[dict[str, Callable[..., Any]]] = {
    "erfcx": _erfcx,
    "erfinv": _erfinv,
    "log_ndtr": _log_ndtr,
    "logerfc": _logerfc,
}
"""By name."""
