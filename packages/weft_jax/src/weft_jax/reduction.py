"""Reductions in JAX."""

from __future__ import annotations

from typing import Any, Final

import jax.numpy as jnp
import numpy as np

from weft_graph import Variable
from weft_jax.dispatch import jax_funcify
from weft_tensor import All, Any_, Max, Min, Prod, Reduction, Sum, SumTo

__all__ = ["jax_funcify_reduction", "jax_funcify_sum_to"]

FUNCTIONS: Final[dict[type[Reduction], Any]] = {
    Sum: jnp.sum,
    Prod: jnp.prod,
    Max: jnp.max,
    Min: jnp.min,
    Any_: jnp.any,
    All: jnp.all,
}


@jax_funcify.register(Reduction)
def jax_funcify_reduction(op: Reduction, *, node: Variable, **kwargs: Any) -> Any:
    """`jax.numpy`'s function, in the dtype of the result."""
    function, axis = FUNCTIONS[type(op)], op.axis
    dtype = node.type.dtype  # type: ignore[attr-defined]  # a tensor
    given = dtype if isinstance(op, Sum | Prod) else None
    options = {"initial": op.beyond} if isinstance(op, Max | Min) and op.or_infinity else {}

    def reduction(x: Any) -> Any:
        x = jnp.asarray(x, given)
        return function(x, axis=axis, **options) if axis else x.astype(dtype)

    return reduction


@jax_funcify.register(SumTo)
def jax_funcify_sum_to(op: SumTo, **kwargs: Any) -> Any:
    """A sum over the axes that are found to differ while tracing."""

    def sum_to(x: Any, *lengths: int) -> Any:
        shape = np.shape(x)
        if np.broadcast_shapes(lengths, shape) != shape:
            raise ValueError(f"cannot sum {shape} to {lengths}, which does not broadcast to it")
        axes = tuple(a for a, n in enumerate(lengths) if n == 1 and shape[a] != 1)
        return jnp.sum(x, axis=axes, keepdims=True) if axes else x

    return sum_to
