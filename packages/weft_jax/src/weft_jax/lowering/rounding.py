"""Arrays whose elements are rounded: a zero that XLA does not know is mixed into their bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.extend.core import InconclusiveDimensionOperation, Primitive
from jax.interpreters import ad, batching, mlir

__all__ = ["rounded", "unknown_zero"]


def unknown_zero(values: Sequence[object]) -> Array | None:
    """Zero, computed of one element of `values`, arrays that JAX traces; None if there is none.

    No square leaves 3 when it is divided by 7, which no compiler knows.

    >>> jax.make_jaxpr(lambda x: unknown_zero([x]))(jnp.ones(3)).eqns[-1].primitive.name
    'eq'
    """
    arrays = [x for x in values if isinstance(x, jax.core.Tracer) and _has_bits(x)]
    if not arrays:
        return None
    x: Any = min(arrays, key=lambda x: x.ndim)
    x = lax.reshape(lax.slice(x, (0,) * x.ndim, (1,) * x.ndim), ())
    if jnp.issubdtype(x.dtype, jnp.floating):
        x = lax.bitcast_convert_type(x, _BITS[x.dtype.itemsize])
    some = lax.convert_element_type(x, "uint32") & 0xFFFF
    return lax.eq(lax.rem(some * some, jnp.uint32(7)), jnp.uint32(3))


def rounded(x: Array, zero: Array) -> Array:
    """`x`, which XLA must round before it goes on computing with it."""
    result: Array = _rounded_p.bind(x, lax.broadcast(zero, x.shape))
    return result


_BITS: Final = {1: "uint8", 2: "uint16", 4: "uint32", 8: "uint64"}


def _has_bits(x: Any) -> bool:
    real = any(jnp.issubdtype(x.dtype, kind) for kind in (jnp.floating, jnp.integer, jnp.bool_))
    return real and all(map(_is_positive, x.shape))


def _is_positive(length: Any) -> bool:
    try:
        return bool(length >= 1)
    except InconclusiveDimensionOperation:  # a symbol, in exported graphs
        return False


def _mixed(x: Array, zero: Array) -> Array:
    bits: Any = _BITS[x.dtype.itemsize]
    mixed = lax.bitcast_convert_type(x, bits) ^ lax.convert_element_type(zero, bits)
    return lax.bitcast_convert_type(mixed, x.dtype)


_rounded_p: Any = Primitive("weft_rounded")
_rounded_p.def_impl(_mixed)
_rounded_p.def_abstract_eval(lambda x, zero: x)
mlir.register_lowering(_rounded_p, mlir.lower_fun(_mixed, multiple_results=False))
_define_batches: Any = batching.defbroadcasting
_define_batches(_rounded_p)
_define_slopes: Any = ad.defjvp
_define_slopes(_rounded_p, lambda tangent, x, zero: tangent, None)
