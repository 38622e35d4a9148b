"""Threefry-2x32: random bits as a function of a key and of a counter, elementwise.

Source: J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, Parallel Random Numbers: As Easy
as 1, 2, 3, 2011.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from weft_tensor.ops.elementwise.table import INTEGER, Signature, binary

__all__ = ["THREEFRY_PARITY", "THREEFRY_ROTATIONS", "threefry2x32"]

THREEFRY_ROTATIONS: Final = ((13, 15, 26, 6), (17, 29, 16, 24))
"""By how many bits each round rotates; groups of four rounds take these in turn."""
THREEFRY_PARITY: Final = 0x1BD11BDA
"""What makes, with both words of the key, the third word."""
_BLOCK: Final = 8192
"""As many counters at once as the processor's cache holds with all that is computed of them."""


def _threefry2x32(key: Any, counter: Any) -> Any:
    """NumPy's: in blocks, for each of a hundred steps goes over all numbers."""
    keys, counters = np.asarray(key), np.asarray(counter)
    shape = np.broadcast_shapes(keys.shape, counters.shape)
    counters = np.broadcast_to(counters, shape).reshape(-1)
    keys = keys.reshape(1) if keys.size == 1 else np.broadcast_to(keys, shape).reshape(-1)
    result = np.empty(counters.shape, np.uint64)
    for start in range(0, counters.size, _BLOCK):
        block = slice(start, start + _BLOCK)
        result[block] = _rounds(keys if keys.size == 1 else keys[block], counters[block])
    return result.reshape(shape)


def _rounds(key: Any, counter: Any) -> Any:
    words = [(key >> 32).astype(np.uint32), key.astype(np.uint32)]
    words.append(words[0] ^ words[1] ^ np.uint32(THREEFRY_PARITY))
    x = (counter >> 32).astype(np.uint32) + words[0]
    y = counter.astype(np.uint32) + words[1]
    rotated = np.empty_like(y)
    for group in range(5):
        for bits in THREEFRY_ROTATIONS[group % 2]:
            x += y
            np.left_shift(y, bits, out=rotated)
            y >>= 32 - bits
            y |= rotated
            y ^= x
        x += words[(group + 1) % 3]
        y += words[(group + 2) % 3] + np.uint32(group + 1)
    return x.astype(np.uint64) << 32 | y


def _words(dtypes: tuple[str, ...]) -> Signature:
    if any(d[0] not in "iu" for d in dtypes):
        raise TypeError(f"threefry2x32 takes integers, not {' and '.join(dtypes)}")
    return ("uint64", "uint64"), "uint64"


# fmt: off
threefry2x32 = binary(
    "threefry2x32", _threefry2x32,
    "64 random bits for a key and a counter; the upper half of each is the first word.",
    (INTEGER, INTEGER), (0, 0, 0x6B20015999BA4EFE), dtypes=_words,
)
