"""A long loop in blocks, each of which asks for memory that the next ones read.

Processors see by themselves what a loop reads next, but only within a page of memory: at the
start of each page they wait, unless they look far enough ahead. A loop that calls functions of
whole vectors has too many instructions for that. What is not in the cache takes such a loop 1.1
instead of 1.4 times as long as what is, once the first lines of pages are asked for in time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from weft_numba.ir.llvm_writer import Code, Number

__all__ = ["PAGE", "in_blocks"]

PAGE: Final = 4096
"""Bytes that a block reads of its widest operand."""
_LINE: Final = 64
_LINES: Final = 8
"""How much of a page is asked for, in bytes and lines: by then the processor goes on itself."""


@contextmanager
def in_blocks(
    code: Code, name: str, begin: str, end: str, read: Mapping[str, Number]
) -> Iterator[tuple[str, str]]:
    """A loop over blocks; gives from where to before where each goes.

    `read` has the pointers to what is read one number after another, from index 0.

    >>> code = Code()
    >>> with in_blocks(code, "rows", "0", "%n", {}) as (first, last):
    ...     _ = code("sub i64 {}, {}", last, first)
    >>> any("loop_block_rows" in line for line in code.lines)
    True
    """
    size = str(PAGE // max((n.bytes for n in read.values()), default=1))
    length = code("add i64 {}, {}", code("sub i64 {}, {}", end, begin), str(int(size) - 1))
    with code.loop(f"block_{name}", code("sdiv i64 {}, {}", length, size)) as block:
        first = code("add i64 {}, {}", begin, code("mul i64 {}, {}", block, size))
        following = code("add i64 {}, {}", first, size)
        more = code("icmp slt i64 {}, {}", following, end)
        code.lines.append(f"br i1 {more}, label %ahead_{name}, label %here_{name}")
        code.lines.append(f"ahead_{name}:")
        for pointer, n in read.items():
            _ask_for(code, code(f"getelementptr {n.memory}, ptr {pointer}, i64 {following}"))
        code.label(f"here_{name}")
        yield first, code("select i1 {}, i64 {}, i64 {}", more, following, end)


def _ask_for(code: Code, place: str) -> None:
    """Ask for the beginning of the page that begins at `place` or after it."""
    code.declarations["llvm.prefetch"] = "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)"
    after = code("add i64 {}, {}", code("ptrtoint ptr {} to i64", place), str(PAGE - 1))
    page = code("inttoptr i64 {} to ptr", code("and i64 {}, {}", after, str(-PAGE)))
    for line in range(_LINES):
        at = code(f"getelementptr i8, ptr {page}, i64 {line * _LINE}")
        code.lines.append(f"call void @llvm.prefetch.p0(ptr {at}, i32 0, i32 3, i32 1)")
