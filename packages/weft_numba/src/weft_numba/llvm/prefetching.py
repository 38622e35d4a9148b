"""A long loop in blocks, each of which asks for memory that the next ones read.

Processors see by themselves what a loop reads next, but only within a page of memory: at the
start of each page they wait, unless they look far enough ahead. A loop that calls functions of
whole vectors has too many instructions for that. What is not in the cache takes such a loop 1.1
instead of 1.4 times as long as what is, once the first lines of pages are asked for in time.

And what such a loop reads of numbers that lie apart is first collected, for each block: the
instruction that collects a vector takes several times as long on many processors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

from weft_numba.ir.kernel import Kernel
from weft_numba.ir.llvm_writer import Code, Number, number
from weft_numba.llvm import loop_marks

__all__ = ["Apart", "in_blocks", "rooms", "streams"]

_PAGE: Final = 4096
"""Bytes that a block reads of its widest operand."""
_LINE: Final = 64
_LINES: Final = 8
"""How much of a page is asked for, in bytes and lines: by then the processor goes on itself."""


class Apart(NamedTuple):
    """Numbers that lie apart in memory."""

    place: str
    """Where the one of index 0 is."""
    stride: str
    number: Number
    room: str
    """Memory for those of a block."""


@contextmanager
def in_blocks(
    code: Code,
    name: str,
    begin: str,
    end: str,
    read: Mapping[str, Number],
    apart: Mapping[int, Apart],
) -> Iterator[tuple[str, str, dict[int, str]]]:
    """A loop over blocks; gives from where to before where each goes, and pointers to copies.

    `read` has the pointers to what is read one number after another, from index 0. Of what lies
    `apart`, the copy of index 0 would be at the pointer of the same key.

    >>> code = Code()
    >>> with in_blocks(code, "rows", "0", "%n", {}, {}) as (first, last, _):
    ...     _ = code("sub i64 {}, {}", last, first)
    >>> any("loop_block_rows" in line for line in code.lines)
    True
    """
    numbers = [*read.values(), *(each.number for each in apart.values())]
    size = str(_PAGE // max((n.bytes for n in numbers), default=1))
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
        last = code("select i1 {}, i64 {}, i64 {}", more, following, end)
        yield first, last, _collected(code, first, last, apart)


def streams(kernel: Kernel, unit: Iterable[int], pointers: Sequence[str]) -> dict[str, Number]:
    """What is better asked for early: what a loop of vector functions reads in order.

    These are the pointers of the operands `unit`.

    >>> streams(Kernel((), (), (), ()), (), ())
    {}
    """
    is_short = bool(kernel.lengths) and (kernel.lengths[-1].known or _PAGE) * 8 < _PAGE
    if is_short or not loop_marks.calls(kernel):
        return {}
    return {pointers[k]: number(kernel.operands[k].dtype) for k in sorted(unit)}


def rooms(code: Code, kernel: Kernel) -> dict[int, str]:
    """Reserve memory for a block of each operand that the innermost loop may have to collect.

    >>> rooms(Code(), Kernel((), (), (), ()))
    {}
    """
    names: dict[int, str] = {}
    if kernel.ndim and loop_marks.calls(kernel):
        for k, o in enumerate(kernel.operands):
            if o.ndim and not o.table and o.extent[-1] in "n?":
                n, names[k] = number(o.dtype), f"%b{k}"
                size = f"[{_PAGE // n.bytes} x {n.memory}]"
                code.lines.append(f"{names[k]} = alloca {size}, align {_LINE}")
    return names


def _collected(code: Code, first: str, last: str, apart: Mapping[int, Apart]) -> dict[int, str]:
    """Copy what lies apart, of a block; gives where those of index 0 would be among the copies."""
    places = {}
    for k, (place, stride, n, room) in apart.items():
        back = code("sub i64 0, {}", first)
        places[k] = code(f"getelementptr {n.memory}, ptr {room}, i64 {back}")
        values = f"ptr {place}, i64 {stride}, ptr {places[k]}, i64 {first}, i64 {last}"
        code.lines.append(f"call void @{_collect(code, n)}({values})")
    return places


def _collect(code: Code, n: Number) -> str:
    """The name of a function that copies numbers which lie apart.

    For all operands it is one, which LLVM sees once, as what `_ask_for` calls: nine exponentials of
    36 slices compile in .9 s, which were 2.1.
    """
    name = f"weft_collect_{n.memory}"
    if name not in code.declarations:
        parameters = "ptr %place, i64 %stride, ptr %copies, i64 %first, i64 %last"
        with code.definition(f"define linkonce_odr void @{name}({parameters}) noinline nounwind"):
            with code.loop(name, "%last", "%first", marks=loop_marks.ONE_BY_ONE) as i:
                away = code("mul i64 {}, %stride", i)
                source = code(f"getelementptr i8, ptr %place, i64 {away}")
                copy = code(f"getelementptr {n.memory}, ptr %copies, i64 {i}")
                code.store(n, code.load(n, source), copy)
            code.lines.append("ret void")
        code.declarations[name] = code.definitions.pop()
    return name


def _ask_for(code: Code, place: str) -> None:
    """Ask for the beginning of the page that begins at `place` or after it."""
    name = "weft_ask"
    if name not in code.declarations:
        code.declarations["llvm.prefetch"] = "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)"
        with code.definition(f"define linkonce_odr void @{name}(ptr %place) noinline nounwind"):
            after = code("add i64 {}, {}", code("ptrtoint ptr %place to i64"), str(_PAGE - 1))
            page = code("inttoptr i64 {} to ptr", code("and i64 {}, {}", after, str(-_PAGE)))
            for line in range(_LINES):
                at = code(f"getelementptr i8, ptr {page}, i64 {line * _LINE}")
                code.lines.append(f"call void @llvm.prefetch.p0(ptr {at}, i32 0, i32 3, i32 1)")
            code.lines.append("ret void")
        code.declarations[name] = code.definitions.pop()
    code.lines.append(f"call void @{name}(ptr {place})")
