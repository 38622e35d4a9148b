"""Lengths of axes and of slices in JAX, and inputs that are known as lengths are."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from weft_graph import Variable
from weft_graph.extend import Static
from weft_jax.lowering.dispatch import jax_funcify
from weft_tensor import SCALAR, Length, SliceLength, TensorType

__all__ = ["jax_funcify_length", "jax_funcify_slice_length", "jax_funcify_static"]


@jax_funcify.register(Length)
def jax_funcify_length(op: Length, **kwargs: Any) -> Any:
    """A Python number while JAX traces, or JAX's symbol for one that is exported."""

    def length(x: Any) -> Any:
        return np.shape(x)[op.axis]

    return length


@jax_funcify.register(Static)
def jax_funcify_static(op: Static, *, node: Variable, **kwargs: Any) -> Any:
    """The value as NumPy has it, as constants come; of a type of the user's as it is."""
    kind = node.type
    if not isinstance(kind, TensorType):
        return lambda value: value
    return lambda value: np.asarray(value, kind.dtype)


@jax_funcify.register(SliceLength)
def jax_funcify_slice_length(op: SliceLength, **kwargs: Any) -> Any:
    """As Python's `slice.indices` says."""

    def slice_length(n: Any, *values: Any) -> Any:
        rest = iter(values)
        parts: list[Any] = [next(rest) if p == SCALAR else p for p in op.part]
        start, stop, step = parts
        step = 1 if step is None else step
        low, high = jnp.where(step > 0, 0, -1), jnp.where(step > 0, n, n - 1)
        begin = _end(start, n, low, high, jnp.where(step > 0, low, high))
        end = _end(stop, n, low, high, jnp.where(step > 0, high, low))
        distance = jnp.where(step > 0, end - begin, begin - end)
        return jnp.maximum(-(-distance // jnp.abs(step)), 0)

    return slice_length


def _end(given: Any, n: Any, low: Any, high: Any, default: Any) -> Any:
    """Where a slice begins or ends, counted from the front and within bounds."""
    if given is None:
        return default
    return jnp.clip(jnp.where(given < 0, given + n, given), low, high)
