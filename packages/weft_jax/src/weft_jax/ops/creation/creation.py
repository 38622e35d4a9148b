"""Creation in JAX."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_jax.runtime.runtime_checks import require
from weft_tensor import Arange, Eye, Iota
from weft_tensor.extend import WholeNumber

__all__ = [
    "jax_funcify_arange",
    "jax_funcify_eye",
    "jax_funcify_iota",
    "jax_funcify_whole_number",
]

_SHORT = 1024


@jax_funcify.register(Eye)
def jax_funcify_eye(op: Eye, **kwargs: object) -> Lowering:
    """`jax.numpy.eye`."""
    return lambda n, m, k: jnp.eye(n, m, k, dtype=op.dtype)


@jax_funcify.register(Arange)
def jax_funcify_arange(op: Arange, **kwargs: object) -> Lowering:
    """`jax.numpy.arange`; a negative length is an error, as for any other tensor.

    A short one is a constant of NumPy, so that indices made of it are checked while JAX traces.
    """

    def arange(n: Array) -> object:
        is_symbol = not isinstance(n, int | np.ndarray)  # a length of a graph that is exported
        if not is_symbol and n < 0:
            raise ValueError("negative dimensions are not allowed")
        if not is_symbol and n <= _SHORT:
            return np.arange(int(n), dtype="int64")
        return jnp.arange(n if is_symbol else int(n), dtype="int64")

    return arange


@jax_funcify.register(Iota)
def jax_funcify_iota(op: Iota, **kwargs: object) -> Lowering:
    """`jax.lax.broadcasted_iota`."""
    return lambda *shape: jax.lax.broadcasted_iota("int64", shape, op.axis)


@jax_funcify.register(WholeNumber)
def jax_funcify_whole_number(op: WholeNumber, **kwargs: object) -> Lowering:
    """A checked conversion."""

    def whole_number(x: Array) -> Array:
        require(x == jnp.floor(x), ValueError("not a whole number"))
        return jnp.asarray(x).astype("int64")

    return whole_number
