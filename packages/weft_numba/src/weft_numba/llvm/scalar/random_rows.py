"""Random bits as machine code."""

from __future__ import annotations

from weft_numba.ir.llvm_writer import Code, Number
from weft_tensor.extend import THREEFRY_PARITY, THREEFRY_ROTATIONS

__all__ = ["threefry2x32"]

_ROTATE = "declare i32 @llvm.fshl.i32(i32, i32, i32)"


def threefry2x32(c: Code, n: Number, key: str, counter: str) -> str:
    """Twenty rounds on the two halves of the counter.

    >>> from weft_numba.ir.llvm_writer import number
    >>> code = Code()
    >>> threefry2x32(code, number("uint64"), "%key", "%counter")
    '%v88'
    """
    c.declarations["llvm.fshl.i32"] = _ROTATE
    words = [*_halves(c, key)]
    both = c("xor i32 {}, {}", *words)
    words.append(c("xor i32 {}, {}", both, str(THREEFRY_PARITY)))
    x, y = (c("add i32 {}, {}", *pair) for pair in zip(_halves(c, counter), words, strict=False))
    for group in range(5):
        for bits in THREEFRY_ROTATIONS[group % 2]:
            x = c("add i32 {}, {}", x, y)
            turned = c("call i32 @llvm.fshl.i32(i32 {}, i32 {}, i32 {})", y, y, str(bits))
            y = c("xor i32 {}, {}", turned, x)
        x = c("add i32 {}, {}", x, words[(group + 1) % 3])
        numbered = c("add i32 {}, {}", words[(group + 2) % 3], str(group + 1))
        y = c("add i32 {}, {}", y, numbered)
    high = c("shl i64 {}, 32", c("zext i32 {} to i64", x))
    return c("or i64 {}, {}", high, c("zext i32 {} to i64", y))


def _halves(c: Code, word: str) -> tuple[str, str]:
    high = c("trunc i64 {} to i32", c("lshr i64 {}, 32", word))
    return high, c("trunc i64 {} to i32", word)
