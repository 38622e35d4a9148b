"""Shifts of frequencies in JAX."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import FFTShift

__all__ = ["jax_funcify_fftshift"]


@jax_funcify.register(FFTShift)
def jax_funcify_fftshift(op: FFTShift, **kwargs: object) -> Lowering:
    """`jax.numpy.fft.fftshift` or `ifftshift`, which know the length as the tracing goes."""

    def fftshift(x: Array) -> Array:
        return (jnp.fft.ifftshift if op.inverse else jnp.fft.fftshift)(x, op.axis)

    return fftshift
