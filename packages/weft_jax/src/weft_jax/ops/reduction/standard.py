"""Reductions in JAX."""

from __future__ import annotations

from typing import Any, Final

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from weft_jax.analysis.static_values import no_positions, static_positions
from weft_jax.lowering.complex_order import complex_extremum
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_tensor import All, Any_, Max, Min, Prod, Sum, TensorVariable
from weft_tensor.extend import AxisReduction

__all__ = ["jax_funcify_reduction"]

FUNCTIONS: Final[dict[type[AxisReduction], Any]] = {
    Sum: jnp.sum,
    Prod: jnp.prod,
    Max: jnp.max,
    Min: jnp.min,
    Any_: lambda x, axis: jnp.any(x != 0, axis=axis),  # of complex numbers, `any` sees one part
    All: lambda x, axis: jnp.all(x != 0, axis=axis),
}


_PLAINLY: Final[dict[type[AxisReduction], Any]] = {
    Sum: (lax.add, 0.0),
    Prod: (lax.mul, 1.0),
    Max: (lax.max, Max.beyond),
    Min: (lax.min, Min.beyond),
}
"""The same for floats, of at least one element, which takes half as long to trace."""
_OF_BOOLS: Final[dict[type[AxisReduction], Any]] = {
    Any_: (lax.bitwise_or, False),
    All: (lax.bitwise_and, True),
}
"""Likewise for truth values."""


_SATURATED: Final = ("int8", "uint8")
"""Of what is computed in these, XLA 0.10 finds extremes of many before it wraps around."""


def jax_funcify_reduction(op: AxisReduction, *, node: TensorVariable, **kwargs: object) -> Lowering:
    """`jax.numpy`'s function, in the dtype of the result."""
    function, axis = FUNCTIONS[type(op)], op.axis
    dtype = node.type.dtype
    accumulator = dtype if isinstance(op, Sum | Prod) else None
    options = (
        {"initial": op.of_nothing(dtype)} if isinstance(op, Max | Min) and op.or_infinity else {}
    )
    plainly = {"float32": _PLAINLY, "float64": _PLAINLY, "bool": _OF_BOOLS}.get(dtype, {})
    combine, start = plainly.get(type(op), (None, None))

    def reduction(x: Array) -> object:
        x = jnp.asarray(x, accumulator)
        if not axis:
            return x.astype(dtype)
        if combine is not None and x.dtype == dtype and 0 not in x.shape:
            return lax.reduce(x, np.asarray(start, dtype), combine, axis)
        if isinstance(op, Max | Min) and jnp.iscomplexobj(x):
            return complex_extremum(x, axis, largest=isinstance(op, Max))
        if isinstance(op, Max | Min) and dtype in _SATURATED:
            x = x.astype("int32")
        return function(x, axis=axis, **options).astype(dtype)

    return reduction


for kind in FUNCTIONS:  # each class, and not their base: bases are slow to find
    static_positions.register(kind, no_positions)
    jax_funcify.register(kind, jax_funcify_reduction)
