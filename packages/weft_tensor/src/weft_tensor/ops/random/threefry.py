"""Threefry-2x32: random bits as a function of a key and of a counter, elementwise.

Source: J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, Parallel Random Numbers: As Easy
as 1, 2, 3, 2011.
"""

from __future__ import annotations

from typing import Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.op import binary
from weft_tensor.ops.elementwise.table import INTEGER, Signature

__all__ = ["threefry2x32"]

_ROTATIONS: Final = ((13, 15, 26, 6), (17, 29, 16, 24))
"""By how many bits each round rotates; groups of four rounds take these in turn."""
_PARITY: Final = 0x1BD11BDA
"""What makes, with both words of the key, the third word."""


def _rounds(key: TensorVariable, counter: TensorVariable) -> TensorVariable:
    """Twenty rounds on the two halves of the counter, written out: backends fuse them.

    XLA does not with the loop over rounds that `jax.random` has, which takes four times as long.
    """
    words = _halves(key)
    words.append(words[0] ^ words[1] ^ _PARITY)
    x, y = (half + word for half, word in zip(_halves(counter), words, strict=False))
    for group in range(5):
        for bits in _ROTATIONS[group % 2]:
            x = x + y
            y = ((y << bits) | (y >> 32 - bits)) ^ x
        x = x + words[(group + 1) % 3]
        y = y + words[(group + 2) % 3] + (group + 1)
    return (x.astype("uint64") << 32) | y.astype("uint64")


def _halves(word: TensorVariable) -> list[TensorVariable]:
    return [(word >> 32).astype("uint32"), word.astype("uint32")]


def _words(dtypes: tuple[str, ...]) -> Signature:
    if any(d[0] not in "iu" for d in dtypes):
        raise TypeError(f"threefry2x32 takes integers, not {' and '.join(dtypes)}")
    return ("uint64", "uint64"), "uint64"


# fmt: off
threefry2x32 = binary(
    "threefry2x32", None,
    "64 random bits for a key and a counter; the upper half of each is the first word.",
    (INTEGER, INTEGER), (0, 0, 0x6B20015999BA4EFE),
    expansion=_rounds, dtypes=_words,
)
