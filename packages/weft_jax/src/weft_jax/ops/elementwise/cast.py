"""Conversion of dtypes in JAX."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from weft_jax.analysis.static_values import no_positions, static_positions
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import Cast

__all__ = ["converted", "jax_funcify_cast"]


def converted(x: Array, dtype: str) -> Array:
    """`x.astype(dtype)`, of which products with NaN and infinity are what they should be.

    XLA takes the product of a converted bool and y for a choice between y and 0.

    >>> import jax
    >>> float(jax.jit(lambda b, y: converted(b, "float32") * y)(np.array(False), np.inf))
    nan
    """
    if x.dtype == bool and np.dtype(dtype).kind in "fc":
        return lax.select(x, lax.full(x.shape, 1, dtype), lax.full(x.shape, 0, dtype))
    return x.astype(dtype)


static_positions.register(Cast, no_positions)


@jax_funcify.register(Cast)
def jax_funcify_cast(op: Cast, **kwargs: object) -> Lowering:
    """`astype`; complex numbers lose their imaginary part without a warning."""
    dtype = op.dtype
    narrow = not dtype.startswith("complex") and dtype != "bool"

    def cast(x: Array) -> Array:
        x = jnp.asarray(x)
        return converted(x.real if narrow and jnp.iscomplexobj(x) else x, dtype)

    return cast
