"""Random bits in JAX."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from weft_tensor import THREEFRY_PARITY, THREEFRY_ROTATIONS

__all__ = ["threefry2x32"]


def threefry2x32(key: Any, counter: Any) -> Any:
    """Twenty rounds on the two halves of the counter, written out.

    XLA fuses them with what is made of the bits, which it does not with the loop over rounds
    that `jax.random` has for CPUs: that takes four times as long.

    >>> from weft_jax.lowering.x64 import enable_x64
    >>> with enable_x64(True):
    ...     word = int(threefry2x32(jnp.uint64(0), jnp.uint64(0)))
    >>> hex(word)
    '0x6b20015999ba4efe'
    """
    if key.dtype != "uint64" or counter.dtype != "uint64":
        raise TypeError(
            "random numbers need integers of 64 bits, which JAX does not have as it is set: "
            "call this within `jax.enable_x64(True)`"
        )
    words = [*_halves(key)]
    words.append(words[0] ^ words[1] ^ jnp.uint32(THREEFRY_PARITY))
    x, y = (half + word for half, word in zip(_halves(counter), words, strict=False))
    for group in range(5):
        for bits in THREEFRY_ROTATIONS[group % 2]:
            x = x + y
            y = ((y << jnp.uint32(bits)) | (y >> jnp.uint32(32 - bits))) ^ x
        x = x + words[(group + 1) % 3]
        y = y + words[(group + 2) % 3] + jnp.uint32(group + 1)
    return (x.astype("uint64") << jnp.uint64(32)) | y.astype("uint64")


def _halves(word: Any) -> tuple[Any, Any]:
    return (word >> jnp.uint64(32)).astype("uint32"), word.astype("uint32")
