"""64 bits for what Weft computes, whatever JAX's global setting."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import jax

__all__ = ["enable_x64", "outside_dtype"]

enable_x64: Any = getattr(jax, "enable_x64", None)
"""The context in which JAX computes with 64 bits, in this thread."""
if enable_x64 is None:  # older versions of JAX
    enable_x64 = import_module("jax.experimental").enable_x64


def outside_dtype(dtype: Any) -> Any:
    """What JAX makes of `dtype` under the setting at hand: 32 bits of 64 where that is off.

    >>> with enable_x64(False):
    ...     outside_dtype("float64")
    dtype('float32')
    """
    return jax.dtypes.canonicalize_dtype(dtype)
