"""Discrete Fourier transforms in JAX."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import Array, lax

from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import FFT, IRFFT, RFFT

__all__ = ["jax_funcify_fft", "jax_funcify_irfft", "jax_funcify_rfft"]

_as_it_is: Any = lax.optimization_barrier  # which has no types


@jax_funcify.register(FFT)
def jax_funcify_fft(op: FFT, **kwargs: object) -> Lowering:
    """`jax.numpy.fft.fft` or `ifft`."""

    def fft(x: Array) -> Array:
        transform = jnp.fft.ifft if op.inverse else jnp.fft.fft
        return _by_rows(transform(_with_points(x), norm=op.norm))

    return fft


@jax_funcify.register(RFFT)
def jax_funcify_rfft(op: RFFT, **kwargs: object) -> Lowering:
    """`jax.numpy.fft.rfft`."""

    def rfft(x: Array) -> Array:
        return _by_rows(jnp.fft.rfft(_with_points(x), norm=op.norm))

    return rfft


@jax_funcify.register(IRFFT)
def jax_funcify_irfft(op: IRFFT, **kwargs: object) -> Lowering:
    """`jax.numpy.fft.irfft`."""

    def irfft(x: Array, n: int) -> Array:
        if n < 1 or x.shape[-1] != n // 2 + 1:
            raise ValueError(f"irfft of {n} points does not take {x.shape[-1]} elements")
        return _by_rows(jnp.fft.irfft(jnp.asarray(x), int(n), norm=op.norm))

    return irfft


def _with_points(x: Array) -> Array:
    if not x.shape[-1]:
        raise ValueError("Invalid number of FFT data points (0) specified")
    return jnp.asarray(x)


def _by_rows(y: Array) -> Array:
    """`y`, which XLA keeps in rows: a transform that is to write columns, as LAPACK reads them, is
    an internal error of it.

    Where the transform of a matrix is a result, it takes a sixth longer for it: it is copied.
    Constraints on layouts cost nothing, but functions that have them can't be exported.
    """
    return _as_it_is(y.ravel()).reshape(y.shape) if y.ndim > 1 else y
