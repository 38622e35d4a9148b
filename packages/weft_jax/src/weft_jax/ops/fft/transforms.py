"""Discrete Fourier transforms in JAX.

XLA's write rows alone: one that is to write columns, as LAPACK reads them, is an internal error
of it. So what others take is kept in rows, which costs a copy where it is a result alone (1.3 times
as long; constraints on layouts cost nothing, but functions that have them can't be exported).
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import Array, lax

from weft_jax.compile.final_transforms import FinalTransform, Transform
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import FFT, IRFFT, RFFT

__all__ = ["jax_funcify_final_transform", "jax_funcify_transform"]

_as_it_is: Any = lax.optimization_barrier  # which has no types


@jax_funcify.register(FFT)
@jax_funcify.register(RFFT)
@jax_funcify.register(IRFFT)
def jax_funcify_transform(op: Transform, **kwargs: object) -> Lowering:
    """`jax.numpy.fft`'s function, whose results stay in rows."""
    transform = _function(op)

    def in_rows(*values: Any) -> Array:
        y: Array = transform(*values)
        return _as_it_is(y.ravel()).reshape(y.shape) if y.ndim > 1 else y

    return in_rows


@jax_funcify.register(FinalTransform)
def jax_funcify_final_transform(op: FinalTransform, **kwargs: object) -> Lowering:
    """`jax.numpy.fft`'s function."""
    return _function(op.transform)


def _function(op: Transform) -> Lowering:
    if isinstance(op, IRFFT):
        return lambda x, n: _irfft(x, int(n), op.norm)
    transform: Any = jnp.fft.rfft
    if isinstance(op, FFT):
        transform = jnp.fft.ifft if op.inverse else jnp.fft.fft

    def of_points(x: Array) -> Array:
        if not x.shape[-1]:
            raise ValueError("Invalid number of FFT data points (0) specified")
        y: Array = transform(jnp.asarray(x), norm=op.norm)
        return y

    return of_points


def _irfft(x: Array, n: int, norm: str) -> Array:
    if n < 1 or x.shape[-1] != n // 2 + 1:
        raise ValueError(f"irfft of {n} points does not take {x.shape[-1]} elements")
    return jnp.fft.irfft(jnp.asarray(x), n, norm=norm)
