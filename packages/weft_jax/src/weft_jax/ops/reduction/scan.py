"""Scans along an axis in JAX, by what they combine by."""

from __future__ import annotations

from typing import Final

import jax
from jax import lax

from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import TensorVariable
from weft_tensor.extend import AxisScan

__all__ = ["jax_funcify_scan"]

_BY_COMBINE: Final = {
    "add": lax.cumsum,
    "mul": lax.cumprod,
    "maximum": lax.cummax,
    "minimum": lax.cummin,
}


@jax_funcify.register(AxisScan)
def jax_funcify_scan(op: AxisScan, *, node: TensorVariable, **kwargs: object) -> Lowering:
    """`jax.lax`'s function, which takes no bools."""
    function, dtype = _BY_COMBINE[op.combine], node.type.dtype

    def compute(x: jax.Array) -> jax.Array:
        return function(x.astype("int8" if dtype == "bool" else dtype), axis=op.axis).astype(dtype)

    return compute
