"""64 bits for what Weft computes, whatever JAX's global setting."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp

__all__ = ["as_array", "enable_x64", "of_dtype", "outside_dtype", "widened"]

enable_x64: Any = jax.enable_x64
"""The context in which JAX computes with 64 bits, in this thread."""


def of_dtype(value: Any, dtype: str) -> jax.Array:
    """`value` as an array of JAX that keeps this dtype among others, too.

    >>> of_dtype(2.0, "float32").weak_type
    False
    """
    if isinstance(value, jax.Array) and value.dtype == dtype and not value.weak_type:
        return value
    return jnp.asarray(value, dtype)


def as_array(value: Any) -> jax.Array:
    """`value` as an array of JAX, of a dtype that the setting at hand allows.

    `jnp.asarray` alone remembers what it made of a constant under another setting.

    >>> import numpy as np
    >>> with enable_x64(False):
    ...     as_array(np.ones(2)).dtype
    dtype('float32')
    """
    return jnp.asarray(value, outside_dtype(jnp.result_type(value)))


def outside_dtype(dtype: object) -> Any:
    """What JAX makes of `dtype` under the setting at hand: 32 bits of 64 where that is off.

    >>> with enable_x64(False):
    ...     outside_dtype("float64")
    dtype('float32')
    """
    return jax.dtypes.canonicalize_dtype(dtype)


def widened(statements: Iterable[str], namespace: dict[str, object]) -> list[str]:
    """`statements`, as source, run with 64 bits.

    Where JAX's setting has a quick way to be swapped in this thread, that spares each call
    a context manager, which takes half a microsecond.

    >>> widened(["x = 1"], {})[-1]
    '    ...x...'
    """
    inner = ["    " + line for line in statements]
    if not _can_swap():
        namespace["enable_x64"] = enable_x64
        return ["with enable_x64(True):", *inner]
    namespace |= {"swap_x64": enable_x64.swap_local, "set_x64": enable_x64.set_local}
    return ["before = swap_x64(True)", "try:", *inner, "finally:", "    set_x64(before)"]


@cache
def _can_swap() -> bool:
    """Whether the quick way is there and does what the context manager does."""
    try:
        before = enable_x64.swap_local(True)
    except (AttributeError, TypeError):
        return False
    try:
        return bool(outside_dtype("float64") == "float64")
    finally:
        enable_x64.set_local(before)
