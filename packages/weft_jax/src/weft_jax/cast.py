"""Conversion of dtypes in JAX."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from weft_jax.dispatch import jax_funcify
from weft_tensor import Cast

__all__ = ["jax_funcify_cast"]


@jax_funcify.register(Cast)
def jax_funcify_cast(op: Cast, **kwargs: Any) -> Any:
    """`astype`; complex numbers lose their imaginary part without a warning."""
    dtype = op.dtype
    narrow = not dtype.startswith("complex") and dtype != "bool"

    def cast(x: Any) -> Any:
        x = jnp.asarray(x)
        return (x.real if narrow and jnp.iscomplexobj(x) else x).astype(dtype)

    return cast
