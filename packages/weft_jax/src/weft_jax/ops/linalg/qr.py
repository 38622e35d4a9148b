"""QR factors in JAX."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import QR

__all__ = ["jax_funcify_qr"]


@jax_funcify.register(QR)
def jax_funcify_qr(op: QR, **kwargs: object) -> Lowering:
    """`jax.lax.linalg.qr`."""

    def qr(x: Array) -> object:
        return tuple(jax.lax.linalg.qr(jnp.asarray(x), full_matrices=op.complete))

    return qr
