"""What several chunks have compressed, each into its part of a room, as one array.

What is told of a compressed result is an array of numbers: how many elements there are, how many
chunks, and how many elements each of them has written.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from weft_numba.ir.llvm_writer import Code
from weft_numba.llvm.threads import MOST

__all__ = ["CHUNKS", "FIRST", "SIZE", "TOTAL", "pieces"]

TOTAL: Final = 0
CHUNKS: Final = 1
FIRST: Final = 2
"""Where it is said how many elements the first chunk has written."""
SIZE: Final = FIRST + MOST
"""How many numbers are told."""
_SMALL: Final = 2**21
"""So many bytes are copied by one thread."""


@cache
def pieces() -> str:
    """The module of weft_pieces, which copies to `to`; there were `n` points, of `item` bytes.

    >>> "define weak_odr void @weft_pieces(ptr %to, ptr %room, ptr %told" in pieces()
    True
    """
    code = Code()
    code.declarations["weft_split"] = "declare void @weft_split(ptr, ptr, i64)"
    code.declarations["memcpy"] = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"
    kinds = {"to": "ptr", "room": "ptr", "told": "ptr", "n": "i64", "item": "i64"}
    with code.definition("define internal void @piece(ptr %frame, i64 %k) nounwind"):
        to, room, counts, n, item = (
            code("load {}, ptr {}", kind, _at(code, "%frame", str(place)))
            for place, kind in enumerate(kinds.values())
        )
        cell = code("alloca i64")
        code.lines.append(f"store i64 0, ptr {cell}")
        with code.loop("before", "%k") as j:
            more = code("add i64 {}, {}", code("load i64, ptr {}", cell), _count(code, counts, j))
            code.lines.append(f"store i64 {more}, ptr {cell}")
        chunks = code("load i64, ptr {}", _at(code, counts, str(CHUNKS)))
        begin = code("udiv i64 {}, {}", code("mul i64 %k, {}", n), chunks)
        before = code("load i64, ptr {}", cell)
        target, source = (
            code("getelementptr i8, ptr {}, i64 {}", x, code("mul i64 {}, {}", at, item))
            for x, at in ((to, before), (room, begin))
        )
        size = code("mul i64 {}, {}", _count(code, counts, "%k"), item)
        arguments = f"ptr {target}, ptr {source}, i64 {size}, i1 false"
        code.lines += [f"call void @llvm.memcpy.p0.p0.i64({arguments})", "ret void"]
    parameters = ", ".join(f"{kind} %{name}" for name, kind in kinds.items())
    with code.definition(f"define weak_odr void @weft_pieces({parameters}) noinline nounwind"):
        frame = code("alloca [{} x i64]", str(len(kinds)))
        for place, (name, kind) in enumerate(kinds.items()):
            code.lines.append(f"store {kind} %{name}, ptr {_at(code, frame, str(place))}")
        total, chunks = (
            code("load i64, ptr {}", _at(code, "%told", str(place))) for place in (TOTAL, CHUNKS)
        )
        few = code("icmp ult i64 {}, {}", code("mul i64 {}, %item", total), str(_SMALL))
        code.lines += [f"br i1 {few}, label %alone, label %together", "together:"]
        code.lines.append(f"call void @weft_split(ptr @piece, ptr {frame}, i64 {chunks})")
        code.lines += ["ret void", "alone:"]
        with code.loop("each", chunks) as k:
            code.lines.append(f"call void @piece(ptr {frame}, i64 {k})")
        code.lines.append("ret void")
    return code.module("\n".join(code.definitions))


def _at(code: Code, place: str, k: str) -> str:
    return code("getelementptr i64, ptr {}, i64 {}", place, k)


def _count(code: Code, counts: str, k: str) -> str:
    """How many elements chunk k has written."""
    return code("load i64, ptr {}", _at(code, counts, code("add i64 {}, {}", k, str(FIRST))))
