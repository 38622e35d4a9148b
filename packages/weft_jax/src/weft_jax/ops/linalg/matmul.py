"""Products in JAX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax import Array, lax

from weft_graph import Variable
from weft_graph.extend import remake
from weft_jax.analysis.bounded_loops import is_by_rows
from weft_jax.analysis.mask_lifting import CHOSEN, LIFTED, Chosen
from weft_jax.analysis.static_values import no_positions, static_positions
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_jax.lowering.precision import of_products
from weft_jax.lowering.x64 import of_dtype
from weft_tensor import Matmul, TensorVariable, constant

__all__ = ["jax_funcify_matmul"]


static_positions.register(Matmul, no_positions)
is_by_rows.register(Matmul, lambda op, v: all(i.ndim == 2 for i in v.inputs))


@jax_funcify.register(Matmul)
def jax_funcify_matmul(op: Matmul, *, node: TensorVariable, **kwargs: object) -> Lowering:
    """`jax.numpy.matmul`."""
    dtype = node.type.dtype

    def matmul(a: Array, b: Array) -> Array:
        if a.shape[-1] != b.shape[max(b.ndim - 2, 0)]:
            raise ValueError(f"matmul: the shapes {a.shape} and {b.shape} do not fit")
        a, b = of_dtype(a, dtype), of_dtype(b, dtype)
        if a.shape[:-2] != b.shape[:-2]:
            return jnp.matmul(a, b, precision=of_products())
        batch = tuple(range(a.ndim - 2))  # traced without the `jit` that `jnp.matmul` is
        dimensions = ((a.ndim - 1,), (max(b.ndim - 2, 0),)), (batch, batch)
        return lax.dot_general(a, b, dimensions, of_products(), preferred_element_type=dtype)

    return matmul


def _product(v: Variable, inputs: Sequence[Any], below: Sequence[Chosen | None]) -> Chosen | None:
    """Chosen rows of the first factor, or columns of the second, are such of the product."""
    (a, b), (left, right) = inputs, below
    whole: Any
    if max(a.ndim, b.ndim) > 2:
        return None
    if left is not None and right is None and a.ndim == 2 and (left.axis, left.after) == (0, 1):
        whole = remake(v, (left.whole, b))
        return left._replace(whole=whole, like=whole)
    if right is not None and left is None and b.ndim == 2 and (right.axis, right.after) == (1, 0):
        whole = remake(v, (a, right.whole))
        return right._replace(whole=whole, axis=whole.ndim - 1, like=whole)
    return None


def _contracted(v: Variable, below: Sequence[Chosen | None]) -> object:
    """The product of matrices or vectors along what one mask chooses of both."""
    a, b = below
    if a is None or b is None or max(a.like.ndim, b.like.ndim) > 2 or a.after or b.axis:
        return None
    if (a.mask, a.count) != (b.mask, b.count) or a.mask.ndim > 1:
        return None
    both = a._replace(fits=a.fits | b.fits)
    mask = both.checked()
    return remake(
        v, (both.among(mask, constant(0, a.whole.dtype)), b.among(mask, constant(0, b.whole.dtype)))
    )


CHOSEN[Matmul] = _product
LIFTED[Matmul] = _contracted
