"""Functions of complex numbers in JAX, where its own differ from NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import jax.numpy as jnp
from jax import Array, lax

__all__ = ["ROWS"]


def _sinh(z: Array) -> Array:
    """By parts: XLA's difference of exponentials loses the digits of small ones."""
    x, y = lax.real(z), lax.imag(z)
    return lax.complex(jnp.sinh(x) * jnp.cos(y), jnp.where(y == 0, y, jnp.cosh(x) * jnp.sin(y)))


def _cosh(z: Array) -> Array:
    """By parts, see `_sinh`."""
    x, y = lax.real(z), lax.imag(z)
    crossed = jnp.where(y == 0, y * jnp.sign(x), jnp.sinh(x) * jnp.sin(y))
    return lax.complex(jnp.cosh(x) * jnp.cos(y), crossed)


def _sided(function: Callable[[Any], Array], side: int = 1) -> Callable[[Array], Array]:
    """On a cut, the sign of the imaginary part says the side, also of zero, which XLA forgets."""

    def signed(z: Array) -> Array:
        result = function(z)
        return lax.complex(lax.real(result), jnp.copysign(lax.imag(result), side * lax.imag(z)))

    return signed


def _arcsinh(z: Array) -> Array:
    """With the sign of the real part, as the cut is along the imaginary axis, see `_sided`."""
    result = jnp.arcsinh(z)
    return lax.complex(jnp.copysign(lax.real(result), lax.real(z)), lax.imag(result))


_COMPLEX: Final[dict[str, tuple[Callable[[Array], Array], Callable[..., Any]]]] = {
    "arccos": (_sided(jnp.arccos, -1), jnp.arccos),
    "arccosh": (_sided(jnp.arccosh), jnp.arccosh),
    "arcsin": (_sided(jnp.arcsin), jnp.arcsin),
    "arcsinh": (_arcsinh, jnp.arcsinh),
    "cosh": (_cosh, jnp.cosh),
    "sinh": (_sinh, jnp.sinh),
    "sqrt": (_sided(jnp.sqrt), jnp.sqrt),
}


def _chosen(of_complex: Callable[[Array], Array], others: Callable[..., Any]) -> Any:
    return lambda x: (of_complex if jnp.iscomplexobj(x) else others)(x)


ROWS: Final = {name: _chosen(*functions) for name, functions in _COMPLEX.items()}
